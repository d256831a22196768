import Testing
import WaymarkGeometry
import WaymarkImage

@testable import WaymarkPosters

@Suite struct IlluminationModelTests {
  private static let outline = Quadrilateral(
    topLeft: Point2(90, 70), topRight: Point2(310, 80), bottomRight: Point2(300, 240), bottomLeft: Point2(95, 235))

  /// A poster with a dark lower half on a wall, light falling off to the right.
  private func picture(_ wall: (Int, Int) -> Double) -> GrayImage {
    GrayImage(width: 400, height: 300) { out in
      for i in out.indices {
        let (x, y) = (i % 400, i / 400)
        let inside = Self.outline.contains(Point2(Double(x), Double(y)))
        let paint = inside ? (y > 150 ? 70.0 : 190.0) : wall(x, y)
        let light = Double.exponential(-0.6 * Double(x) / 400)
        out[i] = UInt8(min(max((paint * light).rounded(), 0), 255))
      }
    }
  }

  @Test func aBareWallTellsHowTheLightFalls() throws {
    let picture = picture { x, y in 180 + Double((x * 7 + y * 13) % 5) }
    let light = try #require(picture.withView { IlluminationModel($0, around: Self.outline) })
    // Over the poster's 220 pixels; its dark half is print, not shadow.
    #expect(abs(light.unevenness - Double.exponential(0.6 * 220 / 400)) < 0.08)
    let poster = RGBImage(
      GrayImage(width: 220, height: 100) { out in
        for i in out.indices { out[i] = UInt8(180 * Double.exponential(-0.6 * Double(i % 220) / 400)) }
      })
    let even = light.evened(poster)
    let levels = [even[3, 50], even[110, 50], even[216, 50]].map { Int($0.green) }
    #expect((levels.max() ?? 0) - (levels.min() ?? 0) <= 6)
  }

  @Test func aPatternedWallTellsNothing() {
    let stripes = picture { x, y in (x / 24 + y / 24) % 2 == 0 ? 200 : 90 }
    #expect(stripes.withView { IlluminationModel($0, around: Self.outline) } == nil)
    // Nor does one that is hardly in the picture.
    let near = Quadrilateral(
      topLeft: Point2(1, 1), topRight: Point2(398, 1), bottomRight: Point2(398, 298), bottomLeft: Point2(1, 298))
    #expect(stripes.withView { IlluminationModel($0, around: near) } == nil)
  }
}
