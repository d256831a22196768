import Testing
import WaymarkImage

@Suite struct QuadrilateralTests {
  let good = Quadrilateral(width: 100, height: 80)

  @Test func upright() {
    #expect(good.isPlausible())
    #expect(good.signedArea == 8000)
    #expect(good.isConvex)
  }

  @Test func refused() {
    let mirrored = Quadrilateral(
      topLeft: good.topRight, topRight: good.topLeft, bottomRight: good.bottomLeft, bottomLeft: good.bottomRight)
    let bow = Quadrilateral(
      topLeft: good.topLeft, topRight: good.bottomRight, bottomRight: good.topRight, bottomLeft: good.bottomLeft)
    var dent = good
    dent.bottomRight = Point2(20, 20)
    var nan = good
    nan.topLeft.x = .nan
    var far = good
    far.bottomRight = Point2(1e6, 1e6)
    let sliver = Quadrilateral(
      topLeft: Point2(0, 0), topRight: Point2(500, 0), bottomRight: Point2(500, 5), bottomLeft: Point2(0, 5))
    for (name, q) in [
      ("mirrored", mirrored), ("bow", bow), ("dent", dent), ("nan", nan), ("far", far), ("sliver", sliver),
    ] {
      #expect(!q.isPlausible(), "\(name)")
    }
  }

  @Test func scalingKeepsThePlaceOfPixels() {
    // Where two pixels become one, its centre lies half a pixel to the right of the first one's.
    let q = Quadrilateral(
      topLeft: Point2(0, 0), topRight: Point2(3, 1), bottomRight: Point2(2, 2), bottomLeft: Point2(0, 2))
    #expect(q.scaled(by: 0.5).topRight == Point2(1.25, 0.25))
    #expect(q.scaled(by: 0.5).scaled(by: 2) == q)
    #expect(q.scaled(by: 3).corners == q.corners.map { Homography.resize(Point2(3, 3)).apply($0) })
  }

  @Test func whatLiesOnItsSideIsTurnedUpright() {
    for turns in 0..<4 {
      let turned = good.turned(by: turns)
      #expect(turned.corners[(4 - turns) % 4] == good.topLeft)
      #expect(turned.turned(by: turned.turnsToUpright) == good)
    }
    // Of two ways that are as good the first is taken.
    let onItsCorner = Quadrilateral(
      topLeft: Point2(0, -5), topRight: Point2(5, 0), bottomRight: Point2(0, 5), bottomLeft: Point2(-5, 0))
    #expect(onItsCorner.turnsToUpright == 0)
  }

  @Test func outlineBehindTheHorizonIsRefused() {
    // The horizon x = 250 cuts the reference in two.
    let h = Homography(SIMD3(1, 0, 0), SIMD3(0, 1, 0), SIMD3(-0.004, 0, 1))
    #expect(h.outline(width: 480, height: 360) == nil)
    #expect(Homography.identity.outline(width: 480, height: 360) != nil)
  }
}

@Suite struct QuadrilateralCornersTests {
  let tilted = Quadrilateral(
    topLeft: Point2(1, 2), topRight: Point2(11, 0), bottomRight: Point2(12, 9), bottomLeft: Point2(-1, 8))

  @Test func cornersAreCountedFromTheTopLeftAndGoRound() {
    #expect((0..<4).map { tilted[$0] } == tilted.corners)
    #expect(tilted[4] == tilted.topLeft)
    #expect(tilted[7] == tilted.bottomLeft)
    #expect(Quadrilateral(corners: tilted.corners) == tilted)
  }

  @Test func reversingMirrorsAndKeepsTheFirstCorner() {
    #expect(tilted.reversed.topLeft == tilted.topLeft)
    #expect(tilted.reversed.signedArea == -tilted.signedArea)
    #expect(tilted.reversed.reversed == tilted)
    #expect(tilted.reversed.clockwise == tilted)
    #expect(tilted.clockwise == tilted)
  }

  @Test func turnsAreTheFourWaysUp() {
    #expect(tilted.turns.map(\.topLeft) == tilted.corners)
    #expect(tilted.turns.allSatisfy { $0.signedArea == tilted.signedArea })
    #expect(tilted.turned(by: 2).topLeft == tilted.bottomRight)
  }

  @Test func turningKeepsCentreAndSides() {
    let turned = tilted.rotated(by: .pi / 2)
    #expect(turned.center.distance(to: tilted.center) < 1e-9)
    #expect(abs(turned.signedArea - tilted.signedArea) < 1e-9)
    // From the x axis towards the y axis: what was right of the centre is below it.
    let (before, after) = (tilted.topRight - tilted.center, turned.topRight - tilted.center)
    #expect(abs(after.x + before.y) < 1e-9 && abs(after.y - before.x) < 1e-9)
  }

  /// A point is inside where it can be reached from the centre without crossing a side.
  @Test func containsAgreesWithCrossings() {
    var random = RandomSource(seed: 3)
    func crosses(_ a: Point2, _ b: Point2, _ c: Point2, _ d: Point2) -> Bool {
      (b - a).cross(c - a) * (b - a).cross(d - a) < 0 && (d - c).cross(a - c) * (d - c).cross(b - c) < 0
    }
    var inside = 0
    for _ in 0..<500 {
      let p = Point2(20 * random.unit() - 4, 16 * random.unit() - 4)
      let isInside = (0..<4).allSatisfy { !crosses(tilted.center, p, tilted[$0], tilted[$0 + 1]) }
      #expect(tilted.contains(p) == isInside, "\(p)")
      inside += isInside ? 1 : 0
    }
    #expect((100...300).contains(inside))
  }

  @Test func aMarginNarrowsOrWidensWhatIsInside() {
    let square = Quadrilateral(width: 10, height: 10)
    #expect(square.contains(Point2(0, 0)) && square.contains(Point2(10, 5)))
    #expect(square.contains(Point2(2, 5), margin: 2) && !square.contains(Point2(1.9, 5), margin: 2))
    #expect(square.contains(Point2(-2, 5), margin: -2) && !square.contains(Point2(-2.1, 5), margin: -2))
    #expect(!square.contains(Point2(.nan, 5)))
  }

  @Test func growingKeepsTheCentreAndScalesTheArea() {
    let grown = tilted.grown(by: 3)
    #expect(grown.center.distance(to: tilted.center) < 1e-12)
    #expect(abs(grown.signedArea - 9 * tilted.signedArea) < 1e-9)
    #expect(tilted.grown(by: 0).longerDiagonal < 1e-12)
  }

  @Test func boundsHoldEveryCorner() {
    #expect(tilted.bounds == Bounds(min: Point2(-1, 0), max: Point2(12, 9)))
    #expect(tilted.corners.allSatisfy { tilted.bounds.contains($0) })
    #expect(!tilted.bounds.contains(Point2(12.1, 5)))
    #expect(Bounds(around: []) == Bounds(min: .zero, max: .zero))
    #expect(Bounds(around: [Point2(3, 4)]) == Bounds(min: Point2(3, 4), max: Point2(3, 4)))
  }

  @Test func distancesDoNotDependOnWhichCornerIsTheFirst() {
    var moved = tilted
    moved.bottomLeft += Point2(3, 4)
    for turns in 0..<4 {
      let turned = moved.turned(by: turns)
      #expect(turned.aligned(to: tilted) == moved)
      #expect(turned.largestCornerDistance(to: tilted) == 5)
    }
    #expect(moved.cornerDistance(to: tilted) == 5)
    #expect(moved.turned(by: 1).cornerDistance(to: tilted) > 5)
    #expect(Quadrilateral(width: 3, height: 4).longerDiagonal == 5)
  }
}
