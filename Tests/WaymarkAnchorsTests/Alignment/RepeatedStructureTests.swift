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
    ).map { $0.alignment.homography.apply(outline).meanCornerDistance(to: map.apply(outline)) }
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

  @Test func aPlaceThatIsInDoubtIsNotTold() throws {
    let step = Point2(-60, 0)
    #expect(try #require(Self.error(step: step, comparesSteps: false)) > 20)
    #expect((Self.error(step: step, comparesSteps: true) ?? 0) < 1)
  }
}
