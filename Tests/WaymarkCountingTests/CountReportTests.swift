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
