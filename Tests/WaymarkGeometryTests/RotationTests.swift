import Testing
import WaymarkImage

@Suite struct RotationTests {
  @Test func quaternionAndMatrixAgree() {
    var random = RandomSource(seed: 9)
    for _ in 0..<500 {
      let v = Point3(random.gaussian(), random.gaussian(), random.gaussian()) * 1.5
      let m = Matrix3.rotation(v)
      #expect(abs(m.determinant - 1) < 1e-12)
      let back = Quaternion(m).matrix
      #expect((back.x - m.x).length + (back.y - m.y).length + (back.z - m.z).length < 1e-12)
      let again = Matrix3.rotation(m.rotationVector)
      #expect((again.x - m.x).length < 1e-9)
      let other = Quaternion(x: random.gaussian(), y: random.gaussian(), z: random.gaussian(), w: random.gaussian())
      let product = (Quaternion(m) * other).matrix
      let expected = m * other.matrix
      #expect((product.x - expected.x).length + (product.z - expected.z).length < 1e-12)
    }
  }

  @Test func halfTurns() {
    for axis in [Point3(1, 0, 0), Point3(0, 1, 0), Point3(0, 0, 1)] {
      let m = Matrix3.rotation(axis * .pi)
      #expect(abs(Quaternion(m).rotationVector.length - .pi) < 1e-9)
    }
  }

  @Test func slerpTurnsEvenly() {
    let a = Quaternion(Matrix3.rotation(Point3(0, 0, 0.2)))
    let b = Quaternion(Matrix3.rotation(Point3(0, 0, 1.2)))
    #expect(abs(a.slerp(to: b, share: 0.25).angle(to: a) - 0.25) < 1e-12)
    #expect(a.slerp(to: Quaternion(-b.vector), share: 1).angle(to: b) < 1e-7)
  }

  @Test func emptyQuaternionsAreTheIdentity() {
    #expect(Quaternion(x: 0, y: 0, z: 0, w: 0) == .identity)
    #expect(Quaternion(x: .nan, y: 0, z: 0, w: 1) == .identity)
  }
}
