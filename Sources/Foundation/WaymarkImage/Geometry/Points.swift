/// A point or vector in a plane: `x` to the right, `y` down; in pixels unless stated otherwise.
///
/// The file also has operations on vectors, `SymmetricMatrix2`, and `PointMoments`, the moments of weighted points.
///
/// In pixel coordinates the centre of a pixel has integer coordinates, so a picture of width `w` covers `-0.5 ..< w - 0.5`.
public typealias Point2 = SIMD2<Double>

/// A point or vector in space, in metres unless stated otherwise.
public typealias Point3 = SIMD3<Double>

extension SIMD where Scalar == Double {
  /// The scalar product.
  @inlinable
  public func dot(_ other: Self) -> Double { (self * other).sum() }

  /// The Euclidean length.
  @inlinable
  public var length: Double { dot(self).squareRoot() }

  /// The Euclidean distance to another point.
  @inlinable
  public func distance(to other: Self) -> Double { (self - other).length }
}

extension SIMD2<Double> {
  /// Returns the z component of the cross product; positive if `other` is clockwise of `self`, y down.
  @inlinable
  public func cross(_ other: Self) -> Double { x * other.y - y * other.x }
}

extension SIMD3<Double> {
  /// The cross product.
  @inlinable
  public func cross(_ other: Self) -> Self {
    Self(y * other.z - z * other.y, z * other.x - x * other.z, x * other.y - y * other.x)
  }
}

// MARK: - Moments

/// A symmetric 2×2 matrix: the second moments of points, or the structure tensor of a picture.
package struct SymmetricMatrix2: Hashable, Sendable {
  package var xx: Double
  package var xy: Double
  package var yy: Double

  package init(xx: Double, xy: Double, yy: Double) {
    self.xx = xx
    self.xy = xy
    self.yy = yy
  }

  /// The difference of the eigenvalues, at least 0.
  package var spread: Double { ((xx - yy) * (xx - yy) + 4 * xy * xy).squareRoot() }

  /// The unit eigenvector of the greater eigenvalue; `nil` where both are equal.
  package var principalAxis: Point2? {
    // Of two equivalent forms, the form without cancellation is used.
    let axis = xx >= yy ? Point2(xx - yy + spread, 2 * xy) : Point2(2 * xy, yy - xx + spread)
    return Self.unit(axis)
  }

  /// The unit eigenvector of the smaller eigenvalue; `nil` where both are equal.
  var minorAxis: Point2? {
    let small = (xx + yy) / 2 - spread / 2
    return Self.unit(abs(xx - small) > abs(yy - small) ? Point2(-xy, xx - small) : Point2(yy - small, -xy))
  }

  /// The direction of the greater eigenvalue in radians, within a quarter turn of the x axis.
  package var principalAngle: Double { Double.arcTangent(y: 2 * xy, x: xx - yy) / 2 }

  private static func unit(_ v: Point2) -> Point2? {
    let length = v.length
    return length > 1e-12 ? v / length : nil
  }
}

/// The moments of weighted points: the sums of their weights, positions, squares and products.
@usableFromInline
package struct PointMoments: Sendable {
  /// The sum of the weights.
  @usableFromInline package internal(set) var weight = 0.0
  /// The weighted sums of position, square and product.
  @usableFromInline var sum = Point2.zero
  @usableFromInline var squares = Point2.zero
  @usableFromInline var product = 0.0

  @inlinable
  package init() {}

  /// Creates the moments of points with equal weights.
  @inlinable
  package init(_ points: some Sequence<Point2>) {
    for p in points { add(p) }
  }

  @inlinable @inline(__always)
  package mutating func add(_ p: Point2, weight w: Double = 1) {
    weight += w
    sum += p * w
    squares += p * p * w
    product += p.x * p.y * w
  }

  package mutating func add(_ other: PointMoments) {
    weight += other.weight
    sum += other.sum
    squares += other.squares
    product += other.product
  }

  /// The weighted mean; the origin without points.
  package var mean: Point2 { weight > 0 ? sum / weight : .zero }

  /// The weighted mean of squares and products about the mean; zero without points.
  package var covariance: SymmetricMatrix2 {
    guard weight > 0 else { return SymmetricMatrix2(xx: 0, xy: 0, yy: 0) }
    let mean = mean
    let square = squares / weight - mean * mean
    return SymmetricMatrix2(xx: max(0, square.x), xy: product / weight - mean.x * mean.y, yy: max(0, square.y))
  }

  /// Returns the y at `x` of the least-squares line y(x); the mean y if all points have about the same x, 0 without points.
  package func y(at x: Double) -> Double {
    let c = covariance
    // A smaller variance is only rounding error.
    guard c.xx > 1e-14 * (mean.x * mean.x + 1) else { return mean.y }
    return mean.y + c.xy / c.xx * (x - mean.x)
  }
}
