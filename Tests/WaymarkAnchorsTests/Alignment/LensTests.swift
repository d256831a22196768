import Testing
import WaymarkImage

@testable import WaymarkAnchors

/// A wide lens: a line along the edge of the frame is bent by some ten pixels.
@Suite struct LensTests {
  let picture = Stage.picture(4)
  let camera = CameraIntrinsics(
    fx: 320, fy: 320, cx: 163, cy: 116, distortion: .init(k1: -0.28, k2: 0.09, p1: 0.001, p2: -0.0015, k3: -0.01))!

  private func place(_ tilt: Point2, _ at: Point3) -> Homography {
    Stage.homography(picture, tilt: tilt, roll: 0.2, at: at)
  }

  private func corners(_ h: Homography) -> Quadrilateral { Stage.corners(picture, h) }

  @Test func bendingAndStraighteningAreInverse() throws {
    let lens = try #require(LensMap(camera))
    for p in [Point2(0, 0), Point2(319, 0), Point2(160, 120), Point2(20, 230)] {
      #expect(lens.bend(lens.straighten(p)).distance(to: p) < 1e-6)
      let half = lens.scaled(by: 0.5)
      let small = (p + 0.5) * 0.5 - 0.5
      #expect(half.straighten(small).distance(to: (lens.straighten(p) + 0.5) * 0.5 - 0.5) < 1e-6)
      let (dx, dy) = lens.derivative(at: p)
      let step = lens.bend(p + Point2(0.1, 0.2)) - lens.bend(p)
      #expect((dx * 0.1 + dy * 0.2 - step).length < 1e-3)
    }
    #expect(LensMap(Stage.camera) == nil && LensMap(nil) == nil)
  }

  @Test(arguments: [Point3(0.02, -0.01, 0.3), Point3(-0.07, 0.05, 0.36), Point3(0, 0, 0.26)])
  func alignmentTakesTheLensOut(_ at: Point3) throws {
    let truth = place(Point2(0.3, -0.2), at)
    let frame = Stage.frame(picture, truth, through: camera)
    let pyramid = GrayPyramid()
    frame.withView { pyramid.update($0, levels: 7) }
    let aligner = PatchAligner()
    aligner.lens = LensMap(camera)
    let result = try #require(
      aligner.align(AnchorTemplate(picture), from: .plane(Stage.disturbed(picture, truth, 2, seed: 2)), in: pyramid))
    #expect(corners(result.homography).meanCornerDistance(to: corners(truth)) < 0.25)
    #expect(result.score > 0.9 && result.share > 0.85)
    // Without it the best homography is far off at the corners.
    let plain = PatchAligner().align(AnchorTemplate(picture), from: .plane(truth), in: pyramid)
    #expect(plain.map { corners($0.homography).meanCornerDistance(to: corners(truth)) > 1 } ?? true)
  }

  @Test func detectionAndTrackingGiveWhatTheFrameShows() throws {
    let anchor = AnchorCompiler().compile(
      name: "p", physicalWidth: 0.2,
      image: picture.resized(width: AnchorCompiler.side, height: AnchorCompiler.side * 3 / 4))
    let lens = try #require(LensMap(camera))
    try Scenery.withLibrary([anchor]) { library, _ in
      let engine = AnchorEngine(library: library, intrinsics: camera)
      for i in 0..<6 {
        let truth = place(Point2(0.2, -0.3 + 0.02 * Double(i)), Point3(-0.05 + 0.004 * Double(i), 0.03, 0.33))
        let frame = Stage.frame(picture, truth, through: camera)
        let report = frame.withView { engine.process($0, at: Double(i) / 30) }
        let seen = try #require(report.observations.first)
        #expect(seen.corners.meanCornerDistance(to: lens.bend(corners(truth))) < 0.5)
        // The homography given goes through the corners given, and the pose puts the centre where it is seen.
        let outline = Quadrilateral(width: seen.referenceSize.x, height: seen.referenceSize.y)
        #expect(seen.homography.apply(outline).meanCornerDistance(to: seen.corners) < 1e-6)
        let pose = try #require(seen.rawPose)
        let center = try #require(pose.project(.zero, camera)).pixel
        let middle = truth.apply(0.5 * Point2(Double(picture.width - 1), Double(picture.height - 1)))
        #expect(center.distance(to: lens.bend(middle)) < 0.7)
      }
    }
  }
}
