import Testing
import WaymarkImage

@testable import WaymarkAnchors

@Suite struct RepeatedStructureTests {
  /// Bricks of 60 × 30 pixels, each of its own gray, every second row half a brick aside.
  static let wall: GrayImage = {
    var random = RandomSource(seed: 3)
    var grays: [UInt8] = []
    for _ in 0..<200 { grays.append(UInt8(100 + random.below(14))) }
    return GrayImage(width: 480, height: 360) { pixels in
      for y in 0..<360 {
        for x in 0..<480 {
          let row = y / 30
          let across = x + (row % 2) * 30
          let isJoint = y % 30 < 4 || across % 60 < 4
          pixels[y * 480 + x] = isJoint ? 200 : grays[row * 10 + across / 60]
        }
      }
    }
  }()

  @Test func stepsAreThoseOfThePattern() {
    let steps = AnchorTemplate(Self.wall).repeats
    #expect(steps.contains { abs($0.x - 60) < 4 && abs($0.y) < 4 })
    #expect(steps.contains { abs(abs($0.x) - 30) < 4 && abs(abs($0.y) - 30) < 4 })
    // Each has its opposite.
    #expect(steps.allSatisfy { step in steps.contains { ($0 + step).length < 1e-9 } })
    #expect(AnchorTemplate(Scenery.picture(seed: 4)).repeats.isEmpty)
    #expect(AnchorTemplate(GrayImage(width: 480, height: 360, value: 90)).repeats.isEmpty)
    #expect(AnchorTemplate(GrayImage(width: 480, height: 8, value: 90)).repeats.isEmpty)
  }

  /// Where the wall stands in the frame.
  private static let map = Homography(SIMD3(0.7, 0.02, 130), SIMD3(-0.02, 0.7, 120), SIMD3(0, 0, 1))

  /// A frame that shows it.
  private static func scene() -> GrayPyramid {
    let pyramid = GrayPyramid()
    Scenery.frame(wall, map, on: Scenery.picture(seed: 60, width: 640, height: 480)).withView {
      pyramid.update($0, levels: 7)
    }
    return pyramid
  }

  /// How far off a wall is followed that was taken to be a step of its pattern aside, in pixels.
  private static func error(step: Point2, comparesSteps: Bool) -> Double? {
    var options = TrackingOptions()
    options.comparesSteps = comparesSteps
    let slipped = SurfaceMap.plane(map * Homography.translation(step))
    var tracker = AnchorTracker(AnchorTemplate(wall), at: slipped, time: 0, options: options)
    let outline = Quadrilateral(width: 480, height: 360)
    return tracker.track(
      in: scene(), at: 1.0 / 30, aligner: PatchAligner(), search: PatchSearch(), exposure: ExposureEstimate()
    ).map { $0.homography.apply(outline).meanCornerDistance(to: map.apply(outline)) }
  }

  @Test(arguments: [Point2(60, 0), Point2(0, 60), Point2(30, 30)])
  func aWallThatHasSlippedComesBack(by step: Point2) throws {
    #expect(try #require(Self.error(step: step, comparesSteps: false)) > 20)
    #expect(try #require(Self.error(step: step, comparesSteps: true)) < 1)
  }

  /// A claim is only taken up where the wall agrees more than a step aside.
  @Test func onlyTheRightPlaceStandsOut() {
    let (wall, scene, aligner) = (AnchorTemplate(Self.wall), Self.scene(), PatchAligner())
    #expect(aligner.standsOut(wall, .plane(Self.map), in: scene))
    for step in [Point2(60, 0), Point2(0, 60), Point2(30, 30), Point2(-60, 0), Point2(0, -60)] {
      #expect(!aligner.standsOut(wall, .plane(Self.map * Homography.translation(step)), in: scene))
    }
    let other = AnchorTemplate(Scenery.picture(seed: 4))
    #expect(aligner.standsOut(other, .plane(Self.map), in: scene))
  }

  @Test func aPlaceThatIsInDoubtIsNotReported() throws {
    let step = Point2(-60, 0)
    #expect(try #require(Self.error(step: step, comparesSteps: false)) > 20)
    #expect((Self.error(step: step, comparesSteps: true) ?? 0) < 1)
  }
}

