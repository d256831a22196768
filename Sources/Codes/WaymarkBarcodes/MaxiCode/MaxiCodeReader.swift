import WaymarkImage

/// Reads MaxiCode symbols (ISO/IEC 16023): the round bull's eye gives the position and size, the six groups of three modules
/// around it give the rotation. `MaxiCodeMark` below finds the bull's eye.
struct MaxiCodeReader {
  let view: ImageView
  let levels: BlockMean
  /// The distance of the searched rows, in pixels.
  let step: Int
  /// The search ends after this many bull's eyes that belong to no symbol.
  private static let failures = 3

  /// The centre of the symbol, in modules.
  private static let middle = Point2(15, 16.5)
  /// The distance of the rows divided by the width of a module.
  private static let rise = 0.75.squareRoot()
  /// The widths of a module to try, as shares of the width that the outer ring suggests, each with a distance between rows.
  private static let sizes = sizes(rises: [rise])
  /// The same in upright drawings, where encoders round the distance of the rows to whole pixels: to four for a module of five pixels, to
  /// five for six.
  private static let drawnSizes = sizes(rises: [rise, 5.0 / 6, 0.8])

  private static func sizes(rises: [Double]) -> [(scale: Double, rise: Double)] {
    [0.9, 0.93, 0.96, 0.99, 1.02, 1.05, 1.08].flatMap { scale in rises.map { (scale, $0) } }
  }

  static func detections(_ search: inout MatrixSearch) -> [MatrixDetection] {
    MaxiCodeReader(view: search.view, levels: search.levels, step: search.step).read()
  }

  private func read() -> [MatrixDetection] {
    var detections: [MatrixDetection] = []
    var failed = 0
    let marks = MaxiCodeMark.find(view, levels: levels, step: step)
    let isDrawn = !marks.isEmpty && view.isDrawn
    for mark in marks where failed < Self.failures {
      if detections.contains(where: { $0.corners.contains(mark.center) }) { continue }
      if let found = read(mark, isDrawn: isDrawn) { detections.append(found) } else { failed += 1 }
    }
    return detections
  }

  private func read(_ mark: MaxiCodeMark, isDrawn: Bool) -> MatrixDetection? {
    // The centre line of the outer ring has a diameter of 7.07 mm, and modules are 0.88 mm wide (clause 4.11); printers make
    // the ring larger.
    let unit = mark.outer / 8.25
    guard max(unit.x, unit.y) < 60, min(unit.x, unit.y) > 1.5 else { return nil }
    let known = Self.known
    let size = Point2(30, 33)
    let refine = GridRefinement(view: view, size: size, known: known, inverted: false)
    var starts: [Start] = []
    for turn in 0..<180 {
      let angle = Double(turn) * .pi / 90
      let (c, s) = (Double.cosine(angle), Double.sine(angle))
      for (scale, rise) in isDrawn && turn.isMultiple(of: 45) ? Self.drawnSizes : Self.sizes {
        let w = unit * scale
        let a = Point2(c * w.x, s * w.y)
        let b = Point2(-s * w.x, c * w.y) * rise
        // Some printers shift the rings from the centre of the modules by more than half a module.
        for beside in [0, 0.6, -0.6] {
          let origin = mark.center - a * (Self.middle.x + beside) - b * Self.middle.y
          let map = Homography([a.x, b.x, origin.x], [a.y, b.y, origin.y], [0, 0, 1])
          starts.append(Start(map: map, turn: turn, score: refine.score(map), isBeside: beside != 0))
        }
      }
    }
    starts.sort { $0.score > $1.score }
    guard let best = starts.first, best.score > 20 else { return nil }
    // First assumes that the rings are at the centre of the modules, as the standard requires.
    let likely =
      [best]
      + likely(starts.filter { !$0.isBeside }) { around in
        around.max { spread($0.map, half: 12) < spread($1.map, half: 12) }
      }
      + likely(starts) { around in
        var best = (start: around.first, spread: 0.0)
        for start in around {
          for move in Self.moves {
            var moved = start
            moved.map = start.map * move
            let spread = spread(moved.map, half: 10, offsets: Self.middleOnly)
            if spread > best.spread { best = (moved, spread) }
          }
        }
        return best.start
      }
    for start in likely {
      for fit in Self.fits {
        let map = fit.reduce(start.map) { sharpest($0, half: $1.half, module: unit.x, groups: $1.groups) }
        let sampler = ModuleSampler(view, columns: 30, rows: 33) { x, y in map.apply(Self.place(x, y)) }
        for sharpen: Float in [0, 0.6] {
          let matrix = sampler.matrix(radius: 5, sharpen: sharpen, inverted: false)
          guard let message = MaxiCodeDecoder.decode(matrix) else { continue }
          return MatrixDetection(
            symbology: .maxiCode, corners: map.apply(Quadrilateral(width: 30, height: 33)), module: unit.x,
            certainty: 1, message: message)
        }
      }
    }
    return nil
  }

