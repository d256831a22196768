/// Decodes the modules of a QR code: format, codewords, error correction, bits (ISO/IEC 18004 clause 11), by the tables of
/// its layout and capacity.
///
/// The tables are below: `QRFormat`, `QRLayout` and `QRCapacity`.
///
/// A module of unclear tone has a small margin. The codewords with the most doubtful modules are passed to the error correction as
/// erasures, because it corrects twice as many erasures as errors (after G. D. Forney, "Generalized minimum distance decoding",
/// IEEE Trans. IT 12 (1966)).
package struct QRDecoder {
  /// The indices of the modules that hold the bits of the codewords, by version.
  private var placements: [Int: [Int32]] = [:]

  package init() {}

  /// Decodes modules, upright or as seen in a mirror; `nil` if format or codewords have too many errors, or the data violate
  /// the standard.
  package mutating func decode(_ matrix: ModuleMatrix, _ layout: QRLayout) -> CodeMessage? {
    for mirrored in [false, true] {
      let seen = mirrored ? matrix.transposed : matrix
      let formats = seen.formats
      guard let best = formats.first, best.errors <= 3 else { continue }
      // A second format is tried if the first is doubtful.
      for format in formats.prefix(best.errors >= 2 ? 2 : 1) where format.errors <= 4 {
        if let message = decode(seen, layout, level: format.level, mask: format.mask) { return message }
      }
    }
    return nil
  }

  private mutating func decode(
    _ matrix: ModuleMatrix, _ layout: QRLayout, level: Int, mask: Int
  ) -> CodeMessage? {
    let capacity = QRCapacity(layout, level: level)
    let placement = self.placement(layout)
    guard placement.count >= capacity.codewords * 8 else { return nil }
    var words = [Int](repeating: 0, count: capacity.codewords)
    var doubt = [Float](repeating: 0, count: capacity.codewords)
    let side = matrix.side
    let margins = matrix.margins
    for i in words.indices {
      var word = 0
      var least: Float = 1
      for bit in 0..<8 {
        let at = Int(placement[i * 8 + bit])
        word = word << 1 | (matrix.dark[at] != ModuleMatrix.isMasked(at % side, at / side, mask) ? 1 : 0)
        if !margins.isEmpty { least = min(least, margins[at]) }
      }
      words[i] = word
      doubt[i] = 1 - least
    }
    return Self.data(
      words, doubt: margins.isEmpty ? [] : doubt, checks: capacity.parity, blocks: capacity.blocks,
      reserve: QRCapacity.detectionOnly(layout, level: level)
    ).flatMap { QRContent.message($0, version: layout.version) }
  }

  private mutating func placement(_ layout: QRLayout) -> [Int32] {
    if let known = placements[layout.version] { return known }
    let places = layout.placement
    placements[layout.version] = places
    return places
  }

  /// Returns the corrected data of interleaved blocks (clause 7.6); `nil` if a block has too many errors.
  ///
  /// - Parameters:
  ///   - doubt: the doubt about each codeword; empty if unknown.
  ///   - checks: the number of check codewords of a block.
  ///   - reserve: the number of check codewords used for error detection only.
  static func data(_ words: [Int], doubt: [Float], checks: Int, blocks: Int, reserve: Int = 0) -> [Int]? {
    var data: [Int] = []
    for block in 0..<blocks {
      let own = indices(of: block, of: blocks, data: words.count - checks * blocks, checks: checks)
      var codeword = own.map { words[$0] }
      let doubt = doubt.isEmpty ? [] : own.map { doubt[$0] }
      guard ReedSolomon.qr.correct(&codeword, checks: checks, doubt: doubt, reserve: reserve) else { return nil }
      data += codeword.dropLast(checks)
    }
    return data
  }

  /// Returns the indices of a block's codewords among the codewords of the symbol.
  static func indices(of block: Int, of blocks: Int, data count: Int, checks: Int) -> [Int] {
    // Blocks with one more data codeword come last.
    let (short, first) = (count / blocks, blocks - count % blocks)
    let last = block >= first ? [short * blocks + block - first] : []
    return (0..<short).map { $0 * blocks + block } + last + (0..<checks).map { count + $0 * blocks + block }
  }
}

// MARK: - Format and masks

extension ModuleMatrix {
  /// The three likeliest pairs of error correction level (0 is L, then M, Q, H) and mask, by the number of wrong bits in
  /// the better copy, then by that in both copies.
  var formats: [(level: Int, mask: Int, errors: Int)] {
    let words = formatWords
    typealias Ranked = (rank: Int, format: (level: Int, mask: Int, errors: Int))
    // The two bits of the level are 01, 00, 11, 10 for L, M, Q, H (table 12).
    let levels = [1, 0, 3, 2]
    let ranked = (0..<32).map { (data: Int) -> Ranked in
      let apart = words.map { (QRFormat.formats[data] ^ $0).nonzeroBitCount }
      let least = apart.min() ?? 15
      return (rank: least * 32 + apart.reduce(0, +), format: (level: levels[data >> 3], mask: data & 7, errors: least))
    }
    return ranked.sorted { $0.rank < $1.rank }.prefix(3).map(\.format)
  }