@Suite struct PlaceSearchTests {
  /// Frames of a hand that shakes, thirty a second, the shutter open for four fifths of one.
  private static func place(_ image: GrayImage, _ frame: Double) -> Homography {
    let t = frame / 30
    return Stage.homography(
      image, tilt: Point2(0.15 * Double.sine(9 * t), 0.15 * Double.sine(11 * t + 1)), roll: 0.3 * Double.sine(17 * t),
      at: Point3(0.03 * Double.sine(13 * t + 2), 0.02 * Double.sine(10 * t), 0.3))
  }

  /// A wall whose bricks look like one another is followed through it without being taken for itself a step aside.
  @Test func aShakenWallIsFollowed() {
    let wall = RepeatedStructureTests.wall
    var alignment = PatchAligner.Options()
    (alignment.patches, alignment.smearedPatches, alignment.draftPatches) = (256, 272, 96)
    let (aligner, search, pyramid) = (PatchAligner(alignment), PatchSearch(), GrayPyramid())
    let exposure = ExposureEstimate(seconds: 0.8 / 30)
    var tracker = AnchorTracker(AnchorTemplate(wall), at: .plane(Self.place(wall, 0)), time: 0)
    var (reported, off) = (0, 0)
    for i in 1...60 {
      let smeared = (0..<6).map { Self.place(wall, Double(i) + 0.8 * ((Double($0) + 0.5) / 6 - 0.5)) }
      Stage.frame([(wall, smeared)], .init(seed: UInt64(i))).withView { pyramid.update($0, levels: 7) }
      let found = tracker.track(
        in: pyramid, at: Double(i) / 30, aligner: aligner, search: search, exposure: exposure)
      guard let found else { continue }
      reported += 1
      let truth = Stage.corners(wall, Self.place(wall, Double(i)))
      if Stage.corners(wall, found.homography).meanCornerDistance(to: truth) > 3 { off += 1 }
    }
    #expect(reported >= 55 && off == 0)
  }

  @Test func theFinestOctaveIsOneThatShowsNoSmear() throws {
    let picture = Stage.picture(4)
    let pyramid = GrayPyramid()
    let here = Homography.translation(Point2(40, 30))
    Stage.frame([(picture, [here])]).withView { pyramid.update($0, levels: 7) }
    func finest(_ map: Homography, smear: Double) -> Int? {
      func moved(_ x: Double) -> SurfaceMap { SurfaceMap.plane(map).shifted(by: Point2(x, 0)) }
      let blur = MotionBlur(opening: moved(-0.5 * smear), middle: moved(0), closing: moved(0.5 * smear))
      return PatchAligner().octaves(AnchorTemplate(picture), .plane(map), pyramid, blur: blur)?.finest
    }
    #expect(finest(here, smear: 4) == 0)
    #expect(finest(here, smear: 12) == 1)
    // Of a small one too little would be left.
    let small = here * Homography(SIMD3(0.4, 0, 0), SIMD3(0, 0.4, 0), SIMD3(0, 0, 1))
    #expect(finest(small, smear: 12) == 0)
  }

  @Test func aDraftBringsAllPatchesNearer() throws {
    let picture = Stage.picture(4)
    var options = PatchAligner.Options()
    let plain = PatchAligner(options)
    options.draftPatches = 48
    let drafted = PatchAligner(options)
    let pyramid = GrayPyramid()
    var errors = (plain: 0.0, drafted: 0.0)
    for i in 1...12 as ClosedRange<UInt64> {
      let truth = Stage.path(picture, 0.3 * Double(i))
      Stage.frame([(picture, [truth])], .init(seed: i)).withView { pyramid.update($0, levels: 7) }
      let start = SurfaceMap.plane(Stage.disturbed(picture, truth, 3, seed: i))
      func error(_ aligner: PatchAligner) throws -> Double {
        let result = try #require(aligner.align(AnchorTemplate(picture), from: start, in: pyramid))
        return Stage.corners(picture, result.homography).meanCornerDistance(to: Stage.corners(picture, truth))
      }
      errors.plain += try error(plain)
      errors.drafted += try error(drafted)
    }
    #expect(errors.drafted < 0.9 * errors.plain)
  }
}
