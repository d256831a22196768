/// A 3×3 matrix by its columns.
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

  /// The rotation by `vector.length` radians about `vector` (Rodrigues' formula).
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

  /// The nearest frame of three unit axes by Gram–Schmidt, first column kept in direction; right-handed.
  var orthonormalized: Matrix3 {
    let a = x / x.length
    let b0 = y - a * a.dot(y)
    let b = b0 / b0.length
    return Matrix3(columns: a, b, a.cross(b))
  }

  /// The angle between two rotations, in radians.
  package func angle(to other: Matrix3) -> Double {
    (transpose * other).rotationVector.length
  }
}
