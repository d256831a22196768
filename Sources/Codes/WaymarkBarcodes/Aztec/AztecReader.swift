import WaymarkImage
import WaymarkSystem

/// Reads Aztec Code symbols (ISO/IEC 24778): finds the bull's eye and extends the grid from there outwards.
struct AztecReader {
  let view: ImageView
  let levels: BlockMean
  /// The search ends after this many bull's eyes that belong to no symbol.
  private static let failures = 6

  static func detections(_ search: inout MatrixSearch) -> [MatrixDetection] {
    let marks = BullseyeSearch(search.view, levels: search.levels, step: search.step)
    return AztecReader(view: search.view, levels: search.levels).read(marks)
  }

  private func read(_ search: BullseyeSearch) -> [MatrixDetection] {
    var detections: [MatrixDetection] = []
    var failed = 0
    for mark in search.marks where failed < Self.failures {
      if detections.contains(where: { $0.corners.contains(mark.center) }) { continue }
      // A mark without the rings does not count as a failure.
      guard let core = core(mark) else { continue }
      if let found = read(mark, core) { detections.append(found) } else { failed += 1 }
    }
    return detections
  }

  private func read(_ mark: BullseyeSearch.Bullseye, _ core: (map: Homography, isFull: Bool)) -> MatrixDetection? {
    for isCompact in [!core.isFull, core.isFull] {
      if let found = read(core.map, isCompact: isCompact, inverted: mark.isLight) { return found }
    }
    return nil
  }

  // MARK: The bull's eye

  /// Returns the map from modules, relative to the centre, to pixels, and whether the bull's eye belongs to a full symbol; `nil`
  /// without rings. The map is fitted to the corners of the ring at three modules from the centre, between two rings of the
  /// opposite tone.
  private func core(_ mark: BullseyeSearch.Bullseye) -> (map: Homography, isFull: Bool)? {
    let found = RingCorners.find(
      view, levels: levels, around: mark.center, unit: [mark.ringX, mark.ringY], isDark: mark.isLight,
      past: [false, true, false], modules: 7)
    guard let ring = found else { return nil }
    guard let map = Homography(from: Self.square(half: 3.5), to: ring) else { return nil }
    let module = abs(ring.signedArea).squareRoot() / 7
    let inner = refine(map, radius: 4, module: module, inverted: mark.isLight)
    guard inner.score > 8 else { return nil }
    // A full symbol has an additional light and an additional dark ring.
    let outer = refine(inner.map, radius: 6, module: module, inverted: mark.isLight)
    let isFull = outer.score > 0.75 * inner.score && rings(outer.map, 6, inverted: mark.isLight) > 0.93
    return (isFull ? outer.map : inner.map, isFull)
  }

  /// Returns a square around the centre of the symbol, in modules.
  private static func square(half r: Double) -> Quadrilateral {
    Quadrilateral(topLeft: [-r, -r], topRight: [r, -r], bottomRight: [r, r], bottomLeft: [-r, r])
  }

  /// Returns the modules of the bull's eye up to a radius: rings of even radius are dark.
  private func knownRings(_ radius: Int) -> [KnownModule] {
    var known: [KnownModule] = []
    for y in -radius...radius {
      for x in -radius...radius {
        known.append(
          KnownModule(at: [Double(x), Double(y)], isDark: max(abs(x), abs(y)).isMultiple(of: 2)))
      }
    }
    return known
  }

  private func refine(
    _ map: Homography, radius: Int, module: Double, inverted: Bool
  ) -> (map: Homography, score: Double) {
    let r = Double(radius)
    // The corners of the bull's eye are refined.
    let shifted = map * Homography.translation([-r, -r])
    let known = knownRings(radius).map { KnownModule(at: $0.at + Point2(r, r), isDark: $0.isDark) }
    let refine = GridRefinement(view: view, size: [2 * r, 2 * r], known: known, inverted: inverted)
    let best = refine.refine(shifted, module: module)
    return (best.map * Homography.translation([r, r]), best.score)
  }

  /// Returns the share of the modules of the bull's eye, up to a radius, that have the expected tone.
  private func rings(_ map: Homography, _ radius: Int, inverted: Bool) -> Double {
    let side = 2 * radius + 1
    let matrix = matrix(map, radius: radius, sharpen: 0, inverted: inverted)
    var right = 0
    for y in 0..<side {
      for x in 0..<side where matrix[x, y] == max(abs(x - radius), abs(y - radius)).isMultiple(of: 2) { right += 1 }
    }
    return Double(right) / Double(side * side)
  }

