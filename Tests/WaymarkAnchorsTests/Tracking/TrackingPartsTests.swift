import Testing
import WaymarkImage

@testable import WaymarkAnchors

@Suite struct MotionHistoryTests {
  func square(_ x: Double) -> Quadrilateral {
    Homography.translation(Point2(x, 2 * x)).apply(Quadrilateral(width: 100, height: 80))
  }

  @Test func evenMotionGoesOn() throws {
    var history = MotionHistory()
    #expect(history.expected(at: 0) == nil)
    for i in 0..<4 { history.add(square(5 * Double(i)), at: Double(i) / 30) }
    // One frame on, and three when two were missed.
    #expect(try #require(history.expected(at: 4.0 / 30)).meanCornerDistance(to: square(20)) < 1e-9)
    #expect(try #require(history.expected(at: 6.0 / 30)).meanCornerDistance(to: square(30)) < 1e-9)
    let v = try #require(history.motion(at: square(20), 4.0 / 30)?.velocity)
    #expect(abs(v.mean - 150 * 5.0.squareRoot()) < 1e-6)
  }

  @Test func gatheringSpeedIsFollowed() throws {
    var history = MotionHistory()
    for i in 0..<5 { history.add(square(Double(i * i)), at: Double(i) / 30) }
    let error = try #require(history.expected(at: 5.0 / 30)).meanCornerDistance(to: square(25))
    #expect(error < 1.2)
    // The speed where it stands now, not half a frame ago: the derivative of i² at 5 is 10 a frame.
    let v = try #require(history.motion(at: square(25), 5.0 / 30)).velocity
    #expect(abs(v.mean - 300 * 5.0.squareRoot()) < 1e-6)
    // Second derivative 2 a frame squared, and 4 downwards.
    let a = try #require(history.motion(at: square(25), 5.0 / 30)).acceleration
    #expect(abs(a.mean - 1800 * 5.0.squareRoot()) < 1e-4)
    let half = square(25).moved(by: try #require(history.motion(at: square(25), 5.0 / 30)), 0.5 / 30)
    #expect(half.meanCornerDistance(to: square(30.25)) < 1e-6)
  }

  @Test func aGatheringAccelerationCountsInPart() throws {
    // i³: second differences 6, 12, 18, 24 at 4, 5 … frames; the last ones 12 and 18 around 2 and 3, half of the rise is added.
    var history = MotionHistory()
    for i in 0..<4 { history.add(square(Double(i * i * i)), at: Double(i) / 30) }
    let a = try #require(history.motion(at: square(64), 4.0 / 30)).acceleration
    #expect(abs(a.mean - 900 * 21 * 5.0.squareRoot()) < 1e-3)
  }

  @Test func longPausesForgetTheSpeed() throws {
    var history = MotionHistory()
    for i in 0..<4 { history.add(square(5 * Double(i)), at: Double(i) / 30) }
    history.add(square(40), at: 2)
    #expect(try #require(history.expected(at: 2.03)) == square(40))
    #expect(history.motion(at: square(41), 2.6) == nil)
    // A clock that goes back starts over.
    history.add(square(7), at: 1)
    #expect(history.lastTime == 1 && history.expected(at: 1.1) == square(7))
  }
}

@Suite struct PoseFilterTests {
  private func solutions(_ a: Point3, _ ea: Double, _ b: Point3, _ eb: Double) -> PlanePoseSolver.Solutions {
    let t = Point3(0, 0, 1)
    let p = PlanePoseSolver.Solution(pose: PlanePose(rotation: .rotation(a), translation: t), error: ea)
    let q = PlanePoseSolver.Solution(pose: PlanePose(rotation: .rotation(b), translation: t), error: eb)
    return ea <= eb ? (p, q) : (q, p)
  }

  @Test func noiseDoesNotFlipTheTilt() {
    var follower = PoseFilter()
    let right = Point3(0.4, 0, 0)
    let wrong = Point3(-0.4, 0, 0)
    var random = RandomSource(seed: 1)
    for i in 0..<200 {
      // Alike but for noise; the wrong one is better every second time.
      let out = follower.update(
        solutions(right, 0.05 + (i == 0 ? 0 : 0.04 * random.unit()), wrong, 0.055 + 0.04 * random.unit()),
        at: Double(i) / 30)
      #expect(PlanePose(out.raw).rotation.angle(to: .rotation(right)) < 1e-9)
    }
  }

  @Test func aWrongBeginningIsPutRight() {
    var follower = PoseFilter()
    _ = follower.update(solutions(Point3(-0.4, 0, 0), 0.05, Point3(0.4, 0, 0), 0.06), at: 0)
    var out: (raw: Pose, smooth: Pose)?
    for i in 1...5 {
      out = follower.update(solutions(Point3(0.4, 0, 0), 0.05, Point3(-0.4, 0, 0), 0.6), at: Double(i) / 30)
    }
    let expected = Pose(PlanePose(rotation: .rotation(Point3(0.4, 0, 0)), translation: Point3(0, 0, 1)))
    #expect(out.map { $0.raw.orientation.angle(to: expected.orientation) < 1e-6 } == true)
    // The smoothed one jumps with it instead of turning through the impossible between.
    #expect(out.map { $0.smooth.orientation.angle(to: expected.orientation) < 1e-6 } == true)
  }

  @Test func standingPosesTrembleLess() {
    var follower = PoseFilter()
    var random = RandomSource(seed: 3)
    var (raw, smooth) = (0.0, 0.0)
    var last: (raw: Pose, smooth: Pose)?
    for i in 0..<200 {
      let noise = Point3(random.gaussian(), random.gaussian(), random.gaussian()) * 2e-4
      let pose = PlanePose(rotation: .rotation(Point3(0.4, 0, 0) + noise), translation: Point3(0, 0, 0.5) + noise)
      let out = follower.update((PlanePoseSolver.Solution(pose: pose, error: 0.05), nil), at: Double(i) / 30)
      if let last, i > 20 {
        raw += (out.raw.position - last.raw.position).dot(out.raw.position - last.raw.position)
        smooth += (out.smooth.position - last.smooth.position).dot(out.smooth.position - last.smooth.position)
      }
      last = out
    }
    #expect(smooth < 0.5 * raw)
  }
}

@Suite struct ExposureEstimateTests {
  @Test func movesTowardsTheLikelier() {
    var e = ExposureEstimate(seconds: 0.016)
    e.update(shorter: 0.8, present: 0.9, longer: 0.95)
    #expect(e.seconds > 0.016)
    let peak = e.seconds
    e.update(shorter: 0.9, present: 0.95, longer: 0.9)
    #expect(abs(e.seconds - peak) < 1e-12)
    e.update(shorter: .nan, present: 0.9, longer: 0.95)
    #expect(abs(e.seconds - peak) < 1e-12)
    for _ in 0..<100 { e.update(shorter: 0.9, present: 0.8, longer: 0.7) }
    #expect(e.seconds > 0)
  }
}
