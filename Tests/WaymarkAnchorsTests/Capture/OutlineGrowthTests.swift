import Testing
import WaymarkGeometry
import WaymarkImage

@testable import WaymarkAnchors

@Suite struct OutlineGrowthTests {
  private static let poster = Quadrilateral(
    topLeft: Point2(120, 90), topRight: Point2(430, 105), bottomRight: Point2(420, 330), bottomLeft: Point2(112, 322))

  /// A cream poster with a blue band across its top, on a green wall; a white sheet beside it.
  private static let picture = RGBImage(width: 640, height: 420) { out in
    guard let map = Homography(from: poster, to: Quadrilateral(width: 1, height: 1)) else { return }
    for i in 0..<(640 * 420) {
      let (x, y) = (Double(i % 640), Double(i / 640))
      let p = map.apply(Point2(x, y))
      let light = 1 - 0.3 * x / 640
      var colour = SIMD3(150.0, 180, 160)
      if p.x > 0, p.x < 1, p.y > 0, p.y < 1 { colour = p.y < 0.12 ? SIMD3(30, 70, 130) : SIMD3(235, 228, 205) }
      if x > 470, x < 570, y > 100, y < 330 { colour = SIMD3(250, 250, 250) }
      let grain = Double((i &* 7_919) % 5) - 2
      for c in 0..<3 { out[3 * i + c] = UInt8(min(max(colour[c] * light + grain, 0), 255)) }
    }
  }

  /// The part of the poster below the band.
  private var cream: Quadrilateral {
    let q = Self.poster
    return Quadrilateral(
      topLeft: q.topLeft + (q.bottomLeft - q.topLeft) * 0.12,
      topRight: q.topRight + (q.bottomRight - q.topRight) * 0.12,
      bottomRight: q.bottomRight, bottomLeft: q.bottomLeft)
  }

  @Test func aSideGoesOutToTheWall() {
    let sheet = Quadrilateral(
      topLeft: Point2(470, 100), topRight: Point2(570, 100), bottomRight: Point2(570, 330), bottomLeft: Point2(470, 330)
    )
    for others in [[], [sheet]] {
      let grown = OutlineGrowth(Self.picture).grown(cream, without: others)
      #expect(grown.meanCornerDistance(to: Self.poster) < 1.5, "\(grown)")
    }
  }

  @Test func whatIsRightStays() {
    // Nor does a side cross the wall to the sheet that hangs there.
    let grown = OutlineGrowth(Self.picture).grown(Self.poster)
    #expect(grown.meanCornerDistance(to: Self.poster) < 1e-6)
  }
}
