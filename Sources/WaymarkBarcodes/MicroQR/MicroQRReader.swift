import WaymarkGeometry
import WaymarkImage

/// Reads Micro QR Code symbols (ISO/IEC 18004): one finder pattern, and timing patterns along the two sides that start
/// there.
struct MicroQRReader {
  let view: ImageView
  /// How many finder patterns may fail.
  var failures = 8

  func read(_ rings: FinderRings) -> [MatrixDetection] {
    rings.detections(failures: failures) { read($0, inverted: $1) }
  }

  /// The finder pattern, in modules.
  static let outline = Quadrilateral(topLeft: [0, 0], topRight: [7, 0], bottomRight: [7, 7], bottomLeft: [0, 7])

  private func read(_ ring: Quadrilateral, inverted: Bool) -> MatrixDetection? {
    let module = abs(ring.signedArea).squareRoot() / 7
    // Each of the four ways to lie, as far as the timing patterns of every version reach: the format information beside the
    // finder pattern says which version it is.
    var candidates: [(map: Homography, version: Int, errors: Int, score: Double)] = []
    for turned in ring.turns {
      guard let start = Homography(from: Self.outline, to: turned) else { continue }
      let (map, score) = refine(1, inverted, endsThere: false).refine(start, module: module)
      guard score > 10 else { continue }
      let sampler = ModuleSampler(view, columns: 11, rows: 11) { map.apply([$0, $1]) }
      for sharpen: Float in [0, 0.6] {
        let matrix = sampler.matrix(radius: 4, sharpen: sharpen, inverted: inverted)
        guard matrix.agreement(MicroQRDecoder.fixed) > 0.85 else { continue }
        for (data, errors) in [matrix, matrix.transposed].map(MicroQRDecoder.format) where errors <= 2 {
          let version = MicroQRDecoder.version(data >> 2)
          // The smallest symbols detect errors and correct none: nothing about them may be doubtful.
          guard version > 1 || errors == 0, !candidates.contains(where: { $0.map == map && $0.version == version })
          else { continue }
          candidates.append((map, version, errors, score))
        }
      }
    }
    candidates.sort { ($0.errors, -$0.score) < ($1.errors, -$1.score) }
    for candidate in candidates.prefix(6) {
      if let found = examine(candidate.map, candidate.version, module: module, inverted: inverted) { return found }
    }
    return nil
  }

  private func examine(_ start: Homography, _ version: Int, module: Double, inverted: Bool) -> MatrixDetection? {
    let side = 9 + 2 * version
    let (map, score) = refine(version, inverted).refine(start, module: module)
    guard score > 10 else { return nil }
    let s = Double(side)
    let frame = Quadrilateral(topLeft: [0, 0], topRight: [s, 0], bottomRight: [s, s], bottomLeft: [0, s])
    let corners = map.apply(frame)
    // No pattern says where the far corner is. The smallest symbols detect errors and correct none: too little to try.
    let moves: [Point2] = version == 1 ? [[0, 0]] : Self.moves
    for (move, sharpen) in moves.flatMap({ move in [Float(0), 0.6, 1.2].map { (move, $0) } }) {
      let u = (corners.bottomRight - corners.bottomLeft) / s
      let v = (corners.bottomRight - corners.topRight) / s
      var moved = corners
      moved.bottomRight += u * move.x + v * move.y
      guard let map = Homography(from: frame, to: moved) else { continue }
      let sampler = ModuleSampler(view, columns: side, rows: side) { map.apply([$0, $1]) }
      let matrix = sampler.matrix(radius: 4, sharpen: sharpen, inverted: inverted)
      guard matrix.agreement(MicroQRDecoder.fixed) > 0.9 else { continue }
      // The format names the version, and lies where the map is right.
      if move.length > 0, !matrix.namesMicroVersion(version), !matrix.transposed.namesMicroVersion(version) { break }
      for matrix in [matrix, matrix.transposed] {
        guard let (message, used) = MicroQRDecoder.decode(matrix) else { continue }
        var finding = MatrixDetection(
          symbology: .microQR, corners: moved, module: module, certainty: 1)
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

  /// Where the far corner may lie from where the patterns have it, in modules; the nearer ones first.
  private static let moves: [Point2] = (-3...3).flatMap { y in (-3...3).map { x in Point2(Double(x), Double(y)) * 0.5 }
  }
  .sorted { $0.length < $1.length }

  /// - Parameter endsThere: whether the timing patterns end where those of the version do.
  private func refine(_ version: Int, _ inverted: Bool, endsThere: Bool = true) -> GridRefinement {
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
    // Where they end it is light: there are no shorter ones within longer ones.
    for i in side..<(endsThere ? side + 2 : side) {
      for _ in 0..<2 {
        known.append(KnownModule(at: [Double(i) + 0.5, 0.5], isDark: false))
        known.append(KnownModule(at: [0.5, Double(i) + 0.5], isDark: false))
      }
    }
    return GridRefinement(view: view, size: [Double(side), Double(side)], known: known, inverted: inverted)
  }
}

extension ModuleMatrix {
  /// Returns whether the format information of a Micro QR Code symbol says that it is of a version.
  fileprivate func namesMicroVersion(_ version: Int) -> Bool {
    let (data, errors) = MicroQRDecoder.format(self)
    return errors <= 2 && MicroQRDecoder.version(data >> 2) == version
  }
}

/// From the modules of a Micro QR Code symbol to its message.
enum MicroQRDecoder {
  /// Returns whether a module of the finder pattern, its border, or the timing patterns is dark; `nil` for all others.
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
  static func decode(_ matrix: ModuleMatrix) -> (message: CodeMessage, used: Double)? {
    let (format, wrong) = format(matrix)
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
      for b in stride(from: 7, through: 8 - width, by: -1) { bits.append(word >> b & 1 == 1) }
    }
    let counts = [[3, 0, 0, 0], [4, 3, 0, 0], [5, 4, 4, 3], [6, 5, 5, 4]][version - 1]
    let widths = QRText.Widths(mode: version - 1, counts: counts, isRectangular: false)
    guard let message = QRText.message(bits, widths), !message.isEmpty else { return nil }
    return (message, Double(2 * errors) / Double(checks))
  }

  /// Decodes the format information: symbol number and mask, and how many of its bits are wrong.
  static func format(_ matrix: ModuleMatrix) -> (data: Int, errors: Int) {
    var word: UInt32 = 0
    for x in 1...8 { word = word << 1 | (matrix[x, 8] ? 1 : 0) }
    for y in stride(from: 7, through: 1, by: -1) { word = word << 1 | (matrix[8, y] ? 1 : 0) }
    // The mask of the format is 0x4445 here, and 0x5412 in larger symbols (clause 7.9.2).
    return QRFormat.format(word ^ 0x4445 ^ 0x5412)
  }

  /// The version of a symbol number (table 13).
  static func version(_ symbol: Int) -> Int { shapes[symbol].version }

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
          // Four bits stand for a codeword whose lower half is zero.
          let isHalf = isShort && words.count == data - 1
          if bits == (isHalf ? 4 : 8) {
            words.append(isHalf ? word << 4 : word)
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
