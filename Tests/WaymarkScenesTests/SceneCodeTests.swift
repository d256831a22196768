import Testing
import WaymarkBarcodes
import WaymarkImage
import WaymarkSystem

@testable import WaymarkScenes

@Suite struct SceneCodeTests {
  private func symbol(_ text: String, _ symbology: Symbology = .qr) -> Symbol {
    Symbol(
      symbology: symbology, text: text, bytes: Array(text.utf8), charset: .utf8,
      corners: Quadrilateral(width: 10, height: 10))
  }

  @Test func saysWhatFits() throws {
    #expect(SceneCode(.text("A-1")).fits(symbol("A-1"), elements: []))
    #expect(!SceneCode(.text("A-1")).fits(symbol("A-12"), elements: []))
    #expect(SceneCode(.prefix("A-")).fits(symbol("A-12"), elements: []))
    #expect(!SceneCode(.prefix("A-")).fits(symbol("BA-12"), elements: []))
    #expect(SceneCode(.pattern(try RegularExpression(#"A-\d+"#))).fits(symbol("A-12"), elements: []))
    #expect(!SceneCode(.text("A-1"), symbologies: [.dataMatrix, .aztec]).fits(symbol("A-1"), elements: []))
    #expect(SceneCode(.text("A-1"), symbologies: [.dataMatrix]).fits(symbol("A-1", .dataMatrix), elements: []))
  }

  @Test func aPartOfAMessageIsNoCodeOfAScene() {
    var half = symbol("A-1")
    half.part = SymbolPart(index: 1, count: 2, id: nil)
    #expect(!SceneCode(.text("A-1")).fits(half, elements: []))
    #expect(!SceneCode(.prefix("A-")).fits(half, elements: []))
  }

  @Test func findsFieldsOfGS1() {
    let elements = [GS1Element(identifier: "01", value: "04006381333931"), GS1Element(identifier: "10", value: "LOT7")]
    let code = symbol("010400638133393110LOT7", .dataMatrix)
    #expect(SceneCode(.gs1(identifier: "10", value: nil)).fits(code, elements: elements))
    #expect(SceneCode(.gs1(identifier: "10", value: "LOT7")).fits(code, elements: elements))
    #expect(!SceneCode(.gs1(identifier: "10", value: "lot7")).fits(code, elements: elements))
    #expect(!SceneCode(.gs1(identifier: "21", value: nil)).fits(code, elements: elements))
    // A trade item is the same in 13 and in 14 digits, and a retail code carries nothing else.
    #expect(SceneCode(.gs1(identifier: "01", value: "4006381333931")).fits(code, elements: elements))
    #expect(
      SceneCode(.gs1(identifier: "01", value: "04006381333931")).fits(symbol("4006381333931", .ean13), elements: []))
    #expect(!SceneCode(.gs1(identifier: "10", value: "7")).fits(symbol("7"), elements: []))
  }

  @Test func knowsWhatStandsInTheWayOfOthers() throws {
    let any = SceneCode(.prefix("A"))
    #expect(any.hides(SceneCode(.text("A1"))) && any.hides(SceneCode(.prefix("AB"))))
    #expect(!any.hides(SceneCode(.prefix(""))) && !any.hides(SceneCode(.text("B"))))
    #expect(SceneCode(.pattern(try RegularExpression("A."))).hides(SceneCode(.text("A1"))))
    #expect(!SceneCode(.text("A"), symbologies: [.qr]).hides(SceneCode(.text("A"))))
    #expect(SceneCode(.text("A")).hides(SceneCode(.text("A"), symbologies: [.qr])))
    #expect(SceneCode(.gs1(identifier: "01", value: nil)).hides(SceneCode(.gs1(identifier: "01", value: "7"))))
  }
}

@Suite("The place holder of a code in a preview") struct CodeSketchTests {
  /// The place holder has the finder patterns of a QR code of version 1 (ISO/IEC 18004, 6.3.3) at three corners, and nothing else.
  @Test func aSketchedCodeHasThreeFinders() {
    let picture = CodeSketch.draw()
    #expect((picture.width, picture.height) == (420, 420))
    let finder = ["1111111", "1000001", "1011101", "1011101", "1011101", "1000001", "1111111"].map {
      $0.map { $0 == "1" }
    }
    for y in 0..<21 {
      for x in 0..<21 {
        let (left, top) = (x < 7, y < 7)
        let (right, bottom) = (x >= 14, y >= 14)
        var dark = false
        if (left || right) && top { dark = finder[y][left ? x : x - 14] }
        if left && bottom { dark = finder[y - 14][x] }
        for (dx, dy) in [(0, 0), (19, 0), (0, 19), (19, 19)] {
          #expect(picture[20 * x + dx, 20 * y + dy].red == (dark ? 90 : 235), "\(x) \(y)")
        }
      }
    }
  }
}
