import Testing
import WaymarkImage

@Suite struct OneEuroFilterTests {
  @Test func stepFollowsTheLowPass() {
    // Without slope it is a first-order low pass: after n steps 1 − (1 − α)ⁿ of the way is gone.
    var filter = OneEuroFilter(.init(minimumCutoff: 2, slope: 0))
    _ = filter.update(.zero, at: 0)
    let share = OneEuroFilter.share(cutoff: 2, interval: 1.0 / 30)
    var left = 1.0
    for i in 1...20 {
      left *= 1 - share
      let value = filter.update(Point3(1, -2, 3), at: Double(i) / 30)
      #expect((value - Point3(1, -2, 3) * (1 - left)).length < 1e-9)
    }
  }

  @Test func standingNoiseShrinksAndMotionDoesNotLag() {
    var random = RandomSource(seed: 2)
    var filter = OneEuroFilter(.init(minimumCutoff: 1, slope: 5))
    var raw = 0.0
    var smooth = 0.0
    for i in 0..<300 {
      let noisy = Point3(random.gaussian(), 0, 0) * 0.001
      let out = filter.update(noisy, at: Double(i) / 30)
      if i > 60 {
        raw += noisy.x * noisy.x
        smooth += out.x * out.x
      }
    }
    #expect(smooth < raw / 4)
    var moving = OneEuroFilter(.init(minimumCutoff: 1, slope: 20))
    var lag = 0.0
    for i in 0..<90 {
      let p = Point3(Double(i) / 30, 0, 0)
      lag = (p - moving.update(p, at: Double(i) / 30)).length
    }
    #expect(lag < 0.02)
  }

  @Test func rotationsAlike() {
    var filter = OneEuroRotationFilter(.init(minimumCutoff: 2, slope: 0))
    _ = filter.update(.identity, at: 0)
    let target = Quaternion(Matrix3.rotation(Point3(0, 0.4, 0)))
    let share = OneEuroFilter.share(cutoff: 2, interval: 0.04)
    let first = filter.update(target, at: 0.04)
    #expect(abs(first.angle(to: .identity) - 0.4 * share) < 1e-9)
    for i in 2..<200 { _ = filter.update(target, at: Double(i) * 0.04) }
    #expect(filter.value.map { $0.angle(to: target) < 1e-6 } == true)
  }

  @Test func badInputChangesNothing() {
    var filter = OneEuroFilter(.init(minimumCutoff: 2, slope: 1))
    _ = filter.update(Point3(1, 2, 3), at: 5)
    #expect(filter.update(Point3(.nan, 0, 0), at: 6) == Point3(1, 2, 3))
    #expect(filter.update(Point3(9, 9, 9), at: 5) == Point3(1, 2, 3))
    #expect(filter.update(Point3(9, 9, 9), at: 4) == Point3(1, 2, 3))
    #expect(filter.update(Point3(9, 9, 9), at: .nan) == Point3(1, 2, 3))
    #expect(filter.update(Point3(1, 2, 3), at: 6) == Point3(1, 2, 3))
  }
}
