/// The shapes of MicroPDF417 symbols: ISO/IEC 24728 table 1, and the patterns that number their rows.
package struct MicroPDF417Shape: Hashable, Sendable {
  /// Columns of codewords, 1 to 4.
  package let columns: Int
  package let rows: Int
  /// The numbers of the row address patterns of the first row, from 1: to the left, between the columns (0 where there is none),
  /// and to the right. The next row has the next ones; the first follows the 52nd.
  package let left: Int
  package let centre: Int
  package let right: Int
  /// The cluster of the first row; 0, 1 or 2 for 0, 3 and 6.
  package let cluster: Int
  /// Codewords of error correction, the last ones.
  package let checks: Int

  private init(_ columns: Int, _ rows: Int, _ left: Int, _ centre: Int, _ right: Int, _ cluster: Int, _ checks: Int) {
    self.columns = columns
    self.rows = rows
    self.left = left
    self.centre = centre
    self.right = right
    self.cluster = cluster
    self.checks = checks
  }

  /// Three and four columns have a row address pattern before their last two.
  package var hasCentre: Bool { columns > 2 }

  /// Modules across, the closing bar included.
  package var width: Int { 21 + 17 * columns + (hasCentre ? 10 : 0) }

  /// Where a column begins, in modules.
  package func start(of column: Int) -> Int { 10 + 17 * column + (hasCentre && column >= columns - 2 ? 10 : 0) }

  /// In which row a row address pattern stands to the left, or to the right; `nil` where in none.
  package func row(ofLeft number: Int) -> Int? { row(number - left) }
  package func row(ofRight number: Int) -> Int? { row(number - right) }

  private func row(_ difference: Int) -> Int? {
    let row = (difference + 52) % 52
    return row < rows ? row : nil
  }

  package static let all: [MicroPDF417Shape] = [
    .init(1, 11, 1, 0, 9, 0, 7), .init(1, 14, 8, 0, 8, 1, 7), .init(1, 17, 36, 0, 36, 2, 7),
    .init(1, 20, 19, 0, 19, 0, 8), .init(1, 24, 9, 0, 17, 2, 8), .init(1, 28, 25, 0, 33, 0, 8),
    .init(2, 8, 1, 0, 1, 0, 8), .init(2, 11, 1, 0, 9, 0, 9), .init(2, 14, 8, 0, 8, 1, 9),
    .init(2, 17, 36, 0, 36, 2, 10), .init(2, 20, 19, 0, 19, 0, 11), .init(2, 23, 9, 0, 17, 2, 13),
    .init(2, 26, 27, 0, 35, 2, 15), .init(3, 6, 1, 1, 1, 0, 12), .init(3, 8, 7, 7, 7, 0, 14),
    .init(3, 10, 15, 15, 15, 2, 16), .init(3, 12, 25, 25, 25, 0, 18), .init(3, 15, 37, 37, 37, 0, 21),
    .init(3, 20, 1, 17, 33, 0, 26), .init(3, 26, 1, 9, 17, 0, 32), .init(3, 32, 21, 29, 37, 2, 38),
    .init(3, 38, 15, 31, 47, 2, 44), .init(3, 44, 1, 25, 49, 0, 50), .init(4, 4, 47, 19, 43, 1, 8),
    .init(4, 6, 1, 1, 1, 0, 12), .init(4, 8, 7, 7, 7, 0, 14), .init(4, 10, 15, 15, 15, 2, 16),
    .init(4, 12, 25, 25, 25, 0, 18), .init(4, 15, 37, 37, 37, 0, 21), .init(4, 20, 1, 17, 33, 0, 26),
    .init(4, 26, 1, 9, 17, 0, 32), .init(4, 32, 21, 29, 37, 2, 38), .init(4, 38, 15, 31, 47, 2, 44),
    .init(4, 44, 1, 25, 49, 0, 50),
  ]

  // MARK: Row address patterns

  /// The number of the pattern of ten modules that six widths show, the first of which is dark; at the sides, or in the middle.
  package static func number(_ widths: ArraySlice<Double>, isCentre: Bool) -> Int? {
    let total = widths.reduce(0, +)
    guard widths.count == 6, total > 0,
      let found = (isCentre ? centres : sides)[PDF417Table.key(Array(widths), modules: 10)]
    else { return nil }
    let first = widths.startIndex
    let bars = (widths[first] + widths[first + 2] + widths[first + 4]) * 10 / total
    return found.min { abs(Double($0.bars) - bars) < abs(Double($1.bars) - bars) }?.number
  }

  private static let sides = lookup(
    """
    322 3a2 3b2 332 372 37a 33a 3ba 39a 3da 3ca 38a 30a 31a 312 392 3d2 3d6 3d4 394 3b4 3a4 3a6 3ae 3ac 3a8 328 32c
    32e 326 336 3b6 396 316 314 334 374 364 366 36e 36c 368 348 358 35c 35e 34e 34c 344 346 342 362
    """)
  private static let centres = lookup(
    """
    2ce 24e 26e 22e 226 236 216 212 21a 23a 232 222 262 272 27a 2fa 2f2 2f6 276 274 264 266 246 242 2c2 2e2 2e6 2e4
    2ec 26c 22c 228 268 2e8 2c8 2cc 2c4 2c6 286 28e 28c 29c 298 2b8 2b0 290 2d0 250 258 25c 2dc 2de
    """)

  /// Patterns by their edge distances, from ten modules each as three hexadecimal digits.
  private static func lookup(_ text: String) -> [Int: [(number: Int, bars: Int)]] {
    var lookup: [Int: [(number: Int, bars: Int)]] = [:]
    for (i, word) in text.split(whereSeparator: \.isWhitespace).enumerated() {
      let widths = PDF417Table.widths(Int(word, radix: 16) ?? 0, count: 10)
      guard widths.count == 6 else { continue }
      lookup[PDF417Table.key(widths.map(Double.init), modules: 10), default: []]
        .append((i + 1, widths[0] + widths[2] + widths[4]))
    }
    return lookup
  }
}
