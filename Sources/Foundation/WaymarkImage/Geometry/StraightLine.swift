/// A straight line: where `normal · p = offset`, the normal being of unit length.
@usableFromInline
package struct StraightLine: Hashable, Sendable {
  @usableFromInline package var normal: Point2
  @usableFromInline package var offset: Double

  package init(normal: Point2, offset: Double) {
    self.normal = normal
    self.offset = offset
  }

  /// The line nearest to some points by the squares of distances (total least squares).
  ///
  /// - Returns: `nil` where the points do not tell one.
  package init?(_ moments: PointMoments) {
    guard moments.weight > 1e-6, let normal = moments.covariance.minorAxis else { return nil }
    self.init(normal: normal, offset: normal.dot(moments.mean))
  }

  /// The line nearest to weighted points, of which outliers count little: total least squares, reweighted five times with Cauchy's weights
  /// (P. Holland, R. Welsch, "Robust regression using iteratively reweighted least-squares", 1977).
  ///
  /// - Parameters:
  ///   - weights: one a point, none negative.
  ///   - scale: the distance at which a point counts half, in pixels.
  /// - Returns: `nil` where the weights or points do not tell one.
  package init?(through points: [Point2], _ weights: [Double], scale: Double) {
    // About the first point, so that the squares stay small.
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

  /// The line through a point in a direction of any length but none.
  package init(through p: Point2, along direction: Point2) {
    let normal = Point2(direction.y, -direction.x) / direction.length
    self.init(normal: normal, offset: normal.dot(p))
  }

  /// Along the line, a quarter turn clockwise on a screen from the normal.
  @inlinable
  package var direction: Point2 { Point2(-normal.y, normal.x) }

  /// The distance of a point, positive on the side to which the normal points.
  @inlinable
  package func distance(to p: Point2) -> Double { normal.dot(p) - offset }

  /// The point of the line that is nearest to another one.
  @inlinable
  package func foot(_ p: Point2) -> Point2 { p - normal * distance(to: p) }

  /// The same line, its normal pointing the other way.
  package var reversed: StraightLine { StraightLine(normal: -normal, offset: -offset) }

  /// Where two lines cross; `nil` for lines between which the angle has no greater sine than that.
  @inlinable
  package func crossing(_ other: StraightLine, leastSine: Double) -> Point2? {
    let d = normal.cross(other.normal)
    guard abs(d) > leastSine else { return nil }
    return Point2(
      offset * other.normal.y - other.offset * normal.y, other.offset * normal.x - offset * other.normal.x) / d
  }
}
