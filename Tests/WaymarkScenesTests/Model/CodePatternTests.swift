import Testing

@testable import WaymarkScenes

@Suite struct CodePatternTests {
  @Test(arguments: [
    (#"BIN-\d{4}"#, ["BIN-0042"], ["BIN-042", "BIN-00421", "bin-0042", " BIN-0042", "XBIN-0042"]),
    (#"^(?:PUMP|VALVE)-[1-9]\d*$"#, ["PUMP-7", "VALVE-10"], ["PUMP-07", "PUMP-", "PUMP-7 "]),
    ("a{2,3}", ["aa", "aaa"], ["a", "aaaa", ""]), ("a{2,}", ["aa", "aaaaaa"], ["a"]), ("(ab)*", ["", "abab"], ["aba"]),
    ("a{0}b", ["b"], ["ab"]), ("x?y+?z*", ["y", "xyyzz"], ["xz", "xxy"]), ("a|bc|", ["a", "bc", ""], ["b", "abc"]),
    ("[A-F0-9_.-]+", ["A0.F-9_"], ["G", ""]), ("[^A-Z]", ["a", "é", "\u{1D}"], ["A", "ab"]), ("[]a]+", ["]a]"], ["["]),
    (#"\w+\s\S\D\W"#, ["a_1 x-!"], ["a 1-1"]), (#"\.\*\[\\"#, [#".*[\"#], ["aa"]), ("Ä.", ["Äö"], ["A\u{308}o"]),
    (#"[\d\-x]+"#, ["1-x"], ["a"]), (#"[\x20]"#, [], []),
  ])
  func holdsTheWholeText(_ expression: String, _ right: [String], _ wrong: [String]) throws {
    guard !right.isEmpty else {
      #expect(throws: CodePatternFlaw.self) { try CodePattern(expression) }
      return
    }
    let pattern = try CodePattern(expression)
    for text in right { #expect(pattern.matches(text), "\(text)") }
    for text in wrong { #expect(!pattern.matches(text), "\(text)") }
  }

  @Test(arguments: [
    "", "(", ")", "a)", "[a", "[z-a]", "*a", "a**", "a{2,1}", "a{,2}", "a{x}", "(?=a)", "(?<n>a)", #"(a)\1"#, #"a\"#,
    "a^b",
    "a$b", #"\p{L}"#, "a{9999}", "((a{50}){50}){50}",
    String(repeating: "(", count: 60) + String(repeating: ")", count: 60),
    String(repeating: "a", count: 401),
  ])
  func saysWhatItCannotDo(_ expression: String) {
    #expect(throws: CodePatternFlaw.self) { try CodePattern(expression) }
  }

  /// Where others try every way one after the other, until the universe ends.
  @Test func noTextKeepsItBusy() throws {
    let pattern = try CodePattern("(a|aa|a*)*(a+)+b")
    #expect(!pattern.matches(String(repeating: "a", count: 7_000)))
    #expect(pattern.matches(String(repeating: "a", count: 7_000) + "b"))
  }
}