  /// The parts of a symbol to which a grid is fitted in turn, by half their width in modules, and the corners that move together. A
  /// flat symbol is fitted as a whole at once, because a part of mostly padding looks the same after a shift.
  private static let fits: [[(half: Double, groups: [[Int]])]] = [
    [(16, CornerRefinement.sides), (16, CornerRefinement.corners)], [7, 11, 16].map { ($0, CornerRefinement.corners) },
  ]

  /// A position of the grid around a mark.
  private struct Start {
    var map: Homography
    /// The rotation, in steps of two degrees.
    var turn: Int
    var score: Double
    /// True if the rings are not at the centre of the modules.
    var isBeside: Bool
  }

  /// Returns the sharpest start for each of the best rotations, at most four.
  private func likely(_ starts: [Start], sharpest: ([Start]) -> Start?) -> [Start] {
    var likely: [Start] = []
    func isNear(_ a: Int, _ b: Int) -> Bool { min(abs(a - b), 180 - abs(a - b)) <= 3 }
    for start in starts where likely.count < 4 && start.score > 0.6 * (starts.first?.score ?? 0) {
      if likely.contains(where: { isNear($0.turn, start.turn) }) { continue }
      let around = starts.filter { isNear($0.turn, start.turn) && $0.score > 0.85 * start.score }
      if let found = sharpest(around) { likely.append(found) }
    }
    return likely
  }

  /// The shifts to try, in modules: none, and about a third of a module in each direction.
  private static let moves: [Homography] = [0, -0.3, 0.3].flatMap { y in
    [0, -0.3, 0.3].map { Homography([1, 0, $0], [0, 1, y], [0, 0, 1]) }
  }
  private static let middleOnly: [Point2] = [[0, 0]]

  /// Returns the position of a module: odd rows are shifted half a module to the right.
  private static func place(_ x: Double, _ y: Double) -> Point2 {
    Point2(x + (Int(y).isMultiple(of: 2) ? 0 : 0.5), y)
  }

  /// The modules around the bull's eye that have the same tone in every symbol.
  private static let known: [KnownModule] = {
    var known: [KnownModule] = []
    for (i, number) in MaxiCodePlacement.numbers.enumerated() where number < 0 {
      let (x, y) = (Double(i % 30) + 0.5, Double(i / 30) + 0.5)
      let p = place(x, y)
      let d = (p - middle) * Point2(1, rise)
      if number == -2 || d.length > 5.2 && d.length < 9 { known.append(KnownModule(at: p, isDark: number == -2)) }
    }
    return known
  }()

