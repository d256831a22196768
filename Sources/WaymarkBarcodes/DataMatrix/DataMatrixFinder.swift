import WaymarkGeometry
import WaymarkImage

/// Two straight borders that meet: perhaps the L of a Data Matrix symbol.
struct DataMatrixCorner {
  /// Where they meet, and their other ends: of the left border the upper one, of the lower border the right one, unless
  /// the symbol is mirrored.
  var corner: Point2
  var top: Point2
  var right: Point2
  /// Whether the L is light on dark.
  var inverted: Bool

  var length: Double { min(corner.distance(to: top), corner.distance(to: right)) }

  /// Every corner in some borders whose sides are long enough to be a symbol, the longest first.
  ///
  /// - Parameter shortest: pixels of the shorter side.
  static func find(in contours: Contours, shortest: Double) -> [DataMatrixCorner] {
    var found: [DataMatrixCorner] = []
    for polygon in contours.polygons {
      let count = polygon.corners.count
      guard count >= 3 else { continue }
      func at(_ i: Int) -> Point2 { polygon.points[polygon.corners[i % count]] }
      for i in 0..<count {
        let first = at(i + 1) - at(i)
        guard first.length >= shortest else { continue }
        // The tip may be blunt: up to two short sides between the long ones.
        for gap in 0...2 where gap + 2 < count {
          let second = at(i + gap + 2) - at(i + gap + 1)
          let blunt = at(i + gap + 1).distance(to: at(i + 1))
          let shorter = min(first.length, second.length)
          guard second.length >= shortest, blunt <= 0.15 * shorter + 2 else { continue }
          let longer = max(first.length, second.length)
          guard longer < 20 * shorter else { continue }
          let sine = first.cross(second) / (first.length * second.length)
          guard abs(sine) > 0.5 else { continue }
          guard let a = line(polygon, i), let b = line(polygon, i + gap + 1) else { continue }
          let cross = a.direction.cross(b.direction)
          guard abs(cross) > 0.4 else { continue }
          let t = (b.point - a.point).cross(b.direction) / cross
          let tip = a.point + a.direction * t
          guard tip.distance(to: at(i + 1)) < 0.2 * shorter + 3 else { continue }
          let start = a.point + a.direction * (at(i) - a.point).dot(a.direction)
          let end = b.point + b.direction * (at(i + gap + 2) - b.point).dot(b.direction)
          // With the dark to the right a turn to the right is a corner of something dark.
          found.append(
            sine > 0
              ? DataMatrixCorner(corner: tip, top: end, right: start, inverted: false)
              : DataMatrixCorner(corner: tip, top: start, right: end, inverted: true))
          break
        }
      }
    }
    return found.sorted { $0.length > $1.length }
  }

  /// The line through the points of one side by least squares, its ends left out.
  private static func line(_ polygon: Contours.Polygon, _ side: Int) -> (point: Point2, direction: Point2)? {
    let count = polygon.corners.count
    let from = polygon.corners[side % count]
    var to = polygon.corners[(side + 1) % count]
    if to <= from { to += polygon.points.count }
    let cut = (to - from) / 10
    let (a, b) = (from + cut, to - cut)
    guard b - a >= 4 else { return nil }
    var mean = Point2(0, 0)
    for i in a...b { mean += polygon.points[i % polygon.points.count] }
    mean /= Double(b - a + 1)
    var (xx, xy, yy) = (0.0, 0.0, 0.0)
    for i in a...b {
      let d = polygon.points[i % polygon.points.count] - mean
      xx += d.x * d.x
      xy += d.x * d.y
      yy += d.y * d.y
    }
    let difference = ((xx - yy) * (xx - yy) + 4 * xy * xy).squareRoot()
    var direction = xx >= yy ? Point2(xx - yy + difference, 2 * xy) : Point2(2 * xy, yy - xx + difference)
    guard direction.length > 0 else { return nil }
    direction /= direction.length
    let chord = polygon.points[b % polygon.points.count] - polygon.points[a % polygon.points.count]
    return (mean, direction.dot(chord) < 0 ? -direction : direction)
  }
}

/// The alternating side of a Data Matrix symbol opposite to the L.
struct DataMatrixTiming {
  /// Where it changes between dark and light; the first is the inner side of the L.
  var changes: [Point2]

  /// Modules along it: the last of them is light as the surroundings are.
  var modules: Int { changes.count + 1 }
}

