import Testing

@testable import WaymarkText

@Suite struct TextExpressionTests {
  private func matches(_ expression: String, _ text: String) throws -> Bool {
    var steps = 100_000
    return try TextExpression(expression).matches(text, steps: &steps)
  }

  @Test(arguments: [
    ("[A-Z]{2}[0-9]{4}", "AB0123", "A10123"), ("a|bc", "bc", "abc"), ("(ab)+c?", "ababc", "abac"),
    (#"\d{2,3}-\w*"#, "123-a_9", "1-a"), ("^x.y$", "xäy", "xy"), (#"[^0-9\-]+"#, "ab c", "a-b"),
    ("(?i)sn[a-f]", "SnD", "SnG"),
    (#"(?:LOT|EXP)\s?\d{4,}"#, "LOT 12345", "LOT 123"), (#"\(\.\)"#, "(.)", "(x)"), ("[]a]+", "]a", "b"),
    ("a{0}b", "b", "ab"), ("a??b+?", "bb", "aab"), ("[a-]", "-", "b"), ("x*", "", "y"), (#"[\d.]+"#, "3.14", "3,14"),
  ]) func takesWhatItDescribesAndNothingElse(_ expression: String, _ right: String, _ wrong: String) throws {
    #expect(try matches(expression, right))
    #expect(try !matches(expression, wrong))
  }

  @Test(arguments: [
    "[A-Z", "(a", "a)", "*a", "a{2", "a{3,2}", "a{999}", "a{x}", "[z-a]", #"(a)\1"#, "(?=a)b", "(?<!a)b", #"\b"#,
    #"a\"#, "[]", "a^b",
    "[[:alpha:]]", #"[a-\d]"#,
  ]) func whatItCannotUseIsRefused(_ expression: String) {
    #expect(throws: TextError.self) { try TextExpression(expression) }
  }

  /// Expressions that keep a matcher that tries ways and takes them back busy for longer than the world lasts.
  @Test(arguments: ["(a+)+b", "(a|a)*b", "(a*)*b", "((a?){30}){4}b", "(.*.*)*=", "(a|aa)+$b".replacing("$", with: "")])
  func noneTakesLongerThanItsSteps(_ expression: String) throws {
    let compiled = try TextExpression(expression)
    var steps = 200_000
    #expect(!compiled.matches(String(repeating: "a", count: 120), steps: &steps))
    // Each character costs at most the states that there are.
    #expect(steps > 0)
    var few = 1
    #expect(!compiled.matches("b", steps: &few))
  }

  @Test(arguments: ["((a{100}){100}){100}", "(((((){200}){200}){200}){200}){200}", "[abcdefghijklmnopqrstuvwxyz]{200}"])
  func whatWouldBeHugeIsRefused(_ expression: String) {
    #expect(throws: TextError.self) { try TextExpression(expression) }
  }

  @Test func groupsWithoutEndAreRefused() {
    #expect(throws: TextError.self) { try TextExpression(String(repeating: "(", count: 399) + "a") }
  }

  @Test func aLineHasOnlySoManyStepsHoweverManyReadingsItHas() throws {
    // Every character may be another one: many readings, many runs of words, a pattern of many states.
    let acceptance = try TextAcceptance([TextPattern(name: "x", expression: "(?:[0-9O]{1,20}[A-Z ]?){1,60}x")])
    let symbols = (0..<128).map { ReadSymbol($0 % 2 == 0 ? "0" : "O", confidence: 0.9, beginsWord: $0 % 16 == 0) }
    #expect(acceptance.accepted(in: [ReadLine(symbols, outline: TextFollowerTests.outline(0))]).isEmpty)
  }
}
