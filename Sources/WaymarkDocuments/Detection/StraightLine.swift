import WaymarkGeometry

/// A straight line: where `normal · p = offset`, the normal being of unit length.
struct StraightLine {
  var normal: Point2
  var offset: Double

  init(normal: Point2, offset: Double) {
    self.normal = normal
    self.offset = offset
  }

  /// The line nearest to weighted points: total least squares with Cauchy's weights, so that outliers count little.
  ///
  /// - Parameter scale: the distance at which a point counts half; pixels.
  /// - Returns: nil where the weights or points do not tell one.
  init?(through points: [Point2], _ given: [Double], scale: Double) {
    var weights = given
    var line: StraightLine?
    for _ in 0..<5 {
      var (s, m) = (0.0, Point2.zero)
      for (p, w) in zip(points, weights) {
        s += w
        m += p * w
      }
      guard s > 1e-6 else { return nil }
      m = m / s
      var (a, b, c) = (0.0, 0.0, 0.0)
      for (p, w) in zip(points, weights) {
        let d = p - m
        a += w * d.x * d.x
        b += w * d.x * d.y
        c += w * d.y * d.y
      }
      let small = (a + c) / 2 - ((a - c) * (a - c) / 4 + b * b).squareRoot()
      var normal = abs(a - small) > abs(c - small) ? Point2(-b, a - small) : Point2(c - small, -b)
      guard normal.length > 1e-12 else { return nil }
      normal = normal / normal.length
      let found = StraightLine(normal: normal, offset: normal.dot(m))
      line = found
      for (i, p) in points.enumerated() {
        let r = (normal.dot(p) - found.offset) / scale
        weights[i] = given[i] / (1 + r * r)
      }
    }
    guard let line else { return nil }
    self = line
  }

  /// Where two lines cross; nil for nearly parallel ones.
  func crossing(_ other: StraightLine) -> Point2? {
    let d = normal.cross(other.normal)
    guard abs(d) > 0.4 else { return nil }
    return Point2(
      offset * other.normal.y - other.offset * normal.y, other.offset * normal.x - offset * other.normal.x) / d
  }
}
