import Testing

@testable import WaymarkBarcodes

@Suite struct TextTests {
  @Test(arguments: [
    ("W+A+Y", "Way"), ("+X+Y/A", "xy!"), ("+A%J", "a?"), ("+A$A", "a\u{1}"),
  ])
  func resolvesFullASCII(raw: String, text: String) { #expect(Code39FullASCII.resolve(raw) == text) }

  @Test(arguments: ["WAYMARK", "2/4-8/16-32", "A/B", "A+1", "100%", "+"])
  func leavesOtherCode39Alone(raw: String) { #expect(Code39FullASCII.resolve(raw) == nil) }

  @Test func splitsElementStrings() {
    #expect(
      GS1Element.parse("0109521234543213\u{1D}10AB\u{1D}3103001750")
        == [
          GS1Element(identifier: "01", value: "09521234543213"), GS1Element(identifier: "10", value: "AB"),
          GS1Element(identifier: "3103", value: "001750"),
        ])
    #expect(GS1Element.parse("0109521234543214") == nil, "wrong check digit")
    #expect(GS1Element.parse("01095212") == nil, "too short")
    #expect(GS1Element.parse("hello") == nil)
    #expect(GS1Element.parse("") == nil)
  }

  @Test func findsSymbologiesByName() {
    #expect(Symbology(name: "QR-Code") == .qr)
    #expect(Symbology(name: "EAN-13") == .ean13)
    #expect(Symbology(name: "upc_a") == .upcA)
    #expect(Symbology(name: "GS1-128") == .code128)
    #expect(Symbology(name: "PDF-417") == .pdf417)
    #expect(Symbology(name: "DotCode") == nil)
    for symbology in Symbology.allCases { #expect(Symbology(name: symbology.displayName) == symbology) }
  }

  @Test func verifiesCheckDigits() {
    #expect(GTIN.hasValidCheckDigit("4006381333931"))
    #expect(!GTIN.hasValidCheckDigit("4006381333932"))
    #expect(!GTIN.hasValidCheckDigit("4"))
  }
}
