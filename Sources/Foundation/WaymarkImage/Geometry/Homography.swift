/// A projective map of the plane: a 3×3 matrix, row-major, defined up to scale.
///
/// R. Hartley, A. Zisserman, *Multiple View Geometry in Computer Vision*, 2nd edition, section 2.3.
public struct Homography: Hashable, Sendable {
  /// The first row of the matrix.
  public var row0: SIMD3<Double>
  /// The second row of the matrix.
  public var row1: SIMD3<Double>
  /// The third row of the matrix.
  public var row2: SIMD3<Double>

  /// Creates a map from the rows of its matrix.
  @inlinable
  public init(_ row0: SIMD3<Double>, _ row1: SIMD3<Double>, _ row2: SIMD3<Double>) {
    self.row0 = row0
    self.row1 = row1
    self.row2 = row2
  }

  /// Creates a map from nine numbers, row-major; `nil` for another number of elements.
  public init?(rowMajor m: [Double]) {
    guard m.count == 9 else { return nil }
    self.init(SIMD3(m[0], m[1], m[2]), SIMD3(m[3], m[4], m[5]), SIMD3(m[6], m[7], m[8]))
  }

  /// The identity map.
  public static let identity = Homography(SIMD3(1, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, 1))

  /// The nine numbers, row-major.
  public var rowMajor: [Double] {
    [row0.x, row0.y, row0.z, row1.x, row1.y, row1.z, row2.x, row2.y, row2.z]
  }

  /// Maps a point. The result is not finite if the point maps to infinity.
  @inlinable
  public func apply(_ p: Point2) -> Point2 {
    let v = SIMD3(p.x, p.y, 1)
    return Point2(row0.dot(v), row1.dot(v)) / row2.dot(v)
  }

  /// Returns the third homogeneous coordinate of the mapped point; its sign is the side of the horizon.
  @inlinable
  public func depth(_ p: Point2) -> Double { row2.x * p.x + row2.y * p.y + row2.z }

  /// Maps each corner; the result may be mirrored, or not finite.
  public func apply(_ q: Quadrilateral) -> Quadrilateral {
    Quadrilateral(
      topLeft: apply(q.topLeft), topRight: apply(q.topRight), bottomRight: apply(q.bottomRight),
      bottomLeft: apply(q.bottomLeft))
  }

  /// The determinant of the matrix.
  public var determinant: Double { row0.dot(row1.cross(row2)) }

  /// The inverse map; `nil` for a singular matrix.
  public var inverse: Homography? {
    let c0 = row1.cross(row2)
    let c1 = row2.cross(row0)
    let c2 = row0.cross(row1)
    let d = row0.dot(c0)
    guard d.isFinite, d != 0 else { return nil }
    return Homography(
      SIMD3(c0.x, c1.x, c2.x) / d, SIMD3(c0.y, c1.y, c2.y) / d, SIMD3(c0.z, c1.z, c2.z) / d)
  }

  /// The same map scaled so that its last element is 1 or, if this element is zero, its Frobenius norm is 1.
  public var normalized: Homography {
    let s = row2.z != 0 ? row2.z : (row0.dot(row0) + row1.dot(row1) + row2.dot(row2)).squareRoot()
    return Homography(row0 / s, row1 / s, row2 / s)
  }

  /// Returns the map that first applies `rhs`, then `lhs`.
  @inlinable
  public static func * (lhs: Homography, rhs: Homography) -> Homography {
    func row(_ r: SIMD3<Double>) -> SIMD3<Double> { rhs.row0 * r.x + rhs.row1 * r.y + rhs.row2 * r.z }
    return Homography(row(lhs.row0), row(lhs.row1), row(lhs.row2))
  }

  /// Returns the translation by `offset`.
  public static func translation(_ offset: Point2) -> Homography {
    Homography(SIMD3(1, 0, offset.x), SIMD3(0, 1, offset.y), SIMD3(0, 0, 1))
  }

  /// Returns the change of pixel coordinates when a picture is resized by `factor`, pixel centres at whole numbers: `x' = (x +
  /// ½)·factor − ½`.
  public static func resize(_ factor: Point2) -> Homography {
    let o = 0.5 * factor - 0.5
    return Homography(SIMD3(factor.x, 0, o.x), SIMD3(0, factor.y, o.y), SIMD3(0, 0, 1))
  }
}

extension Homography {
  /// Returns the quadrilateral that a reference of `width` × `height` pixels covers in the frame; `nil` if a part of
  /// the reference is behind the horizon or the quadrilateral is not plausible (`isPlausible`).
  public func outline(width: Double, height: Double) -> Quadrilateral? {
    let q = Quadrilateral(width: width, height: height)
    let d = (depth(q.topLeft), depth(q.topRight), depth(q.bottomRight), depth(q.bottomLeft))
    // The sign of the matrix is arbitrary, so the corners may be on either side of the horizon, but all four must be on the same
    // side.
    guard (d.0 > 0) == (d.1 > 0), (d.1 > 0) == (d.2 > 0), (d.2 > 0) == (d.3 > 0) else { return nil }
    let image = apply(q)
    return image.isPlausible() ? image : nil
  }
}
