import WaymarkImage

/// Two straight borders that meet: possibly the L of a Data Matrix symbol. `DataMatrixStroke` below rejects most corners that are
/// not an L.
struct DataMatrixCorner {
  /// The point where the borders meet; `top` and `right` are their other ends: the upper end of the left border, and the right end of
  /// the lower border, unless the symbol is mirrored.
  var corner: Point2
  var top: Point2
  var right: Point2
  /// True if the L is light on dark.
  var inverted: Bool
  /// Points along the left border, from the corner outwards, if it is not straight; otherwise empty. `lower` has points along the
  /// lower border.
  var left: [Point2] = []
  var lower: [Point2] = []

  /// The outline of the symbol if its sides are parallel.
  var outline: Quadrilateral {
    Quadrilateral(topLeft: top, topRight: top + right - corner, bottomRight: right, bottomLeft: corner)
  }

  var length: Double { min(corner.distance(to: top), corner.distance(to: right)) }

  /// The least side of a symbol in pixels: eight modules of 1.6 pixels.
  static let shortest = 13.0

  /// Returns every corner whose sides are long enough for a symbol, the longest first.
  static func find(in contours: Contours) -> [DataMatrixCorner] {
    var found: [DataMatrixCorner] = []
    // The pairs of sides found in coarser polygons of the same border, by the points where they begin and end.
    var known: Set<[Int]> = []
    for polygon in contours.polygons {
      defer { if !polygon.isFollowed { known.removeAll(keepingCapacity: true) } }
      let count = polygon.corners.count
      guard count >= 3 else { continue }
      func at(_ i: Int) -> Point2 { polygon.points[polygon.corners[i % count]] }
      for i in 0..<count {
        let first = at(i + 1) - at(i)
        guard first.length >= shortest else { continue }
        // The corner may be blunt: up to two short sides between the long ones.
        for gap in 0...2 where gap + 2 < count {
          let second = at(i + gap + 2) - at(i + gap + 1)
          let blunt = at(i + gap + 1).distance(to: at(i + 1))
          let shorter = min(first.length, second.length)
          guard second.length >= shortest, blunt <= 0.15 * shorter + 2, polygon.sides.contains(shorter) else {
            continue
          }
          let longer = max(first.length, second.length)
          guard longer < 20 * shorter else { continue }
          let sine = first.cross(second) / (first.length * second.length)
          guard abs(sine) > 0.5 else { continue }
          guard let a = line(polygon, i), let b = line(polygon, i + gap + 1) else { continue }
          guard let tip = a.crossing(b, leastSine: 0.4) else { continue }
          guard tip.distance(to: at(i + 1)) < 0.2 * shorter + 3 else { continue }
          let ends = [i, i + 1, i + gap + 1, i + gap + 2].map { polygon.corners[$0 % count] }
          guard known.insert(ends).inserted else { break }
          let start = a.foot(at(i))
          let end = b.foot(at(i + gap + 2))
          // With the dark side to the right, a right turn is a corner of a dark region.
          let isDark = sine > 0
          found.append(
            isDark
              ? DataMatrixCorner(corner: tip, top: end, right: start, inverted: false)
              : DataMatrixCorner(corner: tip, top: start, right: end, inverted: true))
          let (before, after) = (reach(polygon, from: i + 1, by: -1), reach(polygon, from: i + gap + 1, by: 1))
          if let before, let after,
            before.isLonger || after.isLonger || before.end.distance(to: start) > 1.5
              || after.end.distance(to: end) > 1.5
          {
            let (top, right) = isDark ? (after, before) : (before, after)
            found.append(
              DataMatrixCorner(
                corner: tip, top: top.end, right: right.end, inverted: !isDark, left: top.places, lower: right.places))
          }
          break
        }
      }
    }
    return found.sorted { $0.length > $1.length }
  }

  /// Returns the end of a border that begins at a corner, 49 points along it, and whether the border is longer than one side of the
  /// polygon: the polygon has several sides along a bent or damaged side of a symbol, all close to the chord. `nil` for a border of
  /// less than ten points.
  ///
  /// - Parameter way: 1 to go forward along the polygon, -1 to go backward.
  private static func reach(
    _ polygon: Contours.Polygon, from tip: Int, by way: Int
  ) -> (end: Point2, places: [Point2], isLonger: Bool)? {
    let count = polygon.corners.count
    func index(_ i: Int) -> Int { polygon.corners[((tip + way * i) % count + count) % count] }
    func at(_ i: Int) -> Point2 { polygon.points[index(i)] }
    let first = at(1) - at(0)
    guard first.length > 0 else { return nil }
    var last = 1
    for next in stride(from: 2, through: min(14, count - 2), by: 1) {
      let chord = at(next) - at(0)
      let length = chord.length
      guard length > 1.1 * (at(last) - at(0)).length, chord.dot(first) > 0.9 * length * first.length else { continue }
      let slack = max(2, 0.1 * length)
      let isStraight = (1..<next).allSatisfy { i in
        let d = at(i) - at(0)
        let along = d.dot(chord) / length
        return abs(chord.cross(d)) <= slack * length && along > 0 && along < length
      }
      if isStraight { last = next }
    }
    let points = polygon.points.count
    let (from, to) = (index(0), index(last))
    let steps = way > 0 ? (to - from + points) % points : (from - to + points) % points
    guard steps > 8 else { return nil }
    let places = (0...48).map { polygon.points[((from + way * (steps * $0 / 48)) % points + points) % points] }
    return (at(last), places, last > 1)
  }

