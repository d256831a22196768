import Testing
import WaymarkImage

@testable import WaymarkAnchors

struct FeatureLookupTests {
  /// Anchors of random features; descriptors of one anchor are as far apart as those of two.
  private static func anchors(_ count: Int, features: Int, seed: UInt64 = 5) -> [CompiledAnchor] {
    var random = RandomSource(seed: seed)
    return (0..<count).map { index in
      CompiledAnchor(
        name: "a\(index)", physicalWidth: nil, image: GrayImage(width: 16, height: 16, value: 0),
        features: (0..<features).map { _ in
          AnchorFeature(
            anchor: 0, x64: UInt16(random.below(1000)), y64: UInt16(random.below(1000)), view: 0, direction: 0)
        }, descriptors: (0..<(4 * features)).map { _ in random.next() }, recall: 1, sightings: [], reasons: [])
    }
  }

  /// A frame whose features are some of the library, with bits flipped: `key` of the first `keyBits` and `others` of the others.
  private static func frame(
    _ library: AnchorLibrary, _ places: [Int], key: Int, others: Int, seed: UInt64 = 6
  ) -> FeatureSet {
    var random = RandomSource(seed: seed)
    let set = FeatureSet(capacity: places.count)
    for place in places {
      guard let q = set.append(Feature(x: 0, y: 0, scale: 1, direction: 0, level: 0, score: 9)) else { break }
      let flipped = Set((0..<1000).map { _ in random.below(library.index.keyBits) }.uniqued().prefix(key))
      for k in 0..<4 { set.descriptor(q)[k] = library.index.descriptors[4 * place + k] }
      for b in flipped { set.descriptor(q)[0] ^= 1 << UInt64(b) }
      for b in (0..<1000).map({ _ in 64 + random.below(192) }).uniqued().prefix(others) {
        set.descriptor(q)[b / 64] ^= 1 << UInt64(b % 64)
      }
      // Bits that flipped were uncertain; the others were not.
      for b in 0..<FeatureSet.marginCount {
        let isSet = set.descriptor(q)[0] >> UInt64(b) & 1 == 1
        let margin = flipped.contains(b) ? 3 : 40 + random.below(40)
        set.margins[q * FeatureSet.marginCount + b] = Int16(isSet ? margin : -margin)
      }
    }
    return set
  }

  /// With keys put in order by all of their bits, and by some as long ones are.
  @Test(
    arguments: [
      FeatureLookup.Effort.quick, .quickOfMany, .quickOfThousands, .thoroughOfMany, .thoroughOfThousands, .enlarged,
      .enlargedOfThousands,
    ], [16, 6])
  func whatLiesUnderTheKeysIsCompared(effort: FeatureLookup.Effort, orderedBits: Int) throws {
    let library = try Scenery.library(Self.anchors(12, features: 500))
    let set = Self.frame(library, stride(from: 0, to: 6000, by: 37).map { $0 }, key: 2, others: 20)
    let lookup = FeatureLookup(library: library, features: set.capacity, orderedBits: orderedBits)
    lookup.run(set, effort)
    let bits = library.index.keyBits
    var probes = KeyProbes()
    var expected = Set<String>()
    for q in 0..<set.count {
      probes.fill(
        firstWord: set.descriptor(q)[0], margins: set.margins + q * FeatureSet.marginCount, bits: bits,
        wanted: effort.probes)
      let keys = Set((0..<probes.count).map { Int(probes.keys[$0]) })
      // The nearest of each anchor among all features that begin like one of the keys.
      var best: [UInt16: Int] = [:]
      for place in 0..<library.featureCount {
        let d = library.index.descriptors + 4 * place
        guard keys.contains(FeatureKey.key(d[0], bits: bits)) else { continue }
        let distance = (0..<4).reduce(0) { $0 + (d[$1] ^ set.descriptor(q)[$1]).nonzeroBitCount }
        guard distance <= FeatureLookup.distance else { continue }
        best[library.index.features[place].anchor] = min(best[library.index.features[place].anchor] ?? .max, distance)
      }
      let sorted = best.sorted { $0.value < $1.value }.prefix(effort.kept)
      for (anchor, distance) in sorted where distance <= (sorted.first?.value ?? 0) + FeatureLookup.slack {
        expected.insert("\(q) \(anchor) \(distance)")
      }
    }
    let found = (0..<lookup.count).map { lookup.matches[$0] }
    #expect(found.map(\.distance) == found.map(\.distance).sorted())
    #expect(Set(found.map { "\($0.query) \($0.anchor) \($0.distance)" }) == expected)
    #expect(found.count == expected.count && expected.count >= set.count)
  }

