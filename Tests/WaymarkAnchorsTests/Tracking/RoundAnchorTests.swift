import Testing
import WaymarkImage

@testable import WaymarkAnchors

/// Pictures round cans and columns.
@Suite struct RoundAnchorTests {
  private static let camera = CameraIntrinsics(fx: 554, fy: 554, cx: 319.5, cy: 239.5)!
  private static let picture = Scenery.picture(seed: 1)
  private static let radius = 0.06

  private static func anchors(radius: Double? = radius) -> [CompiledAnchor] {
    var anchors = Scenery.anchors
    for i in anchors.indices { anchors[i].radius = radius }
    return anchors
  }

  /// The picture, 0.2 m round a column of 6 cm, turned about its axis and tilted.
  private static func place(
    turned: Double, tilt: Double = 0.2, at: Point3 = Point3(0.01, 0, 0.42), camera: CameraIntrinsics = camera
  ) -> CylinderMap {
    let rotation = Matrix3.rotation(Point3(tilt, 0, 0.1)) * Matrix3.rotation(Point3(0, turned, 0))
    return CylinderMap(
      pose: PlanePose(rotation: rotation, translation: at - rotation.z * radius), width: picture.width,
      height: picture.height, physicalWidth: 0.2, radius: radius, camera: camera)
  }

  private static func frame(
    _ map: CylinderMap, of picture: GrayImage = picture, shade: Double = 0.5, lens: CameraIntrinsics? = nil
  ) -> GrayImage {
    var random = RandomSource(seed: 8)
    let ground = Stage.picture(77, width: 640, height: 480)
    let towards = (map.axisPoint * -1) / map.axisPoint.length
    return GrayImage(width: 640, height: 480) { out in
      for i in out.indices {
        var sum = 0.0
        for k in 0..<4 {
          let pixel = Point2(Double(i % 640) + (k % 2 == 0 ? -0.25 : 0.25), Double(i / 640) + (k < 2 ? -0.25 : 0.25))
          let straight = lens?.rectify(pixel) ?? pixel
          if let p = map.inverse(straight), p.x >= 0, p.y >= 0, p.x < Double(picture.width - 1),
            p.y < Double(picture.height - 1)
          {
            let normal = (map.seen(p) - map.axisPoint) / Self.radius
            let light = 1 - shade + shade * max(0, normal.dot(towards))
            sum += Double(Stage.sample(picture, p)) * light
          } else {
            sum += Double(ground[i % 640, i / 640])
          }
        }
        out[i] = UInt8(min(max((sum / 4 + 1.5 * random.gaussian()).rounded(), 0), 255))
      }
    }
  }

  /// The mean distance of what can be seen from where it is, in pixels.
  private static func error(_ seen: CylinderMap, _ truth: CylinderMap) -> Double {
    var (sum, n) = (0.0, 0.0)
    for y in stride(from: 5, to: picture.height, by: 25) {
      for x in stride(from: 5, to: picture.width, by: 15) {
        let p = Point2(Double(x), Double(y))
        guard truth.depth(p) > 0 else { continue }
        sum += seen.apply(p).distance(to: truth.apply(p))
        n += 1
      }
    }
    return sum / max(1, n)
  }

  @Test(arguments: [0.0, 0.5, -0.6]) func foundInOneFrame(_ turned: Double) throws {
    let library = try Scenery.library(Self.anchors())
    #expect(library.references.allSatisfy { $0.radius == Self.radius })
    let detector = AnchorDetector(library: library)
    detector.intrinsics = Self.camera
    let truth = Self.place(turned: turned)
    let detections = Self.frame(truth).withView { detector.detect($0) }
    #expect(detections.map(\.anchor) == [0])
    let seen = try #require(detections.first?.cylinder)
    #expect(Self.error(seen, truth) < 1)
    #expect(seen.pose.translation.distance(to: truth.pose.translation) < 0.005)
  }

  @Test func followedWhileItTurns() throws {
    let library = try Scenery.library(Self.anchors())
    let engine = AnchorEngine(library: library, intrinsics: Self.camera)
    for i in 0..<14 {
      let t = Double(i) / 30
      let truth = Self.place(
        turned: -0.5 + 2 * t, tilt: 0.25 * Double.sine(4 * t), at: Point3(0.01 + 0.1 * t, -0.05 * t, 0.42 + 0.1 * t))
      let report = Self.frame(truth).withView { engine.process($0, at: t) }
      let seen = try #require(report.observations.first)
      #expect(seen.anchor == 0 && seen.trackingMethod == .fullTracking)
      #expect(Self.error(try #require(seen.cylinder), truth) < 0.6)
      #expect(seen.outline.count == 18 && seen.corners.isConvex)
      // The middle of what is in sight, by the plane that touches there.
      let middle = try #require(truth.visibleMiddle)
      #expect(seen.homography.apply(middle).distance(to: truth.apply(middle)) < 1.5)
      let raw = try #require(seen.rawPose)
      #expect(raw.position.distance(to: Pose(truth.pose).position) < 0.004)
    }
  }

  @Test func rightThroughALens() throws {
    let lens = try #require(
      CameraIntrinsics(fx: 554, fy: 554, cx: 319.5, cy: 239.5, distortion: .init(k1: -0.2, k2: 0.04)))
    let library = try Scenery.library(Self.anchors())
    let engine = AnchorEngine(library: library, intrinsics: lens)
    let truth = Self.place(turned: 0.2, at: Point3(0.06, 0.03, 0.42), camera: lens)
    let frame = Self.frame(truth, lens: lens)
    var last: AnchorObservation?
    for i in 0..<3 { last = frame.withView { engine.process($0, at: Double(i) / 30) }.observations.first }
    let seen = try #require(last)
    #expect(Self.error(try #require(seen.cylinder), truth) < 0.6)
    let corner = lens.unrectify(truth.corners?.topLeft ?? .zero)
    #expect(seen.corners.topLeft.distance(to: corner) < 2)
    #expect(try #require(seen.outline.first).distance(to: seen.corners.topLeft) < 1e-6)
  }

  @Test func nothingElseOnACylinderIsClaimed() throws {
    let other = Scenery.picture(seed: 9)
    let library = try Scenery.library(Self.anchors())
    let detector = AnchorDetector(library: library)
    detector.intrinsics = Self.camera
    for turned in [-0.3, 0.3] {
      let frame = Self.frame(Self.place(turned: turned), of: other)
      #expect(frame.withView { detector.detect($0) }.isEmpty)
    }
  }

  /// A flat print is not a can, and a flat anchor has no radius.
  @Test func flatAnchorsStayFlat() throws {
    let library = try Scenery.library(Self.anchors(radius: nil))
    #expect(library.references.allSatisfy { $0.radius == nil })
    let map = Homography(SIMD3(0.7, 0.1, 150), SIMD3(-0.1, 0.7, 90), SIMD3(0, 0, 1))
    let detections = Scenery.frame(Self.picture, map).withView { AnchorDetector(library: library).detect($0) }
    #expect(detections.count == 1 && detections[0].cylinder == nil)
    let anchor = try library.compiled(0)
    #expect(anchor.radius == nil)
  }
}
