import WaymarkImage

/// The layers of the network that tells pages from everything else, in the order in which they are run.
struct PageNetwork: Sendable {
  /// Pixels a side of the square that it sees.
  let side: Int
  /// Channels of its levels, the finest first; each level has half the side of the one before, the first one half of `side`.
  let widths: [Int]
  let layers: [Convolution]

  /// Places a side for which it answers.
  var cells: Int { side / 2 }

  private static let sides = 32...512
  private static let levels: ClosedRange<UInt32> = 2...6
  private static let mostChannels = 1024

  /// A kind of convolution, with its numbers of channels.
  enum Shape {
    case full(inputs: Int, outputs: Int)
    case depthwise(Int)
    case pointwise(inputs: Int, outputs: Int)
    /// To a single channel.
    case head(inputs: Int)
  }

  /// The shapes of the layers, in their order, by the channels of the levels.
  static func shapes(_ widths: [Int]) -> [Shape] {
    func separable(_ a: Int, _ b: Int) -> [Shape] { [.depthwise(a), .pointwise(inputs: a, outputs: b)] }
    var all: [Shape] = [.full(inputs: 3, outputs: widths[0])]
    for level in 1..<widths.count {
      all += separable(widths[level - 1], widths[level])
      for _ in 0..<(level == 1 ? 1 : 2) { all += separable(widths[level], widths[level]) }
    }
    for level in (0..<(widths.count - 1)).reversed() {
      all.append(.pointwise(inputs: widths[level + 1], outputs: widths[level]))
      all += separable(widths[level], widths[level])
    }
    return all + [.head(inputs: widths[0])]
  }

  /// Reads the side, how many levels there are and their channels, each as a number of 32 bits, then of each layer the scales of all outputs, then their offsets, as numbers of 32 bits, little-endian, then its weights as signed bytes, the
  /// outputs of an input side by side.
  ///
  /// - Throws: `otherModel` where the length is not that of the layers, or a number is not finite.
  init(_ file: ModelFile) throws(ModelError) {
    var numbers = ModelFile.Numbers(file)
    (side, widths) = try Self.size(&numbers, of: file)
    let shapes = Self.shapes(widths)
    var layers: [Convolution] = []
    for shape in shapes {
      let (inputs, outputs, rows) = shape.size
      guard numbers.count >= outputs * (8 + rows) else {
        throw file.misfit("it ends in layer \(layers.count + 1) of \(shapes.count)")
      }
      let scales = numbers.floats(outputs)
      let offsets = numbers.floats(outputs)
      guard (scales + offsets).allSatisfy(\.isFinite) else {
        throw file.misfit("layer \(layers.count + 1) holds a number that is not finite")
      }
      var weights = [Float](repeating: 0, count: rows * outputs)
      for row in 0..<rows {
        for o in 0..<outputs {
          let at = shape.isBlocked ? (o / 8 * rows + row) * 8 + o % 8 : row * outputs + o
          weights[at] = Float(Int8(bitPattern: numbers.byte())) * scales[o]
        }
      }
      layers.append(Convolution(inputs: inputs, outputs: outputs, weights: weights, offsets: offsets))
    }
    guard numbers.isEmpty else { throw file.misfit("\(numbers.count) bytes follow the last layer") }
    self.layers = layers
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
}

extension PageNetwork.Shape {
  /// Channels, and weights of an output.
  fileprivate var size: (inputs: Int, outputs: Int, rows: Int) {
    switch self {
    case .full(let inputs, let outputs): (inputs, outputs, 9 * inputs)
    case .depthwise(let channels): (channels, channels, 9)
    case .pointwise(let inputs, let outputs): (inputs, outputs, inputs)
    case .head(let inputs): (inputs, 1, inputs)
    }
  }

  /// True if eight outputs' weights lie together: `Convolution.pointwise`.
  fileprivate var isBlocked: Bool {
    if case .pointwise = self { true } else { false }
  }
}
