import Testing
import WaymarkImage

@testable import WaymarkScenes

@Suite struct MarkerProjectorTests {
  static let points = [
    Point3(0, 0, 0), Point3(0.05, 0, 0.02), Point3(-0.09, 0.03, 0.06), Point3(0.3, 0, -0.2), Point3(0, 0.1, 0),
  ]

  @Test(arguments: [0, 0.3, -0.7, 1.1]) func agreesWithThePose(_ tilt: Double) throws {
    let seen = SessionFixture.sighting(position: Point3(0.02, -0.03, -0.6), tilt: tilt)
    let pose = try #require(seen.pose)
    let projector = MarkerProjector(seen, physicalWidth: 0.2, intrinsics: SessionFixture.intrinsics)
    #expect(projector.facesCamera)
    for point in Self.points {
      let ours = try #require(projector.project(point))
      let truth = try #require(pose.project(point, SessionFixture.intrinsics))
      #expect(ours.pixel.distance(to: truth.pixel) < 1e-6)
      #expect(abs((ours.depth ?? 0) - truth.depth) < 1e-9)
    }
  }

  /// Where the width is unknown, a point in widths of the picture must appear where the same point in metres does.
  @Test(arguments: [0, 0.3, -0.7, 1.1]) func worksInWidthsWithoutAPose(_ tilt: Double) throws {
    var seen = SessionFixture.sighting(position: Point3(0.02, -0.03, -0.6), tilt: tilt)
    let pose = try #require(seen.pose)
    seen.placement.pose = nil
    let projector = MarkerProjector(seen, physicalWidth: nil, intrinsics: SessionFixture.intrinsics)
    #expect(projector.facesCamera)
    for point in Self.points {
      let ours = try #require(projector.project(point / 0.2))
      let truth = try #require(pose.project(point, SessionFixture.intrinsics))
      #expect(ours.pixel.distance(to: truth.pixel) < 1e-6)
    }
  }

  /// A point in the plane follows the homography, however wrong the focal length is.
  @Test func staysGluedWithAWrongLens() throws {
    let seen = SessionFixture.sighting(tilt: 0.8)
    let wrong = CameraIntrinsics(assumedFor: 640, 480, fieldOfView: 1.6)
    let truth = try #require(seen.pose?.project(Point3(0.07, 0, -0.04), SessionFixture.intrinsics))
    let ours = MarkerProjector(seen, physicalWidth: 0.2, intrinsics: wrong).project(Point3(0.07, 0, -0.04))
    #expect(ours.map { $0.pixel.distance(to: truth.pixel) < 1e-6 } == true)
  }

  /// On a can, x runs along the curve and y stands out of it there; what is on the far side is not in sight.
  @Test func staysOnTheSurfaceOfACan() throws {
    let seen = SessionFixture.sighting(tilt: 0.4)
    let pose = try #require(seen.pose)
    let can = MarkerProjector(seen, physicalWidth: 0.2, radius: 0.04, intrinsics: SessionFixture.intrinsics)
    #expect(can.facesCamera)
    for (x, y) in [(0.0, 0.0), (0.03, 0), (-0.02, 0.01), (0.03, 0.02)] {
      let (s, c) = (Double.sine(x / 0.04), Double.cosine(x / 0.04))
      let point = Point3((0.04 + y) * s, (0.04 + y) * c - 0.04, 0.02)
      let truth = try #require(pose.project(point, SessionFixture.intrinsics))
      let ours = try #require(can.project(Point3(x, y, 0.02)))
      #expect(ours.pixel.distance(to: truth.pixel) < 1e-6)
      #expect(abs((ours.depth ?? 0) - truth.depth) < 1e-9)
    }
    // 0.0628 m are a quarter of the way round; the can is turned by 0.4.
    #expect(can.project(Point3(0.1, 0, 0)) == nil && can.project(Point3(-0.1, 0, 0)) == nil)
    #expect(
      MarkerProjector(seen, physicalWidth: 0.2, intrinsics: SessionFixture.intrinsics).project(Point3(0.1, 0, 0)) != nil
    )
  }

  @Test func nothingBehindTheCameraOrTurnedAway() throws {
    let near = SessionFixture.sighting(position: Point3(0, 0, -0.3))
    let projector = MarkerProjector(near, physicalWidth: 0.2, intrinsics: SessionFixture.intrinsics)
    #expect(projector.project(Point3(0, 0.4, 0)) == nil)
    // A picture seen at 63° from beside: points far along it lie behind the camera.
    let beside = SessionFixture.sighting(position: Point3(0, 0, -0.3), tilt: 1.1)
    let tilted = MarkerProjector(beside, physicalWidth: 0.2, intrinsics: SessionFixture.intrinsics)
    #expect(tilted.project(Point3(-1, 0, 0)) == nil || tilted.project(Point3(1, 0, 0)) == nil)
    var away = SessionFixture.sighting()
    away.placement.pose = Pose(position: Point3(0, 0, -0.5), orientation: Quaternion(x: 0.7071, y: 0, z: 0, w: -0.7071))
    #expect(!MarkerProjector(away, physicalWidth: 0.2, intrinsics: SessionFixture.intrinsics).facesCamera)
    var mirrored = SessionFixture.sighting()
    swap(&mirrored.placement.corners.topLeft, &mirrored.placement.corners.topRight)
    swap(&mirrored.placement.corners.bottomLeft, &mirrored.placement.corners.bottomRight)
    #expect(!MarkerProjector(mirrored, physicalWidth: 0.2, intrinsics: SessionFixture.intrinsics).facesCamera)
  }

  @Test func standingNoiseIsSmoothedAndMotionDoesNotLag() throws {
    var fixture = SessionFixture.inPhase(.annotating)
    var random = RandomSource(seed: 7)
    func place(_ effects: [SessionEffect]) -> Point2? {
      guard case .anchorsUpdated(let states)? = effects.first(where: { $0.word == "updated" }) else { return nil }
      return states[0].markers[0].screen
    }
    // Standing, with 0.1 px of noise (standard deviation) on the whole picture.
    var steps: [Double] = []
    var last: Point2?
    for index in 0..<300 {
      let noise = Point2(random.gaussian(), random.gaussian()) * 0.1
      var seen = SessionFixture.sighting()
      seen.placement.homography = Homography.translation(noise) * seen.homography
      let screen = try #require(place(fixture.frame([seen])))
      if let last, index > 60 { steps.append(screen.distance(to: last)) }
      last = screen
    }
    let jitter = (steps.reduce(0) { $0 + $1 * $1 } / Double(steps.count)).squareRoot()
    #expect(jitter < 0.07)
    // Swinging to and fro, at up to 250 pixels a second: behind by half a pixel at most, also where it turns.
    for index in 0..<120 {
      let x = 0.1 * Double.sine(Double(index) * 0.075)
      let seen = SessionFixture.sighting(position: Point3(x, 0, -0.5))
      let truth = try #require(seen.pose?.project(.zero, SessionFixture.intrinsics)?.pixel)
      let screen = try #require(place(fixture.frame([seen])))
      if index > 2 { #expect(screen.distance(to: truth) < 0.5) }
    }
  }
}
