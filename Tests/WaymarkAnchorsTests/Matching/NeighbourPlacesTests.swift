import Testing
import WaymarkImage

@testable import WaymarkAnchors

@Suite struct NeighbourPlacesTests {
  private static let reference = AnchorReference(
    name: "a", physicalWidth: nil, image: GrayImage(width: 480, height: 360, value: 0))
  private static let frame = Point2(640, 480)
  /// 96 × 72 pixels with its middle at a place of the frame.
  private static func copy(at middle: Point2) -> Homography {
    Homography(SIMD3(0.2, 0, middle.x - 48), SIMD3(0, 0.2, middle.y - 36), SIMD3(0, 0, 1))
  }
  private static func outline(_ map: Homography) -> Quadrilateral { map.apply(Quadrilateral(width: 480, height: 360)) }
  private static func middles(_ maps: [Homography]) -> [Point2] { maps.map { outline($0).center } }

  @Test func everySideWithRoomIsHandedOutOnce() {
    var places = NeighbourPlaces()
    let copy = Self.copy(at: Point2(300, 240))
    let first = places.beside(copy, Self.reference, in: Self.frame, except: [Self.outline(copy)], doubled: false)
    #expect(first.count == 4)
    let right = Self.middles(first)[0]
    #expect(abs(right.x - 300 - 96 * 1.06) < 1 && abs(right.y - 240) < 1)
    #expect(places.beside(copy, Self.reference, in: Self.frame, except: [], doubled: false).isEmpty)
    #expect(places.beside(copy, Self.reference, in: Self.frame, except: [], doubled: true).count == 4)
    places.beginFrame()
    #expect(places.beside(copy, Self.reference, in: Self.frame, except: [], doubled: false).count == 4)
  }

  @Test func noneLiesOnAClaimOrOutsideOfTheFrame() {
    var places = NeighbourPlaces()
    let copy = Self.copy(at: Point2(60, 50))
    let beside = Self.outline(Self.copy(at: Point2(160, 50)))
    let found = Self.middles(
      places.beside(copy, Self.reference, in: Self.frame, except: [Self.outline(copy), beside], doubled: false))
    #expect(found.count == 1)
    #expect(found.allSatisfy { $0.y > 110 })
  }
}