  @Test func aThoroughLookAddsWhatLiesUnderTheOtherKeys() throws {
    // As many features as two hundred anchors have.
    let library = try Scenery.library(Self.anchors(20, features: 7000))
    let set = Self.frame(library, stride(from: 0, to: 140_000, by: 1400).map { $0 }, key: 5, others: 20)
    let lookup = FeatureLookup(library: library, features: set.capacity)
    #expect(lookup.isOfHundreds)
    func found() -> [String] {
      (0..<lookup.count).map { lookup.matches[$0] }.map { "\($0.query) \($0.place) \($0.distance)" }.sorted()
    }
    lookup.run(set, lookup.quickEffort)
    let quick = found()
    lookup.run(set, lookup.thoroughEffort, beyond: lookup.quickEffort.probes)
    let added = found()
    #expect(quick.count < set.count / 2 && added.count > quick.count)
    // It is the same as if all keys had been looked under at once, and the buffers of one look do not show in the next.
    lookup.run(set, lookup.thoroughEffort)
    #expect(found() == added)
    lookup.run(set, lookup.quickEffort)
    #expect(found() == quick)
  }

  @Test func anEmptyFrameOrLibraryHasNoMatches() throws {
    let library = try Scenery.library(Self.anchors(1, features: 50))
    let lookup = FeatureLookup(library: library, features: 8)
    lookup.run(FeatureSet(capacity: 8))
    #expect(lookup.count == 0)
    #expect(!lookup.isOfHundreds)
    // More features than there is room for.
    lookup.run(Self.frame(library, Array(0..<20), key: 0, others: 0))
    #expect(Set((0..<lookup.count).map { lookup.matches[$0].query }) == Set(0..<8))
  }
}

extension Array where Element: Hashable {
  /// The first of each kind.
  fileprivate func uniqued() -> [Element] {
    var seen = Set<Element>()
    return filter { seen.insert($0).inserted }
  }
}

struct KeyProbesTests {
  @Test func likeliestKeysComeFirst() {
    var random = RandomSource(seed: 3)
    var probes = KeyProbes()
    for _ in 0..<20 {
      let margins = (0..<24).map { _ in Int16(random.below(200) - 100) }
      let word = margins.prefix(20).enumerated().reduce(UInt64(0)) {
        $0 | ($1.element > 0 ? 1 << UInt64($1.offset) : 0)
      }
      probes.fill(firstWord: word, margins: margins, bits: 14, wanted: 20)
      let found = (0..<probes.count).map { Int(probes.keys[$0]) }
      #expect(found.count == 20)
      #expect(Set(found).count == 20)
      #expect(found[0] == FeatureKey.key(word, bits: 14))
      // Brute force over the seven weakest bits.
      func cost(_ b: Int) -> Int { margins[b] > 0 ? 2 * Int(margins[b]) - 1 : -2 * Int(margins[b]) }
      let weakest = (0..<14).sorted { (cost($0), $0) < (cost($1), $1) }.prefix(7)
      let sums = (0..<128).map { subset in
        weakest.enumerated().reduce(0) { $0 + (subset >> $1.offset & 1 == 1 ? cost($1.element) : 0) }
      }
      let expected = sums.sorted().prefix(20)
      let got = found.map { key in
        (0..<14).reduce(0) { $0 + ((key ^ found[0]) >> $1 & 1 == 1 ? cost($1) : 0) }
      }
      #expect(got == Array(expected))
    }
  }
}

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
    let library = try Scenery.library([anchor])
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

struct HypothesisSearchTests {
  /// A library of one anchor with features at these places, in a row.
  private static func library(_ places: [Int]) throws -> AnchorLibrary {
    try Scenery.library([
      CompiledAnchor(
        name: "a", physicalWidth: nil, image: GrayImage(width: 256, height: 64, value: 0),
        features: places.map { AnchorFeature(anchor: 0, x64: UInt16(64 * $0), y64: 64 * 20, view: 0, direction: 0) },
        descriptors: (0..<(4 * places.count)).map { UInt64($0) }, recall: 1, sightings: [], reasons: [])
    ])
  }

  /// How many hypotheses there are when the features of one anchor at these places, in a row, are seen where they are.
  private static func hypotheses(_ places: [Int], minimum: Int) throws -> Int {
    let library = try Self.library(places)
    let search = HypothesisSearch(library: library, matches: places.count)
    let list = library.index.list(of: 0)
    let seen = places.map { Feature(x: Float($0), y: 20, scale: 1, direction: 0, level: 0, score: 9) }
    let matches = places.indices.map {
      FeatureMatch(query: Int32($0), place: list[$0], anchor: 0, distance: 30)
    }
    search.run(matches, count: matches.count, features: seen, minimum: minimum)
    return search.hypotheses.count
  }

  /// Size and turn of a corner are imprecise; the plane of a copy in view makes them precise.
  @Test func aCopyInSightGivesTheMapOfTheNextOne() throws {
    let places = [20, 60, 100]
    let library = try Self.library(places)
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
