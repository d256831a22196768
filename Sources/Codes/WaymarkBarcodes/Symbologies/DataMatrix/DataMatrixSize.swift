/// The shapes of Data Matrix symbols: ISO/IEC 16022 table 7, and the rectangular extension, ISO/IEC 21471 table 1.
package struct DataMatrixSize: Hashable, Sendable {
  /// Modules down and across, finder and timing patterns included.
  package var rows: Int
  package var columns: Int
  /// Data regions down and across.
  package var regionRows: Int
  package var regionColumns: Int
  /// Codewords of data and of error correction.
  package var data: Int
  package var checks: Int
  /// Blocks over which they are spread.
  package var blocks: Int

  /// Modules of data in one region, down and across.
  package var regionHeight: Int { rows / regionRows - 2 }
  package var regionWidth: Int { columns / regionColumns - 2 }
  /// Modules of data in all, down and across.
  var dataRows: Int { regionRows * regionHeight }
  var dataColumns: Int { regionColumns * regionWidth }

  package static let all: [DataMatrixSize] = [
    square(10, 1, 3, 5), square(12, 1, 5, 7), square(14, 1, 8, 10), square(16, 1, 12, 12), square(18, 1, 18, 14),
    square(20, 1, 22, 18), square(22, 1, 30, 20), square(24, 1, 36, 24), square(26, 1, 44, 28), square(32, 2, 62, 36),
    square(36, 2, 86, 42), square(40, 2, 114, 48), square(44, 2, 144, 56), square(48, 2, 174, 68),
    square(52, 2, 204, 84, 2), square(64, 4, 280, 112, 2), square(72, 4, 368, 144, 4), square(80, 4, 456, 192, 4),
    square(88, 4, 576, 224, 4), square(96, 4, 696, 272, 4), square(104, 4, 816, 336, 6), square(120, 6, 1050, 408, 6),
    square(132, 6, 1304, 496, 8), square(144, 6, 1558, 620, 10),
    oblong(8, 18, 1, 5, 7), oblong(8, 32, 2, 10, 11), oblong(12, 26, 1, 16, 14), oblong(12, 36, 2, 22, 18),
    oblong(16, 36, 2, 32, 24), oblong(16, 48, 2, 49, 28),
    oblong(8, 48, 2, 18, 15), oblong(8, 64, 4, 24, 18), oblong(8, 80, 4, 32, 22), oblong(8, 96, 4, 38, 28),
    oblong(8, 120, 6, 49, 32), oblong(8, 144, 6, 63, 36), oblong(12, 64, 4, 43, 27), oblong(12, 88, 4, 64, 36),
    oblong(16, 64, 4, 62, 36), oblong(20, 36, 2, 44, 28), oblong(20, 44, 2, 56, 34), oblong(20, 64, 4, 84, 42),
    oblong(22, 48, 2, 72, 38), oblong(24, 48, 2, 80, 41), oblong(24, 64, 4, 108, 46), oblong(26, 40, 2, 70, 38),
    oblong(26, 48, 2, 90, 42), oblong(26, 64, 4, 118, 50),
  ]

  private static func square(_ side: Int, _ regions: Int, _ data: Int, _ checks: Int, _ blocks: Int = 1) -> Self {
    Self(
      rows: side, columns: side, regionRows: regions, regionColumns: regions, data: data, checks: checks,
      blocks: blocks)
  }

  private static func oblong(_ rows: Int, _ columns: Int, _ regions: Int, _ data: Int, _ checks: Int) -> Self {
    Self(rows: rows, columns: columns, regionRows: 1, regionColumns: regions, data: data, checks: checks, blocks: 1)
  }

  /// Every size as it is and as a mirror shows it.
  package static let both = all.flatMap { $0.rows == $0.columns ? [$0] : [$0, $0.turned] }

  /// The same with rows for columns, as a mirror shows it.
  package var turned: DataMatrixSize {
    DataMatrixSize(
      rows: columns, columns: rows, regionRows: regionColumns, regionColumns: regionRows, data: data, checks: checks,
      blocks: blocks)
  }

  /// Returns whether a module of the outer frame is dark; `nil` inside.
  package func frame(_ x: Int, _ y: Int) -> Bool? {
    if x == 0 || y == rows - 1 { return true }
    if y == 0 { return x.isMultiple(of: 2) }
    if x == columns - 1 { return !y.isMultiple(of: 2) }
    return nil
  }

  /// Returns whether a module belongs to a finder or timing pattern, and if so whether it is dark.
  package func fixed(_ x: Int, _ y: Int) -> Bool? {
    let (u, v) = (x % (regionWidth + 2), y % (regionHeight + 2))
    if u == 0 || v == regionHeight + 1 { return true }
    if v == 0 { return u.isMultiple(of: 2) }
    if u == regionWidth + 1 { return !v.isMultiple(of: 2) }
    return nil
  }

  /// For each codeword where its eight bits lie among the modules of data, the highest bit first; index by row.
  ///
  /// ISO/IEC 16022 annex F: codewords lie along diagonals, in shapes of eight modules that wrap at the rims, four special
  /// shapes in the corners, and a fixed pattern in the last corner where something is left.
  package func placement() -> [[Int]] {
    let (height, width) = (dataRows, dataColumns)
    var taken = [Bool](repeating: false, count: height * width)
    var words: [[Int]] = []
    func index(_ row: Int, _ column: Int) -> Int {
      var (r, c) = (row, column)
      if r < 0 {
        r += height
        c += 4 - (height + 4) % 8
      }
      if c < 0 {
        c += width
        r += 4 - (width + 4) % 8
      }
      if r >= height { r -= height }
      return r * width + c
    }
    func place(_ cells: [(Int, Int)]) {
      let places = cells.map { index($0.0, $0.1) }
      for i in places where taken.indices.contains(i) { taken[i] = true }
      words.append(places)
    }
    func standard(_ r: Int, _ c: Int) {
      place([
        (r - 2, c - 2), (r - 2, c - 1), (r - 1, c - 2), (r - 1, c - 1), (r - 1, c), (r, c - 2), (r, c - 1), (r, c),
      ])
    }
    let (h, w) = (height, width)
    var (row, column) = (4, 0)
    repeat {
      if row == h, column == 0 {
        place([
          (h - 1, 0), (h - 1, 1), (h - 1, 2), (0, w - 2), (0, w - 1), (1, w - 1), (2, w - 1), (3, w - 1),
        ])
      }
      if row == h - 2, column == 0, w % 4 != 0 {
        place([
          (h - 3, 0), (h - 2, 0), (h - 1, 0), (0, w - 4), (0, w - 3), (0, w - 2), (0, w - 1), (1, w - 1),
        ])
      }
      if row == h - 2, column == 0, w % 8 == 4 {
        place([
          (h - 3, 0), (h - 2, 0), (h - 1, 0), (0, w - 2), (0, w - 1), (1, w - 1), (2, w - 1), (3, w - 1),
        ])
      }
      if row == h + 4, column == 2, w % 8 == 0 {
        place([
          (h - 1, 0), (h - 1, w - 1), (0, w - 3), (0, w - 2), (0, w - 1), (1, w - 3), (1, w - 2), (1, w - 1),
        ])
      }
      repeat {
        if row < h, column >= 0, !taken[row * w + column] { standard(row, column) }
        row -= 2
        column += 2
      } while row >= 0 && column < w
      row += 1
      column += 3
      repeat {
        if row >= 0, column < w, !taken[row * w + column] { standard(row, column) }
        row += 2
        column -= 2
      } while row < h && column >= 0
      row += 3
      column += 1
    } while row < h || column < w
    return words
  }
}
