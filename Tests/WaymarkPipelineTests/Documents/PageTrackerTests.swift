import Testing
import WaymarkDocuments
import WaymarkFrames
import WaymarkImage
import WaymarkProtocol
import WaymarkService

@testable import WaymarkStation

/// Frames of a camera over a table, 15 a second, played to what follows and captures pages.
@Suite struct PageTrackerTests {
  /// A frame of these gray levels and noise.
  private static func frame(_ number: Int, gray: (_ x: Int, _ y: Int) -> Int, light: Int = 100) -> Frame {
    let image = GrayImage(width: 320, height: 240) { out in
      for y in 0..<240 {
        for x in 0..<320 {
          let noise = Int(scrambled(number * 99_991 + y * 331 + x, by: 9) % 5)
          out[y * 320 + x] = UInt8((gray(x, y) + noise) * light / 100)
        }
      }
    }
    return Frame(origin: .camera, sequence: UInt64(number), captured: Double(number) / 15, image: image)
  }

  /// The corners of a page and the sides that begin at them.
  private static func sides(_ page: Quadrilateral) -> [(Point2, Point2)] {
    let corners = page.corners
    return (0..<4).map { (corners[$0], corners[($0 + 1) % 4] - corners[$0]) }
  }

  private static func isInside(_ sides: [(Point2, Point2)]?, _ x: Int, _ y: Int) -> Bool {
    sides?.allSatisfy { $1.cross(Point2(Double(x), Double(y)) - $0) > 0 } ?? false
  }

  /// A page that is 30 gray levels brighter than the mean of a table of patches of all kinds, where edges are everywhere.
  private static func frame(_ number: Int, page: Quadrilateral?) -> Frame {
    let sides = page.map(sides)
    return frame(number) { x, y in
      if isInside(sides, x, y) {
        return y % 12 < 4 && x % 17 < 13 && (70..<190).contains(y) ? 60 : 150
      }
      return 60 + Int(scrambled(y / 11 * 4099 + (x + y / 3) / 13, by: 5) % 120)
    }
  }

  private static let outline = Quadrilateral(
    topLeft: Point2(90, 50), topRight: Point2(230, 58), bottomRight: Point2(222, 205), bottomLeft: Point2(82, 198))

  /// The frames in which something was captured, and where.
  private static func shots(_ pages: [Quadrilateral?]) throws -> [(frame: UInt64, outline: Quadrilateral?)] {
    let seeker = PageTracker(try PageModels.load())
    return pages.enumerated().compactMap { index, page in
      seeker.look(frame(index, page: page), DocumentTask(generation: 1))?.shot.map { ($0.sequence, $0.outline) }
    }
  }

  @Test func aPageOnAWildPatternIsFoundByWhatCameIntoView() throws {
    let shots = try Self.shots(
      [Quadrilateral?](repeating: nil, count: 15) + [Quadrilateral?](repeating: Self.outline, count: 15))
    #expect(shots.count == 1)
    let shot = try #require(shots.first)
    let found = try #require(shot.outline)
    for corner in Self.outline.corners {
      let nearest = found.corners.map { $0.distance(to: corner) }.min() ?? .infinity
      #expect(nearest < 6)
    }
  }

  @Test func aCapturedPageIsHandedOverWithTheOutlineThatItsColoursGive() throws {
    let settled = Self.outline.scaled(by: 0.5)
    let models = try PageModels.load()
    func shots(size: (width: Int, height: Int)) -> [PageShot] {
      let tracker = PageTracker(
        models,
        colours: PageColours(
          find: { _, _ in nil },
          settle: { _, near in
            near.map { _ in .init(outline: settled, bends: [0.5], score: 1, width: size.width, height: size.height) }
          }))
      return (0..<30).compactMap { index in
        tracker.look(Self.frame(index, page: index < 15 ? nil : Self.outline), DocumentTask(generation: 1))?.shot
      }
    }
    let shot = try #require(shots(size: (320, 240)).first)
    #expect(shot.outline == settled && shot.bends == [0.5])
    // What another picture shows is not a place in this one.
    let other = try #require(shots(size: (640, 480)).first)
    #expect(other.outline != nil && other.outline != settled && other.bends == nil)
  }

