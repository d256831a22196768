import WaymarkImage

// MARK: - Micro QR Code

/// Reads Micro QR Code symbols (ISO/IEC 18004): one finder pattern, and timing patterns along the two sides that meet there. The reader of
/// rMQR symbols, `RMQRReader`, is below.
struct MicroQRReader {
  let view: ImageView

  static func detections(_ search: inout MatrixSearch) -> [MatrixDetection] {
    let reader = MicroQRReader(view: search.view)
    return search.rings.detections { reader.read($0, inverted: $1) }
  }

  /// The outline of the finder pattern, in modules.
  static let outline = Quadrilateral(width: 7, height: 7)
  /// The score of a refinement, see `GridRefinement.refine`, above which its map is used.
  static let leastFit = 10.0

  private func read(_ ring: Quadrilateral, inverted: Bool) -> MatrixDetection? {
    let module = abs(ring.signedArea).squareRoot() / 7
    // Fits the smallest version in all four orientations: the format information beside the finder pattern gives the actual
    // version.
    var candidates: [(map: Homography, version: Int, errors: Int, score: Double)] = []
    for turned in ring.turns {
      guard let start = Homography(from: Self.outline, to: turned) else { continue }
      let (map, score) = refine(1, inverted, endsThere: false).refine(start, module: module)
      guard score > Self.leastFit else { continue }
      let sampler = ModuleSampler(view, columns: 11, rows: 11) { map.apply([$0, $1]) }
      for sharpen: Float in [0, 0.6] {
        let matrix = sampler.matrix(radius: 4, sharpen: sharpen, inverted: inverted)
        guard matrix.agreement(MicroQRDecoder.fixed) > 0.85 else { continue }
        for (data, errors) in [matrix, matrix.transposed].map(MicroQRDecoder.format) where errors <= 2 {
          let version = MicroQRDecoder.version(data >> 2)
          // The smallest symbols detect errors and correct none: their format must have no wrong bits.
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
    guard score > Self.leastFit else { return nil }
    let s = Double(side)
    let frame = Quadrilateral(width: s, height: s)
    let corners = map.apply(frame)
    // No pattern shows the position of the far corner, so several positions are tried; only one for the smallest symbols, whose
    // check only detects errors and is too weak for several attempts.
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
      // The format gives the version, and the map is accurate there.
      if move.length > 0, !matrix.namesMicroVersion(version), !matrix.transposed.namesMicroVersion(version) { break }
      for matrix in [matrix, matrix.transposed] {
        guard let message = MicroQRDecoder.decode(matrix) else { continue }
        return MatrixDetection(
          symbology: .microQR, corners: moved, module: module, certainty: 1, inverted: inverted, message: message)
      }
    }
    return nil
  }

  /// The shifts of the far corner from its position under the map that are tried, in modules, the smallest first.
  private static let moves: [Point2] = (-3...3).flatMap { y in (-3...3).map { x in Point2(Double(x), Double(y)) * 0.5 }
  }
  .sorted { $0.length < $1.length }

  /// Returns a refinement by the finder pattern and the timing patterns of a version.
  ///
  /// - Parameter endsThere: true if the timing patterns must end at the length of the version.
  private func refine(_ version: Int, _ inverted: Bool, endsThere: Bool = true) -> GridRefinement {
    let side = 9 + 2 * version
    var known: [KnownModule] = []
    for y in 0..<side {
      for x in 0..<side {
        guard let dark = MicroQRDecoder.fixed(x, y) else { continue }
        // Each module of the timing patterns counts three times, because these modules are few and show the size of the symbol.
        let copies = x > 7 || y > 7 ? 3 : 1
        for _ in 0..<copies { known.append(KnownModule(at: [Double(x) + 0.5, Double(y) + 0.5], isDark: dark)) }
      }
    }
    // The surroundings beyond the timing patterns are light. Otherwise a shorter version would fit into a longer symbol.
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
  /// Returns whether the format information, with at most two wrong bits, belongs to a version of Micro QR Code.
  fileprivate func namesMicroVersion(_ version: Int) -> Bool {
    let (data, errors) = MicroQRDecoder.format(self)
    return errors <= 2 && MicroQRDecoder.version(data >> 2) == version
  }
}

// MARK: - rMQR

/// Reads rMQR symbols (ISO/IEC 23941): the format information beside the finder pattern gives the size of the symbol; then the
/// grid is tracked along the timing patterns of its long sides.
struct RMQRReader {
  let view: ImageView

  static func detections(_ search: inout MatrixSearch) -> [MatrixDetection] {
    let reader = RMQRReader(view: search.view)
    return search.rings.detections { reader.read($0, inverted: $1) }
  }

  private func read(_ ring: Quadrilateral, inverted: Bool) -> MatrixDetection? {
    let module = abs(ring.signedArea).squareRoot() / 7
    let start = GridRefinement(view: view, size: [9, 7], known: Self.known, inverted: inverted)
    for corners in ring.turns {
      guard var map = Homography(from: MicroQRReader.outline, to: corners) else { continue }
      if module < Self.small {
        let (refined, score) = start.refine(map, module: module)
        if score > MicroQRReader.leastFit { map = refined }
      }
      let sampler = ModuleSampler(view, columns: 12, rows: 7) { map.apply([$0, $1]) }
      let matrix = sampler.matrix(radius: 4, inverted: inverted)
      var word: UInt32 = 0
      for (i, place) in RMQRSize.formatPlaces.enumerated() where matrix[place.x, place.y] { word |= 1 << UInt32(i) }
      let (size, isHigh, errors) = RMQRSize.format(word)
      guard errors <= 3 else { continue }
      let corners = map.apply(MicroQRReader.outline)
      if let found = examine(map, corners, size, isHigh: isHigh, module: module, inverted: inverted) { return found }
    }
    return nil
  }

  /// The size of a module in pixels below which the corners of the ring, which are whole pixels, are too coarse for the format
  /// information.
  private static let small = 3.0

  /// The modules of the finder pattern and its border, and the first modules of the timing pattern along the upper side. High
  /// symbols also have a timing pattern below the corner of the finder pattern.
  private static let known: [KnownModule] = {
    let modules = (-1..<8).flatMap { y in (-1..<8).map { x in (x, y) } }.filter { x, y in y < 7 || x > 2 }
    return (modules + (8..<12).map { ($0, 0) }).map { x, y in
      let isInside = (0..<12).contains(x) && (0..<7).contains(y)
      let isDark = isInside && (x > 7 ? x.isMultiple(of: 2) : x < 7 && max(abs(x - 3), abs(y - 3)) != 2)
      return KnownModule(at: [Double(x) + 0.5, Double(y) + 0.5], isDark: isDark)
    }
  }()

  private func examine(
    _ start: Homography, _ ring: Quadrilateral, _ size: RMQRSize, isHigh: Bool, module: Double, inverted: Bool
  ) -> MatrixDetection? {
    let (map, mesh) = followed(start, ring, size, inverted: inverted)
    let sampler = ModuleSampler(view, columns: size.columns, rows: size.rows) { x, y in
      map.apply([x, y]) + (mesh?.shift(x, y) ?? Point2(0, 0))
    }
    for (radius, sharpen) in [(4, Float(0)), (3, 0.6), (5, 1.2)] {
      let matrix = sampler.matrix(radius: radius, sharpen: sharpen, inverted: inverted)
      guard matrix.agreement(size.fixed) > 0.85, let message = RMQRDecoder.decode(matrix, size, isHigh: isHigh)
      else { continue }
      let outline = Quadrilateral(width: Double(size.columns), height: Double(size.rows))
      return MatrixDetection(
        symbology: .rMQR, corners: map.apply(outline), module: module, certainty: 1, inverted: inverted,
        message: message)
    }
    return nil
  }

  /// Returns the map, and the shifts that bend it, after tracking the timing patterns of both long sides from the finder pattern
  /// on. Every ten modules, the fixed modules are searched near their predicted positions, and the map is fitted again to all
  /// points found so far.
  private func followed(
    _ start: Homography, _ ring: Quadrilateral, _ size: RMQRSize, inverted: Bool
  ) -> (map: Homography, mesh: GridMesh?) {
    var map = start
    let columns = stride(from: 5.0, to: Double(size.columns) - 8, by: 10) + [Double(size.columns) - 4]
    let rows = [1.5, Double(size.rows) - 1.5]
    var places = [Point2?](repeating: nil, count: 2 * columns.count)
    let fixed = zip(MicroQRReader.outline.corners, ring.corners).map { PointPair(reference: $0, frame: $1) }
    for (i, x) in columns.enumerated() {
      for (j, y) in rows.enumerated() {
        var known: [KnownModule] = []
        for v in (j == 0 ? -1 : size.rows - 4)...(j == 0 ? 3 : size.rows) {
          for u in max(0, Int(x) - 6)...min(size.columns - 1, Int(x) + 6) {
            // The quiet zone around the symbol is light.
            guard let dark = (0..<size.rows).contains(v) ? size.fixed(u, v) : false else { continue }
            known.append(KnownModule(at: [Double(u) + 0.5, Double(v) + 0.5], isDark: dark))
          }
        }
        let found = PatternWindow(known: known, center: [x, y]).shift(
          view, map.apply, inverted: inverted, guess: [0, 0], reach: 1.25, penalty: 4)
        if let found, found.contrast > 12 { places[j * columns.count + i] = map.apply([x, y]) + found.shift }
      }
      if let fitted = GridMesh.fit(fixed, columns: columns, rows: rows, places) { map = fitted }
    }
    return (map, GridMesh(columns: columns, rows: rows, places, map))
  }
}
