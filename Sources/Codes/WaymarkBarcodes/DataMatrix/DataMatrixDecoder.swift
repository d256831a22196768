import WaymarkSystem

/// Decodes the modules of a Data Matrix symbol: ISO/IEC 16022 clauses 5.2 to 5.7 and annex F. The file also decodes
/// codewords to a message (`Codewords`), and has the sizes of symbols (`DataMatrixSize`).
package enum DataMatrixDecoder {
  /// Returns the message; `nil` if the size is wrong, or the codewords have too many errors or are invalid.
  package static func decode(_ size: DataMatrixSize, _ matrix: ModuleMatrix) -> CodeMessage? {
    guard matrix.columns == size.columns, matrix.rows == size.rows else { return nil }
    let (regionWidth, regionHeight) = (size.regionWidth, size.regionHeight)
    let data = matrix.picked(columns: size.dataColumns, rows: size.dataRows) { x, y in
      (
        x / regionWidth * (regionWidth + 2) + 1 + x % regionWidth,
        y / regionHeight * (regionHeight + 2) + 1 + y % regionHeight
      )
    }
    let placement = size.placement().prefix(size.data + size.checks)
    let words = placement.map { places in
      places.reduce(0) { $0 << 1 | (data.dark.indices.contains($1) && data.dark[$1] ? 1 : 0) }
    }
    guard words.count == size.data + size.checks else { return nil }
    let doubt: [Float] =
      data.margins.isEmpty
      ? []
      : placement.map { places in
        1 - places.reduce(1) { min($0, data.margins.indices.contains($1) ? data.margins[$1] : 0) }
      }
    // In the largest symbol, the last two of the ten blocks have one data codeword less, so the check codewords begin with the
    // ninth block (index 8). Some printers begin with the first block.
    for shift in size.blocks == 10 ? [8, 0] : [0] {
      guard let data = correct(words, doubt, size, shift: shift) else { continue }
      var codewords = Codewords(data)
      return codewords.message()
    }
    return nil
  }

  private static func correct(
    _ words: [Int], _ doubt: [Float], _ size: DataMatrixSize, shift: Int
  ) -> [Int]? {
    var data = [Int](repeating: 0, count: size.data)
    let checks = size.checks / size.blocks
    for block in 0..<size.blocks {
      let own = Array(stride(from: block, to: size.data, by: size.blocks))
      let places = own + (0..<size.checks).filter { ($0 + shift) % size.blocks == block }.map { size.data + $0 }
      var codeword = places.map { words[$0] }
      guard places.count == own.count + checks,
        ReedSolomon.dataMatrix.correct(
          &codeword, checks: checks, doubt: doubt.isEmpty ? [] : places.map { doubt[$0] })
      else { return nil }
      for (i, word) in zip(own, codeword) { data[i] = word }
    }
    return data
  }
}

// MARK: - Codewords

/// Decodes corrected codewords to a message.
private struct Codewords {
  private let words: [Int]
  private var next = 0
  private var result = CodeMessage()
  private var upper = false
  private var trailer = ""

  init(_ words: [Int]) { self.words = words }

  private mutating func take() -> Int? {
    guard next < words.count else { return nil }
    next += 1
    return words[next - 1]
  }

  mutating func message() -> CodeMessage? {
    while let word = take() {
      switch word {
      case 1...128: add(word - 1)
      case 129: return finish()
      case 130...229:
        add(0x30 + (word - 130) / 10)
        add(0x30 + (word - 130) % 10)
      case 230: triplets(.c40)
      case 231: guard bytes() else { return nil }
      case 232: separator()
      case 233: guard append() else { return nil }
      case 234: result.isReaderProgramming = true
      case 235: upper = true
      case 236, 237:
        guard next == 1 else { return nil }
        result.append(word == 236 ? "[)>\u{1E}05\u{1D}" : "[)>\u{1E}06\u{1D}")
        trailer = "\u{1E}\u{04}"
      case 238: triplets(.x12)
      case 239: triplets(.text)
      case 240: edifact()
      case 241: guard interpretation() else { return nil }
      // 242 to 255 are unused in ASCII encodation; 254, a superfluous unlatch, is ignored.
      case 254: break
      default: return nil
      }
    }
    return finish()
  }

