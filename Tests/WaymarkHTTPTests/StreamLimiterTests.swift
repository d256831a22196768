import Testing

@testable import WaymarkHTTP

@Suite("How many long answers are under way")
struct StreamLimiterTests {
  @Test("A place that nobody holds any more is free again, although nobody left it")
  func dropped() {
    let counter = StreamLimiter(limit: 1)
    var place = counter.reserve()
    #expect(place != nil)
    #expect(counter.reserve() == nil)
    place = nil
    #expect(counter.reserve() != nil)
  }

  @Test("A place is given back once")
  func once() throws {
    let counter = StreamLimiter(limit: 2)
    let (first, second) = (try #require(counter.reserve()), try #require(counter.reserve()))
    first.release()
    first.release()
    let third = counter.reserve()
    #expect(third != nil)
    #expect(counter.reserve() == nil)
    withExtendedLifetime((first, second, third)) {}
  }
}
