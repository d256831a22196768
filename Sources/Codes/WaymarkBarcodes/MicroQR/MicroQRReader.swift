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
        guard let message = MicroQRDecoder.decode(matrix) else { continue }
        var finding = MatrixDetection(
          symbology: .microQR, corners: moved, module: module, certainty: 1)
        finding.message = message
        finding.inverted = inverted
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
