import Testing

@testable import WaymarkKiosk

@Suite("How many long answers are under way")
struct StreamCounterTests {
  @Test("A place that nobody holds any more is free again, although nobody left it")
  func dropped() {
    let counter = StreamCounter(limit: 1)
    var place = counter.enter()
    #expect(place != nil)
    #expect(counter.enter() == nil)
    place = nil
    #expect(counter.enter() != nil)
  }

  @Test("A place is given back once")
  func once() throws {
    let counter = StreamCounter(limit: 2)
    let (first, second) = (try #require(counter.enter()), try #require(counter.enter()))
    first.leave()
    first.leave()
    let third = counter.enter()
    #expect(third != nil)
    #expect(counter.enter() == nil)
    withExtendedLifetime((first, second, third)) {}
  }
}