  private func matrix(_ map: Homography, radius: Int, sharpen: Float, inverted: Bool) -> ModuleMatrix {
    let r = Double(radius) + 0.5
    return ModuleSampler(view, columns: 2 * radius + 1, rows: 2 * radius + 1) { map.apply([$0 - r, $1 - r]) }
      .matrix(radius: 4, sharpen: sharpen, inverted: inverted)
  }

  // MARK: The symbol

  private func read(_ core: Homography, isCompact: Bool, inverted: Bool) -> MatrixDetection? {
    let radius = isCompact ? 5 : 7
    let side = Double(2 * radius + 1)
    let module = abs(core.apply(Self.square(half: side / 2)).signedArea).squareRoot() / side
    let matrix = matrix(core, radius: radius, sharpen: 0, inverted: inverted)
    guard let (turn, marks) = AztecOrientation.find(matrix, radius) else { return nil }
    let bits = modeBits(radius) { x, y in
      let (u, v) = turn.apply(x, y)
      return matrix[u + radius, v + radius]
    }
    guard let mode = AztecDecoder.mode(bits, isCompact: isCompact) else {
      guard isCompact, marks <= 1, let rune = AztecDecoder.rune(bits) else { return nil }
      var message = CodeMessage()
      message.append(rune.digits(3))
      return MatrixDetection(
        symbology: .aztec, corners: turn.corners(core, half: 5.5), module: module, certainty: 1, inverted: inverted,
        message: message)
    }
    let half = mode.side / 2
    var finding = MatrixDetection(
      symbology: .aztec, corners: turn.corners(core, half: Double(half) + 0.5), module: module, certainty: 0.95,
      inverted: inverted)
    var attempts: [() -> (map: Homography, mesh: GridMesh?)] = []
    if !isCompact {
      attempts.append { followed(core, half: half, module: module, inverted: inverted) }
    }
    if mode.side <= 61 {
      attempts.append {
        (grow(core, from: radius, to: half, isCompact: isCompact, module: module, inverted: inverted), nil)
      }
    }
    attempts.append { (core, nil) }
    let r = Double(half) + 0.5
    for attempt in attempts {
      let (map, mesh) = attempt()
      let sampler = ModuleSampler(view, columns: mode.side, rows: mode.side) { x, y in
        map.apply([x - r, y - r]) + (mesh?.shift(x - r, y - r) ?? Point2(0, 0))
      }
      for (radius, sharpen) in [(4, Float(0)), (3, 0.6), (5, 1.2)] {
        let matrix = sampler.matrix(radius: radius, sharpen: sharpen, inverted: inverted)
        let upright = matrix.picked(columns: mode.side, rows: mode.side) { x, y in
          let (u, v) = turn.apply(x - half, y - half)
          return (u + half, v + half)
        }
        guard let message = AztecDecoder.decode(mode, upright) else { continue }
        finding.corners = turn.corners(map, half: r)
        finding.message = message
        finding.certainty = 1
        return finding
      }
    }
    return finding
  }

  /// Returns the grid of a full symbol from its reference grid, which has a line at every sixteenth module from the centre. The
  /// crossings are measured from the bull's eye outwards, and after each round the map is fitted to all crossings measured so far.
  private func followed(
    _ core: Homography, half: Int, module: Double, inverted: Bool
  ) -> (map: Homography, mesh: GridMesh?) {
    let reach = half / 16
    var lines = (-reach...reach).map { 16 * $0 }
    // Where lines of the reference grid end at the edge of the symbol, their ends count as crossings unless a crossing is close.
    let hasRim = half - 16 * reach >= 5
    if hasRim { lines = [-half] + lines + [half] }
    let (n, middles) = (lines.count, lines.map(Double.init))
    let middle = n / 2
    var map = core
    var contrast = refine(core, radius: 6, module: module, inverted: inverted).score
    var places = [Point2?](repeating: nil, count: n * n)
    places[middle * n + middle] = map.apply([0, 0])
    // The bull's eye determines the map until crossings are found.
    let anchors: [Point2] = [[-6, -6], [6, -6], [6, 6], [-6, 6], [0, 0]]
    let fixed = anchors.map { PointPair(reference: $0, frame: core.apply($0)) }
    guard middle > 0 else { return (core, nil) }
    for ring in 1...middle {
      for node in places.indices where max(abs(node % n - middle), abs(node / n - middle)) == ring {
        let (x, y) = (lines[node % n], lines[node / n])
        let onRim = hasRim && (abs(x) == half, abs(y) == half) != (false, false)
        if hasRim, abs(x) == half, abs(y) == half { continue }
        var known: [KnownModule] = []
        for d in -7...7 {
          // At the edge of the symbol no other line crosses the end of a line.
          if !onRim || abs(x) == half, abs(x + d) <= half {
            known.append(KnownModule(at: [Double(x + d), Double(y)], isDark: (x + d + y).isMultiple(of: 2)))
          }
          if !onRim || abs(y) == half, d != 0 || onRim, abs(y + d) <= half {
            known.append(KnownModule(at: [Double(x), Double(y + d)], isDark: (x + y + d).isMultiple(of: 2)))
          }
        }
        let center = Point2(Double(x), Double(y))
        let found = PatternWindow(known: known, center: center).shift(
          view, map.apply, inverted: inverted, guess: [0, 0], reach: 2, penalty: 0.08 * contrast)
        if let found, found.contrast > 0.5 * contrast {
          places[node] = map.apply(center) + found.shift
          contrast = 0.9 * contrast + 0.1 * found.contrast
        }
      }
      if let fitted = GridMesh.fit(fixed, columns: middles, rows: middles, places) { map = fitted }
    }
    return (map, GridMesh(columns: middles, rows: middles, places, map, extrapolates: true))
  }

