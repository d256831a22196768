import Testing
import WaymarkImage

@Suite struct HomographySteadyTests {
  private static let outline = Quadrilateral(width: 480, height: 360)
  private static let right = Homography(SIMD3(0.2, 0.01, 120), SIMD3(-0.01, 0.2, 90), SIMD3(0.0001, 0, 1))
  /// The right map, three and two pixels aside and four per cent larger.
  private static var start: Homography {
    Homography(SIMD3(1.04, 0, 3 - 0.04 * 168), SIMD3(0, 1.04, 2 - 0.04 * 126), SIMD3(0, 0, 1)) * right
  }

  private static func steadied(_ places: [Point2], wrong: Point2? = nil, looseness: Double = 0.1) -> Homography? {
    var pairs = places.map { PointPair(reference: $0, frame: right.apply($0)) }
    let middle = Point2(240, 180)
    if let wrong { pairs.append(PointPair(reference: middle, frame: right.apply(middle) + wrong)) }
    return pairs.withUnsafeBufferPointer { start.steadied(by: $0, looseness: looseness, sigma: 2) }
  }

  private static func error(_ map: Homography) -> Double {
    map.apply(outline).largestCornerDistance(to: right.apply(outline))
  }

  @Test func manyPairsTellTheWholeMap() throws {
    var places: [Point2] = []
    for y in stride(from: 30.0, to: 360, by: 70) {
      for x in stride(from: 20.0, to: 480, by: 90) { places.append(Point2(x, y)) }
    }
    #expect(Self.error(try #require(Self.steadied(places))) < 0.3)
  }

  @Test func aWrongPairBendsNothing() throws {
    let places = [Point2(60, 60), Point2(420, 80), Point2(400, 300), Point2(90, 310), Point2(250, 90)]
    #expect(Self.error(try #require(Self.steadied(places, wrong: Point2(9, -7)))) < 1.5)
  }

  /// What lies on one line says nothing of the other direction: it stays as it was known.
  @Test func pairsOnALineKeepTheShape() throws {
    let map = try #require(Self.steadied([Point2(40, 180), Point2(240, 180), Point2(440, 180)], looseness: 0.04))
    #expect(Self.error(map) < 3)
  }

  @Test func twoPairsAreTooFew() { #expect(Self.steadied([Point2(60, 60), Point2(420, 80)]) == nil) }
}
