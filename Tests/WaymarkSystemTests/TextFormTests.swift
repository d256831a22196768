import Testing
import WaymarkSystem

@Suite struct ControlCharactersTests {
  @Test(
    arguments: ["\n", "\u{1B}", "\u{7F}", "\u{85}", "\u{9B}", "\u{2028}", "\u{202E}", "\u{2066}"] as [Unicode.Scalar])
  func acts(_ scalar: Unicode.Scalar) { #expect(scalar.isControl) }

  @Test(arguments: [" ", "a", "é", "中", "\u{A0}", "\u{200D}", "\u{FE0F}", "\u{1F600}"] as [Unicode.Scalar])
  func shows(_ scalar: Unicode.Scalar) { #expect(!scalar.isControl) }
}

@Suite struct PercentCodingTests {
  @Test(arguments: [
    ("plain+text", "plain+text"), ("a%20b", "a b"), ("B%C3%BCro", "Büro"), ("%2f%2F", "//"), ("%00", "\0"), ("", ""),
  ])
  func textsAreDecoded(_ text: String, _ plain: String) { #expect(PercentCoding.decode(text.utf8) == plain) }

  @Test(arguments: ["%", "a%4", "%zz", "%+1", "%FF", "%C3"])
  func whatIsMalformedIsNone(_ text: String) { #expect(PercentCoding.decode(text.utf8) == nil) }

  @Test func queriesAreItems() throws {
    let items = try #require(PercentCoding.items("a=1&b=x%3Dy&&c&a=2"))
    #expect(items.map(\.name) == ["a", "b", "c", "a"])
    #expect(items.map(\.value) == ["1", "x=y", "", "2"])
    #expect(PercentCoding.items("a=%zz") == nil)
    #expect(PercentCoding.items(String(repeating: "a&", count: 256))?.count == 256)
    #expect(PercentCoding.items(String(repeating: "a&", count: 257)) == nil)
  }
}

@Suite struct XMLTextTests {
  @Test func markupIsEscapedAndComesBack() {
    let text = #"a < b && "c" > 'd' &amp; ü"#
    let escaped = XMLText.escaped(text)
    #expect(escaped == "a &lt; b &amp;&amp; &quot;c&quot; &gt; 'd' &amp;amp; ü")
    #expect(XMLText.unescaped(Array(escaped.utf8)[...]) == Array(text.utf8))
  }

  @Test func whatXMLCannotWriteIsReplaced() {
    #expect(XMLText.escaped("a\u{0}\u{B}\u{1F}\u{FFFF}b\tc\n") == "a\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}b\tc\n")
    #expect(XMLText.escaped("a\u{1}b", unwritable: " ") == "a b")
  }

  @Test func anAmpersandThatBeginsNoEntityStays() {
    #expect(XMLText.unescaped(Array("&x; &lt &lt;&".utf8)[...]) == Array("&x; &lt <&".utf8))
  }
}

@Suite struct ZeroPaddingTests {
  @Test func zerosStandInFrontOfShortNumbersOnly() {
    #expect(7.digits(3) == "007")
    #expect(1234.digits(3) == "1234")
    #expect(0.digits(1) == "0")
    #expect(UInt16(0xAB).digits(4, radix: 16, uppercase: true) == "00AB")
    #expect(35.digits(2, radix: 36) == "0z")
    #expect("12".zeroPadded(to: 5) == "00012")
    #expect("12345".zeroPadded(to: 2) == "12345")
  }
}

@Suite("Text on a terminal")
struct DisplayTextTests {
  @Test("cannot move the cursor, reorder the line or hide")
  func display() {
    #expect(DisplayText.escaped("a\u{1B}[2J\u{202E}b\u{200B}\u{7F}\n\\") == #"a\u{1b}[2J\u{202e}b\u{200b}\u{7f}\n\\"#)
    #expect(DisplayText.escaped("Zürich 東京 😀") == "Zürich 東京 😀")
    #expect(DisplayText.escaped("abcdef", limit: 3) == "abc…")
  }

  @Test("keeps its lines and loses its controls")
  func lines() {
    #expect(DisplayText.lines("a\n\tb\u{1B}[2J\u{9B}0m\u{202E}\\") == #"a"# + "\n\tb" + #"\u{1b}[2J\u{9b}0m\u{202e}\"#)
    #expect(DisplayText.lines("plain ü 日本 🙂") == "plain ü 日本 🙂")
  }

  @Test("is the same JSON with escapes")
  func json() {
    #expect(DisplayText.json("{\"a\":\"\u{9B}x\u{E0041}\"}") == #"{"a":"\u009bx\udb40\udc41"}"#)
  }
}
