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
