import Testing
import WaymarkDocuments
import WaymarkImage
import WaymarkProtocol
import WaymarkService

@testable import WaymarkStation

/// Twenty-four bits that look like chance, the same for the same place of a picture.
func scrambled(_ place: Int, by shift: UInt64 = 7) -> UInt64 {
  let hash = UInt64(place)
  return ((hash ^ (hash >> shift)) &* 0x9E37_79B9_7F4A_7C15) >> 40
}

/// Capturing by itself, on a clock of the test's own: 15 frames a second.
@Suite struct PageCaptureTests {
  /// A page with marks of its own: a few dark bars, where `seed` says.
  static func picture(_ seed: Int, shade: UInt8 = 230) -> GrayImage {
    GrayImage(width: 320, height: 240) { out in
      for y in 0..<240 {
        for x in 0..<320 {
          // A hash of place and seed: pages must have nothing in common.
          let place: Int = seed * 1_000_003 + y / 10 * 8191 + x / 12
          let isInk: Bool = scrambled(place) % 2 == 0
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

  static func sight(_ seed: Int = 1, at offset: Point2 = .zero, score: Double = 0.9) -> PageCapture.Observation {
    let look = picture(seed).withView { PageQuality($0, outline: outline) }
    return PageCapture.Observation(outline: moved(offset), score: score, look: look)
  }

  /// Shows frames, 15 a second.
  struct Player {
    var capture = PageCapture()
    var now = 100.0
    var captures: [Double] = []

    mutating func show(_ sight: PageCapture.Observation?, changedFraction: Double = 1, seconds: Double) -> PageCapture
      .Outcome?
    {
      var last: PageCapture.Outcome?
      for _ in 0..<Int((seconds * 15).rounded()) {
        let outcome = capture.see(sight, changedFraction: changedFraction, at: now)
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

  @Test func framesThatComeSlowlyAreEnough() {
    var capture = PageCapture()
    let captures = (0..<12).filter { capture.see(Self.sight(), at: 100 + 0.5 * Double($0)).captures }
    #expect(captures.count == 1)
  }

  /// A captured picture was seen while the page was at rest, however sharp it was on its way.
  @Test func whatIsTakenIsOfTheTimeOfRest() throws {
    var capture = PageCapture()
    var (now, kept, taken) = (100.0, -1.0, [Double]())
    for step in 0..<60 {
      // It comes in slowly, 5 % of its diagonal a second, and stops after two seconds.
      let outcome = capture.see(Self.sight(at: Point2(min(2, Double(step) / 15) * 15.6, 0)), at: now)
      if outcome.keeps { kept = now }
      if outcome.captures { taken.append(kept) }
      now += 1.0 / 15
    }
    #expect(taken.count == 1)
    #expect(try #require(taken.first) >= 101.5)
  }

  @Test func tremorDoesNotKeepAPageFromBeingCaptured() {
    var player = Player()
    for step in 0..<20 { _ = player.show(Self.sight(at: Point2(step % 2 == 0 ? 0.5 : -0.5, 0)), seconds: 1.0 / 15) }
    #expect(player.captures.count == 1)
  }

  @Test func whatFindingErrsByDoesNotKeepAPageFromBeingCaptured() {
    var player = Player()
    // Up to 5 px of a diagonal of 312 in single frames, on an unsteady way around where it is.
    let errors = [(3, -4), (-4, 2), (1, 5), (-2, -3), (4, 1), (-3, 3), (2, -5), (0, 2), (-1, -1)]
    for step in 0..<24 {
      let (x, y) = errors[step % errors.count]
      _ = player.show(Self.sight(at: Point2(Double(x), Double(y))), seconds: 1.0 / 15)
    }
    #expect(player.captures.count == 1)
  }

  /// The same page with one corner, or with a side, where a finger or a line of print was taken for its end.
  private static func mistaken(_ corners: Int) -> PageCapture.Observation {
    var (sight, c) = (Self.sight(), outline.corners)
    for i in 0..<corners { c[i] = c[i] + Point2(30, 25) }
    sight.outline = Quadrilateral(topLeft: c[0], topRight: c[1], bottomRight: c[2], bottomLeft: c[3])
    return sight
  }

  @Test(arguments: [1, 2]) func anOutlineThatIsWrongNowAndThenCostsNoTime(_ corners: Int) throws {
    var (capture, now) = (PageCapture(), 100.0)
    var (kept, taken): (PageCapture.Observation?, [(at: Double, sight: PageCapture.Observation?)]) = (nil, [])
    for step in 0..<30 {
      let sight = [0, 3, 4].contains(step % 8) ? Self.mistaken(corners) : Self.sight()
      let outcome = capture.see(sight, at: now)
      if outcome.keeps { kept = sight }
      if outcome.captures { taken.append((now, kept)) }
      now += 1.0 / 15
    }
    #expect(taken.count == 1)
    let first = try #require(taken.first)
    #expect(first.at - 100 < 1)
    #expect(first.sight?.outline == Self.outline)
  }

  @Test func whatIsOnlyOnceInAWhileCutOffIsCaptured() {
    var player = Player()
    var cut = Self.sight()
    cut.look.isCut = true
    for _ in 0..<5 {
      _ = player.show(Self.sight(), seconds: 0.2)
      _ = player.show(cut, seconds: 1.0 / 15)
    }
    #expect(player.captures.count == 1)
  }

  @Test func aPageWhoseOutlineIsMendedWhileLittleStirsIsNotCapturedAgain() {
    var player = Player()
    _ = player.show(Self.sight(1), changedFraction: 0.01, seconds: 1)
    // The contents within another outline differ from those within the first.
    let mended = Self.sight(2, at: Point2(60, 60))
    _ = player.show(mended, changedFraction: 0.01, seconds: 3)
    #expect(player.captures.count == 1)
    _ = player.show(mended, changedFraction: 0.2, seconds: 3)
    #expect(player.captures.count == 2)
  }

  @Test func aPageIsNotCapturedBeforeItRests() throws {
    var player = Player()
    // It is moved in, more and more slowly, and lies still from the twentieth frame on.
    for step in 0..<20 {
      let left = Double(20 - step) * Double(20 - step) * 0.5
      _ = player.show(Self.sight(at: Point2(-left, 0)), seconds: 1.0 / 15)
    }
    let rests = player.now
    #expect(player.captures.isEmpty)
    _ = player.show(Self.sight(), seconds: 1)
    let at = try #require(player.captures.first)
    #expect(at > rests + 0.3 && at < rests + 1)
  }

  @Test func aSmallReceiptIsCapturedAndNearerIsSaid() {
    var player = Player()
    var small = Self.sight()
    small.look.share = 0.05
    #expect(player.show(small, seconds: 0.5)?.advice == .moveCloser)
    _ = player.show(small, seconds: 0.5)
    #expect(player.captures.count == 1)
    var tiny = Self.sight(2)
    tiny.look.share = 0.02
    _ = player.show(nil, seconds: 1)
    _ = player.show(tiny, seconds: 2)
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

  /// A sheet laid over another: for a moment no page is visible, shorter than after a page was taken away.
  @Test func aSheetLaidOverAnotherIsCaptured() {
    var player = Player()
    _ = player.show(Self.sight(), seconds: 2)
    for _ in 0..<4 {
      _ = player.capture.see(nil, changedFraction: 0.4, at: player.now)
      player.now += 1.0 / 15
    }
    _ = player.show(Self.sight(2), changedFraction: 0.01, seconds: 2)
    #expect(player.captures.count == 2)
  }

  @Test func aPageThatCannotBeReadIsNotCapturedAndTheReasonIsSaid() {
    var player = Player()
    var dark = Self.sight()
    dark.look = Self.picture(1, shade: 30).withView { PageQuality($0, outline: Self.outline) }
    #expect(player.show(dark, seconds: 2)?.advice == .moreLight)
    var cut = Self.sight()
    cut.look.isCut = true
    #expect(player.show(cut, seconds: 2)?.advice == .showWholePage)
    #expect(player.captures.isEmpty)
    // Dark paper is not in the dark, but what has always been there is a mat.
    dark.look.light = 0.6
    dark.isNewInView = false
    _ = player.show(dark, seconds: 2)
    #expect(player.captures.isEmpty)
    dark.isNewInView = true
    _ = player.show(dark, seconds: 2)
    #expect(player.captures.count == 1)
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
    let marks = first.withView { PageQuality($0, outline: Self.outline).marks }
    let dim = GrayImage(width: 320, height: 240) { out in
      first.withView { view in
        for y in 0..<240 { for x in 0..<320 { out[y * 320 + x] = UInt8(Int(view.row(y)[x]) * (400 + x) / 1000) } }
      }
    }
    let q = Self.outline
    let turned = Quadrilateral(
      topLeft: q.bottomRight, topRight: q.bottomLeft, bottomRight: q.topLeft, bottomLeft: q.topRight)
    #expect(dim.withView { PageQuality($0, outline: turned).marks }.similarity(to: marks) > 0.86)
    #expect(Self.picture(5).withView { PageQuality($0, outline: q).marks }.similarity(to: marks) < 0.5)
  }

  /// Lines of words, of which `seed` says where each begins and ends: the same lines for every seed.
  private static func text(_ seed: Int) -> GrayImage {
    GrayImage(width: 640, height: 480) { out in
      for y in 0..<480 {
        for x in 0..<640 {
          let place: Int = seed * 1_000_003 + y / 12 * 8191 + x / 9
          let isInside: Bool = (90..<550).contains(x) && (60..<420).contains(y)
          let isInk: Bool = y % 12 < 5 && isInside && scrambled(place) % 3 > 0
          out[y * 640 + x] = isInk ? 50 : 225
        }
      }
    }
  }

  private static func outline(_ errors: [(Double, Double)]) -> Quadrilateral {
    let c = zip([(60.0, 40.0), (580, 40), (580, 440), (60, 440)], errors).map { Point2($0.0 + $1.0, $0.1 + $1.1) }
    return Quadrilateral(topLeft: c[0], topRight: c[1], bottomRight: c[2], bottomLeft: c[3])
  }

  @Test func aPageIsKnownAgainWhenItsCornersAreOffAndOtherWordsInTheSameLinesAreNot() {
    let exact = Self.outline([(0, 0), (0, 0), (0, 0), (0, 0)])
    let off = Self.outline([(7, -5), (-6, 4), (5, 7), (-4, -6)])
    let first = Self.text(1).withView { PageQuality($0, outline: exact).marks }
    let again = Self.text(1).withView { PageQuality($0, outline: off).marks }
    let other = Self.text(2).withView { PageQuality($0, outline: exact).marks }
    #expect(again.similarity(to: first) < 0.86)
    #expect(again.isSame(as: first) && first.isSame(as: again))
    #expect(!other.isSame(as: first))
  }

  /// A table to be filled in, the first column printed; `seed` says what is written into the others.
  private static func form(_ seed: Int) -> GrayImage {
    GrayImage(width: 640, height: 480) { out in
      for y in 0..<480 {
        for x in 0..<640 {
          let written: Int = x < 150 ? 0 : seed
          let place: Int = written * 1_000_003 + y / 24 * 8191 + x / 7
          let isInside: Bool = (90..<550).contains(x) && (60..<420).contains(y)
          let isRule: Bool = y % 24 == 20 || [150, 151, 330, 331].contains(x)
          let isWord: Bool = (6..<15).contains(y % 24) && scrambled(place) % 2 > 0
          out[y * 640 + x] = isInside && (isRule || isWord) ? 50 : 225
        }
      }
    }
  }

  @Test func tablesThatAreFilledInOtherwiseAreOtherPages() {
    let exact = Self.outline([(0, 0), (0, 0), (0, 0), (0, 0)])
    let pages = (1...3).map { Self.form($0).withView { PageQuality($0, outline: exact).marks } }
    #expect(!pages[0].isSame(as: pages[1]) && !pages[0].isSame(as: pages[2]) && !pages[1].isSame(as: pages[2]))
  }

  @Test func aPageIsKnownAgainWithFingersOverIt() {
    let exact = Self.outline([(0, 0), (0, 0), (0, 0), (0, 0)])
    let bare = Self.text(1)
    let held = GrayImage(width: 640, height: 480) { out in
      for y in 0..<480 {
        for x in 0..<640 {
          out[y * 640 + x] = x > 430 && (330..<400).contains(y) ? 120 : bare.withView { $0.row(y)[x] }
        }
      }
    }
    let marks = [bare, held].map { $0.withView { PageQuality($0, outline: exact).marks } }
    #expect(marks[1].isSame(as: marks[0]) && marks[0].isSame(as: marks[1]))
  }

  @Test func aBareRectangleThatHasAlwaysBeenThereIsTheTables() {
    let bare = GrayImage(width: 320, height: 240) { out in for i in 0..<(320 * 240) { out[i] = 200 } }
    let look = bare.withView { PageQuality($0, outline: Self.outline) }
    var player = Player()
    var sight = PageCapture.Observation(outline: Self.outline, score: 0.9, look: look, isNewInView: false)
    #expect(player.show(sight, seconds: 3)?.phase == .found)
    #expect(player.captures.isEmpty)
    _ = player.show(nil, seconds: 1)
    sight.isNewInView = true
    _ = player.show(sight, seconds: 3)
    #expect(player.captures.count == 1)
  }
}
