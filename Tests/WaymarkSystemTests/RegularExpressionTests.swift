import Testing

@testable import WaymarkSystem

@Suite struct RegularExpressionTests {
  @Test(arguments: [
    (#"BIN-\d{4}"#, ["BIN-0042"], ["BIN-042", "BIN-00421", "bin-0042", " BIN-0042", "XBIN-0042"]),
    (#"^(?:PUMP|VALVE)-[1-9]\d*$"#, ["PUMP-7", "VALVE-10"], ["PUMP-07", "PUMP-", "PUMP-7 "]),
    ("a{2,3}", ["aa", "aaa"], ["a", "aaaa", ""]), ("a{2,}", ["aa", "aaaaaa"], ["a"]), ("(ab)*", ["", "abab"], ["aba"]),
    ("a{0}b", ["b"], ["ab"]), ("x?y+?z*", ["y", "xyyzz"], ["xz", "xxy"]), ("a|bc|", ["a", "bc", ""], ["b", "abc"]),
    ("[A-F0-9_.-]+", ["A0.F-9_"], ["G", ""]), ("[^A-Z]", ["a", "é", "\u{1D}"], ["A", "ab"]), ("[]a]+", ["]a]"], ["["]),
    (#"\w+\s\S\D\W"#, ["a_1 x-!"], ["a 1-1"]), (#"\.\*\[\\"#, [#".*[\"#], ["aa"]), ("Ä.", ["Äö"], ["A\u{308}o"]),
    ("(?i)[^a-c]", ["x", "X"], ["a", "A", "B"]), ("(?i)[a-c]+", ["aBC"], ["d"]),
    (#"[\d\-x]+"#, ["1-x"], ["a"]), (#"[\x20]"#, [], []),
  ])
  func holdsTheWholeText(_ expression: String, _ right: [String], _ wrong: [String]) throws {
    guard !right.isEmpty else {
      #expect(throws: RegularExpressionFlaw.self) { try RegularExpression(expression) }
      return
    }
    let pattern = try RegularExpression(expression)
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
    #expect(throws: RegularExpressionFlaw.self) { try RegularExpression(expression) }
  }

  /// Where others try every way one after the other, until the universe ends.
  @Test func noTextKeepsItBusy() throws {
    let pattern = try RegularExpression("(a|aa|a*)*(a+)+b")
    #expect(!pattern.matches(String(repeating: "a", count: 7_000)))
    #expect(pattern.matches(String(repeating: "a", count: 7_000) + "b"))
  }

  private func matches(_ expression: String, _ text: String) throws -> Bool {
    var steps = 100_000
    return try RegularExpression(expression).matches(text, steps: &steps)
  }

  @Test(arguments: [
    ("[A-Z]{2}[0-9]{4}", "AB0123", "A10123"), ("a|bc", "bc", "abc"), ("(ab)+c?", "ababc", "abac"),
    (#"\d{2,3}-\w*"#, "123-a_9", "1-a"), ("^x.y$", "xäy", "xy"), (#"[^0-9\-]+"#, "ab c", "a-b"),
    ("(?i)sn[a-f]", "SnD", "SnG"), ("(?i)größe", "GRÖße", "GRASSE"), (#"\w+"#, "Größe5", "a b"),
    (#"[\D]"#, "x", "4"), ("[[(]", "[", "{"),
    (#"(?:LOT|EXP)\s?\d{4,}"#, "LOT 12345", "LOT 123"), (#"\(\.\)"#, "(.)", "(x)"), ("[]a]+", "]a", "b"),
    ("a{0}b", "b", "ab"), ("a??b+?", "bb", "aab"), ("[a-]", "-", "b"), ("x*", "", "y"), (#"[\d.]+"#, "3.14", "3,14"),
  ]) func takesWhatItDescribesAndNothingElse(_ expression: String, _ right: String, _ wrong: String) throws {
    #expect(try matches(expression, right))
    #expect(try !matches(expression, wrong))
  }

  @Test(arguments: [
    "[A-Z", "(a", "a)", "*a", "a{2", "a{3,2}", "a{999}", "a{x}", "[z-a]", #"(a)\1"#, "(?=a)b", "(?<!a)b", #"\b"#,
    #"a\"#, "[]", "a^b",
    "[[:alpha:]]", #"[a-\d]"#, "a*+",
  ]) func whatItCannotUseIsRefused(_ expression: String) {
    #expect(throws: RegularExpressionFlaw.self) { try RegularExpression(expression) }
  }

  /// Expressions that keep a matcher that tries ways and takes them back busy for longer than the world lasts.
  @Test(arguments: ["(a+)+b", "(a|a)*b", "(a*)*b", "((a?){30}){4}b", "(.*.*)*=", "(a|aa)+$b".replacing("$", with: "")])
  func noneTakesLongerThanItsSteps(_ expression: String) throws {
    let compiled = try RegularExpression(expression)
    var steps = 200_000
    #expect(!compiled.matches(String(repeating: "a", count: 120), steps: &steps))
    // Each character costs at most the states that there are.
    #expect(steps > 0)
    var few = 1
    #expect(!compiled.matches("b", steps: &few))
  }

  @Test(arguments: ["((a{100}){100}){100}", "(((((){200}){200}){200}){200}){200}", "[abcdefghijklmnopqrstuvwxyz]{200}"])
  func whatWouldBeHugeIsRefused(_ expression: String) {
    #expect(throws: RegularExpressionFlaw.self) { try RegularExpression(expression) }
  }

  @Test func groupsWithoutEndAreRefused() {
    #expect(throws: RegularExpressionFlaw.self) {
      try RegularExpression(String(repeating: "(", count: 399) + "a")
    }
  }

  @Test func aBeginningThatCannotBecomeRightIsKnownToBe() throws {
    let expression = try RegularExpression("[A-Z]{2}-[0-9]{2,}")
    var steps = 10_000
    let half = try #require(expression.advance(expression.beginning, over: "AB-1", steps: &steps))
    #expect(!expression.isWhole(half))
    #expect(expression.advance(half, over: "x", steps: &steps) == nil)
    let whole = try #require(expression.advance(half, over: "2", steps: &steps))
    #expect(expression.isWhole(whole))
    #expect(expression.advance(expression.beginning, over: "8", steps: &steps) == nil)
  }
}
