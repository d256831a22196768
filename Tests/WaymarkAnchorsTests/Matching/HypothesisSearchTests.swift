import Testing
import WaymarkImage

@testable import WaymarkAnchors

struct HypothesisSearchTests {
  /// How many hypotheses there are when the features of one anchor at these places, in a row, are seen where they are.
  private static func hypotheses(_ places: [Int], minimum: Int) throws -> Int {
    let anchor = CompiledAnchor(
      name: "a", physicalWidth: nil, image: GrayImage(width: 256, height: 64, value: 0),
      features: places.map { AnchorFeature(anchor: 0, x64: UInt16(64 * $0), y64: 64 * 20, view: 0, direction: 0) },
      descriptors: (0..<(4 * places.count)).map { UInt64($0) }, recall: 1, sightings: [], reasons: [])
    return try Scenery.withLibrary([anchor]) { library, _ in
      let search = HypothesisSearch(library: library, matches: places.count)
      let list = library.index.list(of: 0)
      let seen = places.map { Feature(x: Float($0), y: 20, scale: 1, direction: 0, level: 0, score: 9) }
      let matches = places.indices.map {
        FeatureMatch(query: Int32($0), place: list[$0], anchor: 0, distance: 30)
      }
      search.run(matches, count: matches.count, features: seen, minimum: minimum)
      return search.hypotheses.count
    }
  }

  /// Size and turn of a corner are told badly; the plane of a copy in sight tells them well.
  @Test func aCopyInSightTellsTheMapOfTheNextOne() throws {
    let places = [20, 60, 100]
    let anchor = CompiledAnchor(
      name: "a", physicalWidth: nil, image: GrayImage(width: 256, height: 64, value: 0),
      features: places.map { AnchorFeature(anchor: 0, x64: UInt16(64 * $0), y64: 64 * 20, view: 0, direction: 0) },
      descriptors: (0..<(4 * places.count)).map { UInt64($0) }, recall: 1, sightings: [], reasons: [])
    try Scenery.withLibrary([anchor]) { library, _ in
      let copy = Homography(SIMD3(0.9, 0, 10), SIMD3(0, 0.9, 10), SIMD3(0, 0, 1))
      let next = copy * Homography.translation(Point2(270, 5))
      let search = HypothesisSearch(library: library, matches: places.count)
      let list = library.index.list(of: 0)
      let seen = places.map {
        let q = next.apply(Point2(Double($0), 20))
        return Feature(x: Float(q.x), y: Float(q.y), scale: 1.3, direction: 8, level: 0, score: 9)
      }
      let matches = places.indices.map { FeatureMatch(query: Int32($0), place: list[$0], anchor: 0, distance: 30) }
      search.run(matches, count: matches.count, features: seen)
      #expect(search.next(of: 0, on: CopyPlanes(), matches, features: seen) == nil)
      var planes = CopyPlanes()
      let outline = Quadrilateral(width: 256, height: 64)
      planes.add(copy, copy.apply(outline))
      let found = try #require(search.next(of: 0, on: planes, matches, features: seen))
      #expect(found.count == 3)
      #expect(found.homography.apply(outline).largestCornerDistance(to: next.apply(outline)) < 0.01)
    }
  }

  @Test func twoMatchesMustLieApartToStandAlone() throws {
    #expect(try Self.hypotheses([20, 60], minimum: 2) == 1)
    // The same corner at two sizes.
    #expect(try Self.hypotheses([20, 26], minimum: 2) == 0)
    #expect(try Self.hypotheses([20, 26, 60], minimum: 2) == 1)
  }

  @Test func threeThatAreHardlyMoreThanOneCornerAreTooFew() throws {
    #expect(try Self.hypotheses([20, 26, 32], minimum: 3) == 0)
    #expect(try Self.hypotheses([20, 60, 100], minimum: 3) == 1)
    #expect(try Self.hypotheses([20, 26, 32, 38], minimum: 3) == 1)
  }

  @Test func fewerThanAskedForAreNoHypothesis() throws {
    #expect(try Self.hypotheses([20, 60, 100], minimum: 4) == 0)
    #expect(try Self.hypotheses([20, 60, 100, 140], minimum: 4) == 1)
  }
}
