import Testing
import WaymarkImage

@testable import WaymarkAnchors

struct KeyProbesTests {
  @Test func likeliestKeysComeFirst() {
    var random = RandomSource(seed: 3)
    var probes = KeyProbes()
    defer { probes.deallocate() }
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
