import WaymarkImage

/// Fits the grid of a QR code to a picture: from three finder patterns, finds the map under which the fixed patterns fit best.
/// `QRGrid` below is the result.
///
/// As in quirc, a map is scored by the fixed patterns and improved by hill climbing.
struct QRGridFit {
  private let view: ImageView
  private let layout: QRLayout
  /// 1 for a dark code on a light background, otherwise −1: the score of a module is its contrast in the expected direction.
  private let sign: Double
  /// Sample points in modules whose tone is known.
  private struct Marks {
    private(set) var places = SamplePlaces()
    /// 1 for dark, -1 for light; the centre of a pattern has twice that weight.
    private(set) var values: [Double] = []

    mutating func add(_ x: Int, _ y: Int, _ value: Double) {
      places.append([Double(x) + 0.5, Double(y) + 0.5])
      values.append(value)
    }
  }

  /// The sample points of all fixed modules.
  private var marks = Marks()
  /// A part of `marks`, enough to choose the start of the climb: some of the finder patterns and of both timing patterns.
  private var coarse = Marks()

  init(_ view: ImageView, _ layout: QRLayout, inverted: Bool) {
    self.view = view
    self.layout = layout
    sign = inverted ? -1 : 1
    let n = layout.side
    var finders: [(x: Int, y: Int, value: Double)] = []
    for (cx, cy) in [(3, 3), (n - 4, 3), (3, n - 4)] {
      for (dx, dy) in [(-3, -3), (0, -3), (3, -3), (-3, 0), (3, 0), (-3, 3), (0, 3), (3, 3)] {
        finders.append((cx + dx, cy + dy, 1))
      }
      for (dx, dy) in [(-2, -2), (0, -2), (2, -2), (-2, 0), (2, 0), (-2, 2), (0, 2), (2, 2)] {
        finders.append((cx + dx, cy + dy, -1))
      }
      finders.append((cx, cy, 2))
    }
    for (i, mark) in finders.enumerated() {
      marks.add(mark.x, mark.y, mark.value)
      if i.isMultiple(of: 3) { coarse.add(mark.x, mark.y, mark.value) }
    }
    for i in 8...(n - 9) {
      let value = i.isMultiple(of: 2) ? 1.0 : -1
      marks.add(i, 6, value)
      marks.add(6, i, value)
      // In large symbols, evenly spread runs of eight modules: parts of the timing patterns are better evidence than scattered single
      // modules.
      guard n < 50 || (i / 8).isMultiple(of: 3) else { continue }
      coarse.add(i, 6, value)
      coarse.add(6, i, value)
    }
    for c in layout.alignmentCenters {
      for (dx, dy) in [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)] {
        marks.add(c.x + dx, c.y + dy, -1)
      }
      for (dx, dy) in [(-2, -2), (2, -2), (-2, 2), (2, 2), (0, -2), (0, 2), (-2, 0), (2, 0)] {
        marks.add(c.x + dx, c.y + dy, 1)
      }
      marks.add(c.x, c.y, 2)
    }
  }

  /// About the number of pixels that fitting one grid samples: to search the fourth corner, to climb and to bend.
  var cost: Int { 290 * coarse.values.count + 200 * marks.values.count + 650 * layout.alignmentCenters.count }

  /// Returns the score of a map: the higher, the better the fixed patterns fit, and the higher the contrast.
  func score(_ map: Homography) -> Double { score(map, marks) }

  private func score(_ map: Homography, _ marks: Marks) -> Double {
    var sum = 0.0
    view.sample(map, at: marks.places) { i, seen in sum += marks.values[i] * (128 - seen) }
    return sign * sum / Double(marks.values.count)
  }

  /// Returns half the mean difference between light and dark fixed modules, in gray levels.
  func contrast(_ map: Homography) -> Double {
    var (light, dark, lights, darks) = (0.0, 0.0, 0.0, 0.0)
    view.sample(map, at: marks.places) { i, seen in
      if marks.values[i] > 0 {
        dark += seen
        darks += 1
      } else {
        light += seen
        lights += 1
      }
    }
    return sign * (light / max(1, lights) - dark / max(1, darks)) / 2
  }

  /// Returns the best map from three finder patterns, and from their corners if these were found; `nil` if the timing patterns do not
  /// fit.
  func fit(_ triplet: QRTriplet, _ corners: TripletCorners?) -> (grid: QRGrid, score: Double)? {
    if let found = corners?.map(layout), found.error < triplet.topLeft.module, timing(found.map) >= 0.75 {
      let climbed = refine(found.map, score(found.map))
      return (QRGrid(layout: layout, map: climbed.map), climbed.score)
    }

    let n = Double(layout.side)
    let tl = triplet.topLeft.center
    let tr = triplet.topRight.center
    let bl = triplet.bottomLeft.center
    let parallelogram = tr + bl - tl
    var best: (map: Homography, score: Double)?
    func consider(_ corner: Point2, at module: Point2) {
      guard
        let map = Homography(
          from: [3.5, 3.5], [n - 3.5, 3.5], module, [3.5, n - 3.5], to: tl, tr, corner, bl)
      else { return }
      let s = score(map, coarse)
      if s > best?.score ?? -.infinity { best = (map, s) }
    }
    // Perspective moves the fourth corner most: by the ratio of the sizes of the patterns beside it. A step of about one and a half
    // modules moves the middle of a side by less than half a module. A larger step could shift the timing pattern by a module.
    let reach = min(0.35 * (n - 7), 14)
    let total = max(3, Int(reach / 1.6))
    let u = (tr - tl) * (reach / (n - 7))
    let v = (bl - tl) * (reach / (n - 7))
    var centers = [parallelogram]
    if let foreshortened = triplet.foreshortenedCorner { centers.append(foreshortened) }
    for (index, center) in centers.enumerated() {
      let steps = index == 0 ? total : min(total, 2)
      for i in -steps...steps {
        for j in -steps...steps {
          let offset = u * (Double(i) / Double(total)) + v * (Double(j) / Double(total))
          consider(center + offset, at: [n - 3.5, n - 3.5])
        }
      }
    }
    guard let start = best, timing(start.map) >= 0.62 else { return nil }
    let climbed = refine(start.map, score(start.map))
    return (QRGrid(layout: layout, map: climbed.map), climbed.score)
  }

  /// Returns the share of the steps from module to module along both timing patterns that have the expected sign; about half in random
  /// pixels.
  ///
  /// - Parameter directions: the timing patterns to use: `false` for the row, `true` for the column.
  func timing(_ map: Homography, _ directions: [Bool] = [false, true]) -> Double {
    var right = 0
    var total = 0
    for vertical in directions {
      var last = 0.0
      for i in 7...(layout.side - 8) {
        let along = Double(i) + 0.5
        let value = view.sample(map.apply(vertical ? Point2(6.5, along) : Point2(along, 6.5)))
        if i > 7 {
          total += 1
          // Even modules are dark: there the brightness falls.
          if (value - last) * sign * (i.isMultiple(of: 2) ? -1 : 1) > 0 { right += 1 }
        }
        last = value
      }
    }
    return Double(right) / Double(total)
  }

  /// Moves the four corners to raise the score, halving the step in each round.
  func refine(_ start: Homography, _ score0: Double) -> (map: Homography, score: Double) {
    let n = Double(layout.side)
    let frame = Quadrilateral(corners: [[3.5, 3.5], [n - 3.5, 3.5], [n - 3.5, n - 3.5], [3.5, n - 3.5]])
    var corners = start.apply(frame).corners
    var map = start
    var score = score0
    let module = (corners[1] - corners[0]).length / (n - 7)
    // The position of the corner without a finder pattern is the least certain.
    var reach: [Double] = [0.5, 0.5, 2, 0.5]
    for _ in 0..<6 {
      var moved = true
      var rounds = 0
      while moved, rounds < 3 {
        moved = false
        rounds += 1
        for i in [2, 1, 3, 0] {
          for step: Point2 in [[1, 0], [-1, 0], [0, 1], [0, -1]] {
            var trial = corners
            trial[i] += step * reach[i] * module
            guard let candidate = Homography(from: frame, to: Quadrilateral(corners: trial)) else { continue }
            let s = self.score(candidate)
            if s > score {
              (corners, map, score, moved) = (trial, candidate, s, true)
            }
          }
        }
      }
      reach = reach.map { $0 / 2 }
    }
    return (map, score)
  }

  /// Bends a grid so that every visible alignment pattern is at its measured position: for large codes on paper that is not flat.
  ///
  /// The patterns are visited from the finder patterns outwards, so that the shifts of neighbours predict the next shift.
  func bend(_ grid: QRGrid) -> QRGrid {
    let lines = layout.alignmentLines
    let n = lines.count
    guard n > 1 else { return grid }
    let contrast = self.contrast(grid.map)
    var shifts = [Point2?](repeating: nil, count: n * n)
    for corner in [0, n - 1, (n - 1) * n] { shifts[corner] = Point2(0, 0) }
    let order = (0..<(n * n)).filter { shifts[$0] == nil }.sorted {
      ($0 / n + $0 % n, $0) < ($1 / n + $1 % n, $1)
    }
    func around(_ node: Int, _ reach: Int) -> Point2? {
      let (column, row) = (node % n, node / n)
      var sum = Point2(0, 0)
      var weight = 0.0
      for y in max(0, row - reach)...min(n - 1, row + reach) {
        for x in max(0, column - reach)...min(n - 1, column + reach) {
          guard let shift = shifts[y * n + x] else { continue }
          let w = 1 / Double((x - column) * (x - column) + (y - row) * (y - row))
          sum += shift * w
          weight += w
        }
      }
      return weight > 0 ? sum / weight : nil
    }
    for node in order {
      let guess = around(node, 1) ?? around(node, 2) ?? Point2(0, 0)
      shifts[node] = shift(of: (lines[node % n], lines[node / n]), grid.map, guess, contrast: contrast)
    }
    for node in order where shifts[node] == nil { shifts[node] = around(node, 1) ?? around(node, n) }
    var bent = grid
    let middles = lines.map { Double($0) + 0.5 }
    bent.mesh = GridMesh(columns: middles, rows: middles, shifts: shifts.map { $0 ?? Point2(0, 0) })
    return bent
  }

  /// Returns the shift of an alignment pattern from its position under a map, in pixels; `nil` if it is not visible.
  ///
  /// - Parameters:
  ///   - guess: the expected shift, in pixels.
  ///   - reach: the largest distance from the expected position, in modules.
  ///   - contrast: the contrast of the whole code (`contrast(_:)`).
  func shift(
    of center: (x: Int, y: Int), _ map: Homography, _ guess: Point2, reach: Double = 2, contrast: Double = 24
  ) -> Point2? {
    let x = Double(center.x) + 0.5
    let y = Double(center.y) + 0.5
    let flat = map.apply(Point2(x, y))
    let here = flat + guess
    let u = map.apply(Point2(x + 1, y)) - flat
    let v = map.apply(Point2(x, y + 1)) - flat
    func score(_ p: Point2) -> Double {
      var sum = 0.0
      for dy in -2...2 {
        for dx in -2...2 {
          let ring = max(abs(dx), abs(dy))
          let value = view.sample(p + Double(dx) * u + Double(dy) * v)
          sum += (ring == 1 ? value : ring == 0 ? -2 * value : -value) * (ring == 1 ? 18.0 / 8 : 1)
        }
      }
      return sign * sum
    }
    var best = here
    var bestScore = score(here)
    for dy in stride(from: -reach, through: reach, by: 0.5) {
      for dx in stride(from: -reach, through: reach, by: 0.5) {
        let p = here + dx * u + dy * v
        // Of equally good positions, the closer position wins.
        let s = score(p) - 6 * (dx * dx + dy * dy)
        if s > bestScore { (best, bestScore) = (p, s) }
      }
    }
    // The contrast per module: a pattern that is not visible must not bend the grid.
    return bestScore / 36 > min(12, max(3, 0.5 * contrast)) ? best - flat : nil
  }
}

