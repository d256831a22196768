import Testing
import WaymarkSystem

@testable import WaymarkProtocol

/// What observers see of a code: each part of the content, whatever else is known to be harmless.
@Suite("Observers") struct ObserverTests {
  private static let fields: JSONValue = ["host": "example.com", "secret": "s"]
  private static let shown: JSONValue = ["host": "example.com"]

  private static func scan(fields: JSONValue?, harmless: ScanSuccessful.Harmless) -> ScanSuccessful {
    var scan = ScanSuccessful(
      scan: "s1", context: ["a": 1], kind: "wifi", symbology: "qr", text: "t", bytesBase64: "dA==", charset: "utf8",
      gs1: true, addOn: "12", part: MessagePart(index: 1), corners: [[1, 2]], connectTo: "example.com", fields: fields)
    scan.harmless = harmless
    return scan
  }

  @Test("Text and bytes are left out together unless they are harmless; the context always")
  func text() {
    for isHarmless in [false, true] {
      let seen = Self.scan(fields: nil, harmless: .init(text: isHarmless)).forObservers
      #expect(seen.text == (isHarmless ? "t" : nil) && seen.bytesBase64 == (isHarmless ? "dA==" : nil))
      #expect(seen.charset == (isHarmless ? "utf8" : nil) && seen.addOn == (isHarmless ? "12" : nil))
      #expect((seen.part == nil) == !isHarmless)
      #expect(seen.context == nil)
      #expect(seen.scan == "s1" && seen.kind == "wifi" && seen.symbology == "qr" && seen.gs1 == true)
      #expect(seen.corners == [[1, 2]] && seen.connectTo == "example.com")
    }
  }

  @Test(
    "Fields are replaced by those that are harmless, and what is missing is said",
    arguments: [
      (nil, false, nil, true), (nil, true, nil, nil), (fields, true, nil, true), (fields, true, shown, true),
      (fields, true, fields, nil), (fields, false, fields, true), (nil, true, shown, nil),
    ] as [(JSONValue?, Bool, JSONValue?, Bool?)])
  func replaced(own: JSONValue?, isTextHarmless: Bool, harmless: JSONValue?, redacted: Bool?) {
    let seen = Self.scan(fields: own, harmless: .init(text: isTextHarmless, fields: harmless)).forObservers
    #expect(seen.fields == (own == nil ? nil : harmless))
    #expect(seen.redacted == redacted)
  }
}
