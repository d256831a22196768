import Testing
import WaymarkSystem

@testable import WaymarkText

@Suite struct TextMatcherTests {
  private func match(_ text: String, _ pattern: String) throws -> TextMatcher.Match? {
    try TextMatcher(try TextPattern.named(pattern)).match(text)
  }

  @Test func namesAreKnownInAnyCaseAndExpressionsAreMarked() throws {
    for name in ["IBAN", "Iban", "iban"] { #expect(try TextPattern.named(name).check == .iban) }
    for name in ["gtin13", "GTIN-13", "gtin_13", "GTIN 13"] { #expect(try TextPattern.named(name).length == 13...13) }
    #expect(try match("IBAN", "iban") == nil)
    #expect(try match("AB12", "re:[A-Z]{2}[0-9]{2}")?.text == "AB12")
    #expect(try match("AB12", "/[A-Z]{2}[0-9]{2}/")?.text == "AB12")
    for word in ["ibam", "[A-Z]{2}", "", "/", "serial number"] {
      do {
        _ = try TextPattern.named(word)
        Issue.record("\(word) was taken")
      } catch {
        #expect(error.code == .badPattern)
        #expect(error.hint.contains("/…/") && error.hint.contains("gtin-13"))
        if word == "ibam" { #expect(error.hint.hasPrefix("Did you mean iban?")) }
      }
    }
    // A pattern of one's own may bear any name.
    let own = TextPattern(name: "Serial No", expression: "[0-9]{4}")
    #expect(try TextPattern.named("serial-no", among: [own]) == own)
  }

  @Test func lettersThatADigitsPatternCannotHaveAreSettled() throws {
    let match = try match("4OO638I33393l", "gtin")
    #expect(match?.text == nil)  // Three characters of thirteen: chance could satisfy the check digit.
    #expect(try self.match("40063813339E1", "gtin") == nil)
    let one = try self.match("400638133393I", "gtin")
    #expect(one?.text == "4006381333931")
    #expect(one?.isDoubtful == false)
  }

  @Test func aWrongDigitIsNeverAccepted() throws {
    #expect(try match("4006381333932", "gtin") == nil)
    #expect(try match("DE89 3704 0044 0532 0130 01", "iban") == nil)
  }

  @Test func aNumberOfOneLengthIsNoOther() throws {
    // The first digit of a thirteen that was not seen: the rest happens to be a right number of twelve.
    #expect(try match("263343023055", "gtin") != nil)
    #expect(try match("263343023055", "gtin-13") == nil)
    #expect(try match("4006381333931", "gtin-13")?.text == "4006381333931")
    #expect(try match("4006381333931", "gtin-14") == nil)
    #expect(try match("96385074", "gtin-8")?.text == "96385074")
    #expect(try match("036000291452", "gtin-12")?.text == "036000291452")
    #expect(try match("106141412345678908", "sscc")?.text == "106141412345678908")
  }

  @Test func groupsAreReadAsOne() throws {
    #expect(try match("DE89 3704 0044 0532 0130 00", "iban")?.text == "DE89370400440532013000")
  }

  @Test func whatThePatternLeavesOpenStaysDoubtful() throws {
    let open = try match("AB0123", "/[A-Z0-9]{6}/")
    #expect(open?.text == "AB0123")
    #expect(open?.isDoubtful == true)
    #expect(open?.others.contains("ABO123") == true)
    let fixed = try match("AB0123", "/[A-Z]{2}[0-9]{4}/")
    #expect(fixed?.isDoubtful == false)
    #expect(try match("ABO123", "/[A-Z]{2}[0-9]{4}/")?.text == "AB0123")
  }

  @Test func theWholeTextMustSatisfyTheExpression() throws {
    #expect(try match("X123456", "/[0-9]{6}/") == nil)
  }

  @Test func anInvalidExpressionIsReported() {
    #expect(throws: TextError.self) { try TextPattern.named("/[A-Z/") }
    #expect(throws: TextError.self) { try TextPattern.named("re:" + String(repeating: "a", count: 1000)) }
  }

  @Test(arguments: [
    ("2026-01-31", 2026, 1, 31), ("31.01.2026", 2026, 1, 31), ("31/01/26", 2026, 1, 31), ("20260131", 2026, 1, 31),
    ("31 JAN 2026", 2026, 1, 31), ("31DEZ2026", 2026, 12, 31), ("29.02.2024", 2024, 2, 29),
  ]) func datesAreRead(_ text: String, _ year: Int, _ month: Int, _ day: Int) {
    let date = TextDate(text)
    #expect(date?.year == year)
    #expect(date?.month == month)
    #expect(date?.day == day)
  }

  @Test(arguments: ["31.02.2026", "29.02.2023", "2026-13-01", "1.2.3.4", "", "31", "JAN", "00/2026", "31.01.202"])
  func whatIsNoDayIsRefused(_ text: String) { #expect(TextDate(text) == nil) }

  @Test(arguments: [
    ("31.12.2026", ["2026-12-31"]), ("12/31/26", ["2026-12-31"]), ("2026/12/31", ["2026-12-31"]),
    ("05/06/2027", ["2027-06-05", "2027-05-06"]), ("MAR 04 2027", ["2027-03-04"]), ("09FEB27", ["2027-02-09"]),
    ("12/2026", ["2026-12"]), ("11/2026", ["2026-11"]), ("05/05/2027", ["2027-05-05"]), ("2026-13", []),
    ("31.12.1999", []),
  ]) func expiryIsADateInAnyOrder(_ text: String, _ days: [String]) throws {
    #expect(TextDate.all(in: text).map(\.description) == days)
    let match = try match(text, "expiry")
    #expect(match?.text == (days.isEmpty ? nil : text))
    #expect(match?.isDoubtful ?? false == (days.count > 1))
    #expect(match?.others ?? [] == (days.count > 1 ? days : []))
  }

  @Test func aPlateSatisfiesTheGrammarOfItsCountry() throws {
    let plates = [
      ("plate-DE", "MÜ AB 1234", "1234 MÜ"), ("plate-GB", "AB51 ABC", "AB5 ABC"),
      ("plate-FR", "AB-123-CD", "AI-123-CD"),
      ("plate-ES", "1234 BCD", "1234 ABC"), ("plate-BR", "ABC1D23", "ABC1K23"), ("plate-CH", "ZH 123456", "XX 123456"),
      ("plate-US", "7ABC123", "7ABCD12"),
    ]
    for (name, valid, other) in plates {
      #expect(try match(valid, name)?.text != nil, "\(name)")
      #expect(try match(other, name) == nil, "\(name)")
    }
    for pattern in TextPattern.builtIn where pattern.kind == .plate {
      #expect(throws: Never.self) { try TextMatcher(pattern) }
    }
    #expect(try TextPattern.named("plate-de").name == "plate-DE")
  }

  @Test(arguments: [
    ("1234", 1234, ""), ("1 234,5 kWh", 1234.5, "kWh"), ("1.234,50 €", 1234.5, "€"), ("1,234.5", 1234.5, ""),
    ("-3 °C", -3, "°C"), ("1.234.567", 1_234_567, ""),
  ]) func numbersAreRead(_ text: String, _ value: Double, _ unit: String) {
    #expect(TextNumber(text)?.value == value)
    #expect(TextNumber(text)?.unit == unit)
  }

  @Test(arguments: ["", "kWh", "12 parsecs", "1.2.3", "1-2", "."]) func whatIsNoNumberIsRefused(_ text: String) {
    #expect(TextNumber(text) == nil)
  }

  /// Every character may be a digit as well: only of the readings that the pattern allows so far are some kept.
  @Test func manyCharactersAreSettledByTheirPlaces() throws {
    let match = try match("OB1S2G8I5O1B", "/[0-9]{12}/")
    #expect(match?.text == "081526815018")
    #expect(match?.isDoubtful == false)
    #expect(try self.match("50I5 8215", "/[A-Z]{4} [A-Z]{4}/")?.text == "SOIS BZIS")
  }

  @Test func aLineHasOnlySoManyStepsHoweverManyReadingsItHas() throws {
    // Every character may be another one: many readings, many runs of words, a pattern of many states.
    let acceptance = try TextAcceptance([TextPattern(name: "x", expression: "(?:[0-9O]{1,20}[A-Z ]?){1,60}x")])
    let symbols = (0..<128).map { ReadSymbol($0 % 2 == 0 ? "0" : "O", confidence: 0.9, beginsWord: $0 % 16 == 0) }
    #expect(acceptance.accepted(in: [ReadLine(symbols, outline: TextFollowerTests.outline(0))]).isEmpty)
  }
}
