import Testing
import WaymarkImage

@Suite struct CameraIntrinsicsTests {
  let lens = CameraIntrinsics(
    fx: 520, fy: 515, cx: 322, cy: 236, distortion: .init(k1: -0.32, k2: 0.11, p1: 0.0012, p2: -0.0007, k3: -0.02))!

  @Test func undistortionInvertsDistortion() {
    for y in stride(from: 0.0, through: 480, by: 40) {
      for x in stride(from: 0.0, through: 640, by: 40) {
        let p = Point2(x, y)
        #expect(lens.project(lens.unproject(p)).distance(to: p) < 1e-8)
        #expect(lens.unrectify(lens.rectify(p)).distance(to: p) < 1e-8)
      }
    }
  }

  @Test func brownsModelByHand() {
    // x = 0.3, y = −0.2: r² = 0.13.
    let d = lens.distort(Point2(0.3, -0.2))
    let radial = 1 - 0.32 * 0.13 + 0.11 * 0.0169 - 0.02 * 0.002197
    #expect(abs(d.x - (0.3 * radial + 2 * 0.0012 * -0.06 - 0.0007 * (0.13 + 0.18))) < 1e-12)
    #expect(abs(d.y - (-0.2 * radial + 0.0012 * (0.13 + 0.08) + 2 * -0.0007 * -0.06)) < 1e-12)
  }

  @Test func neverNotANumber() {
    let wild = CameraIntrinsics(fx: 300, fy: 300, cx: 100, cy: 100, distortion: .init(k1: -5, k2: 20, k3: -40))!
    for x in stride(from: -2000.0, through: 2000, by: 250) {
      let p = wild.unproject(Point2(x, 2 * x + 5))
      #expect(p.x.isFinite && p.y.isFinite)
    }
    #expect(CameraIntrinsics(fx: 0, fy: 1, cx: 0, cy: 0) == nil)
    #expect(CameraIntrinsics(fx: .nan, fy: 1, cx: 0, cy: 0) == nil)
    #expect(CameraIntrinsics(assumedFor: 0, 0, fieldOfView: 9).focal.x.isFinite)
  }

  @Test func scalingKeepsDirections() {
    let half = lens.scaled(from: (640, 480), to: (320, 240))
    // The middle between pixels (0,0) and (1,1) of the large frame is pixel (0,0) of the small one.
    #expect(half.unproject(Point2(0, 0)).distance(to: lens.unproject(Point2(0.5, 0.5))) < 1e-10)
  }

  @Test func assumedFromFieldOfView() {
    let c = CameraIntrinsics(assumedFor: 640, 480, fieldOfView: 90 * .pi / 180)
    #expect(abs(c.focal.x - 320) < 1e-9 && c.center == Point2(319.5, 239.5) && c.source == .assumed)
  }
}

@Suite struct FocalLengthEstimatorTests {
  /// A picture of 480 × 320 pixels, a fifth of a metre wide, held at random tilts before the tests' camera of 600 pixels; its corners are
  /// seen off by `noise` pixels.
  private func watch(
    _ estimator: inout FocalLengthEstimator, views: Int, tilt: Double = 0.9, distance: Double = 0.35, noise: Double,
    size: Point2 = Point2(480, 320), seed: UInt64
  ) {
    var random = RandomSource(seed: seed)
    func off() -> Point2 { noise * Point2(random.gaussian(), random.gaussian()) }
    for _ in 0..<views {
      let seen = pose(
        tilt * (2 * random.unit() - 1), tilt * (2 * random.unit() - 1), random.unit() * 6,
        at: Point3(random.unit() * 0.1 - 0.05, random.unit() * 0.1 - 0.05, distance))
      let exact = homography(seen, width: 480, height: 320, physicalWidth: 0.2)
      let place = exact.apply(Quadrilateral(width: 480, height: 320))
      let blurred = Quadrilateral(
        topLeft: place.topLeft + off(), topRight: place.topRight + off(), bottomRight: place.bottomRight + off(),
        bottomLeft: place.bottomLeft + off())
      guard let map = Homography(from: Quadrilateral(width: size.x, height: size.y), to: blurred) else { continue }
      estimator.add(map, size: size)
    }
  }

  @Test func findsTheFocalLengthOfTiltedViews() throws {
    for seed in 1...10 {
      var estimator = FocalLengthEstimator(width: 640, height: 480)
      watch(&estimator, views: 60, noise: 0.5, seed: UInt64(seed))
      let found = try #require(estimator.estimate)
      #expect(abs(found.focal / 600 - 1) < 0.02, "\(found)")
      #expect(found.deviation < 0.02 && found.views >= 20, "\(found)")
    }
  }

  @Test func itsDeviationIsHonest() throws {
    // With the noise that it reckons with, it is off by no more than three deviations.
    var worst = 0.0
    for seed in 1...20 {
      var estimator = FocalLengthEstimator(width: 640, height: 480)
      watch(&estimator, views: 15, noise: 1, seed: UInt64(seed))
      let found = try #require(estimator.estimate)
      worst = max(worst, abs(found.focal / 600 - 1) / found.deviation)
    }
    #expect(worst < 3 && worst > 0.3, "\(worst)")
  }

  @Test func flatAndEqualViewsSayNothing() {
    var estimator = FocalLengthEstimator(width: 640, height: 480)
    watch(&estimator, views: 200, tilt: 0.1, noise: 0.2, seed: 3)
    #expect(estimator.views == 0 && estimator.estimate == nil)
    for _ in 0..<50 { watch(&estimator, views: 1, noise: 0, seed: 4) }
    #expect(estimator.views == 1 && estimator.estimate == nil)
  }

  @Test func aPictureOfOtherProportionsIsNotBelieved() {
    var estimator = FocalLengthEstimator(width: 640, height: 480)
    watch(&estimator, views: 200, noise: 0.2, size: Point2(480, 480), seed: 5)
    #expect(estimator.views < FocalLengthEstimator.limit / 2 && estimator.estimate == nil)
  }

  @Test func aPictureCutTwoPercentOffDoesLittleHarm() throws {
    var estimator = FocalLengthEstimator(width: 640, height: 480)
    watch(&estimator, views: 200, noise: 0.2, size: Point2(480, 326), seed: 7)
    let found = try #require(estimator.estimate)
    #expect(abs(found.focal / 600 - 1) < 0.02, "\(found)")
  }

  @Test func itsWorkIsBounded() {
    var estimator = FocalLengthEstimator(width: 640, height: 480)
    watch(&estimator, views: 3000, noise: 0.2, seed: 6)
    #expect(estimator.views == FocalLengthEstimator.limit)
  }

  @Test func nonsenseIsRefused() {
    var estimator = FocalLengthEstimator(width: 640, height: 480)
    let flat = Homography(SIMD3(1, 0, 0), SIMD3(1, 0, 0), SIMD3(0, 0, 1))
    let nan = Homography(SIMD3(.nan, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, 1))
    #expect(!estimator.add(flat, size: Point2(10, 10)) && !estimator.add(nan, size: Point2(10, 10)))
    #expect(!estimator.add(.identity, size: .zero) && !estimator.add(.identity, size: Point2(.nan, 1)))
    #expect(estimator.views == 0)
  }
}
