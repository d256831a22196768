import Foundation
import Testing
import WaymarkSystem

@testable import WaymarkStation

/// Text to keys, and back through a reader that goes by libxkbcommon alone.
struct LayoutTests {
  static let ascii = String(String.UnicodeScalarView((0x20...0x7E).compactMap(Unicode.Scalar.init)))

  /// Reads a text as a program with that layout does.
  private func read(
    _ text: String, on layout: KeyboardLayout.Name, capsLock: Bool = false, missing: TypingPlanner.Missing = .refuse,
    locale: String = "en_US.UTF-8"
  ) throws -> String {
    let planner = TypingPlanner(layout: try KeyboardLayout(layout), missing: missing)
    let reader = try Reader(layout, capsLock: capsLock, locale: locale)
    try #require(reader.composes, "X11's Compose tables are not here: install libx11-data")
    var sequencer = KeySequencer(layout: planner.layout)
    for stroke in try planner.strokes(for: [.text(text)], capsLock: capsLock) {
      reader.take(sequencer.transitions(for: stroke))
    }
    reader.take(sequencer.release())
    return reader.text
  }

  @Test(arguments: [
    ("us", ""), ("us", "intl"), ("us", "dvorak"), ("gb", ""), ("de", ""), ("de", "nodeadkeys"), ("de", "neo"),
    ("at", ""),
    ("ch", ""), ("ch", "fr"), ("fr", ""), ("fr", "oss"), ("fr", "bepo"), ("be", ""), ("es", ""), ("it", ""), ("pt", ""),
    ("br", ""), ("nl", ""), ("dk", ""), ("no", ""), ("se", ""), ("fi", ""), ("pl", ""), ("cz", ""), ("hu", ""),
    ("tr", ""), ("ca", ""), ("latam", ""),
  ])
  func whatALayoutCanTypeIsReadAsItIs(layout: String, variant: String) throws {
    let name = KeyboardLayout.Name(layout: layout, variant: variant)
    let map = try KeyboardLayout(name)
    // Every character of the layout, those of dead keys, and all of ASCII.
    let wanted = Set(Self.ascii.unicodeScalars).union(map.characters).union(
      (0xA0...0x17F).compactMap { Unicode.Scalar($0) }.filter { map.strokes(for: $0) != nil })
    let text = String(String.UnicodeScalarView(wanted.filter { map.strokes(for: $0) != nil }.sorted()))
    #expect(try read(text, on: name) == text)
    if map.capsLockKey != nil { #expect(try read(text, on: name, capsLock: true) == text) }
    let lacking = Self.ascii.unicodeScalars.filter { map.strokes(for: $0) == nil }
    #expect(lacking.isEmpty, "\(name.text) lacks \(lacking)")
  }

  @Test(arguments: [
    ("de", "Größe Äpfel\\Öl €µ@~|{[]}^`´ äöüßÄÖÜ çéèê"), ("fr", "àéèùç€ ÀÈ êîôûâ ëïü \\|@#{}[]~`^"),
    ("gb", "£\\|#~@\"€ éíóúá"), ("us", "\\|~`@#$%^&*()_+{}:\"<>?"), ("es", "ñÑ ´¨¿¡ áéíóú ü ç \\|@#~€ àè"),
    ("ch", "äöü àéè ÄÖÜ $£!¨ \\|@#€"),
  ])
  func sentencesOfEachCountryAreTyped(layout: String, text: String) throws {
    #expect(try read(text, on: .init(layout: layout)) == text)
  }

  /// Compose tables of some locales give sequences of en_US another meaning, and a typist does not know its reader's locale.
  @Test(arguments: [
    ("us", "intl"), ("br", ""), ("pt", ""), ("es", ""), ("cz", ""), ("fi", ""), ("gb", "intl"), ("lt", ""), ("rs", ""),
    ("gr", ""), ("gr", "polytonic"),
  ])
  func whatIsComposedIsReadAlikeInEveryLocale(layout: String, variant: String) throws {
    let name = KeyboardLayout.Name(layout: layout, variant: variant)
    let map = try KeyboardLayout(name)
    let wanted = (0x20...0x1FFF).compactMap { Unicode.Scalar($0) }.filter { map.strokes(for: $0)?.count == 2 }
    let text = String(String.UnicodeScalarView(wanted))
    let locales = layout == "gr" ? ["en_US", "el_GR"] : ["en_US", "pt_BR", "pt_PT", "cs_CZ", "fi_FI", "sr_RS"]
    for locale in locales { #expect(try read(text, on: name, locale: locale + ".UTF-8") == text, "\(locale)") }
  }

  @Test func whatLocalesComposeDifferentlyIsRefused() throws {
    let strokes = { (character: Unicode.Scalar, layout: String, variant: String) throws in
      try KeyboardLayout(.init(layout: layout, variant: variant)).strokes(for: character)
    }
    #expect(try strokes("\u{107}", "us", "intl") == nil, "ç in pt_BR")
    #expect(try strokes("\u{107}", "pl", "")?.count == 1)
    #expect(try strokes("\u{1D4}", "cz", "") == nil, "ů in cs_CZ")
    #expect(try strokes("\u{B4}", "gr", "") == nil, "the tonos in el_GR")
    #expect(try strokes("\u{B4}", "de", "")?.count == 2)
    #expect(try strokes("\u{3AC}", "gr", "")?.count == 2)
  }

  /// Characters of a code reach a field in order, modifiers notwithstanding, one text after the other: nothing of one is left in the
  /// next.
  @Test func randomTextsComeThroughUnchanged() throws {
    var random = SplitMix(state: 56)
    for layout in ["us", "de", "fr", "gb"] {
      let planner = TypingPlanner(layout: try KeyboardLayout(.init(layout: layout)))
      // Made once: a keymap and the Compose tables take a tenth of a second.
      let reader = try Reader(.init(layout: layout), capsLock: false)
      try #require(reader.composes, "X11's Compose tables are not here: install libx11-data")
      let characters = Array(planner.layout.characters).sorted()
      var typed = ""
      for _ in 0..<200 {
        let text = String(
          String.UnicodeScalarView((0..<40).compactMap { _ in characters.randomElement(using: &random) }))
        var sequencer = KeySequencer(layout: planner.layout)
        for stroke in try planner.strokes(for: [.text(text)]) { reader.take(sequencer.transitions(for: stroke)) }
        reader.take(sequencer.release())
        typed += text
        try #require(reader.text == typed, "\(layout): \(text)")
      }
    }
  }

  @Test func whatALayoutLacksIsRefusedWithItsName() throws {
    let planner = TypingPlanner(layout: try KeyboardLayout(.init(layout: "us")))
    let error = #expect(throws: TypingError.self) { try planner.strokes(for: [.text("Preis: 5 € für 東")]) }
    #expect(error?.code == .charactersNotOnLayout)
    #expect(error?.message.contains("U+20AC, U+00FC, U+6771") == true)
  }

  @Test(arguments: ["us", "de", "fr", "gb"]) func whatALayoutLacksIsTypedByItsNumberWhereWanted(layout: String) throws {
    let text = "5 € für 東京 😀\u{301}."
    for capsLock in [false, true] {
      #expect(try read(text, on: .init(layout: layout), capsLock: capsLock, missing: .ctrlShiftU) == text)
    }
  }

  @Test func aLayoutWithoutLatinLettersRefusesThem() throws {
    let planner = TypingPlanner(layout: try KeyboardLayout(.init(layout: "ru")), missing: .ctrlShiftU)
    let error = #expect(throws: TypingError.self) { try planner.strokes(for: [.text("abc")]) }
    #expect(error?.code == .charactersNotOnLayout)
    #expect(try read("Привет, №5", on: .init(layout: "ru")) == "Привет, №5")
  }

  @Test func withoutDeadKeysNothingIsPutTogether() throws {
    let planner = TypingPlanner(layout: try KeyboardLayout(.init(layout: "de")), deadKeys: false)
    #expect(throws: TypingError.self) { try planner.strokes(for: [.text("é")]) }
    // A letter with its accent behind it is another text than the letter with the accent on it.
    let composing = TypingPlanner(layout: try KeyboardLayout(.init(layout: "de")))
    #expect(throws: TypingError.self) { try composing.strokes(for: [.text("e\u{301}")]) }
  }

  @Test(arguments: [
    KeyboardLayout.Name(layout: ""), .init(layout: "nowhere"), .init(layout: "de", variant: "wrong"),
    .init(layout: "../../etc/passwd"),
  ])
  func unknownLayoutsAreNamed(name: KeyboardLayout.Name) {
    let error = #expect(throws: TypingError.self) { try KeyboardLayout(name) }
    #expect(error?.code == .unknownLayout)
  }

  @Test func modifiersAreHeldOverWhatWantsThem() throws {
    let layout = try KeyboardLayout(.init(layout: "us"))
    let planner = TypingPlanner(layout: layout)
    var sequencer = KeySequencer(layout: layout)
    var transitions = try planner.strokes(for: [.text("ABc")]).flatMap { sequencer.transitions(for: $0) }
    transitions += sequencer.release()
    let shift: UInt16 = 42
    #expect(
      transitions == [
        .init(shift, isDown: true), .init(30, isDown: true), .init(30, isDown: false), .init(48, isDown: true),
        .init(48, isDown: false), .init(shift, isDown: false), .init(46, isDown: true), .init(46, isDown: false),
      ])
  }
}
