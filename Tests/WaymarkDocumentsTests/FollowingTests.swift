import Testing
import WaymarkImage

@testable import WaymarkDocuments

@Suite struct FollowingTests {
  @Test func aPageIsFollowedWhereItMoved() throws {
    let picture = Drawing.photograph(Drawing.slanted)
    let c = Drawing.slanted.corners.map { $0 + Point2(7, -6) }
    let before = Quadrilateral(topLeft: c[0], topRight: c[1], bottomRight: c[2], bottomLeft: c[3])
    let found = try #require(PageDetector().follow(picture, from: before))
    #expect(Drawing.error(found.outline, Drawing.slanted) < 0.01)
    #expect(found.score > 0.5)
  }

  @Test func aFrameThatIsPrintedNearTheEdgeIsNotThePage() throws {
    let page = Quadrilateral(
      topLeft: Point2(150, 60), topRight: Point2(470, 70), bottomRight: Point2(480, 420), bottomLeft: Point2(140, 410))
    let inverse = try #require(Homography(unitSquareTo: page)?.inverse)
    let picture = RGBImage(width: 640, height: 480) { out in
      for y in 0..<480 {
        for x in 0..<640 {
          let p = inverse.apply(Point2(Double(x), Double(y)))
          let depth = min(min(p.x, 1 - p.x) * 330, min(p.y, 1 - p.y) * 350)
          let value: UInt8 = depth < 0 ? 150 : (8..<12).contains(depth) ? 40 : 185
          for c in 0..<3 { out[3 * (y * 640 + x) + c] = value }
        }
      }
    }
    let found = try #require(PageDetector().settle(picture, near: page))
    #expect(Drawing.error(found.outline, page) < 0.006)
  }

  /// A bright cloth that is overexposed here and there, in a light of so many per cent.
  private static func cloth(_ light: Int, page: Bool) -> GrayImage {
    GrayImage(width: 320, height: 240) { out in
      for y in 0..<240 {
        for x in 0..<320 {
          let isPage = page && (100..<220).contains(x) && (60..<200).contains(y)
          let value = isPage ? 170 : (x / 24 + y / 30) % 3 == 0 ? 330 : 215
          out[y * 320 + x] = UInt8(min(255, value * light / 100))
        }
      }
    }
  }

  @Test func anUnreadControlIsNotNew() throws {
    let memory = BackgroundModel()
    for frame in 0..<8 {
      _ = Self.cloth(100, page: false).withView { memory.foreground(in: $0) }
      memory.learn(at: Double(frame) / 15, page: nil)
    }
    let dimmed = Self.cloth(88, page: false).withView { memory.foreground(in: $0)?.share }
    #expect(dimmed == nil)
    let page = try #require(Self.cloth(88, page: true).withView { memory.foreground(in: $0)?.share })
    #expect(abs(page - 120.0 * 140 / (320 * 240)) < 0.03)
  }

  @Test func nothingIsFollowedWhereThePageIsGone() {
    #expect(PageDetector().follow(Drawing.photograph(nil), from: Drawing.slanted) == nil)
  }

  @Test func whatCannotBeAnOutlineIsNotFollowed() {
    let picture = Drawing.photograph(Drawing.slanted)
    let odd = Quadrilateral(
      topLeft: Point2(.nan, 0), topRight: Point2(1, .infinity), bottomRight: .zero, bottomLeft: .zero)
    #expect(PageDetector().follow(picture, from: odd) == nil)
  }

  @Test func sharpnessGlareAndLightAreMeasured() throws {
    let gray = Drawing.photograph(Drawing.slanted)
    let sharp = GrayImage(width: gray.width, height: gray.height) { out in
      for y in 0..<gray.height { for x in 0..<gray.width { out[y * gray.width + x] = gray[x, y].green } }
    }
    let look = sharp.withView { PageQuality($0, outline: Drawing.slanted) }
    let edges = try #require(look.sharpness)
    #expect(edges.across > 0.3 || edges.down > 0.3)
    #expect(look.glare == 0)
    #expect(!look.isCut)
    #expect(look.brightness > 0.8)
    // Out of focus: means over 9 × 9 pixels.
    let soft = GrayImage(width: gray.width, height: gray.height) { out in
      for y in 0..<gray.height {
        for x in 0..<gray.width {
          var (sum, count) = (0, 0)
          for v in max(0, y - 4)...min(gray.height - 1, y + 4) {
            for u in max(0, x - 4)...min(gray.width - 1, x + 4) {
              sum += Int(sharp.withView { $0.row(v)[u] })
              count += 1
            }
          }
          out[y * gray.width + x] = UInt8(sum / count)
        }
      }
    }
    if let blurred = soft.withView({ PageQuality($0, outline: Drawing.slanted) }).sharpness {
      #expect(blurred.across < edges.across * 0.7)
    }
  }

  @Test func theRecordComesBackAsItWent() throws {
    var ledger = DocumentManifest(session: "d1", changed: 1_700_000_000, filter: .blackAndWhite)
    for _ in 0..<3 {
      ledger.pages.append(
        DocumentManifest.Page(
          number: ledger.takeNumber(), width: 1920, height: 1080, outline: Drawing.slanted,
          bends: [0, 0.1, 0, 0, -0.1, 0, 0, 0], filter: .colour, captured: 1_700_000_001, bytes: 123_456))
    }
    ledger.pages[1].removed = 1_700_000_002
    ledger.pages[2].outline = nil
    let read = try DocumentManifest(try ledger.encoded())
    #expect(read == ledger)
    #expect(read.kept.map(\.number) == [1, 3])
    #expect(read.pages[0].outline == Drawing.slanted)
    #expect(read.nextNumber == 4)
  }

