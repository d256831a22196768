/// Decodes the modules of a Han Xin Code symbol (ISO/IEC 20830).
enum HanXinDecoder {
  /// The function information of a symbol.
  struct Information: Equatable {
    var version: Int
    /// The level of error correction, from 0.
    var level: Int
    var mask: Int
  }

  /// The number of bits of the function information, and of check codewords of four bits in it.
  private static let (bits, checks) = (28, 4)
  /// The distance, in the sequence of the blocks, of codewords that are neighbours in the symbol. It spreads local damage over
  /// several blocks.
  private static let spread = 13

  /// Returns the message of a symbol; `nil` if its size is not the size in its function information, or a block has too many
  /// errors.
  static func decode(_ matrix: ModuleMatrix) -> CodeMessage? {
    guard matrix.columns == matrix.rows, let information = information(matrix),
      HanXinLayout.side(information.version) == matrix.columns
    else { return nil }
    return decode(matrix, HanXinLayout(information.version), information)
  }

  /// Returns the function information: from the more certain module of each pair in the two copies, or else from one copy; `nil` if
  /// it is invalid.
  static func information(_ matrix: ModuleMatrix) -> Information? {
    let copies = HanXinLayout.information(matrix.columns).map { places in
      places.map { (matrix[$0.x, $0.y] ? 1 : -1) * matrix.margin($0.x, $0.y) }
    }
    let both = zip(copies[0], copies[1]).map { $0 + $1 }
    return ([both] + copies).lazy.compactMap(information).first
  }

  private static func information(_ bits: [Float]) -> Information? {
    var reader = BitReader(bits.map { $0 > 0 })
    var words = (0..<(Self.bits / 4)).map { _ in reader.read(4) ?? 0 }
    guard ReedSolomon.fourBits.correct(&words, checks: checks) != nil else { return nil }
    let version = words[0] << 4 + words[1] - 20
    return HanXinLayout.versions.contains(version)
      ? Information(version: version, level: words[2] >> 2, mask: words[2] & 3) : nil
  }

  static func decode(_ matrix: ModuleMatrix, _ layout: HanXinLayout, _ information: Information) -> CodeMessage? {
    let side = layout.side
    let count = layout.data.count / 8
    var (words, doubt) = ([Int](repeating: 0, count: count), [Float](repeating: 0, count: count))
    for (i, place) in layout.data.prefix(8 * count).enumerated() {
      let (y, x) = place.quotientAndRemainder(dividingBy: side)
      let isDark = matrix[x, y] != HanXinLayout.changes(information.mask, x, y)
      words[i / 8] = words[i / 8] << 1 | (isDark ? 1 : 0)
      doubt[i / 8] = max(doubt[i / 8], 1 - matrix.margin(x, y))
    }
    // The symbol has every thirteenth codeword of the sequence of the blocks in turn.
    let order = (0..<spread).flatMap { stride(from: $0, to: count, by: spread) }
    var (inOrder, doubts) = (words, doubt)
    for (from, to) in order.enumerated() { (inOrder[to], doubts[to]) = (words[from], doubt[from]) }
    var data: [Int] = []
    var at = 0
    for blocks in HanXinVersion.all[layout.version - 1].levels[information.level] {
      for _ in 0..<blocks.count {
        let end = at + blocks.data + blocks.checks
        guard end <= count else { return nil }
        var block = Array(inOrder[at..<end])
        guard
          ReedSolomon.hanXin.correct(
            &block, checks: blocks.checks, doubt: Array(doubts[at..<end]), reserve: blocks.checks < 10 ? 2 : 4)
        else { return nil }
        data += block.prefix(blocks.data)
        at = end
      }
    }
    var text = HanXinText(data)
    return text.message()
  }
}
