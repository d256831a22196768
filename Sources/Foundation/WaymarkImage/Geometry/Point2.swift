/// A point or vector in a plane: `x` to the right, `y` down; pixels unless said otherwise.
///
/// In pixel coordinates the centre of a pixel stands at whole numbers, so a picture of width `w` covers
/// `-0.5 ..< w - 0.5`.
public typealias Point2 = SIMD2<Double>

/// A point or vector in space, in metres unless said otherwise.
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
  /// The z component of the cross product: positive when `other` lies clockwise of `self` on a screen (y down).
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
