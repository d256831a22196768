import CKernels

/// The weights of a convolution in integers: activations of 12 bits, weights of 8 bits and sums of 32 bits (B. Jacob et al., "Quantization and
/// training of neural networks for efficient integer-arithmetic-only inference", 2018). The results are identical on every processor.
/// The end of the file reads networks of such kernels from model files.
package struct IntegerKernel: LayerKernel {
  package let shape: ConvolutionShape
  /// The number of blocks of `CK_OUTPUTS` outputs.
  private let blocks: Int
  /// The number of pairs of activations in a row of the kernel.
  private let pairs: Int
  /// The weights, indexed [block of outputs][row][pair][output of the block][member of the pair]; if the convolution is separate
  /// for each channel, [row][column][channel].
  private let weights: [Int16]
  /// The offset of each output, in units of its sum.
  private let offsets: [Int32]
  /// The unit of each output's sum, in quantisation steps of the activations that the layer produces.
  private let factors: [Float]
  private let swish: HardSwish?
  /// True if the activations are not linear in the sums.
  fileprivate var isCurved: Bool { swish != nil }

  /// The activation y = scale · x · clamp(x / 6 + 1/2, 0 ... 1) + shift (A. Howard et al., "Searching for MobileNetV3", 2019).
  struct HardSwish: Sendable {
    /// The quantisation step of the activations.
    var step: Float
    var scale: Float
    var shift: Float
  }

  package static let slack = Int(CK_SLACK)
  package var sumCount: Int { blocks * Int(CK_OUTPUTS) }

  /// The greatest magnitude of an activation.
  fileprivate static let most = 4095
  private static func low(_ rectified: Bool) -> Int { rectified ? 0 : -most }

  /// - Parameters:
  ///   - weights: the weights, indexed [output][row][column][input].
  ///   - offsets: the offset of each output, in units of its sum.
  ///   - factors: the unit of each output's sum, in quantisation steps of the layer's activations.
  init(
    _ shape: ConvolutionShape, weights: [Int8], offsets: [Int32], factors: [Float], swish: HardSwish? = nil
  ) {
    let width = Int(CK_OUTPUTS)
    self.shape = shape
    self.swish = swish
    blocks = (shape.outputs + width - 1) / width
    let spare = [Int32](repeating: 0, count: blocks * width - shape.outputs)
    self.offsets = offsets + spare
    self.factors = factors + spare.map(Float.init)
    let places = shape.rows * shape.columns
    guard !shape.isByChannel else {
      pairs = 0
      var packed = [Int16](repeating: 0, count: places * blocks * width)
      for channel in 0..<shape.outputs {
        for place in 0..<places { packed[place * blocks * width + channel] = Int16(weights[channel * places + place]) }
      }
      self.weights = packed
      return
    }
    let run = shape.columns * shape.inputs
    pairs = (run + 1) / 2
    var packed = [Int16](repeating: 0, count: blocks * shape.rows * pairs * 2 * width)
    for output in 0..<shape.outputs {
      for row in 0..<shape.rows {
        let block = ((output / width) * shape.rows + row) * pairs
        for k in 0..<run {
          packed[((block + k / 2) * width + output % width) * 2 + k % 2] = Int16(
            weights[(output * shape.rows + row) * run + k])
        }
      }
    }
    self.weights = packed
  }

  package func sum(
    _ source: UnsafePointer<Int16>, rowStride: Int, count: Int, into sums: UnsafeMutablePointer<Int32>
  ) {
    let step = shape.stepAcross * shape.inputs
    if shape.isByChannel {
      ck_convolve_channels(
        source, rowStride, step, Int32(shape.rows), Int32(shape.columns), Int32(shape.inputs), Int32(count), weights,
        Int32(blocks), offsets, sums)
    } else {
      ck_convolve(
        source, rowStride, step, Int32(shape.rows), Int32(pairs), Int32(count), weights, Int32(blocks), offsets, sums)
    }
  }

  package func settle(
    _ sums: UnsafePointer<Int32>, count: Int, rectified: Bool, into numbers: UnsafeMutablePointer<Int16>
  ) {
    if let swish {
      ck_settle_swish(
        sums, Int32(blocks), Int32(count), factors, swish.step / 6, swish.scale, swish.shift / swish.step,
        Float(Self.most), Int32(shape.outputs), numbers)
      return
    }
    ck_settle(
      sums, Int32(blocks), Int32(count), factors, Float(Self.low(rectified)), Float(Self.most), Int32(shape.outputs),
      numbers)
  }

  package func value(_ sum: Int32, of output: Int) -> Float { Float(sum) * factors[output] }

  package static func real(_ number: Int16) -> Float { Float(number) }
  package static func number(_ real: Float) -> Int16 {
    Int16(max(-Float(most), min(Float(most), real)).rounded(.toNearestOrEven))
  }

  package static func add(
    _ a: UnsafePointer<Int16>, _ b: UnsafePointer<Int16>, _ factors: (Int32, Int32), count: Int, rectified: Bool,
    into numbers: UnsafeMutablePointer<Int16>
  ) {
    ck_add(a, factors.0, b, factors.1, Int16(low(rectified)), Int16(most), count, numbers)
  }
}