  /// Returns the least-squares line through the points of a side, without its ends; `nil` for fewer than five points.
  private static func line(_ polygon: Contours.Polygon, _ side: Int) -> StraightLine? {
    let count = polygon.corners.count
    let from = polygon.corners[side % count]
    var to = polygon.corners[(side + 1) % count]
    if to <= from { to += polygon.points.count }
    let cut = (to - from) / 10
    let (a, b) = (from + cut, to - cut)
    guard b - a >= 4 else { return nil }
    return StraightLine(PointMoments((a...b).lazy.map { polygon.points[$0 % polygon.points.count] }))
  }
}

// MARK: - Checks of a corner

/// Rejects most corners that are not the L of a Data Matrix symbol, before its alternating sides are searched.
enum DataMatrixStroke {
  /// The least number of tone changes of three lines through a symbol together; random modules of eight columns show about ten.
  private static let fewestChanges = 6

  /// Returns whether there are as many tone changes between two sides as in the smallest symbol: a shelf, a holder or a window has
  /// corners too, with little inside.
  static func isFilled(_ c: DataMatrixCorner, _ search: DataMatrixTimingSearch) -> Bool {
    let (up, base) = (c.top - c.corner, c.right - c.corner)
    let enough = Double(fewestChanges)
    return hasChanges(enough, base, up, c, search) && hasChanges(enough, up, base, c, search)
  }

  /// Returns whether there are at least `enough` tone changes along three lines parallel to a side.
  private static func hasChanges(
    _ enough: Double, _ side: Point2, _ other: Point2, _ c: DataMatrixCorner, _ search: DataMatrixTimingSearch
  ) -> Bool {
    let samples = min(160, max(24, Int(side.length / 1.5)))
    var missing = enough
    for height in [0.3, 0.5, 0.7] {
      let start = c.corner + other * height
      var wasDark = true
      for i in 0..<samples {
        let isDark = search.isDark(start + side * (0.02 + 0.96 * Double(i) / Double(samples - 1)))
        if isDark != wasDark {
          missing -= 1
          if missing <= 0 { return true }
        }
        wasDark = isDark
      }
    }
    return missing <= 0
  }

  /// Returns whether two strokes form an L: dark along most of their length, with light beside them, and enough tone changes
  /// between them for modules as wide as the strokes. In the symbols of two sets of photographs, at least nine tenths of the
  /// strokes were dark, with at least 0.22 changes per module; half of the other corners pass.
  ///
  /// - Parameters:
  ///   - inward: the unit vectors from the left and the lower border into the symbol.
  ///   - thickness: the thickness of both strokes in pixels.
  ///   - pitch: the width and the height of a module in pixels.
  static func isL(
    _ c: DataMatrixCorner, _ search: DataMatrixTimingSearch, inward: (left: Point2, bottom: Point2),
    thickness: (left: Double, bottom: Double), pitch: Point2
  ) -> Bool {
    var (dark, light, contrast) = (0, 0, 0.0)
    let strokes = [
      (c.top, inward.left, thickness.left, c.left), (c.right, inward.bottom, thickness.bottom, c.lower),
    ]
    for (end, inward, thickness, places) in strokes {
      for i in 0..<looks {
        let share = Double(i) / Double(looks - 1)
        let p =
          places.isEmpty
          ? c.corner + (end - c.corner) * (0.04 + 0.92 * share) : places[Int(share * Double(places.count - 1))]
        let (inside, beside) = (
          search.excess(p + inward * (0.5 * thickness)), search.excess(p - inward * (0.75 * thickness))
        )
        if inside < 0 { dark += 1 }
        if beside >= 0 { light += 1 }
        contrast += beside - inside
      }
    }
    let count = 2 * looks
    guard 10 * dark >= 8 * count, 2 * light >= count, contrast >= 12 * Double(count) else { return false }
    let (up, base) = (c.top - c.corner, c.right - c.corner)
    // The sum over three lines, at 0.2 changes per module.
    return hasChanges(3 * 0.2 * base.length / pitch.x, base, up, c, search)
      && hasChanges(3 * 0.2 * up.length / pitch.y, up, base, c, search)
  }

  /// The number of points sampled along a stroke of an L.
  private static let looks = 24
}