  /// Returns whether a mask inverts a module (table 10 of the standard, where x is called j and y is called i).
  static func isMasked(_ x: Int, _ y: Int, _ mask: Int) -> Bool {
    switch mask {
    case 0: (x + y) % 2 == 0
    case 1: y % 2 == 0
    case 2: x % 3 == 0
    case 3: (x + y) % 3 == 0
    case 4: (y / 2 + x / 3) % 2 == 0
    case 5: x * y % 2 + x * y % 3 == 0
    case 6: (x * y % 2 + x * y % 3) % 2 == 0
    default: ((x + y) % 2 + x * y % 3) % 2 == 0
    }
  }
}

// MARK: - Placement

extension QRLayout {
  /// The indices of the modules that hold the bits of the codewords, in the order of placement (clause 7.7.3).
  package var placement: [Int32] {
    let fixed = fixedModules
    var places: [Int32] = []
    places.reserveCapacity(side * side)
    var x = side - 1
    var up = true
    while x > 0 {
      if x == 6 { x -= 1 }
      for i in 0..<side {
        let y = up ? side - 1 - i : i
        for column in [x, x - 1] where !fixed[y * side + column] { places.append(Int32(y * side + column)) }
      }
      up.toggle()
      x -= 2
    }
    return places
  }

  /// For each module, true if it holds no data: finder, timing and alignment patterns, format and version information.
  var fixedModules: [Bool] {
    var fixed = [Bool](repeating: false, count: side * side)
    func fill(_ xs: Range<Int>, _ ys: Range<Int>) {
      for y in ys { for x in xs { fixed[y * side + x] = true } }
    }
    fill(0..<9, 0..<9)
    fill((side - 8)..<side, 0..<9)
    fill(0..<9, (side - 8)..<side)
    fill(0..<side, 6..<7)
    fill(6..<7, 0..<side)
    for c in alignmentCenters { fill((c.x - 2)..<(c.x + 3), (c.y - 2)..<(c.y + 3)) }
    if version >= 7 {
      fill((side - 11)..<(side - 8), 0..<6)
      fill(0..<6, (side - 11)..<(side - 8))
    }
    return fixed
  }
}

// MARK: - Codes of the format

/// The error-correcting codes of the format information of QR Code, Micro QR Code and rMQR.
enum QRFormat {
  /// Returns the five data bits whose codeword is closest to fifteen bits, and the number of wrong bits (ISO/IEC 18004
  /// clause 7.9, annex C).
  static func format(_ word: UInt32) -> (data: Int, errors: Int) {
    var best = (data: 0, errors: 15)
    for (data, candidate) in formats.enumerated() {
      let errors = (candidate ^ word).nonzeroBitCount
      if errors < best.errors { best = (data, errors) }
    }
    return best
  }

  /// The codewords of the format information: BCH (15,5), generator 0x537, masked by 0x5412.
  static let formats: [UInt32] = (0..<32).map { data in
    var rest = UInt32(data) << 10
    for bit in stride(from: 14, through: 10, by: -1) where rest & (1 << UInt32(bit)) != 0 {
      rest ^= 0x537 << UInt32(bit - 10)
    }
    return (UInt32(data) << 10 | rest) ^ 0x5412
  }

  /// Returns six data bits followed by their twelve check bits: Golay (18,6), generator 0x1F25 (annex D).
  static func golay(_ data: UInt32) -> UInt32 {
    var rest = data << 12
    for bit in stride(from: 17, through: 12, by: -1) where rest & (1 << UInt32(bit)) != 0 {
      rest ^= 0x1F25 << UInt32(bit - 12)
    }
    return data << 12 | rest
  }
}

// MARK: - Layout

/// The positions of the fixed patterns of a QR code, in modules (ISO/IEC 18004 clause 6.3 and annex E).
package struct QRLayout {
  /// The version, 1 to 40.
  package let version: Int
  /// The number of modules per side.
  package var side: Int { 17 + 4 * version }

  package init?(version: Int) {
    guard (1...40).contains(version) else { return nil }
    self.version = version
  }

  /// Creates the layout whose side is closest to a measured side, in modules; nil for a side outside 18 to 180.
  package init?(nearestSide side: Double) {
    guard side.isFinite, side > 18, side < 180 else { return nil }
    self.init(version: min(40, max(1, Int(((side - 17) / 4).rounded()))))
  }

  /// The rows and columns on which alignment patterns are centred (annex E, table E.1). They have equal even distances,
  /// measured from the far end; the first distance takes the remainder.
  package var alignmentLines: [Int] {
    guard version > 1 else { return [] }
    let count = version / 7 + 2
    let last = side - 7
    guard count > 2 else { return [6, last] }
    let gap = version == 32 ? 26 : (version * 4 + count * 2 + 1) / (count * 2 - 2) * 2
    return [6] + (0..<(count - 1)).map { last - (count - 2 - $0) * gap }
  }

  /// The centres of the alignment patterns, as (column, row), without patterns that would overlap a finder pattern.
  package var alignmentCenters: [(x: Int, y: Int)] {
    let lines = alignmentLines
    guard let last = lines.last else { return [] }
    return lines.flatMap { y in lines.map { (x: $0, y: y) } }.filter { c in
      !((c.x == 6 && c.y == 6) || (c.x == 6 && c.y == last) || (c.x == last && c.y == 6))
    }
  }
}

