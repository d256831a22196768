import Testing
import WaymarkImage

@testable import WaymarkDocuments

/// Two sheets in one picture.
struct FurtherPagesTests {
  private static let left = Quadrilateral(
    topLeft: Point2(40, 70), topRight: Point2(290, 60), bottomRight: Point2(300, 420), bottomLeft: Point2(30, 410))
  private static let right = Quadrilateral(
    topLeft: Point2(370, 120), topRight: Point2(570, 130), bottomRight: Point2(560, 400), bottomLeft: Point2(365, 390))

  /// A sheet with writing, and another with some bars.
  private static func scene(_ second: Quadrilateral?) -> RGBImage {
    Drawing.photograph(
      left, width: 640, height: 480,
      ground: { x, y in
        guard let second, second.contains(Point2(Double(x), Double(y))) else { return SIMD3(90, 70, 55) }
        let isInk = second.contains(Point2(Double(x), Double(y)), margin: 20) && y % 14 < 5 && x % 40 < 31
        return isInk ? SIMD3(60, 60, 60) : SIMD3(230, 228, 222)
      })
  }

  @Test func tellsASecondPage() throws {
    let detector = PageDetector()
    let scene = Self.scene(Self.right)
    let first = try #require(detector.detect(scene))
    let others = detector.others(beside: first)
    #expect(others.count == 1)
    let found = [first.outline] + others.map(\.outline)
    for sheet in [Self.left, Self.right] {
      #expect(found.contains { Drawing.error($0, sheet) < 0.02 })
    }
    #expect(Drawing.error(first.outline, Self.left) < 0.012, "the larger one comes first")
  }

  @Test func tellsNoneWhereThereIsOne() throws {
    let detector = PageDetector()
    let first = try #require(detector.detect(Self.scene(nil)))
    #expect(detector.others(beside: first).isEmpty)
    // A table printed on a page is not a page beside it.
    let form = Drawing.photograph(Drawing.slanted, table: true)
    let page = try #require(detector.detect(form))
    #expect(detector.others(beside: page).isEmpty)
  }

  @Test func sharesAreAreas() {
    let square = Quadrilateral(width: 10, height: 10)
    let half = Quadrilateral(
      topLeft: Point2(5, -0.5), topRight: Point2(20, -0.5), bottomRight: Point2(20, 9.5), bottomLeft: Point2(5, 9.5))
    #expect(abs(square.share(in: [half]) - 0.45) < 0.1)
    #expect(square.share(in: [square]) == 1)
    #expect(square.share(in: []) == 0)
  }
}
