import Testing
import WaymarkOnboarding

@Suite("JSON, strictly")
struct JSONParserTests {
  @Test(
    "is read and written back",
    arguments: [
      #"{"a":1,"b":[true,false,null],"c":{"d":"é\n\"\\"}}"#, "[]", "{}", #""😀""#, "-0.5e+10", "[[[[1]]]]", "0",
    ])
  func roundTrip(_ text: String) throws { #expect(try JSONParser.parse(text).compactText == text) }

  @Test("Escapes mean what they stand for")
  func escapes() throws {
    #expect(try JSONParser.parse(#""\u0041\ud83d\ude00\/\b""#) == .string("A😀/\u{8}"))
  }

  @Test(
    "What others accept or guess is refused",
    arguments: [
      "", " ", "{", "}", "[1,]", "{\"a\":1,}", "{a:1}", "'a'", "01", "1.", ".5", "+1", "1e", "NaN", "tru", "\"\u{1}\"",
      #"{"a":1,"a":2}"#, #"{"a":1,"\u0061":2}"#, #""\ud800""#, #""\udc00""#, #""\ud800\u0041""#, #""\x""#, #""abc"#,
      "1 2", "[1}", #"{"a" 1}"#, "\u{FEFF}{}", String(repeating: "[", count: 40) + String(repeating: "]", count: 40),
    ])
  func refused(_ text: String) { #expect(throws: JSONParser.Failure.self) { try JSONParser.parse(text) } }

  @Test("Bytes that are not UTF-8 are refused")
  func encoding() { #expect(throws: JSONParser.Failure.self) { try JSONParser.parse([0x22, 0xFF, 0x22]) } }
}
