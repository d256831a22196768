/// From the modules of a QR code to its content: format, codewords, error correction, bits (ISO/IEC 18004 clause 11).
///
/// A module that is neither dark nor light says so by its margin: the codewords that hold the most doubtful modules are
/// given to the error correction as erasures, of which it corrects twice as many as of errors whose place is unknown (the
/// idea of G. D. Forney, "Generalized minimum distance decoding", IEEE Trans. IT 12 (1966)).
package struct QRDecoder {
  /// The modules of each codeword of a version, bit by bit.
  private var placements: [Int: [Int32]] = [:]

  package init() {}

  /// Reads modules, upright or as seen in a mirror.
  package mutating func decode(_ matrix: ModuleMatrix, _ layout: QRLayout) -> CodeMessage? {
    for mirrored in [false, true] {
      let seen = mirrored ? matrix.transposed : matrix
      let formats = seen.formats
      guard let best = formats.first, best.errors <= 3 else { continue }
      // A second format is worth a try where the first is not clear.
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
    var data: [Int] = []
    let keep = QRCapacity.detectionOnly(layout, level: level)
    for block in 0..<capacity.blocks {
      let indices = capacity.indices(of: block)
      var codewords = indices.map { words[$0] }
      guard
        ReedSolomon.qr.correct(
          &codewords, checks: capacity.parity, doubt: margins.isEmpty ? [] : indices.map { doubt[$0] }, reserve: keep)
      else { return nil }
      data += codewords.dropLast(capacity.parity)
    }
    return QRContent.message(data, version: layout.version)
  }

  private mutating func placement(_ layout: QRLayout) -> [Int32] {
    if let known = placements[layout.version] { return known }
    let places = layout.placement
    placements[layout.version] = places
    return places
  }
}

extension QRCapacity {
  /// Where the codewords of a block stand among those of the symbol, in which blocks are interleaved (clause 7.6).
  func indices(of block: Int) -> [Int] {
    let short = shortBlocks
    var found = (0..<shortData).map { $0 * blocks + block }
    // The last data codewords are those of the longer blocks alone.
    if block >= short { found.append(shortData * blocks + block - short) }
    let start = codewords - parity * blocks
    return found + (0..<parity).map { start + $0 * blocks + block }
  }
}

extension ModuleMatrix {
  /// Levels of error correction (0 is L, then M, Q, H) and masks, the likeliest first: those nearest to either copy, and of
  /// equals those nearest to both.
  var formats: [(level: Int, mask: Int, errors: Int)] {
    let words = formatWords
    typealias Ranked = (rank: Int, format: (level: Int, mask: Int, errors: Int))
    // The two bits of the level count 01, 00, 11, 10 for L, M, Q, H (table 12).
    let levels = [1, 0, 3, 2]
    let ranked = (0..<32).map { (data: Int) -> Ranked in
      let apart = words.map { (QRFormat.formats[data] ^ $0).nonzeroBitCount }
      let least = apart.min() ?? 15
      return (rank: least * 32 + apart.reduce(0, +), format: (level: levels[data >> 3], mask: data & 7, errors: least))
    }
    return ranked.sorted { $0.rank < $1.rank }.prefix(3).map(\.format)
  }

  /// Table 10 of the standard; x is its j, y its i.
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

extension QRLayout {
  /// Where the bits of the codewords lie, in the order of placement (clause 7.7.3): indices into the modules.
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

  /// Which modules hold no data: finder, timing and alignment patterns, format and version information.
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
