import Testing
import WaymarkImage

@testable import WaymarkBarcodes

/// Borders between dark and light.
@Suite struct ContoursTests {
  /// Dark rectangles on light, by their first and last pixels; where two of them lie over each other it is light.
  private func picture(_ rectangles: [(x: ClosedRange<Int>, y: ClosedRange<Int>)]) -> GrayImage {
    GrayImage(width: 67, height: 45) { pixels in
      for y in 0..<45 {
        for x in 0..<67 {
          let count = rectangles.count { $0.x.contains(x) && $0.y.contains(y) }
          pixels[y * 67 + x] = count % 2 == 1 ? 30 : 220
        }
      }
    }
  }

  private func polygons(_ image: GrayImage) -> [Contours.Polygon] {
    image.withView { Contours($0, levels: BlockMean($0), isFine: false).polygons }
  }

  /// The cracks of a border go round it once, wherever it lies: at the rim of the picture, or beside a multiple of eight pixels.
  @Test(arguments: [0, 1, 7, 8, 9, 15, 31])
  func aRectangleIsFollowedOnce(_ left: Int) throws {
    let found = polygons(picture([(left...(left + 35), 0...20)]))
    #expect(found.count == 1)
    let border = try #require(found.first)
    #expect(border.points.count == 2 * (36 + 21))
    let (low, high) = (
      border.points.reduce(Point2(99, 99), pointwiseMin), border.points.reduce(Point2(-99, -99), pointwiseMax)
    )
    #expect(low == [Double(left) - 0.5, -0.5])
    #expect(high == [Double(left) + 35.5, 20.5])
    #expect(border.corners.count == 4)
  }

  @Test func aRingHasTwoBorders() {
    #expect(polygons(picture([(10...50, 8...40), (18...40, 16...30)])).count == 2)
  }

  @Test func theLastColumnAndRowBelongToThePicture() {
    let found = polygons(picture([(30...66, 20...44)]))
    #expect(found.map(\.points.count) == [2 * (37 + 25)])
  }
}