  /// Returns the map after moving the corners of the inner part, `half` modules from the centre, to where its modules differ most.
  private func sharpest(_ start: Homography, half: Double, module: Double, groups: [[Int]]) -> Homography {
    let (x, y) = (Self.middle.x, Self.middle.y)
    let frame = Quadrilateral(
      topLeft: [x - half, y - half], topRight: [x + half, y - half], bottomRight: [x + half, y + half],
      bottomLeft: [x - half, y + half])
    return CornerRefinement.best(start, frame: frame, module: module, groups: groups) { spread($0, half: half) }
  }

  /// Returns the mean absolute deviation of the modules within `half` modules of the centre from their mean, in gray levels.
  private func spread(_ map: Homography, half: Double, offsets: [Point2] = GridRefinement.offsets) -> Double {
    var values: [Double] = []
    values.reserveCapacity(900)
    for (i, number) in MaxiCodePlacement.numbers.enumerated() where number >= 0 {
      let p = Self.place(Double(i % 30) + 0.5, Double(i / 30) + 0.5)
      guard abs(p.x - Self.middle.x) < half, abs(p.y - Self.middle.y) < half else { continue }
      var sum = 0.0
      for off in offsets { sum += view.sample(map.apply(p + off)) }
      values.append(sum / Double(offsets.count))
    }
    let mean = values.reduce(0, +) / Double(max(1, values.count))
    return values.reduce(0) { $0 + abs($1 - mean) } / Double(max(1, values.count))
  }
}

// MARK: - Bull's eye

/// Three round dark rings around a light disc: the centre of a MaxiCode symbol.
struct MaxiCodeMark {
  var center: Point2
  /// The mean diameter of the outer ring along a row (x) and along a column (y), in pixels.
  var outer: Point2
  /// The mean diameter of the inner ring as a share of the diameter of the outer ring.
  private let inner: Double
  private var rows = 1

  /// Returns the marks that rows of a picture, `step` pixels apart, cross, the roundest first.
  static func find(_ view: ImageView, levels: BlockMean, step: Int) -> [MaxiCodeMark] {
    guard view.width >= 24, view.height >= 24 else { return [] }
    var marks: [MaxiCodeMark] = []
    var edges = [Int32](repeating: 0, count: view.width + 3)
    for y in stride(from: step / 2, to: view.height, by: step) {
      let count = levels.edges(of: view, row: y, into: &edges)
      guard count >= 13 else { continue }
      // Odd runs are dark: six of them, from the left side of the outer ring to its right side.
      for i in stride(from: 1, to: count - 11, by: 2) {
        // The rings must be symmetric around the disc: this check rejects most runs.
        let (left, right) = (edges[i + 4] - edges[i + 1], edges[i + 10] - edges[i + 7])
        guard 2 * left < 3 * right + 6, 2 * right < 3 * left + 6 else { continue }
        let own = (0...11).map { Double(edges[i + $0]) }
        guard let (middle, diameter, _) = rings(own) else { continue }
        let p = Point2(middle - 0.5, Double(y))
        if let known = marks.firstIndex(where: {
          abs($0.center.x - p.x) < 0.12 * diameter && abs($0.center.y - p.y) < 0.2 * diameter
        }) {
          marks[known].rows += 1
          continue
        }
        guard marks.count < 200, let column = cross(view, levels, p, diameter, isColumn: true),
          abs(column.middle - p.y) < 0.2 * diameter, column.diameter < 2 * diameter, diameter < 2 * column.diameter,
          // A second row, through the centre that the column gave.
          let row = cross(view, levels, [p.x, column.middle], diameter, isColumn: false)
        else { continue }
        let mark = MaxiCodeMark(
          center: [row.middle, column.middle], outer: [row.diameter, column.diameter], inner: row.inner)
        if mark.roundness(view) >= 0.9 { marks.append(mark) }
      }
    }
    return marks.map { ($0, $0.roundness(view)) }.sorted { ($0.1, $0.0.rows) > ($1.1, $1.0.rows) }.map(\.0)
  }