extension IntegerKernel {
  fileprivate static let layerLimit = 256
  fileprivate static let channelLimit = 1024
  fileprivate static let heightLimit = 128
  private static let kernelLimit = 32
  private static let stepLimit = 8
  fileprivate static let weightLimit = 12_000_000
  /// The width of a picture at which the costs are limited. The limits below are for the products and activations of all layers
  /// together.
  fileprivate static let judgedWidth = 320
  fileprivate static let productLimit = 768_000_000
  fileprivate static let numberLimit = 8_000_000

  /// The properties of a layer's picture while the network is read.
  fileprivate struct Plane {
    var channels: Int
    var height: Int
    /// The quantisation step of the activations, in real units.
    var step: Double
    /// The greatest magnitude, in steps.
    var most: Int
  }

  fileprivate static func shape(
    _ numbers: inout ModelFile.Numbers, reads inputs: Int, isByChannel: Bool, _ misfit: (String) -> ModelError
  ) throws(ModelError) -> ConvolutionShape {
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
    return ConvolutionShape(
      inputs: inputs, outputs: outputs, rows: rows, columns: columns, stepDown: down, stepAcross: across,
      padding: ConvolutionShape.Padding(top: top, bottom: bottom, left: left, right: right), isByChannel: isByChannel)
  }

  fileprivate static func kernel(
    _ numbers: inout ModelFile.Numbers, _ shape: ConvolutionShape, reads: Plane, makes: Plane, swish: HardSwish?,
    _ misfit: (String) -> ModelError
  ) throws(ModelError) -> IntegerKernel {
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
      // The greatest sum must stay finite: without this check, a damaged file could produce infinities.
      guard (factor * Float(Int32.max)).isFinite else { throw misfit("makes numbers that are not finite") }
      offsets.append(Int32(offset))
      factors.append(factor)
    }
    return IntegerKernel(shape, weights: weights, offsets: offsets, factors: factors, swish: swish)
  }
}

/// Reads networks over a gray picture of fixed height and any width from a file. The last layer returns its sums in real units.
///
/// A file is checked once, when it is read. After that, sums cannot overflow and all accesses are inside a picture.
// MARK: - Reading networks

