/// A straight line: the points p with `normal · p = offset`, where the normal has unit length. `RobustCourse` below
/// fits values along an axis by points that may contain outliers.
@usableFromInline
package struct StraightLine: Hashable, Sendable {
  @usableFromInline package var normal: Point2
  @usableFromInline package var offset: Double

  package init(normal: Point2, offset: Double) {
    self.normal = normal
    self.offset = offset
  }

  /// Creates the total least-squares line through points, given by their moments.
  ///
  /// - Returns: `nil` if the points do not determine a line.
  package init?(_ moments: PointMoments) {
    guard moments.weight > 1e-6, let normal = moments.covariance.minorAxis else { return nil }
    self.init(normal: normal, offset: normal.dot(moments.mean))
  }

  /// Creates a robust line through weighted points: total least squares, reweighted five times with Cauchy's weights (P. Holland, R. Welsch,
  /// "Robust regression using iteratively reweighted least-squares", 1977).
  ///
  /// - Parameters:
  ///   - weights: a weight of at least 0 for each point.
  ///   - scale: the distance at which the weight of a point is halved, in pixels.
  /// - Returns: `nil` if the weights or points do not determine a line.
  package init?(through points: [Point2], _ weights: [Double], scale: Double) {
    // Points are taken relative to the first point, so that their squares stay small.
    guard let origin = points.first else { return nil }
    var line: StraightLine?
    for _ in 0..<5 {
      var moments = PointMoments()
      for (p, weight) in zip(points, weights) {
        let r = line.map { $0.distance(to: p - origin) / scale } ?? 0
        moments.add(p - origin, weight: weight / (1 + r * r))
      }
      guard let found = StraightLine(moments) else { return nil }
      line = found
    }
    guard let line else { return nil }
    self.init(normal: line.normal, offset: line.offset + line.normal.dot(origin))
  }

  /// Creates the line through a point along a direction, a vector of any length but 0.
  package init(through p: Point2, along direction: Point2) {
    let normal = Point2(direction.y, -direction.x) / direction.length
    self.init(normal: normal, offset: normal.dot(p))
  }

  /// The unit vector along the line, a quarter turn clockwise (y down) from the normal.
  @inlinable
  package var direction: Point2 { Point2(-normal.y, normal.x) }

  /// Returns the distance of a point from the line, positive on the side of the normal.
  @inlinable
  package func distance(to p: Point2) -> Double { normal.dot(p) - offset }

  /// Returns the point of the line nearest to `p`.
  @inlinable
  package func foot(_ p: Point2) -> Point2 { p - normal * distance(to: p) }

  /// The same line with the opposite normal.
  package var reversed: StraightLine { StraightLine(normal: -normal, offset: -offset) }

  /// Returns the intersection of two lines; `nil` if the sine of the angle between them is at most `leastSine`.
  @inlinable
  package func crossing(_ other: StraightLine, leastSine: Double) -> Point2? {
    let d = normal.cross(other.normal)
    guard abs(d) > leastSine else { return nil }
    return Point2(
      offset * other.normal.y - other.offset * normal.y, other.offset * normal.x - offset * other.normal.x) / d
  }
}

// MARK: - Values along an axis

/// Fits values along an axis to points, some of which may be wrong. A point is a position and the value there; points are in
/// ascending order of positions.
package enum RobustCourse {
  /// Returns the value at `x` of the least-squares line through the points; their mean value if all are at one position, `nil` without points.
  package static func line(_ points: [(Double, Double)], at x: Double) -> Double? {
    points.isEmpty ? nil : PointMoments(points.lazy.map { Point2($0.0, $0.1) }).y(at: x)
  }

  /// Returns the points within `reach` of a robust line through all of them (median slope and median offset).
  package static func consistent(_ points: [(Double, Double)], within reach: Double) -> [(Double, Double)] {
    guard points.count > 2 else { return points }
    // The median slope of pairs (H. Theil, 1950; P. Sen, 1968), over a bounded number of pairs.
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

  /// Returns the value at a position: the mean of the points at the position, or else interpolated between the two neighbours, or
  /// else extrapolated with the slope from the first to the last point; `nil` without points.
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
