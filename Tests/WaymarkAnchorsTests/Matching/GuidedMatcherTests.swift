import Testing
import WaymarkImage

@testable import WaymarkAnchors

struct GuidedMatcherTests {
  /// One match is sure near it only: farther away features are found in a wider circle, nearest descriptors first.
  @Test func aroundOneMatchAllFeaturesAreFound() throws {
    var random = RandomSource(seed: 3)
    let places = (0..<60).map { (x: 20 + 40 * ($0 % 10), y: 20 + 40 * ($0 / 10)) }
    let anchor = CompiledAnchor(
      name: "a", physicalWidth: nil, image: GrayImage(width: 420, height: 260, value: 0),
      features: places.map {
        AnchorFeature(anchor: 0, x64: UInt16(64 * $0.x), y64: UInt16(64 * $0.y), view: 0, direction: 0)
      },
      descriptors: (0..<(4 * places.count)).map { _ in random.next() }, recall: 1, sightings: [], reasons: [])
    try Scenery.withLibrary([anchor]) { library, _ in
      let scale = ViewCatalog.linears[0].determinant.squareRoot()
      let origin = SIMD2<Float>(100, 100)
      let set = FeatureSet(capacity: places.count)
      for (i, place) in places.enumerated() {
        // The anchor is an eighth larger than the map says.
        let at = origin + 1.125 * (SIMD2(Float(place.x), Float(place.y)) - origin)
        let q = try #require(
          set.append(Feature(x: at.x, y: at.y, scale: 1 / scale, direction: 0, level: 0, score: 9)))
        for k in 0..<4 { set.descriptor(q)[k] = anchor.descriptors[4 * i + k] }
        // Up to 59 bits have turned over.
        for bit in 0..<((i * 37) % 60) { set.descriptor(q)[bit / 64] ^= 1 << UInt64(bit % 64) }
      }
      let matcher = GuidedMatcher(library: library, features: set.capacity)
      matcher.load(set, width: 640, height: 480)
      matcher.run(0, .plane(.identity), radius: 6, set)
      #expect(matcher.count > 3 && matcher.count < 20)
      matcher.run(0, .plane(.identity), around: origin, set)
      #expect(matcher.count == places.count)
      let turned = (0..<matcher.count).map { i in
        let r = matcher.pairs[i].reference
        return (places.firstIndex { $0.x == Int(r.x) && $0.y == Int(r.y) } ?? 0) * 37 % 60
      }
      #expect(turned == turned.sorted())
      // And nothing that is farther than a fifth of the distance.
      for i in 0..<set.count { set.features[i].x += 70 }
      matcher.load(set, width: 640, height: 480)
      matcher.run(0, .plane(.identity), around: origin, set)
      #expect(matcher.count == 0)
    }
  }
}
