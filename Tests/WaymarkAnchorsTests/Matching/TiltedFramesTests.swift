import Testing
import WaymarkImage

@testable import WaymarkAnchors

/// Anchors that are seen more obliquely than their library's views.
@Suite struct TiltedFramesTests {
  /// Compresses the picture seven times along an axis 30 degrees from x, as from 82 degrees aside.
  private let place =
    Homography.translation(Point2(150, 60))
    * Homography(SIMD3(0.357, -0.371, 60), SIMD3(-0.371, 0.786, 90), SIMD3(0, 0, 1))
  private var picture: GrayImage { Scenery.picture(seed: 1) }
  private var corners: Quadrilateral { place.apply(Quadrilateral(width: 480, height: 360)) }

  private func frame(_ ground: UInt64 = 50) -> GrayImage {
    Scenery.frame(picture, place, on: Scenery.picture(seed: ground, width: 640, height: 480))
  }

  @Test func anObliqueAnchorIsFoundFromAnotherDirection() throws {
    let detector = AnchorDetector(library: try Scenery.library(Scenery.anchors))
    frame().withView { frame in
      #expect(detector.detect(frame).isEmpty)
      let found = detector.detectFromAllSides(frame)
      #expect(found.map(\.anchor) == [0])
      for anchor in found {
        let seen = anchor.homography.apply(Quadrilateral(width: 480, height: 360))
        #expect(seen.meanCornerDistance(to: corners) < 2)
      }
    }
  }

  @Test func whatALensBendsIsFoundWhereItIsWithoutTheLens() throws {
    let detector = AnchorDetector(library: try Scenery.library(Scenery.anchors))
    let camera = try #require(
      CameraIntrinsics(fx: 600, fy: 600, cx: 319.5, cy: 239.5, distortion: .init(k1: -0.2)))
    let lens = try #require(LensMap(camera))
    let straight = frame()
    let bent = GrayImage(width: 640, height: 480) { pixels in
      for y in 0..<480 {
        for x in 0..<640 {
          let p = lens.straighten(Point2(Double(x), Double(y)))
          pixels[y * 640 + x] = straight.withView { UInt8($0.bilinear(SIMD2(p.x, p.y))) }
        }
      }
    }
    detector.lens = lens
    let found = bent.withView { detector.detectFromAllSides($0) }
    let anchor = try #require(found.first)
    #expect(anchor.homography.apply(Quadrilateral(width: 480, height: 360)).meanCornerDistance(to: corners) < 4)
    #expect(detector.lens != nil)
  }

  @Test func anotherPictureIsNotFoundFromAnyDirection() throws {
    let detector = AnchorDetector(library: try Scenery.library(Scenery.anchors))
    let other = Scenery.frame(Scenery.picture(seed: 77), place, on: Scenery.picture(seed: 51, width: 640, height: 480))
    #expect(other.withView { detector.detectFromAllSides($0) }.isEmpty)
  }

  @Test func theEngineLooksFromOtherDirectionsAfterTwoSecondsOfNothing() throws {
    let engine = AnchorEngine(library: try Scenery.library(Scenery.anchors))
    let frame = frame()
    var first: Int?
    for i in 0..<220 where first == nil {
      let report = frame.withView { engine.process($0, at: Double(i) / 30) }
      if !report.observations.isEmpty { first = i }
    }
    // A round of the directions takes 152 searches.
    let found = try #require(first)
    #expect(found >= 60)
  }

  @Test func everyFourthSearchTakesADirectionAndAllOfThemComeUp() {
    var look = LookAround()
    let count = TiltedFrames.views.count
    var seen: [Int] = []
    for i in 0..<(60 + 4 * count) {
      let direction = look.direction(at: Double(i) / 30, isEmpty: true)
      #expect(direction == nil || i >= 60)
      if let direction { seen.append(direction % count) }
    }
    #expect(seen.count == count && Set(seen).count == count)
    #expect(look.direction(at: 100, isEmpty: false) == nil)
    #expect(look.direction(at: 101, isEmpty: true) == nil)
    #expect(look.direction(at: 102.9, isEmpty: true) == nil)
  }
}
