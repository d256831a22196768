import WaymarkImage

/// Two straight borders that meet: perhaps the L of a Data Matrix symbol.
struct DataMatrixCorner {
  /// Where they meet, and their other ends: of the left border the upper one, of the lower border the right one, unless
  /// the symbol is mirrored.
  var corner: Point2
  var top: Point2
  var right: Point2
  /// True if the L is light on dark.
  var inverted: Bool
  /// Places along the two borders, from the corner outwards, where they are not straight; else empty.
  var left: [Point2] = []
  var lower: [Point2] = []

  /// The area of the symbol if its sides are parallel.
  var outline: Quadrilateral {
    Quadrilateral(topLeft: top, topRight: top + right - corner, bottomRight: right, bottomLeft: corner)
  }

  var length: Double { min(corner.distance(to: top), corner.distance(to: right)) }

  /// Every corner in some borders whose sides are long enough to be a symbol, the longest first.
  ///
  /// - Parameter shortest: pixels of the shorter side.
  static func find(in contours: Contours, shortest: Double) -> [DataMatrixCorner] {
    var found: [DataMatrixCorner] = []
    // Pairs of sides of coarser polygons of the same border, by the points where they begin and end.
    var known: Set<[Int]> = []
    for polygon in contours.polygons {
      defer { if !polygon.isFollowed { known.removeAll(keepingCapacity: true) } }
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
          // With the dark to the right a turn to the right is a corner of something dark.
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

  /// How far a border goes on from one of its corners before it leaves the chord for good: a side that is bent, or out of
  /// which pieces are broken, is several sides of the polygon.
  ///
  /// - Parameter way: along the polygon, 1, or against it, -1.
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

  /// The line through the points of one side by least squares, its ends left out.
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
