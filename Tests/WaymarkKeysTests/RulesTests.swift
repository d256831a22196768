import Foundation
import Testing
import WaymarkSystem

@testable import WaymarkStation

/// The keys typed for a code.
struct RulesTests {
  private let enter = KeyText.Piece.key(KeyStroke(28))
  private let tab = KeyText.Piece.key(KeyStroke(15))

  private func pieces(
    _ text: String, _ symbology: String = "code128", isGS1: Bool = false,
    _ change: (inout TypingRules.Form) throws -> Void
  ) throws -> [KeyText.Piece] {
    var form = TypingRules.Form()
    try change(&form)
    return try TypingRules(standard: form).pieces(for: TypedCode(symbology: symbology, text: text, isGS1: isGS1))
  }

  private func code(_ body: () throws -> Void) -> TypingErrorCode? {
    do {
      try body()
      return nil
    } catch {
      return (error as? TypingError)?.code
    }
  }

  @Test func aCodeIsTypedWithEnterBehindIt() throws {
    #expect(try pieces("4012345678901") { _ in } == [.text("4012345678901"), enter])
  }

  @Test func prefixAndSuffixHoldKeys() throws {
    let typed = try pieces("X") { form in
      form.prefix = try KeyText("A{Tab}{{")
      form.suffix = try KeyText("{Shift+Tab}!")
    }
    #expect(typed == [.text("A"), tab, .text("{"), .text("X"), .key(KeyStroke(15, .shift)), .text("!")])
  }

  @Test(arguments: ["{", "{Enter", "{Nothing}", "{Shift+}", "{Hyper+Tab}", "{}"]) func keysThatAreNoneAreNamed(
    text: String
  ) {
    #expect(code { _ = try KeyText(text) } == .badKeys)
  }

  @Test(arguments: [
    ("ean13", "4012345678901", false, "]E04012345678901"), ("ean8", "96385074", false, "]E496385074"),
    ("upcA", "036000291452", false, "]E00036000291452"), ("upcE", "04252614", false, "]E00042100005264"),
    ("upcE", "01234133", false, "]E00012300000413"), ("upcE", "01234543", false, "]E00012340000053"),
    ("upcE", "01234565", false, "]E00012345000065"),
    ("code128", "01", true, "]C101"), ("code128", "01", false, "]C001"), ("code39", "AB-1", false, "]A0AB-1"),
    ("code39", "Ab", false, "]A4Ab"), ("dataMatrix", "x", true, "]d2x"), ("dataMatrix", "x", false, "]d1x"),
    ("qr", "x", false, "]Q1x"), ("qr", "x", true, "]Q3x"), ("pdf417", "x", false, "]L2x"),
    ("aztec", "x", false, "]z0x"),
    ("dataBar", "x", true, "]e0x"), ("sq", "x", false, "]X0x"),
  ])
  func identifiersOfAIMStandBeforeTheData(symbology: String, text: String, isGS1: Bool, typed: String) throws {
    let pieces = try pieces(text, symbology, isGS1: isGS1) { form in
      form.aim = true
      form.suffix = KeyText()
    }
    #expect(pieces.map { if case .text(let text) = $0 { text } else { "" } }.joined() == typed)
  }

  @Test(arguments: [
    ("ean13", "9780143007234", "]E3978014300723452495"), ("upcA", "036000291452", "]E3003600029145252495"),
    ("upcE", "04252614", "]E300421000052645 2495"), ("ean8", "96385074", "]E496385074"),
  ])
  func anAddOnIsTypedBehindItsCode(symbology: String, text: String, typed: String) throws {
    var form = TypingRules.Form()
    form.suffix = KeyText()
    let code = TypedCode(symbology: symbology, text: text, addOn: "52495")
    #expect(try TypingRules(standard: form).pieces(for: code) == [.text(text + "52495")])
    form.aim = true
    let pieces = try TypingRules(standard: form).pieces(for: code)
    let plain = typed.filter { $0 != " " }
    #expect(pieces.map { if case .text(let text) = $0 { text } else { "" } }.joined() == plain)
  }

