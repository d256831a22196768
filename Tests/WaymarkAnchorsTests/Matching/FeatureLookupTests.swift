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

  /// A frame whose features are some of the library, with bits flipped: `key` of the first `keyBits` and `others` besides.
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
    try Scenery.withLibrary(Self.anchors(12, features: 500)) { library, _ in
      let set = Self.frame(library, stride(from: 0, to: 6000, by: 37).map { $0 }, key: 2, others: 20)
      let lookup = FeatureLookup(library: library, features: set.capacity, orderedBits: orderedBits)
      lookup.run(set, effort)
      let bits = library.index.keyBits
      var probes = KeyProbes()
      defer { probes.deallocate() }
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
  }

  @Test func aThoroughLookAddsWhatLiesUnderTheOtherKeys() throws {
    // As many features as two hundred anchors have.
    try Scenery.withLibrary(Self.anchors(20, features: 7000)) { library, _ in
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
  }

  @Test func anEmptyFrameOrLibraryHasNoMatches() throws {
    try Scenery.withLibrary(Self.anchors(1, features: 50)) { library, _ in
      let lookup = FeatureLookup(library: library, features: 8)
      lookup.run(FeatureSet(capacity: 8))
      #expect(lookup.count == 0)
      #expect(!lookup.isOfHundreds)
      // More features than there is room for.
      lookup.run(Self.frame(library, Array(0..<20), key: 0, others: 0))
      #expect(Set((0..<lookup.count).map { lookup.matches[$0].query }) == Set(0..<8))
    }
  }
}

extension Array where Element: Hashable {
  /// The first of each kind.
  fileprivate func uniqued() -> [Element] {
    var seen = Set<Element>()
    return filter { seen.insert($0).inserted }
  }
}
