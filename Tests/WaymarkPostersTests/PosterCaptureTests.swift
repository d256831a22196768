import Testing
import WaymarkGeometry
import WaymarkImage

@testable import WaymarkPosters

@Suite("A reference out of a photograph") struct PosterCaptureTests {
  private static let photo = RGBImage(GrayImage(width: 900, height: 700, value: 120))
  private static let gray = GrayImage(width: 900, height: 700, value: 120)

  private static func capture(_ corners: [(Double, Double)], photo: RGBImage = photo) -> PosterCapture {
    let p = corners.map { Point2($0.0, $0.1) }
    return PosterCapture(
      outline: Quadrilateral(topLeft: p[0], topRight: p[1], bottomRight: p[2], bottomLeft: p[3]), photo: photo,
      gray: gray, longSide: 1000)
  }

  @Test("The reference has the size that is known, and is never longer than asked for or than the photograph tells")
  func size() throws {
    var capture = Self.capture([(100, 100), (800, 100), (800, 600), (100, 600)])
    let made = capture.reference(aspect: Point2(2, 1), without: [])
    let flat = try #require(made)
    #expect(flat.width == 2 * flat.height)
    #expect((695...705).contains(flat.width))
    #expect(!capture.advice.contains(.tooFar) && !capture.advice.contains(.cutOff))
    #expect(!capture.advice.contains(.fromTheSide) && !capture.advice.contains(.glare))
  }

  @Test("Advice is given for what is cut off, small, seen from the side, uncertain and of doubtful size") func advice()
  {
    var small = Self.capture([(100, 100), (700, 100), (700, 500), (100, 500)])
    (small.isCertain, small.misfit) = (false, 0.05)
    _ = small.reference(aspect: nil, without: [])
    #expect(Set(small.advice).isSuperset(of: [.tooFar, .outlineUncertain, .sizeDoubtful]))
    var cut = Self.capture([(-20, 100), (800, 100), (800, 600), (-20, 600)])
    cut.misfit = 0.04
    _ = cut.reference(aspect: nil, without: [])
    #expect(cut.advice.contains(.cutOff) && !cut.advice.contains(.sizeDoubtful))
    var side = Self.capture([(100, 100), (800, 220), (800, 480), (100, 600)])
    _ = side.reference(aspect: nil, without: [])
    #expect(side.advice.contains(.fromTheSide))
  }

  @Test("A part that is burnt out is glare from a fiftieth of the poster on") func glare() {
    func burnt(_ side: Int) -> PosterCapture {
      let gray = GrayImage(width: 900, height: 700) { out in
        for i in out.indices {
          let (x, y) = (i % 900 - 300, i / 900 - 300)
          out[i] = (0..<side).contains(x) && (0..<side).contains(y) ? 255 : 120
        }
      }
      var capture = Self.capture([(100, 100), (800, 100), (800, 600), (100, 600)], photo: RGBImage(gray))
      _ = capture.reference(aspect: nil, without: [])
      return capture
    }
    // A fiftieth of 700 × 500 is a square of 84.
    #expect(!burnt(70).advice.contains(.glare))
    #expect(burnt(100).advice.contains(.glare))
  }

  @Test("Gray is luma of BT.601") func luma() {
    let colours = RGBImage(width: 4, height: 1) { out in
      let bytes: [UInt8] = [255, 0, 0, 0, 255, 0, 0, 0, 255, 10, 20, 30]
      for i in bytes.indices { out[i] = bytes[i] }
    }
    let gray = Self.capture([(0, 0), (8, 0), (8, 8), (0, 8)]).gray(colours)
    #expect((0..<4).map { gray[$0, 0] } == [76, 150, 29, 18])
  }
}
