import WaymarkImage

/// Estimates for each cell of a picture the probability that it belongs to a page, by a small convolutional network.
///
/// It evaluates the whole picture coarsely, whereas the other evidence is local: for lines alone, an outline that ends at a
/// fold, a table's frame or a book beneath the sheet is as good as the sheet's. The network is a U-Net (O. Ronneberger, P.
/// Fischer, T. Brox, "U-Net: convolutional networks for biomedical image segmentation", 2015) of depthwise separable
/// convolutions (A. G. Howard et al., "MobileNets", 2017) with 224,000 weights of eight bits, fitted to rendered pictures by
/// `Benchmarks/documents/segment`. Use it from one thread at a time.
final class PageSegmenter {
  private let network: PageNetwork
  private let runner: NetworkRunner<FloatKernel>
  /// The network's input: red, green and blue of each pixel.
  private var input: [Float]
  /// The resampler for the size of the last picture.
  private var resampler: Resampler?

  init(_ network: PageNetwork) {
    self.network = network
    runner = NetworkRunner(network.layers)
    input = [Float](repeating: 0, count: 3 * network.side * network.side)
  }

  /// Returns the probability that each of the network's `cells` × `cells` equal parts of the picture belongs to a page, row by row.
  func probabilities(_ picture: WorkingPicture) -> [Float] {
    load(picture)
    return probabilities(of: input)
  }

  /// Returns the probabilities for `side` × `side` × 3 values (interleaved red, green, blue), 0…255.
  func probabilities(of values: [Float]) -> [Float] {
    runner.run(Self.normalized(values)).map { Float(1 / (1 + Double.exponential(-Double($0)))) }
  }

  /// Loads the picture, resized by area averaging; a gray picture is copied to all three channels.
  private func load(_ picture: WorkingPicture) {
    let n = network.side
    let (w, h) = (picture.width, picture.height)
    guard w > 0, h > 0 else { return }
    if resampler?.isFor(w, h) != true { resampler = Resampler(from: (w, h), to: (n, n), areasOnly: true) }
    input.withUnsafeMutableBufferPointer { input in
      for c in 0..<picture.planeCount {
        resampler?.runDownFirst(UnsafePointer(picture.planes[c].pixels), stride: w) { y, row in
          for x in 0..<n { input[(y &* n &+ x) &* 3 &+ c] = row[x] }
        }
      }
      guard picture.planeCount == 1 else { return }
      for i in 0..<(n * n) {
        input[3 &* i &+ 1] = input[3 &* i]
        input[3 &* i &+ 2] = input[3 &* i]
      }
    }
  }

  /// Returns the values normalised for exposure and contrast.
  private static func normalized(_ values: [Float]) -> [Float] {
    var (sum, squares) = (0.0, 0.0)
    for value in values {
      let value = Double(value)
      sum += value
      squares += value * value
    }
    let mean = sum / Double(values.count)
    let deviation = max(10, max(0, squares / Double(values.count) - mean * mean).squareRoot())
    return values.map { Float((Double($0) - mean) / deviation) }
  }
}

/// The network of a page's mask: a U-Net, whose weights are read from a file.
struct PageNetwork: Sendable {
  /// The side of the square input in pixels.
  let side: Int
  /// The channels of the levels, the finest first; each level has half the side of the previous one, the first one half of `side`.
  let widths: [Int]
  let layers: LayerNetwork<FloatKernel>

  /// The number of output cells per side.
  var cells: Int { side / 2 }

  private static let sides = 32...512
  private static let levels: ClosedRange<UInt32> = 2...6
  private static let mostChannels = 1024

