import Testing
import WaymarkImage

@testable import WaymarkAnchors

@Suite struct PatchAlignerTests {
  let picture = Stage.picture(4)

  private func align(
    _ frame: GrayImage, from start: Homography, of picture: GrayImage? = nil, blur: MotionBlur? = nil
  ) -> AlignmentResult? {
    let pyramid = GrayPyramid()
    frame.withView { pyramid.update($0, levels: 7) }
    return PatchAligner().align(AnchorTemplate(picture ?? self.picture), from: .plane(start), in: pyramid) { _ in blur }
  }

  private func error(_ h: Homography, _ truth: Homography) -> Double {
    Stage.corners(picture, h).meanCornerDistance(to: Stage.corners(picture, truth))
  }

  @Test(arguments: [
    (0.0, 0.0, 0.0, 0.36), (0.7, 0.2, 2.0, 0.34), (-0.3, 0.8, -1.0, 0.36), (0.2, -0.3, 0.5, 0.8), (0.1, 0.1, 3.1, 0.25),
  ])
  func knownMapsAreRecovered(_ a: Double, _ b: Double, _ roll: Double, _ distance: Double) throws {
    let truth = Stage.homography(picture, tilt: Point2(a, b), roll: roll, at: Point3(0.01, -0.01, distance))
    let frame = Stage.frame([(picture, [truth])])
    for seed in 1...4 as ClosedRange<UInt64> {
      let start = Stage.disturbed(picture, truth, 2.5, seed: seed)
      let result = try #require(align(frame, from: start))
      #expect(error(result.homography, truth) < 0.15)
      #expect(result.score > 0.93 && result.share > 0.9 && result.residual < 0.3)
    }
  }

  @Test func lightDoesNotMatter() throws {
    let truth = Stage.path(picture, 0.4)
    let frame = Stage.frame([(picture, [truth])], .init(gain: 0.4, offset: 70))
    let result = try #require(align(frame, from: Stage.disturbed(picture, truth, 2, seed: 3)))
    #expect(error(result.homography, truth) < 0.3)
  }

  @Test func coveredPartsAreLeftOut() throws {
    let truth = Stage.homography(picture, tilt: Point2(0.2, 0.1), roll: 0.1, at: Point3(0, 0, 0.36))
    let frame = Stage.frame([(picture, [truth])], .init(cover: (150...240, 60...230)))
    let result = try #require(align(frame, from: Stage.disturbed(picture, truth, 1.5, seed: 3)))
    #expect(error(result.homography, truth) < 0.5)
    #expect(result.share < 0.85 && result.share > 0.3)
  }

  @Test func smearIsDrawnAlong() throws {
    func place(_ t: Double) -> Homography {
      Stage.homography(picture, tilt: Point2(0.2, 0.1), roll: 0.3, at: Point3(0.015 * t, 0.004 * t, 0.36))
    }
    let frame = Stage.frame([(picture, (0..<8).map { place((Double($0) + 0.5) / 8 - 0.5) })])
    let blur = MotionBlur(
      opening: .plane(place(-0.5)), middle: .plane(place(0)), closing: .plane(place(0.5)))
    #expect(blur.way(of: Point2(120, 90)).chord.length > 12)
    let start = Stage.disturbed(picture, place(0), 1.5, seed: 2)
    let with = try #require(align(frame, from: start, blur: blur))
    #expect(error(with.homography, place(0)) < 0.25)
    let without = align(frame, from: start)
    #expect(with.score > (without?.score ?? 0) + 0.02)
  }

