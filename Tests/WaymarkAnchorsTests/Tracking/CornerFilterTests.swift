import Testing
import WaymarkImage

@testable import WaymarkAnchors

@Suite struct CornerFilterTests {
  private static let start = Quadrilateral(
    topLeft: Point2(100, 100), topRight: Point2(300, 110), bottomRight: Point2(290, 400), bottomLeft: Point2(110, 390))
  /// The upper corners are hardly determined, the lower ones exactly.
  private static let deviations = SIMD4(0.3, 0.3, 0.02, 0.02)

  /// Filters the noisy corners of a picture that moves by `step` pixels a frame from frame 30 on.
  private func run(step: Point2) -> [(truth: Quadrilateral, estimate: CornerFilter.Estimate)] {
    var filter = CornerFilter()
    var random = RandomSource(seed: 4)
    let sigma = Self.deviations
    let each = SIMD8(sigma.x, sigma.x, sigma.y, sigma.y, sigma.z, sigma.z, sigma.w, sigma.w)
    let covariance = Matrix8(diagonal: each * each)
    return (0..<60).map { i in
      let truth = Self.start.mapped { $0 + step * Double(max(0, i - 29)) }
      func noisy(_ p: Point2, _ sigma: Double) -> Point2 {
        p + Point2(random.gaussian() * sigma, random.gaussian() * sigma)
      }
      let seen = Quadrilateral(
        topLeft: noisy(truth.topLeft, sigma.x), topRight: noisy(truth.topRight, sigma.y),
        bottomRight: noisy(truth.bottomRight, sigma.z), bottomLeft: noisy(truth.bottomLeft, sigma.w))
      return (truth, filter.update(.init(corners: seen, covariance: covariance), at: Double(i) / 30))
    }
  }

  @Test func cornersAtRestAreStill() {
    let frames = run(step: .zero)[15...]
    let errors = frames.map { $0.estimate.corners.topLeft.distance(to: $0.truth.topLeft) }
    // Two axes of 0.3 pixels are 0.38 pixels off in the mean, and step by 0.53.
    #expect(errors.reduce(0, +) / Double(errors.count) < 0.28)
    let steps = zip(frames.dropFirst(), frames).map {
      $0.estimate.corners.topLeft.distance(to: $1.estimate.corners.topLeft)
    }
    #expect(steps.reduce(0, +) / Double(steps.count) < 0.25)
    #expect(
      frames.allSatisfy { $0.estimate.deviations.x < 0.28 && $0.estimate.deviations.x > $0.estimate.deviations.z })
  }

  @Test(arguments: [Point2(0.3, 0), Point2(3, 1), Point2(-12, 9)])
  func aMovementIsFollowedAtOnce(_ step: Point2) {
    for frame in run(step: step)[30...] {
      #expect(frame.estimate.corners.bottomLeft.distance(to: frame.truth.bottomLeft) < 0.12)
      #expect(frame.estimate.corners.topLeft.distance(to: frame.truth.topLeft) < 1)
    }
  }

  @Test func aGapStartsAnew() {
    var filter = CornerFilter()
    let covariance = Matrix8(diagonal: SIMD8(repeating: 0.01))
    _ = filter.update(.init(corners: Self.start, covariance: covariance), at: 0)
    let there = Self.start.mapped { $0 + Point2(50, 0) }
    #expect(filter.update(.init(corners: there, covariance: covariance), at: 1).corners == there)
  }
}
