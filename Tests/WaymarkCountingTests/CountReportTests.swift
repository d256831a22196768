import Foundation
import Testing
import WaymarkImage

@testable import WaymarkStation

struct CountReportTests {
  /// Two views of one shelf: eleven copies of one code side by side in both, another one above them in the second alone.
  private static func counter() -> CodeCounter {
    var counter = CodeCounter(agreement: 1)
    func code(_ text: String, _ x: Double, _ y: Double) -> ObservedCode {
      let corner = Quadrilateral(width: 40, height: 40)
      let place = Point2(x, y)
      return ObservedCode(
        content: CodeContent(symbology: "qr", text: text),
        quad: Quadrilateral(
          topLeft: corner.topLeft + place, topRight: corner.topRight + place, bottomRight: corner.bottomRight + place,
          bottomLeft: corner.bottomLeft + place))
    }
    let row = (0..<11).map { code("A\"1,2", 10 + 80 * Double($0), 200) }
    counter.look(row, size: 1000)
    counter.look(row + [code("B", 10, 20)], size: 1000)
    return counter
  }

  @Test func copiesAreCountedAndAligned() {
    let report = CountReport(Self.counter(), by: .place, inputs: ["one.png", "two.png"], isMoving: true)
    #expect(report.total == 12)
    #expect((report.pictures, report.stretches) == (2, 1))
    #expect(report.by == "place")
    #expect(report.codes.map(\.amount) == [11, 1])
    #expect(report.codes.map(\.input) == ["one.png", "two.png"])
    #expect(report.text == "11 × qr A\"1,2\n 1 × qr B\n12 in all, 2 different.")
    #expect(
      report.csv
        == "symbology,text,amount,input\r\n"
        + "\"qr\",\"A\"\"1,2\",11,\"one.png\"\r\n\"qr\",\"B\",1,\"two.png\"\r\n")
  }

  @Test func byContentEachCountsOnce() {
    let report = CountReport(Self.counter(), by: .content, inputs: ["one.png"], isMoving: false)
    #expect(report.codes.map(\.amount) == [1, 1] && report.total == 2)
    #expect(report.stretches == nil)
    // The second view has no name here.
    #expect(report.codes.map(\.input) == ["one.png", ""])
    #expect(report.text.hasSuffix("2 in all, 2 different."))
  }

  @Test func nothingIsZero() {
    let report = CountReport(CodeCounter(agreement: 1), by: .place, inputs: [], isMoving: true)
    #expect(report.text == "0 in all, 0 different." && report.csv == "symbology,text,amount,input\r\n")
  }
}

/// A count's clients, and its end.
@Suite struct CountMembersTests {
  @Test("A count lasts until the last of those who take part has ended it") func lasts() {
    var members = CountMembers()
    #expect(members.join(1, wanted: nil, new: "a") == (nil, true))
    #expect(members.join(2, wanted: nil, new: "b") == (nil, false))
    #expect(members.count == "a" && members.contains(1) && members.contains(2) && !members.contains(3))
    #expect(members.end(3) == nil)
    #expect(members.end(1) == nil)
    #expect(members.end(1) == nil)
    #expect(members.end(2) == "a")
    #expect(members.count == nil)
    #expect(members.end(2) == nil)
  }

  @Test("Who lost the connection finds the count again for half a minute") func returns() {
    var members = CountMembers()
    _ = members.join(1, wanted: nil, new: "a")
    #expect(members.lose(2, at: 100) == nil)
    #expect(members.lose(1, at: 100) == 30)
    #expect(members.expire(at: 129.9) == nil)
    #expect(members.join(4, wanted: "a", new: "b") == (nil, false))
    // The client that came back keeps it.
    #expect(members.expire(at: 200) == nil)
    #expect(members.lose(4, at: 200) == 30)
    #expect(members.expire(at: 230) == "a")
    #expect(members.expire(at: 300) == nil && members.count == nil)
  }

  @Test("Another person begins with nothing") func strangers() {
    var members = CountMembers()
    _ = members.join(1, wanted: nil, new: "a")
    _ = members.lose(1, at: 100)
    #expect(members.join(2, wanted: nil, new: "b") == ("a", true))
    #expect(members.count == "b")
    // A count that is over cannot be gone on with.
    #expect(members.join(3, wanted: "a", new: "c") == (nil, false))
    #expect(members.count == "b")
    #expect(members.finish() == "b" && members.count == nil && !members.contains(2))
  }
}
