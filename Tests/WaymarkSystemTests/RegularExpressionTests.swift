import Foundation
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
    (#"[\d\-x]+"#, ["1-x"], ["a"]), (#"[\x20]"#, [" "], ["x"]),
    (#"\x1d\u00E9\x{1F600}"#, ["\u{1D}é😀"], ["x1d"]), (#"\p{L}\p{Nd}[\P{Lu}]"#, ["É7é"], ["É7É", "77é"]),
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
    "a$b", #"\p{X}"#, #"\p{}"#, #"\pL"#, #"\x1"#, #"\x{110000}"#, #"\uD800"#, "a{9999}", "((a{50}){50}){50}",
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

@Suite("Replacing the matches of an expression") struct RegularExpressionReplacementTests {
  private func replaced(_ expression: String, _ template: String, _ text: String) throws -> String? {
    var steps = 1_000_000
    let own = try RegularExpressionReplacement(expression, template: template)
    return own.replacing(in: text, limit: 10_000, steps: &steps)
  }

  /// The same by ICU, which tries one way after the other.
  private func reference(_ expression: String, _ template: String, _ text: String) throws -> String {
    try NSRegularExpression(pattern: expression).stringByReplacingMatches(
      in: text, range: NSRange(text.startIndex..., in: text), withTemplate: template)
  }

  @Test(arguments: [
    (#"^\]?0*(\d{8})$"#, "$1", "]00012345678"), (" ", "", "a b  c"), ("a*", "x", "baac"), ("(?:)", "-", "ab"),
    ("a|ab", "<$0>", "abab"), ("ab|a", "<$0>", "aba"), ("(a+?)(a*)", "$2,$1", "aaa"), ("(a)|(b)", "[$1$2]", "abc"),
    ("$", ".", "x"), ("^", ".", "x"), (#"\bx\B"#, "y", "xa x ax"), ("(?i)lot:", "", "Lot:7 LOT:8"),
    ("(.)(.)", "$2$1", "äöü"), ("(a)(b)?", "$2$1", "aab"), (#"(\d)(\d)"#, #"\$1$2$3$x$"#, "12"), ("a", "$12", "a"),
    ("(a)", "$12", "a"), ("^a|b$", "x", "aabb"), ("x{2,3}?", "y", "xxxxx"), ("(x{1,2}){2}", "<$1>", "xxx"),
    (#"[^\x1D]+\x1D"#, "", "10A\u{1D}21B"), ("((a)|b)+", "$1$2", "ab"), ("😀(.)", "$1", "😀é"), ("a$|^", "x", "a"),
  ]) func replacesAsICUDoes(_ expression: String, _ template: String, _ text: String) throws {
    #expect(
      try replaced(expression, template, text) == reference(expression, template, text),
      "\(expression) in \(text)")
  }

  /// Expressions at random, without repetitions of what may be empty, where the two disagree about captures.
  @Test(arguments: 1...8 as ClosedRange<UInt64>) func findsWhatICUFinds(seed: UInt64) throws {
    var chance = Chance(state: seed)
    func part(_ depth: Int) -> String {
      switch chance.below(depth > 2 ? 4 : 9) {
      case 0: return "a"
      case 1: return "b"
      case 2: return "[ab]"
      case 3: return "."
      case 4: return "(\(part(depth + 1)))"
      case 5: return "(?:\(part(depth + 1))|\(part(depth + 1)))"
      case 6: return "(\(part(depth + 1))|\(part(depth + 1))\(part(depth + 1)))"
      case 7: return "(\(part(depth + 1)))" + ["+", "+?", "{2}", "{1,2}", "{1,2}?"][chance.below(5)]
      default: return part(depth + 1) + part(depth + 1)
      }
    }
    for _ in 0..<300 {
      let optional = ["", "a*", "b?", "^", "(?:b*?)", #"\b"#][chance.below(6)]
      let expression = part(0) + optional + part(1) + ["", "$", "b??"][chance.below(3)]
      let text = String((0..<chance.below(12)).map { _ in ["a", "b", "c"][chance.below(3)] as Character })
      let template = "<$0:$1:$2>"
      #expect(
        try replaced(expression, template, text) == reference(expression, template, text), "\(expression) in \(text)")
    }
  }

  @Test func takesNoMoreThanItsSteps() throws {
    let nested = try RegularExpressionReplacement("^(a+)+$", template: "")
    var steps = 100_000
    let text = String(repeating: "a", count: 60) + "!"
    #expect(nested.replacing(in: text, limit: 100, steps: &steps) == text && steps > 0)
    // Each match looks for an end that is not there.
    let quadratic = try RegularExpressionReplacement("a.*z|a", template: "b")
    #expect(quadratic.replacing(in: String(repeating: "a", count: 7000), limit: 10_000, steps: &steps) == nil)
    #expect(steps <= 0)
  }

  @Test func theResultHasALimit() throws {
    var steps = 1_000_000
    let double = try RegularExpressionReplacement("a", template: "bb")
    #expect(double.replacing(in: "aaa", limit: 6, steps: &steps) == "bbbbbb")
    #expect(double.replacing(in: "aaa", limit: 5, steps: &steps) == nil)
    #expect(double.replacing(in: "acccc", limit: 5, steps: &steps) == nil && steps > 0)
  }

  @Test(arguments: ["(?=a)", "(?<!a)b", #"(a)\1"#, "a++", "(", ""]) func refusesWhatItCannotDo(_ expression: String) {
    #expect(throws: RegularExpressionFlaw.self) { try RegularExpressionReplacement(expression, template: "") }
  }

  private struct Chance {
    var state: UInt64

    mutating func below(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % count
    }
  }
}