  private mutating func finish() -> CodeMessage? {
    result.append(trailer)
    return result
  }

  private mutating func add(_ value: Int) {
    result.append(UInt8(truncatingIfNeeded: upper ? value + 128 : value))
    upper = false
  }

  /// Handles FNC1: in the first position it declares GS1, later it separates element strings.
  private mutating func separator() {
    let isFirst = result.isEmpty && (next == 1 || result.part != nil && next == 5)
    if isFirst { result.isGS1 = true } else { result.append(0x1D) }
  }

  private mutating func append() -> Bool {
    guard next == 1, let sequence = take(), let high = take(), let low = take() else { return false }
    let count = 17 - (sequence & 15)
    guard count >= 2, sequence >> 4 < count else { return false }
    result.part = CodeMessage.Fragment(
      index: sequence >> 4, count: count, identifier: (high << 8 | low).digits(1))
    return true
  }

  private mutating func interpretation() -> Bool {
    guard let first = take() else { return false }
    if first <= 127 {
      guard first > 0 else { return false }
      result.use(eci: first - 1)
      return true
    }
    guard let second = take() else { return false }
    if first <= 191 {
      result.use(eci: (first - 128) * 254 + second - 1 + 127)
      return true
    }
    guard first <= 207, let third = take() else { return false }
    result.use(eci: (first - 192) * 64516 + (second - 1) * 254 + third - 1 + 16383)
    return true
  }

  private mutating func bytes() -> Bool {
    guard let first = unscrambled() else { return false }
    let count: Int
    if first == 0 {
      count = words.count - next
    } else if first < 250 {
      count = first
    } else {
      guard let second = unscrambled() else { return false }
      count = 250 * (first - 249) + second
    }
    guard count <= words.count - next else { return false }
    for _ in 0..<count { if let byte = unscrambled() { result.append(UInt8(byte)) } }
    return true
  }

  /// Returns the next codeword, unrandomised by the algorithm of annex B.2.
  private mutating func unscrambled() -> Int? {
    guard let word = take() else { return nil }
    let noise = 149 * next % 255 + 1
    return (word - noise + 256) & 255
  }

  private mutating func edifact() {
    while words.count - next > 2 {
      let block = words[next] << 16 | words[next + 1] << 8 | words[next + 2]
      for i in 0..<4 {
        let value = block >> (18 - 6 * i) & 63
        if value == 31 {
          // Returns to ASCII encodation at the next codeword.
          next += min(3, i + 1)
          return
        }
        add(value & 32 == 0 ? value | 64 : value)
      }
      next += 3
    }
  }

  private enum Table { case c40, text, x12 }

  /// Decodes three characters per two codewords, until the unlatch or until a single codeword is left.
  private mutating func triplets(_ table: Table) {
    var shift = 0
    while words.count - next >= 2 {
      if words[next] == 254 {
        next += 1
        return
      }
      let value = words[next] << 8 + words[next + 1] - 1
      next += 2
      for v in [value / 1600, value / 40 % 40, value % 40] {
        switch (table, shift) {
        case (.x12, _): x12(v)
        case (_, 1):
          add(v & 31)
          shift = 0
        case (_, 2):
          second(v)
          shift = 0
        case (_, 3):
          third(v, table)
          shift = 0
        default:
          switch v {
          case 0...2: shift = v + 1
          case 3: add(0x20)
          case 4...13: add(0x30 + v - 4)
          default: add((table == .c40 ? 0x41 : 0x61) + v - 14)
          }
        }
      }
    }
    if next < words.count, words[next] == 254 { next += 1 }
  }