  /// Reads the side, the number of levels and their channels as 32-bit numbers; then for each convolution the scales and
  /// offsets of all outputs as 32-bit numbers, and the weights as signed bytes, the outputs of one input contiguous. All
  /// numbers are little-endian.
  ///
  /// - Throws: `otherModel` if the side, the levels or the channels are not supported, the length does not match the layers,
  ///   or a number is not finite.
  init(_ file: ModelFile) throws(ModelError) {
    var numbers = ModelFile.Numbers(file)
    (side, widths) = try Self.size(&numbers, of: file)
    var reader = Reader(numbers: numbers, file: file)
    // The index of each level's feature map, the finest first.
    var levels = [try reader.convolution(0, 3, widths[0], side: 3, step: 2)]
    for level in 1..<widths.count {
      let channels = widths[level]
      var made = try reader.separable(levels[level - 1], widths[level - 1], channels, step: 2)
      for _ in 0..<(level == 1 ? 1 : 2) { made = try reader.refined(made, channels) }
      levels.append(made)
    }
    var made = levels[widths.count - 1]
    for level in (0..<(widths.count - 1)).reversed() {
      let coarse = try reader.convolution(made, widths[level + 1], widths[level], rectifies: false)
      made = try reader.refined(reader.sum(levels[level], coarse), widths[level])
    }
    _ = try reader.convolution(made, widths[0], 1, rectifies: false)
    guard reader.numbers.isEmpty else { throw file.misfit("\(reader.numbers.count) bytes follow the last layer") }
    layers = LayerNetwork(reader.layers, channels: 3, height: side)
  }

  private static func size(_ numbers: inout ModelFile.Numbers, of file: ModelFile) throws(ModelError) -> (Int, [Int]) {
    let (side, count) = (Int(numbers.word()), numbers.word())
    guard levels.contains(count), sides.contains(side), side % (1 << Int(count)) == 0 else {
      throw file.misfit("it has \(count) levels for \(side) pixels a side")
    }
    let widths = (0..<count).map { _ in Int(numbers.word()) }
    guard widths.allSatisfy({ $0 % 8 == 0 && (8...mostChannels).contains($0) }) else {
      throw file.misfit("its levels have \(widths) channels; multiples of 8 are run")
    }
    return (side, widths)
  }

  /// Reads successive layers. Each method returns the index of the feature map that its last layer outputs.
  private struct Reader {
    var numbers: ModelFile.Numbers
    let file: ModelFile
    var layers: [LayerNetwork<FloatKernel>.Layer] = []

    mutating func convolution(
      _ from: Int, _ inputs: Int, _ outputs: Int, side: Int = 1, step: Int = 1, isByChannel: Bool = false,
      rectifies: Bool = true
    ) throws(ModelError) -> Int {
      let shape = ConvolutionShape(side: side, step: step, inputs: inputs, outputs: outputs, isByChannel: isByChannel)
      guard numbers.count >= outputs * (8 + shape.weightCount) else {
        throw file.misfit("it ends in layer \(layers.count + 1)")
      }
      let scales = numbers.floats(outputs)
      let offsets = numbers.floats(outputs)
      guard (scales + offsets).allSatisfy(\.isFinite) else {
        throw file.misfit("layer \(layers.count + 1) holds a number that is not finite")
      }
      let weights = (0..<(shape.weightCount * outputs)).map {
        Float(Int8(bitPattern: numbers.byte())) * scales[$0 % outputs]
      }
      layers.append(
        .init(
          from: from, work: .convolution(FloatKernel(shape, weights: weights, offsets: offsets)), rectifies: rectifies))
      return layers.count
    }

    /// Reads a depthwise separable convolution: of each channel separately, then across channels.
    mutating func separable(
      _ from: Int, _ inputs: Int, _ outputs: Int, step: Int = 1, rectifies: Bool = true
    ) throws(ModelError) -> Int {
      let deep = try convolution(from, inputs, inputs, side: 3, step: step, isByChannel: true)
      return try convolution(deep, inputs, outputs, rectifies: rectifies)
    }

    /// Reads a depthwise separable convolution whose result is added to its input.
    mutating func refined(_ from: Int, _ channels: Int) throws(ModelError) -> Int {
      sum(from, try separable(from, channels, channels, rectifies: false))
    }

    mutating func sum(_ a: Int, _ b: Int) -> Int {
      layers.append(.init(from: a, work: .addition(other: b, factors: (1, 1)), rectifies: true))
      return layers.count
    }
  }
}
