import Testing
import WaymarkDocuments
import WaymarkGeometry
import WaymarkImage
import WaymarkPipeline

/// Capturing by itself, on a clock of the test's own: 15 frames a second.
@Suite struct PageCaptureTests {
  /// A page with marks of its own: a few dark bars, where `seed` says.
  static func picture(_ seed: Int, shade: UInt8 = 230) -> GrayImage {
    GrayImage(width: 320, height: 240) { out in
      for y in 0..<240 {
        for x in 0..<320 {
          // A hash of place and seed: pages must have nothing in common.
          var hash = UInt64(seed * 1_000_003 + y / 10 * 8191 + x / 12)
          hash = (hash ^ (hash >> 7)) &* 0x9E37_79B9_7F4A_7C15
          let isInk = (hash >> 40) % 2 == 0
          out[y * 320 + x] = isInk ? shade / 6 : shade
        }
      }
    }
  }

  static let outline = Quadrilateral(
    topLeft: Point2(40, 20), topRight: Point2(280, 20), bottomRight: Point2(280, 220), bottomLeft: Point2(40, 220))

  static func moved(_ by: Point2) -> Quadrilateral {
    let c = outline.corners.map { $0 + by }
    return Quadrilateral(topLeft: c[0], topRight: c[1], bottomRight: c[2], bottomLeft: c[3])
  }

  static func sight(_ seed: Int = 1, at offset: Point2 = .zero, score: Double = 0.9) -> PageCapture.Sight {
    let look = picture(seed).withView { PageLook($0, outline: outline) }
    return PageCapture.Sight(outline: moved(offset), score: score, look: look)
  }

  /// Shows frames, 15 a second.
  struct Player {
    var capture = PageCapture()
    var now = 100.0
    var captures: [Double] = []

    mutating func show(_ sight: PageCapture.Sight?, seconds: Double) -> PageCapture.Outcome? {
      var last: PageCapture.Outcome?
      for _ in 0..<Int((seconds * 15).rounded()) {
        let outcome = capture.see(sight, at: now)
        if outcome.captures { captures.append(now) }
        last = outcome
        now += 1.0 / 15
      }
      return last
    }
  }

  @Test func aPageThatRestsIsCapturedOnceWithinASecond() throws {
    var player = Player()
    #expect(player.show(nil, seconds: 1)?.phase == .searching)
    let began = player.now
    let last = player.show(Self.sight(), seconds: 5)
    #expect(player.captures.count == 1)
    let at = try #require(player.captures.first) - began
    #expect(at >= 0.6 && at < 1)
    #expect(last?.phase == .waiting)
    #expect(last?.advice == .nextPage)
  }

  @Test func aPageThatMovesIsNotCaptured() {
    var player = Player()
    // 4 px a frame of a diagonal of 312.
    for step in 0..<60 { _ = player.show(Self.sight(at: Point2(Double(step % 30) * 4, 0)), seconds: 1.0 / 15) }
    #expect(player.captures.isEmpty)
  }

  @Test func tremorDoesNotKeepAPageFromBeingCaptured() {
    var player = Player()
    for step in 0..<20 { _ = player.show(Self.sight(at: Point2(step % 2 == 0 ? 0.5 : -0.5, 0)), seconds: 1.0 / 15) }
    #expect(player.captures.count == 1)
  }

  @Test func aFrameWithoutThePageDoesNotBeginAnew() {
    var player = Player()
    _ = player.show(Self.sight(), seconds: 0.4)
    _ = player.show(nil, seconds: 1.0 / 15)
    _ = player.show(Self.sight(), seconds: 0.4)
    #expect(player.captures.count == 1)
  }

  @Test func theSamePageIsNotCapturedTwice() {
    var player = Player()
    _ = player.show(Self.sight(), seconds: 2)
    _ = player.show(nil, seconds: 1)
    // It comes back elsewhere.
    let last = player.show(Self.sight(at: Point2(20, 10)), seconds: 2)
    #expect(player.captures.count == 1)
    #expect(last?.advice == .alreadyCaptured)
  }

  @Test func theNextPageIsCapturedAfterTheViewHasChanged() {
    var player = Player()
    _ = player.show(Self.sight(1), seconds: 2)
    _ = player.show(nil, seconds: 0.5)
    _ = player.show(Self.sight(2), seconds: 2)
    #expect(player.captures.count == 2)
    // Laid on top of the last one, without the view ever being empty.
    _ = player.show(Self.sight(3), seconds: 3)
    #expect(player.captures.count == 3)
  }

  @Test func whatIsHardlyAPageIsNotCaptured() {
    var player = Player()
    let last = player.show(Self.sight(score: 0.4), seconds: 3)
    #expect(player.captures.isEmpty)
    #expect(last?.phase == .found)
  }

  @Test func aPageThatCannotBeReadIsNotCapturedAndTheReasonIsSaid() {
    var player = Player()
    var dark = Self.sight()
    dark.look = Self.picture(1, shade: 30).withView { PageLook($0, outline: Self.outline) }
    #expect(player.show(dark, seconds: 2)?.advice == .moreLight)
    var cut = Self.sight()
    cut.look.isCut = true
    #expect(player.show(cut, seconds: 2)?.advice == .showWholePage)
    #expect(player.captures.isEmpty)
  }

  @Test func afterTheShutterTheSamePageIsNotCapturedByItself() {
    var player = Player()
    _ = player.show(Self.sight(), seconds: 0.2)
    player.capture.captured(Self.sight())
    _ = player.show(Self.sight(), seconds: 3)
    #expect(player.captures.isEmpty)
    // Unless it was thrown away.
    player.capture.forget()
    _ = player.show(Self.sight(), seconds: 2)
    #expect(player.captures.count == 1)
  }

  @Test func aPageIsKnownAgainTurnedAndInOtherLight() {
    let first = Self.picture(4)
    let marks = first.withView { PageLook($0, outline: Self.outline).marks }
    let dim = GrayImage(width: 320, height: 240) { out in
      first.withView { view in
        for y in 0..<240 { for x in 0..<320 { out[y * 320 + x] = UInt8(Int(view.row(y)[x]) * (400 + x) / 1000) } }
      }
    }
    let q = Self.outline
    let turned = Quadrilateral(
      topLeft: q.bottomRight, topRight: q.bottomLeft, bottomRight: q.topLeft, bottomLeft: q.topRight)
    #expect(dim.withView { PageLook($0, outline: turned).marks }.similarity(to: marks) > 0.86)
    #expect(Self.picture(5).withView { PageLook($0, outline: q).marks }.similarity(to: marks) < 0.5)
  }
}
