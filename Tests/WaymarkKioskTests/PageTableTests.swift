import Testing

@testable import WaymarkKiosk

@Suite("Which connection a page's commands go over")
struct PageTableTests {
  final class Client {}

  @Test("The newest stream's, whichever ends or comes back meanwhile")
  func newest() {
    var table = PageTable<Client>()
    let (old, new) = (table.began(), table.began())
    let (first, second, third) = (Client(), Client(), Client())
    table.connected("p", stream: old, first)
    #expect(table["p"] === first)
    table.connected("p", stream: new, second)
    #expect(table["p"] === second)
    table.ended("p", stream: old)
    #expect(table["p"] === second)
    table.connected("p", stream: old, third)
    #expect(table["p"] === second)
    table.ended("p", stream: new)
    #expect(table["p"] == nil)
  }

  @Test("Pages have nothing to do with each other")
  func others() {
    var table = PageTable<Client>()
    let (one, two) = (Client(), Client())
    let streams = (table.began(), table.began())
    table.connected("q", stream: streams.1, two)
    table.connected("p", stream: streams.0, one)
    table.ended("q", stream: streams.1)
    #expect(table["p"] === one)
    #expect(table["q"] == nil)
  }
}