  @Test func thePlaceFromWhereAPageWasTakenIsNone() throws {
    // It lies there from the beginning, and is part of what is remembered.
    let shots = try Self.shots(
      [Quadrilateral?](repeating: Self.outline, count: 20) + [Quadrilateral?](repeating: nil, count: 60))
    let late = shots.filter { $0.frame >= 20 }.count
    #expect(late == 0)
  }

  /// An even table, and sheets that are as even.
  private static func bare(_ number: Int, _ page: Quadrilateral?, light: Int) -> Frame {
    let sides = page.map(sides)
    return frame(number, gray: { x, y in isInside(sides, x, y) ? 220 : 110 }, light: light)
  }

  /// The shadow that a sheet casts to the right and below comes into view with it, and does not belong to it.
  @Test(arguments: [6, 12, 20]) func aSheetIsCapturedWithoutItsShadow(_ width: Int) throws {
    let sides = Self.sides(Self.outline)
    let seeker = PageTracker(try PageModels.load())
    var shots: [Quadrilateral?] = []
    for number in 0..<35 {
      let frame = Self.frame(
        number,
        gray: { x, y in
          guard number >= 15 else { return 130 }
          if Self.isInside(sides, x, y) {
            return y % 12 < 4 && x % 17 < 13 && (70..<190).contains(y) && (105..<210).contains(x) ? 60 : 210
          }
          return Self.isInside(sides, x - width, y - width) ? 95 : 130
        })
      if let shot = seeker.look(frame, DocumentTask(generation: 1))?.shot { shots.append(shot.outline) }
    }
    #expect(shots.count == 1)
    let found = try #require(shots.first ?? nil)
    for corner in Self.outline.corners {
      #expect(found.corners.map { $0.distance(to: corner) }.min() ?? .infinity < 4)
    }
  }

  @Test func aShutterThatWasPressedBeforeTheFirstFrameTakesIt() throws {
    let seeker = PageTracker(try PageModels.load())
    let pressed = DocumentTask(generation: 1, shots: 1)
    #expect(seeker.look(Self.bare(0, nil, light: 100), pressed)?.shot != nil)
    #expect(seeker.look(Self.bare(1, nil, light: 100), pressed)?.shot == nil)
    // So does that of another session, although the one before had been pressed as often.
    #expect(seeker.look(Self.bare(2, nil, light: 100), DocumentTask(generation: 2, shots: 1))?.shot != nil)
    #expect(seeker.look(Self.bare(3, nil, light: 100), DocumentTask(generation: 3))?.shot == nil)
  }

  @Test func aBlankSheetThatFillsMostOfThePictureIsCaptured() throws {
    let large = Quadrilateral(
      topLeft: Point2(14, 10), topRight: Point2(306, 12), bottomRight: Point2(304, 230), bottomLeft: Point2(16, 228))
    let seeker = PageTracker(try PageModels.load())
    let shots = (0..<40).filter {
      seeker.look(Self.bare($0, $0 < 15 ? nil : large, light: 100), DocumentTask(generation: 1))?.shot != nil
    }
    #expect(shots.count == 1)
    // Another light on what has been lying there brings nothing.
    let other = PageTracker(try PageModels.load())
    let late = (0..<60).filter {
      other.look(Self.bare($0, large, light: $0 < 30 ? 50 : 100), DocumentTask(generation: 1))?.shot != nil
    }
    #expect(late.isEmpty)
  }

  @Test func aWildPatternIsNoPage() throws {
    let shots = try Self.shots([Quadrilateral?](repeating: nil, count: 40))
    #expect(shots.count == 0)
  }
}
