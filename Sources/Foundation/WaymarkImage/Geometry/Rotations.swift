/// A 3×3 matrix, stored as columns. The file also has rotations as unit quaternions (`Quaternion`).
package struct Matrix3: Hashable, Sendable {
  package var x: Point3
  package var y: Point3
  package var z: Point3

  package init(columns x: Point3, _ y: Point3, _ z: Point3) {
    self.x = x
    self.y = y
    self.z = z
  }

  package init(rows a: Point3, _ b: Point3, _ c: Point3) {
    self.init(columns: Point3(a.x, b.x, c.x), Point3(a.y, b.y, c.y), Point3(a.z, b.z, c.z))
  }

  package static let identity = Matrix3(columns: Point3(1, 0, 0), Point3(0, 1, 0), Point3(0, 0, 1))

  package var transpose: Matrix3 { Matrix3(rows: x, y, z) }

  package static func * (m: Matrix3, v: Point3) -> Point3 { m.x * v.x + m.y * v.y + m.z * v.z }

  package static func * (a: Matrix3, b: Matrix3) -> Matrix3 {
    Matrix3(columns: a * b.x, a * b.y, a * b.z)
  }

  package var trace: Double { x.x + y.y + z.z }

  package var determinant: Double { x.dot(y.cross(z)) }

  /// Returns the rotation by `vector.length` radians about `vector` (Rodrigues' formula).
  package static func rotation(_ vector: Point3) -> Matrix3 {
    let angle = vector.length
    guard angle > 1e-12 else {
      // First order: I + [v]×.
      return Matrix3(
        columns: Point3(1, vector.z, -vector.y), Point3(-vector.z, 1, vector.x), Point3(vector.y, -vector.x, 1)
      ).orthonormalized
    }
    let k = vector / angle
    let c = Double.cosine(angle)
    let s = Double.sine(angle)
    func turn(_ v: Point3) -> Point3 { v * c + k.cross(v) * s + k * (k.dot(v) * (1 - c)) }
    return Matrix3(columns: turn(Point3(1, 0, 0)), turn(Point3(0, 1, 0)), turn(Point3(0, 0, 1)))
  }

  /// The matrix made orthonormal and right-handed by Gram–Schmidt; the direction of the first column is kept.
  var orthonormalized: Matrix3 {
    let a = x / x.length
    let b0 = y - a * a.dot(y)
    let b = b0 / b0.length
    return Matrix3(columns: a, b, a.cross(b))
  }

  /// Returns the angle between two rotations, in radians, 0…π.
  package func angle(to other: Matrix3) -> Double {
    (transpose * other).rotationVector.length
  }
}

/// A rotation as a unit quaternion, `x y z` its vector part, `w` its scalar part.
public struct Quaternion: Hashable, Sendable {
  /// The four numbers in the order x, y, z, w.
  public var vector: SIMD4<Double>

  /// Creates a quaternion from its components, normalised to unit length; the identity if their length is 0 or
  /// not finite.
  public init(x: Double, y: Double, z: Double, w: Double) {
    self.init(SIMD4(x, y, z, w))
  }

  /// Creates a quaternion from its components x, y, z, w, normalised to unit length; the identity if their
  /// length is 0 or not finite.
  public init(_ v: SIMD4<Double>) {
    let n = v.length
    vector = n.isFinite && n > 1e-300 ? v / n : SIMD4(0, 0, 0, 1)
  }

  /// The identity: no rotation.
  public static let identity = Quaternion(SIMD4(0, 0, 0, 1))

  /// Creates the quaternion of a rotation matrix, by the largest of its four squares (S. W. Shepperd, "Quaternion from
  /// rotation matrix", Journal of Guidance and Control 1 (1978) 223–224); `w ≥ 0`.
  package init(_ m: Matrix3) {
    let t = m.trace
    var q: SIMD4<Double>
    if t > 0 {
      let s = (t + 1).squareRoot() * 2
      q = SIMD4((m.y.z - m.z.y) / s, (m.z.x - m.x.z) / s, (m.x.y - m.y.x) / s, s / 4)
    } else if m.x.x > m.y.y && m.x.x > m.z.z {
      let s = (1 + m.x.x - m.y.y - m.z.z).squareRoot() * 2
      q = SIMD4(s / 4, (m.y.x + m.x.y) / s, (m.z.x + m.x.z) / s, (m.y.z - m.z.y) / s)
    } else if m.y.y > m.z.z {
      let s = (1 + m.y.y - m.x.x - m.z.z).squareRoot() * 2
      q = SIMD4((m.y.x + m.x.y) / s, s / 4, (m.z.y + m.y.z) / s, (m.z.x - m.x.z) / s)
    } else {
      let s = (1 + m.z.z - m.x.x - m.y.y).squareRoot() * 2
      q = SIMD4((m.z.x + m.x.z) / s, (m.z.y + m.y.z) / s, s / 4, (m.x.y - m.y.x) / s)
    }
    if q.w < 0 { q = -q }
    self.init(q)
  }

  package var matrix: Matrix3 {
    let q = vector
    let (x, y, z, w) = (q.x, q.y, q.z, q.w)
    return Matrix3(
      columns: Point3(1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)),
      Point3(2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)),
      Point3(2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)))
  }

  /// The rotation vector: the axis times the angle in radians, at most π.
  package var rotationVector: Point3 {
    let q = vector.w < 0 ? -vector : vector
    let v = Point3(q.x, q.y, q.z)
    let s = v.length
    guard s > 1e-12 else { return v * 2 }
    return v * (2 * Double.arcTangent(y: s, x: q.w) / s)
  }

  /// The inverse rotation.
  public var inverse: Quaternion { Quaternion(SIMD4(-vector.x, -vector.y, -vector.z, vector.w)) }

  /// Returns the rotation that first applies `b`, then `a`.
  public static func * (a: Quaternion, b: Quaternion) -> Quaternion {
    let (p, q) = (a.vector, b.vector)
    return Quaternion(
      SIMD4(
        p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y, p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x,
        p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w, p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z))
  }

  /// Returns the angle to another rotation, in radians, 0…π.
  public func angle(to other: Quaternion) -> Double { (inverse * other).rotationVector.length }

  /// Returns the rotation at a fraction `share` of the shorter way to another rotation; equal steps of `share` are equal rotations
  /// (K. Shoemake, "Animating rotation with quaternion curves", SIGGRAPH 1985).
  public func slerp(to other: Quaternion, share: Double) -> Quaternion {
    var target = other.vector
    var cosine = vector.dot(target)
    if cosine < 0 {
      target = -target
      cosine = -cosine
    }
    guard cosine < 0.9999995 else { return Quaternion(vector + (target - vector) * share) }
    let angle = Double.arcTangent(y: max(0, 1 - cosine * cosine).squareRoot(), x: cosine)
    let s = Double.sine(angle)
    return Quaternion(
      vector * (Double.sine((1 - share) * angle) / s) + target * (Double.sine(share * angle) / s))
  }
}

extension Matrix3 {
  /// The rotation vector of a rotation matrix: its length is the angle in radians.
  package var rotationVector: Point3 { Quaternion(self).rotationVector }
}
