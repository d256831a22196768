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
