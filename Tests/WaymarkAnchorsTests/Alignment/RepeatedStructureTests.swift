import Testing
import WaymarkGeometry
import WaymarkImage

@testable import WaymarkAnchors

@Suite struct RepeatedStructureTests {
  /// Bricks of 60 × 30 pixels, each of its own gray, every second row half a brick aside.
  private static let wall: GrayImage = {
    var random = RandomSource(seed: 3)
    var grays: [UInt8] = []
    for _ in 0..<200 { grays.append(UInt8(80 + random.below(50))) }
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

  /// A wall that moved by most of a brick is not taken for one that moved back by the rest.
  @Test(arguments: [30.0, -32, 34]) func aWallThatMovesFastDoesNotSlip(by motion: Double) throws {
    let start = Homography(SIMD3(0.7, 0.02, 130), SIMD3(-0.02, 0.7, 120), SIMD3(0, 0, 1))
    let moved = Homography.translation(Point2(motion, 0)) * start
    var tracker = AnchorTracker(AnchorTemplate(Self.wall), at: .plane(start), time: 0)
    let ground = Scenery.picture(seed: 60, width: 640, height: 480)
    let pyramid = GrayPyramid()
    Scenery.frame(Self.wall, moved, on: ground).withView { pyramid.update($0, levels: 7) }
    let found = tracker.track(
      in: pyramid, at: 1.0 / 30, aligner: PatchAligner(), search: PatchSearch(), exposure: ExposureEstimate())
    let place = try #require(found)
    let outline = Quadrilateral(width: 480, height: 360)
    let error = place.alignment.homography.apply(outline).meanCornerDistance(to: moved.apply(outline))
    #expect(error < 1)
  }
}
