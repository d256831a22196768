import Testing
import WaymarkImage

@testable import WaymarkAnchors

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
    var (told, off) = (0, 0)
    for i in 1...60 {
      let smeared = (0..<6).map { Self.place(wall, Double(i) + 0.8 * ((Double($0) + 0.5) / 6 - 0.5)) }
      Stage.frame([(wall, smeared)], .init(seed: UInt64(i))).withView { pyramid.update($0, levels: 7) }
      let found = tracker.track(
        in: pyramid, at: Double(i) / 30, aligner: aligner, search: search, exposure: exposure)
      guard let found else { continue }
      told += 1
      let truth = Stage.corners(wall, Self.place(wall, Double(i)))
      if Stage.corners(wall, found.alignment.homography).meanCornerDistance(to: truth) > 3 { off += 1 }
    }
    #expect(told >= 55 && off == 0)
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