extension LayerNetwork where Kernel == IntegerKernel {
  /// Reads a network from the beginning of `numbers`: the number of layers, then the layers.
  ///
  /// - Parameters:
  ///   - height: the height of the input pictures, in pixels.
  ///   - zero: the gray value that represents 0.
  ///   - step: the value of one gray level, in real units.
  ///   - outputRows: the number of rows that the last layer makes.
  ///   - leastWidth: the width to which narrower pictures are padded.
  /// - Throws: `otherModel` if the network is invalid or exceeds the limits on its cost.
  package init(
    _ numbers: inout ModelFile.Numbers, height: Int, zero: Int, step: Double, outputRows: Int = 1,
    leastWidth: Int = 1, of file: ModelFile
  ) throws(ModelError) {
    let count = Int(numbers.word())
    guard (1...IntegerKernel.heightLimit).contains(height), (0...255).contains(zero), step.isFinite, step > 0,
      (1...IntegerKernel.layerLimit).contains(count)
    else { throw file.misfit("its picture or its number of layers is not one of a line") }
    var planes = [IntegerKernel.Plane(channels: 1, height: height, step: step, most: 255)]
    var layers: [Layer] = []
    var weights = 0
    for index in 0..<count {
      func misfit(_ cause: String) -> ModelError { file.misfit("layer \(index + 1) of \(count) \(cause)") }
      let (kind, rectifies) = (numbers.byte(), numbers.byte())
      let from = Int(numbers.half())
      let range = Double(numbers.float())
      guard kind <= 3, rectifies <= (kind < 2 ? 2 : kind == 2 ? 1 : 0), planes.indices.contains(from), range.isFinite,
        range > 0
      else {
        throw misfit("is of no known kind, or reads what is not there")
      }
      var plane = planes[from]
      // The outputs of the last layer are in real units.
      (plane.step, plane.most) = (index + 1 == count ? 1 : range / Double(IntegerKernel.most), IntegerKernel.most)
      let work: Work
      if kind == 3 {
        plane.step = planes[from].step
        work = .gate(try ChannelGate(&numbers, channels: plane.channels, step: Float(plane.step), of: file))
      } else if kind == 2 {
        let other = Int(numbers.half())
        guard planes.indices.contains(other), planes[other].channels == plane.channels,
          planes[other].height == plane.height
        else { throw misfit("adds what is of another size") }
        let factors = [planes[from], planes[other]].map {
          ($0.step / plane.step * Double(1 << CK_SHARE_BITS)).rounded()
        }
        // The sum of two products of 12 and 18 bits fits in 31 bits.
        guard factors.allSatisfy({ $0 < Double(1 << 17) }) else {
          throw misfit("adds what is much greater than its sum")
        }
        work = .addition(other: other, factors: (Int32(factors[0]), Int32(factors[1])))
      } else {
        var swish: IntegerKernel.HardSwish?
        if rectifies == 2 {
          let (scale, shift) = (numbers.float(), numbers.float())
          guard scale.isFinite, shift.isFinite else { throw misfit("has an activation that is not finite") }
          swish = IntegerKernel.HardSwish(step: Float(plane.step), scale: scale, shift: shift)
        }
        let shape = try IntegerKernel.shape(&numbers, reads: plane.channels, isByChannel: kind == 1, misfit)
        weights += shape.outputs * shape.weightCount
        guard weights <= IntegerKernel.weightLimit, numbers.count >= shape.outputs * (8 + shape.weightCount) else {
          throw misfit("has more weights than there are")
        }
        plane.height = shape.height(of: plane.height)
        plane.channels = shape.outputs
        guard (1...IntegerKernel.heightLimit).contains(plane.height) else {
          throw misfit("makes a picture of no height")
        }
        work = .convolution(
          try IntegerKernel.kernel(&numbers, shape, reads: planes[from], makes: plane, swish: swish, misfit))
      }
      layers.append(Layer(from: from, work: work, rectifies: rectifies == 1))
      planes.append(plane)
    }
    guard let last = layers.last, case .convolution(let kernel) = last.work, !last.rectifies, !kernel.isCurved,
      planes[count].height == outputRows
    else {
      throw file.misfit("its last layer does not make \(outputRows) rows of columns")
    }
    let network = LayerNetwork(layers, channels: 1, height: height)
    self.init(
      layers, channels: 1, height: height, zero: Int16(zero),
      leastWidth: max(leastWidth, try network.leastWidthChecked(file)))
  }

  /// Returns the least width of an input picture, after checking that all layers fit together at this and every greater width.
  private func leastWidthChecked(_ file: ModelFile) throws(ModelError) -> Int {
    // The number of input columns per column of each picture.
    var strides = [1]
    for layer in layers {
      let own = strides[layer.from]
      switch layer.work {
      case .convolution(let kernel): strides.append(own * kernel.shape.stepAcross)
      case .addition(let other, _): strides.append(max(own, strides[other]))
      case .gate: strides.append(own)
      }
      guard strides[strides.count - 1] <= 64 else { throw file.misfit("it makes one column of more than 64") }
    }
    guard let least = (1...IntegerKernel.judgedWidth).first(where: { widths(of: $0).allSatisfy { $0 > 0 } }) else {
      throw file.misfit("it reads no line of \(IntegerKernel.judgedWidth) columns")
    }
    // Widths are periodic in the strides, so layers that fit together for one period fit for all widths.
    for width in least...(least + 192) {
      let all = widths(of: width)
      for layer in layers {
        if case .addition(let other, _) = layer.work, all[layer.from] != all[other] {
          throw file.misfit("it adds pictures of different widths")
        }
      }
    }
    let judged = widths(of: IntegerKernel.judgedWidth)
    var (products, numbers) = (0, 0)
    for (index, layer) in layers.enumerated() {
      let (plane, padding) = (planes[index + 1], planes[index + 1].padding)
      let places = plane.height * judged[index + 1]
      numbers +=
        (plane.height + padding.top + padding.bottom) * (judged[index + 1] + padding.left + padding.right)
        * plane.channels
      if case .convolution(let kernel) = layer.work { products += places * plane.channels * kernel.shape.weightCount }
    }
    guard products <= IntegerKernel.productLimit, numbers <= IntegerKernel.numberLimit else {
      throw file.misfit("a line would cost too much")
    }
    return least
  }
}
