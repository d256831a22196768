import Testing
import WaymarkSystem

@Suite struct BackoffTests {
  @Test func waitsGrowUpToTheLongest() {
    var backoff = Backoff(first: 0.1, longest: 1)
    #expect((0..<6).map { _ in backoff.next(chance: 1) } == [0.1, 0.2, 0.4, 0.8, 1, 1])
    backoff.reset()
    #expect(backoff.next(chance: 0) == 0.05)
    for _ in 0..<1000 { #expect(backoff.next() <= 1) }
  }
}