  /// Extends the grid from the bull's eye outwards. At each size, the corners are moved to where the modules have the highest
  /// contrast; in a full symbol, the contrast of the reference grid is added.
  private func grow(
    _ core: Homography, from inner: Int, to outer: Int, isCompact: Bool, module: Double, inverted: Bool
  ) -> Homography {
    var map = core
    var radius = inner
    while radius < outer {
      radius = min(outer, radius + max(2, radius / 6))
      map = sharpest(map, radius: radius, isCompact: isCompact, module: module, inverted: inverted)
    }
    return map
  }

  private func sharpest(
    _ start: Homography, radius: Int, isCompact: Bool, module: Double, inverted: Bool
  ) -> Homography {
    let r = Double(radius)
    // The places are spread over the area and include the outer modules, which determine the corners best.
    var places: [Point2] = []
    var known: [KnownModule] = []
    let stride = max(1, radius / 8)
    for y in -radius...radius {
      for x in -radius...radius {
        let outer = max(abs(x), abs(y)) >= radius - 1
        if !isCompact, max(abs(x), abs(y)) > 7, x % 16 == 0 || y % 16 == 0 {
          known.append(KnownModule(at: [Double(x), Double(y)], isDark: (x + y).isMultiple(of: 2)))
        } else if outer && (x + y) % 2 == 0 || x % stride == 0 && y % stride == 0 {
          places.append([Double(x), Double(y)])
        }
      }
    }
    let reference = GridRefinement(view: view, size: [2 * r, 2 * r], known: known, inverted: inverted)
    func score(_ map: Homography) -> Double {
      var values: [Double] = []
      values.reserveCapacity(places.count)
      for p in places {
        var sum = 0.0
        for off in GridRefinement.offsets { sum += view.sample(map.apply(p + off)) }
        values.append(sum / Double(GridRefinement.offsets.count))
      }
      let mean = values.reduce(0, +) / Double(max(1, values.count))
      let spread = values.reduce(0) { $0 + abs($1 - mean) } / Double(max(1, values.count))
      return spread + (known.isEmpty ? 0 : reference.score(map))
    }
    return CornerRefinement.best(start, frame: Self.square(half: r), module: module, score: score)
  }

  /// Returns the bits of the mode message, clockwise from the upper left, without the reference grid that crosses it in a full
  /// symbol.
  private func modeBits(_ radius: Int, _ isDark: (Int, Int) -> Bool) -> [Bool] {
    let along = radius == 5 ? Array(-3...3) : Array(-5...5).filter { $0 != 0 }
    return along.map { isDark($0, -radius) } + along.map { isDark(radius, $0) }
      + along.reversed().map { isDark($0, radius) } + along.reversed().map { isDark(-radius, $0) }
  }
}

extension AztecOrientation {
  /// Returns the corners of the upright symbol.
  ///
  /// - Parameters:
  ///   - map: the map from modules, relative to the centre of the symbol, to pixels.
  ///   - half: half the side of the symbol, in modules.
  fileprivate func corners(_ map: Homography, half: Double) -> Quadrilateral {
    func at(_ x: Int, _ y: Int) -> Point2 {
      let (u, v) = apply(x, y)
      return map.apply([Double(u) * half, Double(v) * half])
    }
    return Quadrilateral(
      topLeft: at(-1, -1), topRight: at(1, -1), bottomRight: at(1, 1), bottomLeft: at(-1, 1))
  }
}