  @Test func aCompositeIsTypedWholeWithItsIdentifierOnly() throws {
    var form = TypingRules.Form()
    form.suffix = KeyText()
    let code = TypedCode(symbology: "ean13", text: "9501101530003", isGS1: true, component: "10A")
    #expect(try TypingRules(standard: form).pieces(for: code) == [.text("9501101530003")])
    form.aim = true
    #expect(try TypingRules(standard: form).pieces(for: code) == [.text("]e0"), .text("010950110153000310A")])
  }

  @Test func theSeparatorOfGS1IsTypedAsChosen() throws {
    let text = "10ABC\u{1D}21XYZ"
    #expect(code { _ = try pieces(text) { _ in } } == .controlCharacter)
    #expect(
      try pieces(text) { $0.separator = try KeyText("|") } == [.text("10ABC"), .text("|"), .text("21XYZ"), enter])
    #expect(try pieces(text) { $0.separator = try KeyText("{Tab}") } == [.text("10ABC"), tab, .text("21XYZ"), enter])
    #expect(try pieces(text) { $0.separator = KeyText() } == [.text("10ABC"), .text("21XYZ"), enter])
    #expect(try pieces(text) { $0.controls = .drop } == [.text("10ABC21XYZ"), enter])
    #expect(
      try pieces(text) { $0.controls = .control } == [.text("10ABC"), .control("]"), .text("21XYZ"), enter])
  }

  @Test func controlCharactersAreTypedOnlyAsConfigured() throws {
    for controls in [TypingRules.Controls.refuse, .keys] {
      #expect(code { _ = try pieces("a\u{1B}[31m\u{7}") { $0.controls = controls } } == .controlCharacter)
    }
    #expect(code { _ = try pieces("a\u{85}b") { $0.controls = .control } } == .controlCharacter)
    #expect(
      try pieces("a\tb\r\nc\nd") { $0.controls = .keys }
        == [.text("a"), tab, .text("b"), enter, .text("c"), enter, .text("d"), enter])
    #expect(try pieces("a\u{3}") { $0.controls = .control } == [.text("a"), .control("c"), enter])
  }

  @Test func secretsAreNeverTyped() throws {
    let rules = TypingRules()
    #expect(
      code { _ = try rules.pieces(for: TypedCode(symbology: "qr", text: "WIFI:P:x;;", isSecret: true)) }
        == .secretPayload)
  }

  @Test func symbologiesHaveFormsOfTheirOwn() throws {
    var silent = TypingRules.Form()
    silent.isTyped = false
    var tabbed = TypingRules.Form()
    tabbed.suffix = try KeyText("{Tab}")
    let rules = TypingRules(forms: ["qr": silent, "ean13": tabbed])
    #expect(code { _ = try rules.pieces(for: TypedCode(symbology: "qr", text: "x")) } == .notTyped)
    #expect(try rules.pieces(for: TypedCode(symbology: "ean13", text: "1")) == [.text("1"), tab])
    #expect(try rules.pieces(for: TypedCode(symbology: "ean8", text: "1")) == [.text("1"), enter])
  }

  @Test func substitutionsWorkOneAfterTheOther() throws {
    let typed = try pieces("0401234ä5678\\901") { form in
      form.suffix = KeyText()
      form.substitutions = [
        try Substitution(match: #"^0(\d+)"#, replace: "$1-"), try Substitution(match: "ä", replace: "ae"),
        try Substitution(match: #"\\"#, replace: "/"), try Substitution(match: "$", replace: "."),
      ]
    }
    #expect(typed == [.text("401234-ae5678/901.")])
  }

  @Test func substitutionsThatAreNoneOrTakeTooLongAreNamed() throws {
    #expect(code { _ = try Substitution(match: "(", replace: "") } == .badSubstitution)
    // Nested repetitions take no longer than others; a search to the end of the code for each of its characters does.
    let text = String(repeating: "a", count: 60) + "!"
    #expect(
      try pieces(text) { $0.substitutions = [try Substitution(match: "^(a+)+$", replace: "")] } == [.text(text), enter])
    #expect(
      code {
        _ = try pieces(String(repeating: "a", count: 7000)) {
          $0.substitutions = [try Substitution(match: "a.*z|a", replace: "")]
        }
      } == .substitutionTooSlow)
    #expect(
      code {
        _ = try pieces(String(repeating: "a", count: 7000)) {
          $0.substitutions = [try Substitution(match: "a", replace: "0123456789")]
        }
      } == .tooLong)
  }
}
