import Foundation
import Testing

@testable import WaymarkBarcodes

struct SymbologyTests {
  @Test("The page calls symbologies what they are called here")
  func namesOnThePage() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let view = try String(
      contentsOf: root.appending(path: "Sources/Station/WaymarkKiosk/Resources/js/components/counted.js"),
      encoding: .utf8)
    let found = view.matches(of: /(\w+): '([^']+)'/).map { (String($0.1), String($0.2)) }
    let names = Dictionary(found) { name, _ in name }
    for symbology in Symbology.allCases { #expect(names[symbology.rawValue] == symbology.displayName) }
  }

  @Test(
    "identifiers of AIM",
    arguments: [
      (Symbology.ean13, "4006381333931", "]E0", "4006381333931"), (.upcA, "036000291452", "]E0", "0036000291452"),
      (.upcE, "04252614", "]E0", "0042100005264"), (.ean8, "96385074", "]E4", "96385074"),
      (.code39, "WAY-1", "]A0", "WAY-1"), (.code39, "way", "]A4", "way"), (.rMQR, "1", "]X0", "1"),
      (.kix, "2500GG30250", "]X0", "2500GG30250"),
      (.maxiCode, "[)>\u{1E}01\u{1D}96", "]U1", "[)>\u{1E}01\u{1D}96"), (.maxiCode, "MODE 4", "]U0", "MODE 4"),
    ])
  func identifiers(symbology: Symbology, text: String, identifier: String, data: String) {
    #expect(symbology.identified(text, isGS1: false) == (identifier, data))
  }

  @Test func identifiersOfGS1AndAddOns() {
    for (symbology, plain, gs1) in [
      (Symbology.qr, "]Q1", "]Q3"), (.code128, "]C0", "]C1"), (.dataMatrix, "]d1", "]d2"), (.aztec, "]z0", "]z1"),
      (.pdf417, "]L2", "]L2"), (.dotCode, "]J0", "]J1"), (.hanXin, "]h0", "]h0"), (.dataBar, "]e0", "]e0"),
    ] {
      #expect(symbology.identified("1", isGS1: false).identifier == plain)
      #expect(symbology.identified("1", isGS1: true).identifier == gs1)
    }
    #expect(Symbology.upcA.identified("036000291452", isGS1: false, addOn: "12") == ("]E3", "003600029145212"))
    #expect(Symbology.ean8.identified("96385074", isGS1: false, addOn: "12") == ("]E4", "96385074"))
  }

  /// Readers have places and turns of their own, so that detections keep their order and every live frame has its search.
  @Test func readersAreInAnOrder() {
    let readers = Symbology.allCases.compactMap(\.row.reader)
    #expect(readers.map(\.order).sorted() == Array(readers.indices))
    #expect(Set(readers.map(\.turn)).sorted() == Array(0...(readers.map(\.turn).max() ?? 0)))
    let turns = (0..<8).map { MatrixSearch.turn($0, of: MatrixSearch.symbologies) }
    #expect(
      turns == [
        [.dataMatrix], [.pdf417], [.aztec, .maxiCode], [.microQR, .rMQR], [.microPDF417], [.dotCode], Self.postal,
        [.hanXin],
      ])
    #expect(MatrixSearch.turn(3, of: [.microPDF417, .pdf417]) == [.microPDF417])
  }

  private static let postal: Set<Symbology> = [.intelligentMail, .rm4scc, .mailmark, .kix, .australiaPost, .japanPost]

  @Test func groupsOfSymbologies() {
    #expect(Symbology.retail == [.ean13, .ean8, .upcA, .upcE])
    let rare: Set<Symbology> = [
      .standard2of5, .iata2of5, .matrix2of5, .code11, .code11Unchecked, .msi, .msiUnchecked, .telepen, .pharmacode,
    ]
    #expect(
      Symbology.onRequest
        == rare.union(Self.postal).union([.sq, .code32, .pharmacode2, .ean2, .ean5, .dotCode, .hanXin]))
    #expect(LinearReaders.symbologies == rare.union([.dataBarLimited]))
    #expect(CrowdedReaders.symbologies == [.code128, .code39, .itf])
    #expect(
      Set(Symbology.allCases.filter(\.isMatrix))
        == Self.postal.union([
          .qr, .sq, .dataMatrix, .aztec, .pdf417, .microPDF417, .microQR, .rMQR, .maxiCode, .dotCode, .hanXin,
        ]))
    #expect(Symbology.aztec.moduleGrids.map(\.columns).prefix(6) == [11, 15, 19, 23, 27, 31])
  }
}

@Suite struct TextTests {
  @Test(arguments: [
    ("W+A+Y", "Way"), ("+X+Y/A", "xy!"), ("+A%J", "a?"), ("+A$A", "a\u{1}"),
  ])
  func resolvesFullASCII(raw: String, text: String) { #expect(Code39FullASCII.resolve(raw) == text) }

  @Test(arguments: ["WAYMARK", "2/4-8/16-32", "A/B", "A+1", "100%", "+", "+A123BJC5D6E71G"])
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
    #expect(Symbology(name: "Digimarc") == nil)
    for symbology in Symbology.allCases { #expect(Symbology(name: symbology.displayName) == symbology) }
    #expect(Symbology.named("all") == Set(Symbology.allCases))
    #expect(Symbology.named("QR-Code") == [.qr])
    #expect(Symbology.named("Digimarc") == nil)
  }

  @Test func verifiesCheckDigits() {
    #expect(GTIN.hasValidCheckDigit("4006381333931"))
    #expect(!GTIN.hasValidCheckDigit("4006381333932"))
    #expect(!GTIN.hasValidCheckDigit("4"))
  }
}