/// Looks for the timing patterns of a symbol whose L is known.
struct DataMatrixTimingSearch {
  let view: ImageView
  let levels: BlockMean
  let inverted: Bool

  /// How thick the dark stroke along a border is: where light follows, one module.
  ///
  /// - Parameter inward: of unit length, to the side where the symbol lies.
  func thickness(from a: Point2, to b: Point2, inward: Point2) -> Double? {
    let length = a.distance(to: b)
    let samples = min(120, max(16, Int(length / 1.5)))
    let most = length / 5
    var found: [Double] = []
    for i in 0..<samples {
      let p = a + (b - a) * (0.05 + 0.9 * Double(i) / Double(samples - 1))
      var depth = 0.5
      while depth < most, isDark(p + inward * depth) { depth += 0.25 }
      if depth > 0.5, depth < most { found.append(depth) }
    }
    guard found.count >= samples / 4 else { return nil }
    found.sort()
    return found[found.count / 5]
  }

  /// The timing pattern that starts at the end of one side of the L.
  ///
  /// - Parameters:
  ///   - end: of that side; the pattern starts at its inner side.
  ///   - back: from there along the side towards the corner, a module long.
  ///   - along: a module in the direction in which the pattern runs, as far as is known.
  ///   - length: about how long it is.
  func pattern(from end: Point2, back: Point2, along: Point2, length: Double) -> DataMatrixTiming? {
    var best: (timing: DataMatrixTiming, quality: Double)?
    let module = along.length
    let step = 0.3 * module / max(length, module)
    let fan = min(60, Int(0.5 / max(0.004, step)))
    for offset in [0.5, 0.3, 0.7] {
      let origin = end + back * offset
      for i in -fan...fan {
        let direction = along + back * (Double(i) * step)
        guard let found = walk(origin, direction / direction.length, module: module, most: 2.2 * length) else {
          continue
        }
        let quality = Double(found.timing.modules) * (1 - found.irregularity)
        if quality > best?.quality ?? 0 { best = (found.timing, quality) }
      }
    }
    return best?.timing
  }

  /// Runs of alternate tone along a line, as long as they are about as long as those before.
  private func walk(
    _ origin: Point2, _ direction: Point2, module: Double, most: Double
  ) -> (timing: DataMatrixTiming, irregularity: Double)? {
    var changes: [Point2] = []
    var run = 0.0
    var last = 0.0
    var expected = module
    var irregular = 0.0
    var dark = true
    let step = min(1, module / 6)
    var t = step
    guard isDark(origin + direction * (0.3 * module)) else { return nil }
    t = 0.3 * module
    var previous = excess(origin + direction * t)
    while t < most {
      t += step
      let value = excess(origin + direction * t)
      if (value < 0) != dark {
        // Between two samples the edge lies where a line between them crosses the level.
        let at = t - step * abs(value) / max(1e-9, abs(value) + abs(previous))
        run = at - last
        let ratio = run / expected
        guard ratio > 0.4, ratio < 1.8 else { break }
        irregular += abs(ratio - 1)
        changes.append(origin + direction * at)
        last = at
        dark.toggle()
        // Pairs of runs tell the pitch: a spread of ink makes dark ones longer.
        if changes.count >= 3 {
          let pair = (at - (changes[changes.count - 3] - origin).dot(direction)) / 2
          expected = 0.6 * expected + 0.4 * pair
        }
      } else if t - last > 1.9 * expected {
        break
      }
      previous = value
    }
    // It ends with a dark module.
    if dark == false, changes.count.isMultiple(of: 2) { changes.removeLast() }
    if changes.count.isMultiple(of: 2), !changes.isEmpty { changes.removeLast() }
    guard changes.count >= 5 else { return nil }
    return (DataMatrixTiming(changes: changes), min(0.9, irregular / Double(changes.count)))
  }

  /// How much lighter than its surroundings a place is; negative where it is dark.
  @inline(__always)
  private func excess(_ p: Point2) -> Double {
    let x = min(max(0, Int(p.x)), view.width - 1) / BlockMean.side
    let y = min(max(0, Int(p.y)), view.height - 1) / BlockMean.side
    let level = Double(levels[min(x, levels.columns - 1), min(y, levels.rows - 1)]) + 0.5
    let value = view.sample(p) - level
    return inverted ? -value : value
  }

  @inline(__always)
  private func isDark(_ p: Point2) -> Bool { excess(p) < 0 }
}
