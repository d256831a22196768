import Testing
import WaymarkImage

@testable import WaymarkAnchors

@Suite struct CopyPlanesTests {
  private static let size = Quadrilateral(width: 480, height: 360)
  /// A copy seen aslant.
  private static let copy = Homography(SIMD3(0.2, 0.03, 120), SIMD3(-0.01, 0.22, 90), SIMD3(0.0004, -0.0002, 1))

  private static var planes: CopyPlanes {
    var planes = CopyPlanes()
    planes.add(copy, copy.apply(size))
    return planes
  }

  @Test func oneMatchTellsThePlaceOfTheNextCopy() throws {
    let next = Self.copy * Homography.translation(Point2(510, 20))
    let reference = Point2(100, 300)
    let seen = next.apply(reference)
    let map = try #require(
      Self.planes.map(
        from: SIMD2(Float(reference.x), Float(reference.y)), to: SIMD2(Float(seen.x), Float(seen.y))))
    #expect(map.apply(Self.size).meanCornerDistance(to: next.apply(Self.size)) < 0.01)
  }

  @Test func theNearestCopyTells() throws {
    var planes = Self.planes
    let other = Homography(SIMD3(0.5, 0, 500), SIMD3(0, 0.5, 400), SIMD3(0, 0, 1))
    planes.add(other, other.apply(Self.size))
    let (map, point) = try #require(planes.point(at: SIMD2(600, 500)))
    #expect(map == other)
    #expect(point.distance(to: Point2(200, 200)) < 1e-6)
  }

  @Test func beyondTheHorizonThereIsNothing() {
    // Where the plane's depth has no place in the frame.
    let steep = Homography(SIMD3(0.2, 0, 0), SIMD3(0, 0.2, 0), SIMD3(0.002, 0, 1))
    var planes = CopyPlanes()
    #expect(planes.isEmpty && planes.point(at: SIMD2(0, 0)) == nil)
    planes.add(steep, steep.apply(Self.size))
    #expect(planes.point(at: SIMD2(40, 0)) != nil)
    #expect(planes.point(at: SIMD2(200, 0)) == nil)
  }
}