  @Test(arguments: [
    ("\"number\":1", "\"number\":9"), ("\"number\":2", "\"number\":1"), ("\"width\":1920", "\"width\":0"),
    ("\"turns\":0", "\"turns\":4"), ("\"version\":1", "\"version\":2"), ("\"corners\":[96", "\"corners\":[1e999"),
    ("\"corners\":[96,110,", "\"corners\":["), ("\"corners\":[96", "\"corners\":[-9e6"),
    ("\"bytes\":5", "\"bytes\":-5"), ("{", "["),
    ("\"next\":3", "\"next\":-3"), ("\"next\":3", "\"next\":2"), ("\"next\":3", "\"next\":9223372036854775807"),
    ("\"changed\":1", "\"changed\":-9223372036854775808"), ("\"captured\":1", "\"captured\":9223372036854775807"),
  ])
  func aRecordThatCannotBeIsRefused(_ change: (String, String)) throws {
    var ledger = DocumentManifest(session: "d1", changed: 1)
    for _ in 0..<2 {
      ledger.pages.append(
        DocumentManifest.Page(
          number: ledger.takeNumber(), width: 1920, height: 1080, outline: Drawing.slanted, filter: .photo, captured: 1,
          bytes: 5))
    }
    let text = String(decoding: try ledger.encoded(), as: UTF8.self)
    guard let range = text.firstRange(of: change.0) else {
      Issue.record("\(change.0) does not stand in \(text)")
      return
    }
    let damaged = text.replacingCharacters(in: range, with: change.1)
    #expect(throws: DocumentManifest.Damage.self) { try DocumentManifest(Array(damaged.utf8)) }
  }
}

extension String {
  fileprivate func replacingCharacters(in range: Range<String.Index>, with text: String) -> String {
    String(self[..<range.lowerBound]) + text + String(self[range.upperBound...])
  }
}

/// Sheets by the shape of what came into view.
@Suite struct SilhouetteTests {
  private static let page = Quadrilateral(
    topLeft: Point2(90, 50), topRight: Point2(230, 58), bottomRight: Point2(222, 175), bottomLeft: Point2(82, 168))

  /// A table, half of which may be brighter, with a sheet and a hand on it.
  private static func frame(page: Quadrilateral?, hasHand: Bool, brighterFrom half: Int = 320) -> GrayImage {
    let sides = page.map { page in
      (0..<4).map { (page.corners[$0], page.corners[($0 + 1) % 4] - page.corners[$0]) }
    }
    return GrayImage(width: 320, height: 240) { out in
      for y in 0..<240 {
        for x in 0..<320 {
          var value = x < half ? 90 : 160
          if let sides, sides.allSatisfy({ $1.cross(Point2(Double(x), Double(y)) - $0) > 0 }) { value = 160 }
          // Three fingers over the corner at the bottom right, and what they belong to.
          if hasHand, (190..<215).contains(x) && y > 150 || (218..<236).contains(x) && y > 140 { value = 120 }
          if hasHand, (180..<250).contains(x) && y > 205 { value = 125 }
          out[y * 320 + x] = UInt8(value + (x * 7 + y * 13) % 3)
        }
      }
    }
  }

  /// Makes a model that remembers a table and has compared a frame with it.
  private static func memory(_ table: GrayImage, then frame: GrayImage) -> BackgroundModel {
    let memory = BackgroundModel()
    for i in 0..<12 {
      _ = table.withView { memory.foreground(in: $0) }
      memory.learn(at: Double(i) / 15, page: nil)
    }
    _ = frame.withView { memory.foreground(in: $0) }
    return memory
  }

  @Test func aHandOverACornerIsNoPartOfTheSheet() throws {
    let memory = Self.memory(
      Self.frame(page: nil, hasHand: false), then: Self.frame(page: Self.page, hasHand: true))
    let sheet = try #require(memory.sheet())
    #expect(sheet.fitScore > 0.7)
    for (found, corner) in zip(sheet.outline.corners, Self.page.corners) { #expect(found.distance(to: corner) < 4) }
    #expect(memory.isForeground(sheet.outline, everySide: true))
    // A side that runs along a finger leaves a part of the sheet outside.
    let cut = Quadrilateral(
      topLeft: Self.page.topLeft, topRight: Self.page.topRight, bottomRight: Point2(226, 138),
      bottomLeft: Self.page.bottomLeft)
    #expect((memory.fitScore(of: cut) ?? 0) < sheet.fitScore - 0.1)
  }

  @Test func aHandAloneIsNoSheet() {
    let memory = Self.memory(Self.frame(page: nil, hasHand: false), then: Self.frame(page: nil, hasHand: true))
    #expect((memory.sheet()?.fitScore ?? 0) < 0.6)
  }

  @Test func aSheetThatGoesOnWhereTheTableIsAsBrightIsNotWhole() throws {
    let half = 150
    let memory = Self.memory(
      Self.frame(page: nil, hasHand: false, brighterFrom: half),
      then: Self.frame(page: Self.page, hasHand: false, brighterFrom: half))
    let part = try #require(memory.sheet())
    #expect(part.outline.topRight.x < 160)
    #expect(!memory.isForeground(part.outline, everySide: true))
  }
}
