import WaymarkGeometry
import WaymarkImage

/// Reads Micro QR Code symbols (ISO/IEC 18004): one finder pattern, and timing patterns along the two sides that start
/// there.
struct MicroQRReader {
  let view: ImageView
  let levels: BlockMean
  /// How many finder patterns may fail.
  var failures = 8

  func read(_ search: FinderSearch) -> [MatrixFinding] {
    var findings: [MatrixFinding] = []
    for polarity in 0...1 {
      var failed = 0
      for pattern in search.found[polarity] where failed < failures {
        if findings.contains(where: { $0.corners.contains(pattern.center) }) { continue }
        if let found = read(pattern, inverted: polarity == 1) { findings.append(found) } else { failed += 1 }
      }
    }
    return findings
  }

  private func read(_ pattern: FinderPattern, inverted: Bool) -> MatrixFinding? {
    let found = RingCorners.find(
      view, levels: levels, around: pattern.center, unit: [pattern.moduleX, pattern.moduleY], isDark: !inverted,
      past: [true, false], modules: 7)
    guard let ring = found else { return nil }
    let square = Quadrilateral(topLeft: [0, 0], topRight: [7, 0], bottomRight: [7, 7], bottomLeft: [0, 7])
    let module = abs(ring.signedArea).squareRoot() / 7
    let c = ring.corners
    // Each of the four ways to lie and each version by how its timing patterns look; the better ones are tried.
    var candidates: [(map: Homography, version: Int, score: Double)] = []
    for turn in 0..<4 {
      let turned = Quadrilateral(
        topLeft: c[turn], topRight: c[(turn + 1) % 4], bottomRight: c[(turn + 2) % 4], bottomLeft: c[(turn + 3) % 4])
      guard let map = Homography(from: square, to: turned) else { continue }
      for version in 1...4 {
        let score = climb(version, inverted).score(map)
        if score > 8 { candidates.append((map, version, score)) }
      }
    }
    candidates.sort { $0.score > $1.score }
    for candidate in candidates.prefix(6) {
      if let found = examine(candidate.map, candidate.version, module: module, inverted: inverted) { return found }
    }
    return nil
  }

  private func examine(_ start: Homography, _ version: Int, module: Double, inverted: Bool) -> MatrixFinding? {
    let side = 9 + 2 * version
    let (map, score) = climb(version, inverted).climb(start, module: module)
    guard score > 10 else { return nil }
    let sampler = ModuleSampler(view, columns: side, rows: side) { map.apply([$0, $1]) }
    for sharpen: Float in [0, 0.6, 1.2] {
      let matrix = sampler.matrix(radius: 4, sharpen: sharpen, inverted: inverted)
      guard agreement(matrix, side) > 0.9 else { continue }
      for matrix in [matrix, matrix.transposed] {
        guard let (message, used) = MicroQRDecoder.decode(matrix) else { continue }
        let s = Double(side)
        var finding = MatrixFinding(
          symbology: .microQR,
          corners: map.apply(
            Quadrilateral(topLeft: [0, 0], topRight: [s, 0], bottomRight: [s, s], bottomLeft: [0, s])),
          module: module, certainty: 1)
        finding.message = message
        finding.used = used
        finding.inverted = inverted
        finding.matrix = matrix
        finding.map = map
        return finding
      }
    }
    return nil
  }

  private func climb(_ version: Int, _ inverted: Bool) -> GridClimb {
    let side = 9 + 2 * version
    var known: [KnownModule] = []
    for y in 0..<side {
      for x in 0..<side {
        guard let dark = MicroQRDecoder.fixed(x, y) else { continue }
        // The timing patterns say how large it is: they count as much as the finder pattern.
        let copies = x > 7 || y > 7 ? 3 : 1
        for _ in 0..<copies { known.append(KnownModule(at: [Double(x) + 0.5, Double(y) + 0.5], isDark: dark)) }
      }
    }
    return GridClimb(view: view, size: [Double(side), Double(side)], known: known, inverted: inverted)
  }

  private func agreement(_ matrix: ModuleMatrix, _ side: Int) -> Double {
    var (right, all) = (0, 0)
    for y in 0..<side {
      for x in 0..<side {
        guard let dark = MicroQRDecoder.fixed(x, y) else { continue }
        all += 1
        if matrix[x, y] == dark { right += 1 }
      }
    }
    return Double(right) / Double(max(1, all))
  }
}

