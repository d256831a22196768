/// Lines and courses through points of which some are wrong: each is a place and the value there, by growing places.
package enum RobustCourse {
  /// The line through some points by least squares, at a place; their middle one where they lie together.
  package static func line(_ points: [(Double, Double)], at x: Double) -> Double? {
    points.isEmpty ? nil : PointMoments(points.lazy.map { Point2($0.0, $0.1) }).y(at: x)
  }

  /// Without those that lie further than `reach` from the line that most of the others agree on.
  package static func consistent(_ points: [(Double, Double)], within reach: Double) -> [(Double, Double)] {
    guard points.count > 2 else { return points }
    // The slope that most pairs have (H. Theil, 1950; P. Sen, 1968), over a bounded number of pairs.
    var slopes: [Double] = []
    let stride = max(1, points.count / 40)
    for i in Swift.stride(from: 0, to: points.count, by: stride) {
      for j in Swift.stride(from: i + 1, to: points.count, by: stride) where points[j].0 > points[i].0 {
        slopes.append((points[j].1 - points[i].1) / (points[j].0 - points[i].0))
      }
    }
    guard !slopes.isEmpty else { return points }
    slopes.sort()
    let slope = slopes[slopes.count / 2]
    let offsets = points.map { $0.1 - slope * $0.0 }.sorted()
    let offset = offsets[offsets.count / 2]
    return points.filter { abs($0.1 - slope * $0.0 - offset) < reach }
  }

  /// The value at a place: the mean of the points there, else between the two around it, else as the whole goes on.
  package static func interpolate(_ points: [(Double, Double)], _ at: Double) -> Double? {
    guard let first = points.first, let last = points.last else { return nil }
    let near = points.filter { abs($0.0 - at) < 1e-9 }
    if !near.isEmpty { return near.reduce(0) { $0 + $1.1 } / Double(near.count) }
    if let above = points.last(where: { $0.0 < at }), let below = points.first(where: { $0.0 > at }) {
      return above.1 + (below.1 - above.1) * (at - above.0) / (below.0 - above.0)
    }
    guard last.0 > first.0 else { return first.1 }
    let slope = (last.1 - first.1) / (last.0 - first.0)
    return at < first.0 ? first.1 + slope * (at - first.0) : last.1 + slope * (at - last.0)
  }
}