  @Test func theWayOfASmearIsBent() throws {
    // A hand that turns back: seven pixels to the right and back again while the shutter is open. The middle of the smear lies
    // beside the place in the middle of the exposure.
    func place(_ t: Double) -> Homography {
      Stage.homography(
        picture, tilt: Point2(0.2, 0.1), roll: 0.3, at: Point3(0.008 * t + 0.02 * t * t, 0.004 * t, 0.36))
    }
    let frame = Stage.frame([(picture, (0..<8).map { place((Double($0) + 0.5) / 8 - 0.5) })])
    let blur = MotionBlur(
      opening: .plane(place(-0.5)), middle: .plane(place(0)), closing: .plane(place(0.5)))
    #expect(blur.way(of: Point2(120, 90)).sag.length > 3)
    let straight = MotionBlur(
      opening: .plane(place(-0.5)),
      middle: .plane(
        Homography(
          from: Stage.corners(picture, .identity),
          to: Stage.corners(picture, place(-0.5)).halfway(to: Stage.corners(picture, place(0.5))))!),
      closing: .plane(place(0.5)))
    #expect(straight.way(of: Point2(120, 90)).sag.length < 0.1)
    let start = Stage.disturbed(picture, place(0), 1, seed: 2)
    let with = try #require(align(frame, from: start, blur: blur))
    #expect(error(with.homography, place(0)) < 0.25)
    let without = try #require(align(frame, from: start, blur: straight))
    #expect(error(without.homography, place(0)) > 0.5)
  }

  @Test func otherPicturesScoreLow() {
    let truth = Stage.path(picture, 0.2)
    let frame = Stage.frame([(Stage.picture(5), [truth])])
    let result = align(frame, from: truth)
    #expect(result.map { $0.score < 0.6 && $0.share < 0.25 } ?? true)
    let blank = GrayImage(width: 320, height: 240, value: 90)
    #expect(align(blank, from: truth).map { $0.score < 0.1 && $0.inliers == 0 } ?? true)
  }

  @Test func degenerateStartsAreRefused() {
    let frame = Stage.frame([])
    #expect(align(frame, from: Homography(SIMD3(0, 0, 5), SIMD3(0, 0, 5), SIMD3(0, 0, 1))) == nil)
    #expect(align(frame, from: Homography(SIMD3(.nan, 0, 5), SIMD3(0, 1, 5), SIMD3(0, 0, 1))) == nil)
    // Mirrored.
    #expect(align(frame, from: Homography(SIMD3(-1, 0, 280), SIMD3(0, 1, 5), SIMD3(0, 0, 1))) == nil)
    // Out of the frame.
    #expect(align(frame, from: .translation(Point2(2000, 0))) == nil)
    let tiny = GrayImage(width: 1, height: 1, value: 3)
    #expect(align(tiny, from: .identity) == nil)
  }

  @Test func blankReferencesHaveNoPatches() {
    let template = AnchorTemplate(GrayImage(width: 200, height: 100, value: 50))
    let ranking = TextureRanking()
    for i in 0..<template.pyramid.count { #expect(template.level(i, ranking: ranking).centers.isEmpty) }
    let small = AnchorTemplate(GrayImage(width: 3, height: 3, value: 50))
    for i in 0..<small.pyramid.count { #expect(small.level(i, ranking: ranking).centers.isEmpty) }
  }

  @Test func patchesAreSpread() {
    let template = AnchorTemplate(picture)
    let centers = template.level(0, ranking: TextureRanking()).centers.prefix(40)
    #expect(centers.count == 40)
    for quarter in 0..<4 {
      let n = centers.count { ($0.x > 120) == (quarter % 2 == 1) && ($0.y > 90) == (quarter / 2 == 1) }
      #expect(n >= 5)
    }
  }

  @Test func jointSearchFindsTheShift() throws {
    let truth = Stage.path(picture, 0.3)
    let frame = Stage.frame([(picture, [truth])], .init(cover: (60...120, 60...200)))
    let pyramid = GrayPyramid()
    frame.withView { pyramid.update($0, levels: 7) }
    let start = (Homography.translation(Point2(15, -17)) * truth).normalized
    let found = try #require(
      PatchSearch().search(AnchorTemplate(picture), around: .plane(start), in: pyramid, octave: 1, radius: 11))
    #expect(error(found.map.homography, truth) < 2)
  }
}

extension Quadrilateral {
  fileprivate func halfway(to q: Quadrilateral) -> Quadrilateral {
    Quadrilateral(
      topLeft: (topLeft + q.topLeft) / 2, topRight: (topRight + q.topRight) / 2,
      bottomRight: (bottomRight + q.bottomRight) / 2, bottomLeft: (bottomLeft + q.bottomLeft) / 2)
  }
}

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
    let library = try Scenery.library([anchor])
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

struct StructureVerifierTests {
  private static let map = Homography(SIMD3(0.8, 0.1, 100), SIMD3(-0.1, 0.8, 110), SIMD3(0, 0, 1))

