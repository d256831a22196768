import Testing
import WaymarkImage

@testable import WaymarkAnchors

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

  @Test func whatCannotBeToldFromEdgesIsNamed() throws {
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