/// The format information and the timing patterns of a QR code.
extension ModuleMatrix {
  /// Creates the matrix of a square code.
  package init(side: Int, dark: [Bool]) { self.init(columns: side, rows: side, dark: dark) }

  package var side: Int { columns }

  /// The number of wrong bits among the fifteen of the format information, in the better of its two copies.
  package var formatErrors: Int { formatWords.reduce(15) { min($0, QRFormat.format($1).errors) } }

  /// Both copies of the format information, uncorrected and masked.
  var formatWords: [UInt32] {
    var first: UInt32 = 0
    // The copy beside the top left finder pattern, the most significant bit first (figure 25 of the standard).
    let beside: [(Int, Int)] =
      (0...5).map { ($0, 8) } + [(7, 8), (8, 8), (8, 7)] + (0...5).reversed().map { (8, $0) }
    for (x, y) in beside { first = first << 1 | (self[x, y] ? 1 : 0) }
    var second: UInt32 = 0
    for i in 0..<7 { second = second << 1 | (self[8, side - 1 - i] ? 1 : 0) }
    for i in 0..<8 { second = second << 1 | (self[side - 8 + i, 8] ? 1 : 0) }
    return [first, second]
  }

  /// The share of the modules of both timing patterns that have their required tone.
  package var timing: Double {
    var right = 0
    for i in 8...(side - 9) {
      if self[i, 6] == i.isMultiple(of: 2) { right += 1 }
      if self[6, i] == i.isMultiple(of: 2) { right += 1 }
    }
    return Double(right) / Double(2 * (side - 16))
  }
}

// MARK: - Capacity

/// The division of the codewords of a QR code into blocks of error correction (ISO/IEC 18004 table 9).
package struct QRCapacity {
  /// The number of codewords of the whole symbol, data and error correction.
  package let codewords: Int
  package let blocks: Int
  /// The number of check codewords in each block.
  package let parity: Int

  /// - Parameter level: the error correction level: 0 is L, then M, Q, H.
  package init(_ layout: QRLayout, level: Int) {
    let (version, index) = (layout.version, layout.version - 1)
    var modules = (16 * version + 128) * version + 64
    if version >= 2 {
      let lines = version / 7 + 2
      modules -= (25 * lines - 10) * lines - 55
      if version >= 7 { modules -= 36 }
    }
    codewords = modules / 8
    blocks = Self.blocks[level][index]
    parity = Self.parity[level][index]
  }

  /// Returns the number of check codewords of a block that only detect errors (table 9, note b).
  package static func detectionOnly(_ layout: QRLayout, level: Int) -> Int {
    switch (layout.version, level) {
    case (1, 0): 3
    case (1, 1), (2, 0): 2
    case (1, _), (3, 0): 1
    default: 0
    }
  }

  private static let blocks: [[Int]] = [
    [
      1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8, 8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16, 17, 18, 19,
      19, 20, 21, 22, 24, 25,
    ],
    [
      1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16, 17, 17, 18, 20, 21, 23, 25, 26, 28, 29, 31, 33,
      35, 37, 38, 40, 43, 45, 47, 49,
    ],
    [
      1, 1, 2, 2, 4, 4, 6, 6, 8, 8, 8, 10, 12, 16, 12, 17, 16, 18, 21, 20, 23, 23, 25, 27, 29, 34, 34, 35, 38, 40, 43,
      45, 48, 51, 53, 56, 59, 62, 65, 68,
    ],
    [
      1, 1, 2, 4, 4, 4, 5, 6, 8, 8, 11, 11, 16, 16, 18, 16, 19, 21, 25, 25, 25, 34, 30, 32, 35, 37, 40, 42, 45, 48, 51,
      54, 57, 60, 63, 66, 70, 74, 77, 81,
    ],
  ]

  private static let parity: [[Int]] = [
    [
      7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28, 28, 28, 30, 30, 26, 28, 30, 30, 30,
      30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
    ],
    [
      10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26, 28, 28, 28, 28, 28, 28, 28,
      28,
      28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28,
    ],
    [
      13, 22, 18, 26, 18, 24, 18, 22, 20, 24, 28, 26, 24, 20, 30, 24, 28, 28, 26, 30, 28, 30, 30, 30, 30, 28, 30, 30,
      30,
      30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
    ],
    [
      17, 28, 22, 16, 22, 28, 26, 26, 24, 28, 24, 28, 22, 24, 24, 30, 28, 28, 26, 28, 30, 24, 30, 30, 30, 30, 30, 30,
      30,
      30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
    ],
  ]
}