  /// Returns the centre and the mean diameter of the outer ring, and the diameter of the inner ring as a share of it, if the twelve
  /// edges fit three evenly spaced rings. Ink spread moves both edges of a ring and leaves its centre line. The disc inside is not
  /// checked, because its size differs between printers.
  private static func rings(_ edges: [Double]) -> (middle: Double, diameter: Double, inner: Double)? {
    var e = edges
    // If a dark module touches the outer ring, the ring is assumed to be as thick as the next one.
    if e[1] - e[0] > 1.5 * (e[3] - e[2]) + 1 { e[0] = e[1] - (e[3] - e[2]) }
    if e[11] - e[10] > 1.5 * (e[9] - e[8]) + 1 { e[11] = e[10] + (e[9] - e[8]) }
    let rings = [(e[4], e[5], e[6], e[7]), (e[2], e[3], e[8], e[9]), (e[0], e[1], e[10], e[11])]
      .map { (left: ($0.0 + $0.1) / 2, right: ($0.2 + $0.3) / 2) }
    let outer = rings[2].right - rings[2].left
    guard outer >= 14 else { return nil }
    let middle = (rings[2].right + rings[2].left) / 2
    let inner = (rings[0].right - rings[0].left) / outer
    guard inner > 0.17, inner < 0.4 else { return nil }
    for (ring, share) in zip(rings, [inner, (1 + inner) / 2]) {
      guard abs((ring.right - ring.left) / outer - share) < 0.05 + 0.6 / outer,
        abs((ring.right + ring.left) / 2 - middle) < 0.04 * outer + 0.6
      else { return nil }
    }
    return (middle, outer, inner)
  }

  /// Returns the centre and diameters of the rings, as `rings` does, along the column or row through a point of the disc.
  private static func cross(
    _ view: ImageView, _ levels: BlockMean, _ p: Point2, _ diameter: Double, isColumn: Bool
  ) -> (middle: Double, diameter: Double, inner: Double)? {
    let (x, y) = (Int(p.x.rounded()), Int(p.y.rounded()))
    func isDark(_ t: Int) -> Bool? {
      let (u, v) = isColumn ? (x, y + t) : (x + t, y)
      return u >= 0 && v >= 0 && u < view.width && v < view.height ? levels.isDark(view, u, v) : nil
    }
    guard isDark(0) == false else { return nil }
    /// Returns the first six edges in one direction.
    func borders(_ direction: Int) -> [Double]? {
      var found: [Double] = []
      var dark = false
      var t = 0
      while found.count < 6, abs(t) < Int(1.3 * diameter) + 2 {
        t += direction
        guard let here = isDark(t) else { break }
        if here != dark {
          dark.toggle()
          found.append(Double((isColumn ? y : x) + t) - Double(direction) / 2)
        }
      }
      return found.count == 6 ? found : nil
    }
    guard let up = borders(-1), let down = borders(1) else { return nil }
    return rings(up.reversed() + down)
  }

  /// Returns the share of samples that have the tone of round rings, 0 to 1; lower for square rings.
  private func roundness(_ view: ImageView) -> Double {
    var (light, dark): ([Double], [Double]) = ([], [])
    for i in 0..<16 {
      let angle = Double(i) * .pi / 8
      let d = Point2(Double.cosine(angle) * outer.x, Double.sine(angle) * outer.y) / 2
      for radius in [0, 0.25 + 0.75 * inner, 0.75 + 0.25 * inner] { light.append(view.sample(center + d * radius)) }
      for radius in [inner, 0.5 + 0.5 * inner, 1] { dark.append(view.sample(center + d * radius)) }
    }
    let (l, h) = (dark.reduce(0, +) / Double(dark.count), light.reduce(0, +) / Double(light.count))
    guard h - l > 24 else { return 0 }
    let level = (l + h) / 2
    let right = dark.count { $0 < level } + light.count { $0 > level }
    return Double(right) / Double(dark.count + light.count)
  }
}
