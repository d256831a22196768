import Testing
import WaymarkGeometry
import WaymarkImage

@testable import WaymarkPosters

@Suite struct PosterFinderTests {
  private typealias Colour = SIMD3<Double>

  private static let outline = Quadrilateral(
    topLeft: Point2(120, 90), topRight: Point2(430, 105), bottomRight: Point2(420, 330), bottomLeft: Point2(112, 322))
  private static let sheet = Quadrilateral(
    topLeft: Point2(480, 140), topRight: Point2(580, 143), bottomRight: Point2(577, 285), bottomLeft: Point2(478, 280))

  /// A photograph of 640 × 420 pixels under light that falls off, drawn with nine samples a pixel.
  ///
  /// - Parameters:
  ///   - wall: its colour at a pixel.
  ///   - poster: its colour at a place of the unit square; `nil` shows the wall.
  private func photograph(
    sheet: Bool = false, wall: (Double, Double) -> Colour = { _, _ in Colour(150, 180, 160) },
    poster: (Point2) -> Colour?
  ) throws -> RGBImage {
    let unit = Quadrilateral(width: 1, height: 1)
    let map = try #require(Homography(from: Self.outline, to: unit))
    let other = try #require(Homography(from: Self.sheet, to: unit))
    func isInside(_ p: Point2) -> Bool { p.x > 0 && p.x < 1 && p.y > 0 && p.y < 1 }
    return RGBImage(width: 640, height: 420) { out in
      for i in 0..<(640 * 420) {
        var sum = Colour.zero
        for k in 0..<9 {
          let p = Point2(Double(i % 640) + Double(k % 3 - 1) / 3, Double(i / 640) + Double(k / 3 - 1) / 3)
          let q = map.apply(p)
          var colour = wall(p.x, p.y)
          if isInside(q) { colour = poster(q) ?? colour }
          if sheet, isInside(other.apply(p)) { colour = Colour(250, 250, 250) }
          sum += colour * (1 - 0.3 * p.x / 640 - 0.15 * p.y / 420)
        }
        let grain = Double((i &* 7_919) % 5) - 2
        for c in 0..<3 { out[3 * i + c] = UInt8(min(max(sum[c] / 9 + grain, 0), 255)) }
      }
    }
  }

  /// A cream poster with a blue band across its top.
  private func banded(_ p: Point2) -> Colour { p.y < 0.12 ? Colour(30, 70, 130) : Colour(235, 228, 205) }

  /// Squares of any gray, those of the wall among them.
  private func squares(_ p: Point2) -> Colour {
    let cell = Int(p.x * 9) &* 7_919 &+ Int(p.y * 7) &* 104_729
    let gray = Double((cell &* 2_654_435_761 >> 8) % 211) + 20
    return Colour(gray, gray, gray)
  }

  @Test func thePosterIsWhereTheWallEnds() throws {
    for poster in [banded, squares] {
      let find = try #require(try PosterFinder(photograph(poster: poster)).finds().first)
      #expect(find.outline.meanCornerDistance(to: Self.outline) < 0.35, "\(find.outline)")
      #expect(find.isCertain && !find.isBlank)
    }
  }

  @Test func anEmptySheetIsTold() throws {
    let finds = try PosterFinder(photograph(sheet: true, poster: squares)).finds()
    try #require(finds.count == 2)
    #expect(finds[0].outline.meanCornerDistance(to: Self.outline) < 0.35 && !finds[0].isBlank)
    #expect(finds[1].outline.meanCornerDistance(to: Self.sheet) < 0.35 && finds[1].isBlank)
  }

  @Test func placesLikeTheWallDoNoHarm() throws {
    // Two corners, and a piece of a side.
    let photo = try photograph { p in
      let isLikeWall = p.x + p.y < 0.2 || p.x - p.y > 0.85 || p.x < 0.15 && p.y > 0.5 && p.y < 0.7
      return isLikeWall ? nil : self.squares(p)
    }
    let find = try #require(PosterFinder(photo).finds().first)
    #expect(find.outline.meanCornerDistance(to: Self.outline) < 0.6, "\(find.outline)")
  }

  @Test func aPatternedWallMisleadsNobody() throws {
    let walls: [(Double, Double) -> Colour] = [
      { x, _ in Int(x / 24) % 2 == 0 ? Colour(150, 180, 160) : Colour(138, 166, 147) },
      { x, y in
        let row = Int(y / 30)
        let joint = y - 30 * Double(row) < 3 || (Int(x) + row % 2 * 35) % 70 < 3
        return joint ? Colour(190, 185, 175) : Colour(165, 120, 100)
      },
    ]
    for wall in walls {
      for find in try PosterFinder(photograph(wall: wall, poster: banded)).finds() where find.isCertain {
        #expect(find.outline.meanCornerDistance(to: Self.outline) < 2, "\(find.outline)")
      }
    }
  }

  @Test func whatDoesNotEndStraightIsUncertain() throws {
    // A disc; and a poster whose lower half is the wall's colour, so that it seems to end in its middle.
    let disc = try photograph { ($0 - 0.5).length < 0.45 ? self.squares($0) : nil }
    #expect(PosterFinder(disc).finds().allSatisfy { !$0.isCertain })
    let ragged = try photograph {
      $0.y < 0.6 + 0.25 * ($0.x * 7).truncatingRemainder(dividingBy: 1) ? self.squares($0) : nil
    }
    #expect(PosterFinder(ragged).finds().allSatisfy { !$0.isCertain })
  }

  @Test func whereNothingHangsNothingIsFound() throws {
    #expect(try PosterFinder(photograph { _ in nil }).finds().isEmpty)
    #expect(PosterFinder(RGBImage(width: 20, height: 20) { $0.update(repeating: 7) }).finds().isEmpty)
  }
}
