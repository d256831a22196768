import Testing
import WaymarkDocuments
import WaymarkImage

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
