import Testing
import WaymarkSystem

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