  private mutating func x12(_ v: Int) {
    switch v {
    case 0...3: add([0x0D, 0x2A, 0x3E, 0x20][v])
    case 4...13: add(0x30 + v - 4)
    default: add(0x41 + v - 14)
    }
  }

  private mutating func second(_ v: Int) {
    switch v {
    case 0...14: add(0x21 + v)
    case 15...21: add(0x3A + v - 15)
    case 22...26: add(0x5B + v - 22)
    case 27: separator()
    case 30: upper = true
    default: break
    }
  }

  private mutating func third(_ v: Int, _ table: Table) {
    guard table == .text else { return add(0x60 + (v & 31)) }
    switch v {
    case 0: add(0x60)
    case 1...26: add(0x40 + v)
    default: add(0x7B + (v - 27) % 5)
    }
  }
}

// MARK: - Sizes

/// A size of Data Matrix symbols: ISO/IEC 16022 table 7, and the rectangular extension, ISO/IEC 21471 table 1.
package struct DataMatrixSize: Hashable, Sendable {
  /// The number of modules down, with finder and timing patterns; `columns` is the number across.
  package var rows: Int
  package var columns: Int
  /// The number of data regions down; `regionColumns` is that across.
  package var regionRows: Int
  package var regionColumns: Int
  /// The number of data codewords; `checks` is the number of check codewords.
  package var data: Int
  package var checks: Int
  /// The number of interleaved blocks.
  package var blocks: Int

  /// The number of data modules of a region down; `regionWidth` is that across.
  package var regionHeight: Int { rows / regionRows - 2 }
  package var regionWidth: Int { columns / regionColumns - 2 }
  /// The number of data modules of all regions down; `dataColumns` is that across.
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

  /// Every size, and every oblong size also as seen in a mirror.
  package static let both = all.flatMap { $0.rows == $0.columns ? [$0] : [$0, $0.turned] }

  /// The size with rows and columns exchanged, as seen in a mirror.
  package var turned: DataMatrixSize {
    DataMatrixSize(
      rows: columns, columns: rows, regionRows: regionColumns, regionColumns: regionRows, data: data, checks: checks,
      blocks: blocks)
  }

  /// Returns whether a module of the outer frame is dark; `nil` for the modules inside.
  package func frame(_ x: Int, _ y: Int) -> Bool? {
    if x == 0 || y == rows - 1 { return true }
    if y == 0 { return x.isMultiple(of: 2) }
    if x == columns - 1 { return !y.isMultiple(of: 2) }
    return nil
  }

  /// Returns whether a module of a finder or timing pattern is dark; `nil` for a data module.
  package func fixed(_ x: Int, _ y: Int) -> Bool? {
    let (u, v) = (x % (regionWidth + 2), y % (regionHeight + 2))
    if u == 0 || v == regionHeight + 1 { return true }
    if v == 0 { return u.isMultiple(of: 2) }
    if u == regionWidth + 1 { return !v.isMultiple(of: 2) }
    return nil
  }

  /// Returns for each codeword the row-by-row indices of its eight bits among the data modules, the most significant bit
  /// first.
  ///
  /// ISO/IEC 16022 annex F: codewords are placed along diagonals, in shapes of eight modules that wrap at the edges, with
  /// four special shapes in the corners, and a fixed pattern in the last corner if modules are left.
  package func placement() -> [[Int]] {
    let (height, width) = (dataRows, dataColumns)
    var isPlaced = [Bool](repeating: false, count: height * width)
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
      for i in places where isPlaced.indices.contains(i) { isPlaced[i] = true }
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
        if row < h, column >= 0, !isPlaced[row * w + column] { standard(row, column) }
        row -= 2
        column += 2
      } while row >= 0 && column < w
      row += 1
      column += 3
      repeat {
        if row >= 0, column < w, !isPlaced[row * w + column] { standard(row, column) }
        row += 2
        column -= 2
      } while row < h && column >= 0
      row += 3
      column += 1
    } while row < h || column < w
    return words
  }
}
