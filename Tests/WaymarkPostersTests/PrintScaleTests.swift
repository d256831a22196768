import Testing
import WaymarkGeometry

@testable import WaymarkPosters

@Suite struct PrintScaleTests {
  /// A poster of 0.6×0.4 m and, beside it, a rectangle turned by an angle, seen from the side.
  private func view(_ size: Point2, turned: Double) -> (poster: Quadrilateral, known: Quadrilateral) {
    func rectangle(_ center: Point2, _ size: Point2, _ turn: Double) -> [Point2] {
      let (c, s) = (Double.cosine(turn), Double.sine(turn))
      return [Point2(-1, -1), Point2(1, -1), Point2(1, 1), Point2(-1, 1)].map { corner in
        let p = corner * size / 2
        return center + Point2(c * p.x - s * p.y, s * p.x + c * p.y)
      }
    }
    let camera = Homography(SIMD3(900, 60, 500), SIMD3(-40, 870, 400), SIMD3(0.35, 0.2, 1))
    func seen(_ p: [Point2]) -> Quadrilateral {
      let q = p.map(camera.apply)
      return Quadrilateral(topLeft: q[0], topRight: q[1], bottomRight: q[2], bottomLeft: q[3])
    }
    return (seen(rectangle(Point2(0, 0), Point2(0.6, 0.4), 0)), seen(rectangle(Point2(0.5, 0.03), size, turned)))
  }

  @Test(arguments: [0, 0.02, -0.3, 0.785, 1.5])
  func aSheetTellsTheSize(_ turn: Double) throws {
    for size in [Point2(0.21, 0.297), Point2(0.06, 0.06)] {
      let (poster, known) = view(size, turned: turn)
      // The shape is known only roughly beforehand.
      let estimate = try #require(PrintScale.estimate(of: poster, beside: known, measuring: size, aspect: 1.7))
      #expect((estimate.size - Point2(0.6, 0.4)).length < 1e-6)
      #expect(estimate.misfit < 1e-6)
    }
  }

  @Test func whatDoesNotHangThereIsSeen() throws {
    let (poster, known) = view(Point2(0.25, 0.25), turned: 0.5)
    let estimate = try #require(
      PrintScale.estimate(of: poster, beside: known, measuring: Point2(0.21, 0.297), aspect: 1.5))
    #expect(estimate.misfit > 0.04)
    let flat = Quadrilateral(
      topLeft: Point2(0, 0), topRight: Point2(1, 0), bottomRight: Point2(2, 0), bottomLeft: Point2(3, 0))
    #expect(PrintScale.estimate(of: flat, beside: known, measuring: Point2(1, 1), aspect: 1) == nil)
    #expect(PrintScale.estimate(of: poster, beside: flat, measuring: Point2(1, 1), aspect: 1)?.misfit ?? 1 > 0.04)
  }
}
