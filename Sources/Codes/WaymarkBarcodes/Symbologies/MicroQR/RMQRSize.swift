/// The shapes of rMQR symbols (ISO/IEC 23941): their fixed patterns, and the distribution of their codewords.
package struct RMQRSize: Hashable {
  /// 0 to 31, in the order of table 1.
  package let version: Int

  package static let all = (0..<32).map(RMQRSize.init)

  package var rows: Int { Self.heights[version] }
  package var columns: Int { Self.widths[version] }

  private static let heights =
    [7, 9].flatMap { [Int](repeating: $0, count: 5) }
    + [11, 13].flatMap { [Int](repeating: $0, count: 6) } + [15, 17].flatMap { [Int](repeating: $0, count: 5) }
  private static let widths: [Int] = {
    let usual = [43, 59, 77, 99, 139]
    return usual + usual + [27] + usual + [27] + usual + usual + usual
  }()

  /// The columns of vertical timing patterns (table D.1).
  private static let timing: [Int: [Int]] = [
    43: [21], 59: [19, 39], 77: [25, 51], 99: [23, 49, 75], 139: [27, 55, 83, 111],
  ]

  /// Returns whether a module is dark in every symbol of this size; `nil` where it is not fixed (clause 6.3).
  package func fixed(_ x: Int, _ y: Int) -> Bool? {
    let (w, h) = (columns, rows)
    if x < 8, y < 8 { return x < 7 && y < 7 && max(abs(x - 3), abs(y - 3)) != 2 }
    if x >= w - 5, y >= h - 5 { return max(abs(x - (w - 3)), abs(y - (h - 3))) != 1 }
    // The corner finder patterns; the lower one as far as the finder pattern leaves room for it.
    if h > 7, y == h - 1, x < 3 { return true }
    if h > 9, y == h - 2, x < 2 { return x == 0 }
    if y == 0, x >= w - 3 { return true }
    if y == 1, x >= w - 2 { return x == w - 1 }
    let lines = Self.timing[w] ?? []
    if y <= 2 || y >= h - 3, let line = lines.first(where: { abs($0 - x) <= 1 }) {
      return x != line || y != (y <= 2 ? 1 : h - 2)
    }
    if y == 0 || y == h - 1 { return x.isMultiple(of: 2) }
    if x == 0 || x == w - 1 || lines.contains(x) { return y.isMultiple(of: 2) }
    return nil
  }

  /// Returns whether a module holds format information, of which there are two copies (clause 7.9).
  func isFormat(_ x: Int, _ y: Int) -> Bool {
    let (w, h) = (columns, rows)
    return (8...10).contains(x) && (1...5).contains(y) || x == 11 && (1...3).contains(y)
      || ((w - 8)...(w - 6)).contains(x) && ((h - 6)...(h - 2)).contains(y)
      || ((w - 5)...(w - 3)).contains(x) && y == h - 6
  }

  /// Where the eighteen bits of format information beside the finder pattern lie, the lowest first.
  package static let formatPlaces: [(x: Int, y: Int)] =
    (0..<15).map { (8 + $0 / 5, 1 + $0 % 5) } + [(11, 1), (11, 2), (11, 3)]

  /// Decodes eighteen bits (Golay code as in QR Code, mask 0x1FAB2): the size, whether the level is H rather than M, and how
  /// many of them are wrong.
  package static func format(_ word: UInt32) -> (size: RMQRSize, isHigh: Bool, errors: Int) {
    var best = (data: 0, errors: 18)
    for data in 0..<64 {
      let errors = (QRFormat.golay(UInt32(data)) ^ 0x1FAB2 ^ word).nonzeroBitCount
      if errors < best.errors { best = (data, errors) }
    }
    return (RMQRSize(version: best.data & 31), best.data & 32 != 0, best.errors)
  }

  // MARK: Codewords (tables 1, 3, 6 and 8)

  package var codewords: Int { Self.codewords[version] }
  package func data(isHigh: Bool) -> Int { (isHigh ? Self.dataHigh : Self.dataMedium)[version] }
  package func blocks(isHigh: Bool) -> Int { (isHigh ? Self.blocksHigh : Self.blocksMedium)[version] }
  /// Bits that count numbers, letters, bytes and kanji.
  package var counts: [Int] {
    [Self.numeric[version], Self.alphanumeric[version], Self.bytes[version], Self.kanji[version]]
  }

  private static let codewords = [
    13, 21, 32, 44, 68, 21, 33, 49, 66, 99, 15, 31, 47, 67, 89, 132, 21, 41, 60, 85, 113, 166, 51, 74, 103, 136, 199,
    61, 88, 122, 160, 232,
  ]
  private static let dataMedium = [
    6, 12, 20, 28, 44, 12, 21, 31, 42, 63, 7, 19, 31, 43, 57, 84, 12, 27, 38, 53, 73, 106, 33, 48, 67, 88, 127, 39, 56,
    78, 100, 152,
  ]
  private static let dataHigh = [
    3, 7, 10, 14, 24, 7, 11, 17, 22, 33, 5, 11, 15, 23, 29, 42, 7, 13, 20, 29, 35, 54, 15, 26, 31, 48, 69, 21, 28, 38,
    56, 76,
  ]
  private static let blocksMedium = [
    1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 2, 2, 1, 1, 1, 2, 2, 3, 1, 1, 2, 2, 3, 1, 2, 2, 3, 4,
  ]
  private static let blocksHigh = [
    1, 1, 1, 1, 2, 1, 1, 2, 2, 3, 1, 1, 2, 2, 2, 3, 1, 1, 2, 2, 3, 4, 2, 2, 3, 4, 5, 2, 2, 3, 4, 6,
  ]
  private static let numeric = [
    4, 5, 6, 7, 7, 5, 6, 7, 7, 8, 4, 6, 7, 7, 8, 8, 5, 6, 7, 7, 8, 8, 7, 7, 8, 8, 9, 7, 8, 8, 8, 9,
  ]
  private static let alphanumeric = [
    3, 5, 5, 6, 6, 5, 5, 6, 6, 7, 4, 5, 6, 6, 7, 7, 5, 6, 6, 7, 7, 8, 6, 7, 7, 7, 8, 6, 7, 7, 8, 8,
  ]
  private static let bytes = [
    3, 4, 5, 5, 6, 4, 5, 5, 6, 6, 3, 5, 5, 6, 6, 7, 4, 5, 6, 6, 7, 7, 6, 6, 7, 7, 7, 6, 6, 7, 7, 8,
  ]
  private static let kanji = [
    2, 3, 4, 5, 5, 3, 4, 5, 5, 6, 2, 4, 5, 5, 6, 6, 3, 5, 5, 6, 6, 7, 5, 5, 6, 6, 7, 5, 6, 6, 6, 7,
  ]
}
