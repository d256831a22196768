import Testing
import WaymarkImage

@testable import WaymarkDocuments

struct PageDetectorTests {
  @Test func findsThePageToAPixelOrTwo() throws {
    let page = try #require(PageDetector().detect(Drawing.photograph(Drawing.slanted)))
    #expect(Drawing.error(page.outline, Drawing.slanted) < 0.005)
    #expect(page.score > 0.8)
    // The corner that is top left in the picture comes first.
    #expect(page.outline.topLeft.distance(to: Drawing.slanted.topLeft) < 4)
  }

  @Test func findsItInGray() throws {
    let picture = Drawing.photograph(Drawing.slanted)
    let gray = GrayImage(width: picture.width, height: picture.height) { out in
      for i in out.indices { out[i] = picture[i % picture.width, i / picture.width].green }
    }
    let page = try #require(gray.withView { PageDetector().detect($0) })
    #expect(Drawing.error(page.outline, Drawing.slanted) < 0.005)
  }

  @Test func findsPaperOfAnyColour() throws {
    for paper in [SIMD3<Double>(40, 60, 130), SIMD3(200, 170, 60), SIMD3(120, 120, 120)] {
      let picture = Drawing.photograph(Drawing.slanted, paper: paper, ground: { _, _ in SIMD3(225, 220, 214) })
      #expect(Drawing.error(PageDetector().detect(picture)?.outline, Drawing.slanted) < 0.01)
    }
  }

  @Test func findsWhiteOnWhite() throws {
    let picture = Drawing.photograph(Drawing.slanted, ground: { _, _ in SIMD3(214, 213, 210) })
    #expect(Drawing.error(PageDetector().detect(picture)?.outline, Drawing.slanted) < 0.01)
  }

  @Test func takesNoStripesForSides() throws {
    let picture = Drawing.photograph(
      Drawing.slanted, ground: { x, y in (x + 2 * y) / 24 % 2 == 0 ? SIMD3(60, 90, 150) : SIMD3(170, 150, 60) })
    #expect(Drawing.error(PageDetector().detect(picture)?.outline, Drawing.slanted) < 0.01)
  }

  @Test func takesNoTableOnThePageForThePage() throws {
    let picture = Drawing.photograph(Drawing.slanted, table: true)
    #expect(Drawing.error(PageDetector().detect(picture)?.outline, Drawing.slanted) < 0.01)
  }

  @Test func takesNoHalfOfAFoldedSheetForThePage() throws {
    // One half lies in the shade, and the fold dips: its halves have straight sides, the sheet has not.
    let left = Quadrilateral(
      topLeft: Point2(90, 120), topRight: Point2(240, 150), bottomRight: Point2(250, 520), bottomLeft: Point2(80, 500))
    let right = Quadrilateral(
      topLeft: Point2(240, 150), topRight: Point2(400, 110), bottomRight: Point2(400, 506), bottomLeft: Point2(250, 520)
    )
    let sheet = Quadrilateral(
      topLeft: left.topLeft, topRight: right.topRight, bottomRight: right.bottomRight, bottomLeft: left.bottomLeft)
    let half = Drawing.photograph(left)
    let picture = Drawing.photograph(
      right, paper: SIMD3(176, 173, 167),
      ground: { x, y in
        let pixel = half[x, y]
        return SIMD3(Double(pixel.red), Double(pixel.green), Double(pixel.blue))
      })
    #expect(Drawing.error(PageDetector().detect(picture)?.outline, sheet) < 0.03)
  }

  @Test func considersNothingThatGoesOnBeyondThreeSides() {
    // The lower edge of a label or cover from near by, not quite straight: no line, but an area.
    let (width, height) = (480.0, 640.0)
    let picture = Drawing.photograph(
      nil,
      ground: { x, y in
        let edge = 520 + 14 * Double.sine(Double(x) * .pi / width)
        return Double(y) > edge ? SIMD3(110, 80, 50) : SIMD3(225, 222, 215)
      })
    let considered = PageDetector().evidence(in: picture).first
    for outline in considered.map(\.outline) {
      let cut = (0..<4).count { side in
        let (a, b) = (outline.corners[side], outline.corners[(side + 1) % 4])
        return max(a.x, b.x) < 4 || max(a.y, b.y) < 4 || min(a.x, b.x) > width - 5 || min(a.y, b.y) > height - 5
      }
      #expect(cut <= 2)
    }
  }

  @Test func findsAPageTurnedByAnyAngle() throws {
    let center = Point2(240, 320)
    for degrees in stride(from: 0.0, to: 180, by: 36) {
      let (c, s) = (Double.cosine(degrees * .pi / 180), Double.sine(degrees * .pi / 180))
      func turned(_ x: Double, _ y: Double) -> Point2 { center + Point2(c * x - s * y, s * x + c * y) }
      let outline = Quadrilateral(
        topLeft: turned(-130, -184), topRight: turned(130, -184), bottomRight: turned(130, 184),
        bottomLeft: turned(-130, 184))
      let page = try #require(PageDetector().detect(Drawing.photograph(outline)), "\(degrees)")
      #expect(Drawing.error(page.outline, outline) < 0.008, "\(degrees)")
      #expect(page.outline.isConvex)
    }
  }

  @Test func findsNothingWhereNoPageIs() {
    var state: UInt64 = 3
    func random() -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(state >> 33) / Double(1 << 31)
    }
    #expect(PageDetector().detect(Drawing.photograph(nil)) == nil)
    #expect(
      PageDetector().detect(Drawing.photograph(nil, ground: { x, y in SIMD3(repeating: Double(x + y) / 6) })) == nil)
    #expect(
      PageDetector().detect(Drawing.photograph(nil, ground: { _, _ in SIMD3(repeating: 40 + 180 * random()) })) == nil)
    let stripes = Drawing.photograph(nil, ground: { x, _ in SIMD3(repeating: x / 30 % 2 == 0 ? 60 : 190) })
    #expect(PageDetector().detect(stripes) == nil)
  }

  @Test func standsPicturesOfAnySize() {
    let detector = PageDetector()
    for (width, height) in [(0, 0), (1, 1), (1, 900), (900, 1), (23, 23), (24, 24), (5000, 3), (37, 4001)] {
      #expect(detector.detect(RGBImage(width: width, height: height) { $0.update(repeating: 90) }) == nil)
    }
    // A view seen before leaves no trace.
    #expect(Drawing.error(detector.detect(Drawing.photograph(Drawing.slanted))?.outline, Drawing.slanted) < 0.005)
  }
}

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

  @Test func reportsASecondPage() throws {
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

  @Test func findsNoSecondPageBesideASinglePage() throws {
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