/// From the modules of a Micro QR Code symbol to its message.
enum MicroQRDecoder {
  /// Whether a module of the finder pattern, its border, or the timing patterns is dark; `nil` for all others.
  static func fixed(_ x: Int, _ y: Int) -> Bool? {
    if x < 8, y < 8 {
      if x == 7 || y == 7 { return false }
      let ring = max(abs(x - 3), abs(y - 3))
      return ring != 2
    }
    if y == 0 { return x.isMultiple(of: 2) }
    if x == 0 { return y.isMultiple(of: 2) }
    return nil
  }

  /// Codewords of data and of error correction, and how many of the latter only detect (ISO/IEC 18004 tables 7 and 9), by
  /// symbol number.
  private static let shapes: [(version: Int, data: Int, checks: Int, reserve: Int)] = [
    (1, 3, 2, 2), (2, 5, 5, 3), (2, 4, 6, 2), (3, 11, 6, 2), (3, 9, 8, 0), (4, 16, 8, 2), (4, 14, 10, 0),
    (4, 10, 14, 0),
  ]

  /// The message, and which share of the error correction it took.
  static func decode(_ matrix: ModuleMatrix) -> (message: Message, used: Double)? {
    var word: UInt32 = 0
    for x in 1...8 { word = word << 1 | (matrix[x, 8] ? 1 : 0) }
    for y in stride(from: 7, through: 1, by: -1) { word = word << 1 | (matrix[8, y] ? 1 : 0) }
    // The mask of the format is 0x4445 here, and 0x5412 in larger symbols (clause 7.9.2).
    let (format, wrong) = QRFormat.format(word ^ 0x4445 ^ 0x5412)
    guard wrong <= 2 else { return nil }
    let (version, data, checks, reserve) = shapes[format >> 2]
    guard matrix.columns == 9 + 2 * version else { return nil }
    var words = codewords(matrix, mask: format & 3, data: data, checks: checks, isShort: version % 2 == 1)
    guard words.count == data + checks,
      let errors = ReedSolomon.qr.correct(&words, checks: checks, reserve: reserve)
    else { return nil }
    var bits: [Bool] = []
    for (i, word) in words.prefix(data).enumerated() {
      let width = version % 2 == 1 && i == data - 1 ? 4 : 8
      for b in stride(from: width - 1, through: 0, by: -1) { bits.append(word >> b & 1 == 1) }
    }
    let counts = [[3, 0, 0, 0], [4, 3, 0, 0], [5, 4, 4, 3], [6, 5, 5, 4]][version - 1]
    let widths = QRText.Widths(mode: version - 1, counts: counts, isRectangular: false)
    guard let message = QRText.message(bits, widths), !message.isEmpty else { return nil }
    return (message, Double(2 * errors) / Double(checks))
  }

  /// The codewords in the order of placement, unmasked (clauses 7.7.3 and 7.8.2); the last one of data has four bits in
  /// symbols of odd version.
  private static func codewords(
    _ matrix: ModuleMatrix, mask: Int, data: Int, checks: Int, isShort: Bool
  ) -> [Int] {
    let side = matrix.columns
    var words: [Int] = []
    var (word, bits) = (0, 0)
    var up = true
    for right in stride(from: side - 1, to: 0, by: -2) {
      for i in 0..<side {
        let y = up ? side - 1 - i : i
        for x in [right, right - 1] where x > 0 && y > 0 && !(x <= 8 && y <= 8) {
          let flip =
            switch mask {
            case 0: y % 2 == 0
            case 1: (y / 2 + x / 3) % 2 == 0
            case 2: (x * y % 2 + x * y % 3) % 2 == 0
            default: ((x + y) % 2 + x * y % 3) % 2 == 0
            }
          word = word << 1 | (matrix[x, y] != flip ? 1 : 0)
          bits += 1
          if bits == (isShort && words.count == data - 1 ? 4 : 8) {
            words.append(word)
            (word, bits) = (0, 0)
            if words.count == data + checks { return words }
          }
        }
      }
      up.toggle()
    }
    return words
  }
}
