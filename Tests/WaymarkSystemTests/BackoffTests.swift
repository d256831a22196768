import Testing
import WaymarkSystem

@Suite struct BackoffTests {
  @Test func waitsGrowUpToTheLongest() {
    var backoff = Backoff(first: 0.1, longest: 1)
    #expect((0..<6).map { _ in backoff.next(chance: 1) } == [0.1, 0.2, 0.4, 0.8, 1, 1])
    backoff.reset()
    #expect(backoff.next(chance: 0) == 0.05)
  }

  /// The chance spreads a wait over its second half, and no more.
  @Test(arguments: [(0.0, 0.5), (0.25, 0.625), (0.5, 0.75), (1, 1)]) func waitsAreSpreadOverTheirSecondHalf(
    chance: Double, share: Double
  ) {
    var backoff = Backoff(first: 0.25, longest: 1.5)
    #expect((0..<5).map { _ in backoff.next(chance: chance) } == [0.25, 0.5, 1, 1.5, 1.5].map { $0 * share })
  }

  /// However often it is asked, and without overflow: thirty doublings of a second are 34 years.
  @Test func waitsStayTheLongest() {
    var backoff = Backoff(first: 1, longest: 1e9)
    for _ in 0..<30 { _ = backoff.next(chance: 1) }
    for _ in 0..<100 { #expect(backoff.next(chance: 1) == 1e9) }
  }

  @Test func withoutAChanceGivenWaitsDiffer() {
    let waits = (0..<100).map { _ in
      var backoff = Backoff(first: 1, longest: 1)
      return backoff.next()
    }
    #expect(Set(waits).count > 90 && waits.allSatisfy { (0.5...1).contains($0) })
  }
}
