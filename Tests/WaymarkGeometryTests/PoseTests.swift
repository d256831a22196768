import Testing
import WaymarkImage

@Suite struct PlanePoseTests {
  @Test func knownPosesComeBack() throws {
    var random = RandomSource(seed: 5)
    for _ in 0..<200 {
      let truth = pose(
        (random.unit() - 0.5) * 2, (random.unit() - 0.5) * 2, random.unit() * 6,
        at: Point3(random.unit() * 0.2 - 0.1, random.unit() * 0.2 - 0.1, 0.3 + random.unit()))
      let h = homography(truth, width: 480, height: 320, physicalWidth: 0.2)
      let found = try #require(
        PlanePoseSolver.solve(homography: h, width: 480, height: 320, physicalWidth: 0.2, intrinsics: camera))
      #expect(found.best.error < 1e-5)
      #expect(found.best.pose.rotation.angle(to: truth.rotation) < 1e-6)
      #expect((found.best.pose.translation - truth.translation).length < 1e-7)
      if let other = found.other { #expect(other.error >= found.best.error) }
    }
  }

  @Test func straightOnIsFound() throws {
    let truth = pose(0, 0, 0, at: Point3(0, 0, 0.5))
    let h = homography(truth, width: 480, height: 480, physicalWidth: 0.2)
    let found = try #require(
      PlanePoseSolver.solve(homography: h, width: 480, height: 480, physicalWidth: 0.2, intrinsics: camera))
    #expect(found.best.pose.rotation.angle(to: truth.rotation) < 1e-4)
    #expect(abs(found.best.pose.translation.z - 0.5) < 1e-6)
  }

  @Test func smallPlanesHaveTwoPoses() throws {
    // 20 mm at 1.5 m: the two tilts differ by less than a tenth of a pixel.
    let truth = pose(0.5, 0.1, 0.2, at: Point3(0.05, 0.02, 1.5))
    let h = homography(truth, width: 480, height: 480, physicalWidth: 0.02)
    let found = try #require(
      PlanePoseSolver.solve(homography: h, width: 480, height: 480, physicalWidth: 0.02, intrinsics: camera))
    let other = try #require(found.other)
    #expect(other.error < 0.1)
    #expect(other.pose.rotation.angle(to: found.best.pose.rotation) > 0.5)
  }

  @Test func conventions() {
    // Straight on, half a metre away: the picture's right is ours, its height runs down, its face looks at us.
    let p = Pose(pose(0, 0, 0, at: Point3(0.1, 0.2, 0.5)))
    #expect((p.position - Point3(0.1, -0.2, -0.5)).length < 1e-12)
    let origin = p.apply(Point3(0, 0, 0))
    #expect((p.apply(Point3(1, 0, 0)) - origin - Point3(1, 0, 0)).length < 1e-12)
    #expect((p.apply(Point3(0, 1, 0)) - origin - Point3(0, 0, 1)).length < 1e-12)
    #expect((p.apply(Point3(0, 0, 1)) - origin - Point3(0, -1, 0)).length < 1e-12)
    #expect(p.facesCamera)
    let pixel = p.project(.zero, camera)
    #expect(
      pixel.map { ($0.pixel - Point2(319.5 + 120, 239.5 + 240)).length < 1e-9 && abs($0.depth - 0.5) < 1e-12 } == true)
    let m = p.matrix
    #expect(m.count == 16 && m[12...14].elementsEqual([p.position.x, p.position.y, p.position.z]) && m[15] == 1)
    #expect((Point3(m[4], m[5], m[6]) - Point3(0, 0, 1)).length < 1e-12)
    let back = PlanePose(p)
    #expect(back.rotation.angle(to: .identity) < 1e-12)
  }

  @Test func degenerateMapsHaveNoPose() {
    let flat = Homography(SIMD3(1, 0, 0), SIMD3(1, 0, 0), SIMD3(0, 0, 1))
    let found = PlanePoseSolver.solve(homography: flat, width: 480, height: 320, physicalWidth: 0.2, intrinsics: camera)
    if let found { #expect(found.best.error.isFinite) }
    let nan = Homography(SIMD3(.nan, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, 1))
    #expect(
      PlanePoseSolver.solve(homography: nan, width: 480, height: 320, physicalWidth: 0.2, intrinsics: camera) == nil)
    #expect(
      PlanePoseSolver.solve(homography: .identity, width: 480, height: 320, physicalWidth: 0, intrinsics: camera) == nil
    )
  }
}

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
