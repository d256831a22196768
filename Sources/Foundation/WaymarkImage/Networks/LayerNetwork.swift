import CKernels

/// A network of convolutions and additions over a gray picture of fixed height and any width, with weights of eight bits and activations of
/// twelve; the last layer's sums are told as they are (B. Jacob et al., "Quantization and training of neural networks for efficient
/// integer-arithmetic-only inference", 2018).
///
/// All sums are of whole numbers, so that every processor gives the same to the bit. A file is checked once, when it is read: what it holds
/// can then neither overflow a sum nor reach beyond a picture.
package struct LayerNetwork: Sendable {
  /// The work of a layer.
  enum Work: Sendable {
    case convolution(LayerKernel)
    /// Adds another picture of the same size; factors in parts of 2 to the power of `CK_SHARE_BITS`.
    case addition(other: Int, factors: (Int32, Int32))
  }

  /// A layer. Pictures are numbered: 0 goes in, and layer i, counted from 0, makes number i + 1.
  struct Layer: Sendable {
    var from: Int
    var work: Work
    /// The least and the greatest of what comes out, in steps.
    var low: Int
    var high: Int
  }

  /// The facts of a picture that do not depend on its width.
  struct Plane: Sendable {
    var channels: Int
    var height: Int
    /// The worth of a step of its numbers.
    var step: Double
    /// The greatest magnitude, in steps.
    var most: Int
    /// The padding that its readers need around it.
    var padding = LayerKernel.Padding()
    /// The layer that reads it last.
    var lastUse = 0
  }

  let layers: [Layer]
  /// Of the picture that goes in and of what each layer makes.
  let planes: [Plane]
  /// The gray value that counts as 0.
  let zero: Int
  /// Narrower pictures are filled up.
  package let leastWidth: Int

  /// The height of the pictures that it reads.
  package var height: Int { planes[0].height }
  /// How many numbers it tells of a column.
  package var outputs: Int { planes[layers.count].channels }

  /// The greatest magnitude of an activation: twelve bits.
  static let most = 4095
  private static let layerLimit = 256
  private static let channelLimit = 1024
  private static let heightLimit = 128
  private static let kernelLimit = 32
  private static let stepLimit = 8
  private static let weightLimit = 12_000_000
  /// The width by which costs are judged, the most products and the most numbers of all layers for it.
  private static let judgedWidth = 320
  private static let productLimit = 384_000_000
  private static let numberLimit = 8_000_000

  /// Takes a network off the front: the number of layers, the layers.
  ///
  /// - Parameters:
  ///   - height: of the pictures that it reads.
  ///   - zero: the gray value that counts as 0.
  ///   - step: what a gray value more is worth.
  /// - Throws: `otherModel` for what is none, or more than a line may cost.
  package init(
    _ numbers: inout ModelFile.Numbers, height: Int, zero: Int, step: Double, of file: ModelFile
  ) throws(ModelError) {
    self.zero = zero
    let count = Int(numbers.word())
    guard (1...Self.heightLimit).contains(height), (0...255).contains(zero), step.isFinite, step > 0,
      (1...Self.layerLimit).contains(count)
    else { throw file.misfit("its picture or its number of layers is not one of a line") }
    var planes = [Plane(channels: 1, height: height, step: step, most: 255)]
    var layers: [Layer] = []
    var weights = 0
    for index in 0..<count {
      func misfit(_ cause: String) -> ModelError { file.misfit("layer \(index + 1) of \(count) \(cause)") }
      let (kind, rectifies) = (numbers.byte(), numbers.byte())
      let from = Int(numbers.half())
      let range = Double(numbers.float())
      guard kind <= 2, rectifies <= 1, planes.indices.contains(from), range.isFinite, range > 0 else {
        throw misfit("is of no known kind, or reads what is not there")
      }
      var plane = planes[from]
      // The last layer tells real units.
      (plane.step, plane.most) = (index + 1 == count ? 1 : range / Double(Self.most), Self.most)
      let work: Work
      if kind == 2 {
        let other = Int(numbers.half())
        guard planes.indices.contains(other), planes[other].channels == plane.channels,
          planes[other].height == plane.height
        else { throw misfit("adds what is of another size") }
        let factors = [planes[from], planes[other]].map {
          ($0.step / plane.step * Double(1 << CK_SHARE_BITS)).rounded()
        }
        // Two products of 12 and 18 bits are below 31.
        guard factors.allSatisfy({ $0 < Double(1 << 17) }) else {
          throw misfit("adds what is much greater than its sum")
        }
        work = .addition(other: other, factors: (Int32(factors[0]), Int32(factors[1])))
      } else {
        let shape = try Self.shape(&numbers, reads: plane.channels, isByChannel: kind == 1, misfit)
        weights += shape.outputs * shape.weightCount
        guard weights <= Self.weightLimit, numbers.count >= shape.outputs * (8 + shape.weightCount) else {
          throw misfit("has more weights than there are")
        }
        plane.height = shape.height(of: plane.height)
        plane.channels = shape.outputs
        guard (1...Self.heightLimit).contains(plane.height) else { throw misfit("makes a picture of no height") }
        work = .convolution(try Self.kernel(&numbers, shape, reads: planes[from], makes: plane, misfit))
      }
      layers.append(Layer(from: from, work: work, low: rectifies == 1 ? 0 : -Self.most, high: Self.most))
      planes.append(plane)
    }
    guard let last = layers.last, case .convolution = last.work, last.low < 0, planes[count].height == 1 else {
      throw file.misfit("its last layer does not tell columns")
    }
    for (index, layer) in layers.enumerated() {
      planes[layer.from].lastUse = index
      switch layer.work {
      case .convolution(let kernel): planes[layer.from].padding.widen(to: kernel.shape.padding)
      case .addition(let other, _): planes[other].lastUse = index
      }
    }
    self.layers = layers
    self.planes = planes
    leastWidth = try Self.checked(layers, planes, file)
  }

  private static func shape(
    _ numbers: inout ModelFile.Numbers, reads inputs: Int, isByChannel: Bool, _ misfit: (String) -> ModelError
  ) throws(ModelError) -> LayerKernel.Shape {
    let outputs = Int(numbers.half())
    let (rows, columns) = (Int(numbers.byte()), Int(numbers.byte()))
    let (down, across) = (Int(numbers.byte()), Int(numbers.byte()))
    let (top, bottom, left, right) = (
      Int(numbers.byte()), Int(numbers.byte()), Int(numbers.byte()), Int(numbers.byte())
    )
    guard (1...channelLimit).contains(outputs), !isByChannel || outputs == inputs, (1...kernelLimit).contains(rows),
      (1...kernelLimit).contains(columns), (1...stepLimit).contains(down), (1...stepLimit).contains(across),
      max(top, bottom) < rows, max(left, right) < columns
    else { throw misfit("is a convolution of a shape that is not run") }
    return LayerKernel.Shape(
      inputs: inputs, outputs: outputs, rows: rows, columns: columns, stepDown: down, stepAcross: across,
      padding: LayerKernel.Padding(top: top, bottom: bottom, left: left, right: right), isByChannel: isByChannel)
  }

  private static func kernel(
    _ numbers: inout ModelFile.Numbers, _ shape: LayerKernel.Shape, reads: Plane, makes: Plane,
    _ misfit: (String) -> ModelError
  ) throws(ModelError) -> LayerKernel {
    let scales = numbers.floats(shape.outputs).map(Double.init)
    let reals = numbers.floats(shape.outputs).map(Double.init)
    guard scales.allSatisfy({ $0.isFinite && $0 > 0 }), reals.allSatisfy(\.isFinite) else {
      throw misfit("holds a number that is not finite, or a scale not above 0")
    }
    let weights = numbers.bytes(shape.outputs * shape.weightCount).map { Int8(bitPattern: $0) }
    var offsets: [Int32] = []
    var factors: [Float] = []
    for output in 0..<shape.outputs {
      let unit = reads.step * scales[output]
      let offset = (reals[output] / unit).rounded()
      let own = weights[(output * shape.weightCount)..<((output + 1) * shape.weightCount)]
      let reach = own.reduce(0) { $0 + Int($1.magnitude) } * reads.most
      let factor = Float(unit / makes.step)
      guard abs(offset) < Double(Int32.max) - Double(reach), Float(unit).isFinite else {
        throw misfit("makes sums that do not fit in 32 bits")
      }
      // The greatest sum must stay a number: without the bound, columns of a damaged file would tell infinities.
      guard (factor * Float(Int32.max)).isFinite else { throw misfit("makes numbers that are not finite") }
      offsets.append(Int32(offset))
      factors.append(factor)
    }
    return LayerKernel(shape, weights: weights, offsets: offsets, factors: factors)
  }

  /// How wide each picture is.
  func widths(of width: Int) -> [Int] { Self.widths(of: width, layers) }

  private static func widths(of width: Int, _ layers: [Layer]) -> [Int] {
    var widths = [width]
    for layer in layers { widths.append(Self.width(layer, widths)) }
    return widths
  }

  private static func width(_ layer: Layer, _ widths: [Int]) -> Int {
    switch layer.work {
    case .convolution(let kernel): kernel.shape.width(of: widths[layer.from])
    case .addition: widths[layer.from]
    }
  }

  /// The least width of a picture, where all fits together for it and every greater one.
  private static func checked(_ layers: [Layer], _ planes: [Plane], _ file: ModelFile) throws(ModelError) -> Int {
    // By how many columns a picture must grow for one more of what a layer makes.
    var strides = [1]
    for layer in layers {
      let own = strides[layer.from]
      switch layer.work {
      case .convolution(let kernel): strides.append(own * kernel.shape.stepAcross)
      case .addition(let other, _): strides.append(max(own, strides[other]))
      }
      guard strides[strides.count - 1] <= 64 else { throw file.misfit("it makes one column of more than 64") }
    }
    guard let least = (1...judgedWidth).first(where: { widths(of: $0, layers).allSatisfy { $0 > 0 } }) else {
      throw file.misfit("it reads no line of \(judgedWidth) columns")
    }
    // Widths repeat themselves with the strides: what fits for some of them fits for all.
    for width in least...(least + 192) {
      let all = widths(of: width, layers)
      for layer in layers {
        if case .addition(let other, _) = layer.work, all[layer.from] != all[other] {
          throw file.misfit("it adds pictures of different widths")
        }
      }
    }
    let judged = widths(of: judgedWidth, layers)
    var (products, numbers) = (0, 0)
    for (index, layer) in layers.enumerated() {
      let (plane, padding) = (planes[index + 1], planes[index + 1].padding)
      let places = plane.height * judged[index + 1]
      numbers +=
        (plane.height + padding.top + padding.bottom) * (judged[index + 1] + padding.left + padding.right)
        * plane.channels
      if case .convolution(let kernel) = layer.work { products += places * plane.channels * kernel.shape.weightCount }
    }
    guard products <= productLimit, numbers <= numberLimit else { throw file.misfit("a line would cost too much") }
    return least
  }
}