// MARK: - Grid

extension TripletCorners {
  /// Returns the map from the modules of a layout to a picture that fits the seen corners and the alignment pattern in the corner
  /// without a finder pattern. Only the alignment pattern shows the position of the sides in this corner.
  ///
  /// - Parameters:
  ///   - fit: the grid fit of a picture; `factor` is the number of pixels of the corners' picture per pixel of this picture.
  ///   - flat: the map to the picture of `fit`, computed without the alignment pattern.
  ///   - reach: the largest shift of the alignment pattern, in modules.
  /// - Returns: the map to the picture of `fit`; `nil` if there is no alignment pattern or it is not visible.
  func map(_ layout: QRLayout, and fit: QRGridFit, _ flat: Homography, factor: Double, reach: Double = 2.5)
    -> Homography?
  {
    guard let last = layout.alignmentLines.last,
      let shift = fit.shift(of: (last, last), flat, Point2(0, 0), reach: reach, contrast: fit.contrast(flat))
    else { return nil }
    let module = Point2(Double(last) + 0.5, Double(last) + 0.5)
    let place = (flat.apply(module) + shift + 0.5) * factor - 0.5
    guard let map = map(layout, extra: PointPair(reference: module, frame: place))?.map else { return nil }
    return Homography.resize(Point2(1, 1) / factor) * map
  }
}

/// The positions of the modules of a code in a picture: a homography from module coordinates (the first module covers 0 to 1), and
/// shifts that bend it to a surface that is not flat.
struct QRGrid {
  let layout: QRLayout
  var map: Homography
  /// The shifts of the alignment patterns from their position under the map.
  var mesh: GridMesh?

  /// Returns the position in pixels of a point in modules.
  func place(_ x: Double, _ y: Double) -> Point2 {
    let p = map.apply(Point2(x, y))
    guard let mesh else { return p }
    return p + mesh.shift(x, y)
  }

  /// Returns the grid in a copy of the picture of `factor` times the size.
  func scaled(by factor: Double) -> QRGrid {
    var other = self
    other.map = Homography.resize(Point2(factor, factor)) * map
    other.mesh?.scale(by: factor)
    return other
  }

  /// The outer corners of the code, in pixels.
  var corners: Quadrilateral {
    let s = Double(layout.side)
    return Quadrilateral(
      topLeft: place(0, 0), topRight: place(s, 0), bottomRight: place(s, s), bottomLeft: place(0, s))
  }
}
