import Testing
import WaymarkGeometry

@Suite struct QuadraticSurfaceTests {
  private func surface(_ p: Point2) -> Double {
    0.4 - 0.2 * p.x + 0.1 * p.y + 0.05 * p.x * p.x - 0.3 * p.x * p.y + 0.15 * p.y * p.y
  }
  private let grid = (0..<49).map { Point2(Double($0 % 7), Double($0 / 7)) / 3 - 1 }

  @Test func aSurfaceOfSecondDegreeIsFoundExactly() throws {
    let found = try #require(QuadraticSurface(grid.map { .init($0, surface($0)) }))
    for p in grid + [Point2(2, -3)] { #expect(abs(found.value(at: p) - surface(p)) < 1e-9) }
    #expect(found.slope.distance(to: Point2(-0.2, 0.1)) < 1e-9)
  }

  @Test func samplesWithoutWeightDoNotCount() throws {
    var samples = grid.map { QuadraticSurface.Sample($0, surface($0)) }
    samples.append(.init(Point2(0.5, 0.5), 100, weight: 0))
    let found = try #require(QuadraticSurface(samples))
    #expect(abs(found.value(at: Point2(0.5, 0.5)) - surface(Point2(0.5, 0.5))) < 1e-9)
  }

  @Test func aPlaneIsNotBent() throws {
    let corners = [Point2(-1, -1), Point2(1, -1), Point2(0, 1)]
    let plane = try #require(QuadraticSurface(corners.map { .init($0, surface($0)) }, isPlane: true))
    for p in corners { #expect(abs(plane.value(at: p) - surface(p)) < 1e-9) }
    let middle = plane.value(at: Point2(0, -1))
    #expect(abs(middle - (surface(corners[0]) + surface(corners[1])) / 2) < 1e-9)
  }

  @Test func tooFewSamplesTellNone() {
    #expect(QuadraticSurface([] as [QuadraticSurface.Sample]) == nil)
    #expect(QuadraticSurface(grid.prefix(2).map { .init($0, 1) }, isPlane: true) == nil)
    #expect(QuadraticSurface(grid.prefix(5).map { .init($0, 1) }) == nil)
    #expect(QuadraticSurface([QuadraticSurface.Sample](repeating: .init(.zero, 1), count: 20)) == nil)
  }

  @Test func theUnitSquareIsTakenToAQuadrilateral() throws {
    var random = RandomSource(seed: 10)
    for _ in 0..<100 {
      let q = Quadrilateral(width: 300, height: 200).mapped { $0 + Point2(60 * random.unit(), 60 * random.unit()) }
      let map = try #require(Homography(unitSquareTo: q))
      #expect(map.apply(Quadrilateral(width: 1, height: 1)).cornerDistance(to: q) < 1e-9)
      let other = try #require(Homography(from: Quadrilateral(width: 1, height: 1), to: q))
      #expect(map.apply(Point2(0.3, 0.7)).distance(to: other.apply(Point2(0.3, 0.7))) < 1e-9)
    }
    let line = Quadrilateral(corners: [Point2(0, 0), Point2(1, 1), Point2(2, 2), Point2(3, 3)])
    #expect(Homography(unitSquareTo: line) == nil)
  }
}
