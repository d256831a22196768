package import WaymarkImage

/// The second network that reads lines, better at words of scenes: the recognition network of PP-OCRv4 (C. Li et al., "PP-OCRv3", 2022, and
/// Y. Du et al., "SVTR", 2022), limited to the characters of its alphabet. Use it from one thread at a time.
package final class WordNetwork {
  /// The name of the model.
  package static let modelName = "word-network"
  private static let version = 1
  /// The height of a picture in pixels, which distinguishes it from pictures for `LineNetwork`.
  package static let height = 48
  /// The largest width of a picture in pixels.
  package static let widthLimit = 1600
  /// The width to which the right margin of narrower pictures is extended.
  private static let leastWidth = 160
  /// The number of rows and columns of the picture that are averaged to a column, and the width of a column in pixels.
  private static let pooled = (rows: 3, columns: 2, pixels: 8)
  private static let heads = 8

  private let alphabet: [Character]
  private let temperature: Float
  private let network: LayerNetwork<IntegerKernel>
  private let runner: NetworkRunner<IntegerKernel>
  /// The scale and the shift of the last activation before the pooling.
  private let scaling: (scale: Float, shift: Float)
  private let narrowing: [ColumnConvolution]
  private let blocks: [Block]
  private let norm: ColumnNorm
  private let widening: ColumnConvolution
  private let joining: [ColumnConvolution]
  private let head: ColumnConvolution

  /// A block that mixes all columns, then the channels of each.
  private struct Block {
    let norms: (mixing: ColumnNorm, channels: ColumnNorm)
    let layers: [ColumnConvolution]

    init(_ numbers: inout ModelFile.Numbers, channels: Int, of file: ModelFile) throws(ModelError) {
      let first = try ColumnNorm(&numbers, channels: channels, of: file)
      let mixed = try ColumnConvolution(&numbers, reads: channels, of: file)
      let joined = try ColumnConvolution(&numbers, reads: channels, of: file)
      let second = try ColumnNorm(&numbers, channels: channels, of: file)
      let wide = try ColumnConvolution(&numbers, reads: channels, of: file)
      let narrow = try ColumnConvolution(&numbers, reads: wide.outputs, of: file)
      guard mixed.outputs == 3 * channels, joined.outputs == channels, narrow.outputs == channels else {
        throw file.misfit("a block has another number of channels")
      }
      (norms, layers) = ((first, second), [mixed, joined, wide, narrow])
    }

    func outputs(of columns: [Float], channels: Int) -> [Float] {
      let mixed = ColumnAttention.outputs(
        of: layers[0].outputs(of: norms.mixing.outputs(of: columns)), channels: channels, heads: heads)
      let sum = zip(columns, layers[1].outputs(of: mixed)).map(+)
      let wide = ColumnAttention.swish(layers[2].outputs(of: norms.channels.outputs(of: sum)))
      return zip(sum, layers[3].outputs(of: wide)).map(+)
    }
  }

  /// Reads a model file: the same head and layers as in a file of `LineNetwork`, then the scale and the shift of the last
  /// activation, and the layers over columns.
  ///
  /// - Throws: `ModelError` if the version is unsupported, a value is out of range, or the length does not match the layers.
  package init(_ file: ModelFile) throws(ModelError) {
    var numbers = ModelFile.Numbers(file)
    let version = Int(numbers.word())
    guard version == Self.version else { throw file.misfit("its layout is \(version), not \(Self.version)") }
    let (height, zero, step) = (Int(numbers.word()), Int(numbers.word()), Double(numbers.float()))
    temperature = numbers.float()
    guard height == Self.height, temperature.isFinite, (0.05...20).contains(temperature) else {
      throw file.misfit("its height or its temperature is not one of a word")
    }
    alphabet = try numbers.alphabet(of: file)
    network = try LayerNetwork(
      &numbers, height: height, zero: zero, step: step, outputRows: Self.pooled.rows, leastWidth: Self.leastWidth,
      of: file)
    runner = NetworkRunner(network)
    scaling = (numbers.float(), numbers.float())
    let first = try ColumnConvolution(&numbers, reads: network.outputs, of: file)
    let second = try ColumnConvolution(&numbers, reads: first.outputs, of: file)
    let channels = second.outputs
    narrowing = [first, second]
    blocks = [
      try Block(&numbers, channels: channels, of: file), try Block(&numbers, channels: channels, of: file),
    ]
    norm = try ColumnNorm(&numbers, channels: channels, of: file)
    widening = try ColumnConvolution(&numbers, reads: channels, of: file)
    let third = try ColumnConvolution(&numbers, reads: network.outputs + widening.outputs, of: file)
    let fourth = try ColumnConvolution(&numbers, reads: third.outputs, of: file)
    joining = [third, fourth]
    head = try ColumnConvolution(&numbers, reads: fourth.outputs, of: file)
    guard head.outputs == alphabet.count + 1, widening.outputs == network.outputs, channels % Self.heads == 0,
      scaling.scale.isFinite, scaling.shift.isFinite, numbers.isEmpty
    else { throw file.misfit("its layers over columns do not fit its alphabet, or bytes follow the last layer") }
  }

  /// Reads a line, column by column.
  ///
  /// - Parameter view: The picture, at the height of the network; for another size the result is `nil`.
  package func read(_ view: ImageView) -> LineLattice? {
    guard view.height == Self.height, (1...Self.widthLimit).contains(view.width) else { return nil }
    let logits = logits(view)
    let classes = alphabet.count + 1
    // The columns of the extended margin show nothing.
    let count = min(logits.count / classes, (view.width + Self.pooled.pixels - 1) / Self.pooled.pixels)
    let columns = (0..<count).map { column in
      LineLattice.Column(logits: logits[(column * classes)..<((column + 1) * classes)], temperature: temperature)
    }
    return LineLattice(alphabet: alphabet, columns: columns)
  }

  /// Returns the logits of all classes, column by column.
  func logits(_ view: ImageView) -> [Float] {
    let pooled = pooled(runner.run(view))
    var columns = narrowing.reduce(pooled) { ColumnAttention.swish($1.outputs(of: $0)) }
    let channels = narrowing[1].outputs
    for block in blocks { columns = block.outputs(of: columns, channels: channels) }
    let wide = ColumnAttention.swish(widening.outputs(of: norm.outputs(of: columns)))
    let size = network.outputs
    var both: [Float] = []
    both.reserveCapacity(2 * wide.count)
    for first in stride(from: 0, to: wide.count, by: size) {
      both += pooled[first..<(first + size)]
      both += wide[first..<(first + size)]
    }
    return head.outputs(of: joining.reduce(both) { ColumnAttention.swish($1.outputs(of: $0)) })
  }

  /// Returns the columns of a picture after its activation, each the mean of some rows and columns.
  private func pooled(_ values: [Float]) -> [Float] {
    let channels = network.outputs
    let width = values.count / (Self.pooled.rows * channels)
    let count = width / Self.pooled.columns
    var columns = [Float](repeating: 0, count: count * channels)
    let share = scaling.scale / Float(Self.pooled.rows * Self.pooled.columns)
    for row in 0..<Self.pooled.rows {
      for x in 0..<(count * Self.pooled.columns) {
        let (from, to) = ((row * width + x) * channels, x / Self.pooled.columns * channels)
        for channel in 0..<channels {
          let value = values[from + channel]
          columns[to + channel] += value * value.hardSigmoid * share
        }
      }
    }
    return columns.map { $0 + scaling.shift }
  }
}