  private func deviations(of reference: GrayImage, in frame: GrayImage, at map: Homography = map) -> Double {
    let pyramid = GrayPyramid()
    frame.withView { pyramid.update($0, levels: 7) }
    return StructureVerifier().deviations(AnchorTemplate(reference), .plane(map), in: pyramid, octave: 0)
  }

  /// A dark board with a bright border: nothing but four edges.
  private static let board = GrayImage(width: 480, height: 360) { pixels in
    for i in pixels.indices {
      let (x, y) = (i % 480, i / 480)
      pixels[i] = x < 30 || y < 30 || x >= 450 || y >= 330 ? 210 : 50
    }
  }

  @Test func theRightPlaceIsBeyondDoubtAndAWrongOneIsChance() {
    let picture = Scenery.picture(seed: 1)
    let frame = Scenery.frame(picture, Self.map)
    #expect(deviations(of: picture, in: frame) > StructureVerifier.ample)
    #expect(deviations(of: Scenery.picture(seed: 2), in: frame) < StructureVerifier.holding)
    let beside = Homography.translation(Point2(15, -9)) * Self.map
    #expect(deviations(of: picture, in: frame, at: beside) < StructureVerifier.holding)
  }

  @Test func lightAndAHandDoNotMatter() {
    let picture = Scenery.picture(seed: 1)
    let whole = Scenery.frame(picture, Self.map)
    let frame = GrayImage(width: 640, height: 480) { pixels in
      for i in pixels.indices {
        pixels[i] = i % 640 < 300 ? 120 : UInt8(40 + Int(whole[i % 640, i / 640]) / 3)
      }
    }
    #expect(deviations(of: picture, in: frame) > StructureVerifier.needed)
  }

  @Test func edgesAlongEdgesProveNothing() {
    // Every edge lies where it should, from end to end, and they agree perfectly.
    let stripes = GrayImage(width: 480, height: 360) { pixels in
      for i in pixels.indices { pixels[i] = [50, 210, 120, 90, 240][i % 480 / 32 % 5] }
    }
    #expect(deviations(of: stripes, in: Scenery.frame(stripes, Self.map)) < StructureVerifier.holding)
  }

  @Test func whatCannotBeDistinguishedByEdgesIsNamed() throws {
    let anchor = try AnchorCompiler().compile(name: "board", physicalWidth: nil, picture: Self.board)
    #expect(anchor.reasons.contains(.edgesOnly))
    #expect(!Scenery.anchors[0].reasons.contains(.edgesOnly))
    let flat = try AnchorCompiler().compile(
      name: "flat", physicalWidth: nil, picture: GrayImage(width: 480, height: 480, value: 90))
    #expect(throws: AnchorError.self) { try AnchorCompiler.check(flat) }
    #expect(throws: Never.self) { try AnchorCompiler.check(Scenery.anchors[0]) }
  }

  @Test func whatIsOutOfSightProvesNothing() {
    let picture = Scenery.picture(seed: 1)
    let away = Homography.translation(Point2(5000, 0))
    #expect(deviations(of: picture, in: Scenery.frame(picture, Self.map), at: away) == 0)
    let folded = Homography(SIMD3(0, 0, 1), SIMD3(0, 0, 1), SIMD3(0, 0, 1))
    #expect(deviations(of: picture, in: Scenery.frame(picture, Self.map), at: folded) == 0)
  }
}
