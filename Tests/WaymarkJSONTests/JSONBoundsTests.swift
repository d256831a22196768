import Foundation
import Testing
import WaymarkSystem

/// Where errors are found, how far the limits reach, and what is written, beside values that were worked out by hand or by Foundation.
@Suite("JSON at its bounds") struct JSONBoundsTests {
  @Test(
    "An error names its place and its problem",
    arguments: [
      ("", 0, 1, 1, "the text ends early"), ("  \n ", 4, 2, 2, "the text ends early"),
      ("[1 2]", 3, 1, 4, "a comma or a closing bracket is missing"), ("{\"a\" 1}", 5, 1, 6, "a colon is missing"),
      ("{a:1}", 1, 1, 2, "a name in quotes is missing"), ("{\"a\":1,\n  x}", 10, 2, 3, "a name in quotes is missing"),
      ("01", 1, 1, 2, "a number has a leading zero"), ("-x", 1, 1, 2, "a digit is missing"),
      ("1.e1", 2, 1, 3, "a digit is missing"), ("1e+", 3, 1, 4, "a digit is missing"),
      ("[1e999]", 6, 1, 7, "the number is out of range"), ("[true, nul]", 7, 1, 8, "no value starts here"),
      ("1 2", 2, 1, 3, "something follows the value"), (" \"ab", 1, 1, 2, "a string does not end"),
      (" \"a\\n", 1, 1, 2, "a string does not end"), ("\"\\", 2, 1, 3, "a string does not end"),
      ("\"a\u{1}\"", 2, 1, 3, "a string contains a control character"),
      ("\"\\x\"", 3, 1, 4, "a string contains an unknown escape"),
      ("\"\\u12G4\"", 5, 1, 6, "four hexadecimal digits are missing"),
      ("\"\\u12\"", 5, 1, 6, "four hexadecimal digits are missing"),
      ("\"\\ud800\"", 7, 1, 8, "a string contains half of a surrogate pair"),
      ("\"\\ud800\\u", 9, 1, 10, "four hexadecimal digits are missing"),
      ("\"\\ud800\\ue000\"", 13, 1, 14, "a string contains half of a surrogate pair"),
      ("{\"a\":1,\n\"a\":2}", 8, 2, 1, "the name \"a\" occurs twice in one object"),
    ])
  func places(_ text: String, offset: Int, line: Int, column: Int, problem: String) {
    let error = #expect(throws: JSONSyntaxError.self) { try JSONParser.parse(text) }
    #expect(error?.problem == problem)
    #expect(error.map { [$0.position.offset, $0.position.line, $0.position.column] } == [offset, line, column])
  }

  @Test("A name that occurs twice is shown when a terminal can bear it, and is not long")
  func twice() {
    func problem(_ name: String) -> String? {
      let quoted = JSONValue.quoted(name)
      do throws(JSONSyntaxError) {
        _ = try JSONParser.parse("{\(quoted):1,\(quoted):2}")
        return nil
      } catch { return error.code + ": " + error.problem }
    }
    let long = String(repeating: "n", count: 40)
    #expect(problem(long) == "duplicateKey: the name \"\(long)\" occurs twice in one object")
    for name in [long + "n", "é", "a\u{1F}", "a\u{7F}"] {
      #expect(problem(name) == "duplicateKey: the name occurs twice in one object")
    }
    #expect(problem(" ~") == "duplicateKey: the name \" ~\" occurs twice in one object")
  }

  @Test("Depth is counted on the way in and out, values in all")
  func limits() throws {
    func parse(_ text: String, _ rules: JSONRules) throws(JSONSyntaxError) -> JSONValue {
      try JSONParser.tree(text.utf8, as: JSONValue.self, rules: rules)
    }
    #expect(try parse("[[],[],{},{},[]]", JSONRules(depth: 2)).array?.count == 5)
    #expect(throws: JSONSyntaxError.self) { try parse("[[],[[]]]", JSONRules(depth: 2)) }
    #expect(throws: JSONSyntaxError.self) { try parse("{\"a\":{\"b\":{}}}", JSONRules(depth: 2)) }
    let deep = #expect(throws: JSONSyntaxError.self) { try parse("[[[", JSONRules(depth: 2)) }
    #expect(deep?.code == "tooDeep" && deep?.offset == 2)
    #expect(try parse("[1,{\"a\":2}]", JSONRules(values: 4)).array?.count == 2)
    let many = #expect(throws: JSONSyntaxError.self) { try parse("[1,{\"a\":2}]", JSONRules(values: 3)) }
    #expect(many?.code == "tooLarge" && many?.offset == 8)
    let deepest = String(repeating: "[", count: 32) + String(repeating: "]", count: 32)
    #expect(try JSONParser.parse(deepest).compactText == deepest)
  }

  @Test("What is not finite is a number where that is allowed, and only there")
  func notFinite() throws {
    let rules = JSONRules(allowsNonFinite: true)
    func parse(_ text: String) throws -> JSONValue { try JSONParser.tree(text.utf8, as: JSONValue.self, rules: rules) }
    #expect(try parse("[NaN,Infinity,-Infinity,-1]").array == [.number("nan"), .number("inf"), .number("-inf"), -1])
    for text in ["-", "-Inf", "Nan", "Infinit"] { #expect(throws: JSONSyntaxError.self) { try parse(text) } }
  }

  @Test("A byte order mark is passed over where that is allowed, whole and once")
  func byteOrderMark() throws {
    let rules = JSONRules(allowsByteOrderMark: true)
    func parse(_ bytes: [UInt8]) throws -> JSONValue { try JSONParser.tree(bytes, as: JSONValue.self, rules: rules) }
    #expect(try parse([0xEF, 0xBB, 0xBF, 0x31]) == 1)
    #expect(throws: JSONSyntaxError.self) { try parse([0xEF, 0xBB, 0x31]) }
    #expect(throws: JSONSyntaxError.self) { try parse([0xEF, 0xBB, 0xBF, 0xEF, 0xBB, 0xBF, 0x31]) }
  }

  @Test("Long numbers are looked at, and kept as they are spelled")
  func longNumbers() throws {
    let nines = String(repeating: "9", count: 308)
    #expect(try JSONParser.parse(nines).double == 1e308)
    #expect(throws: JSONSyntaxError.self) { try JSONParser.parse(nines + "9") }
    #expect(try JSONParser.parse("1E+5").double == 100_000)
    #expect(try JSONParser.parse("25e-1").double == 2.5)
    #expect(try JSONParser.parse("-0.0").compactText == "-0.0")
  }

  @Test("Surrogate pairs are the scalars that Unicode says")
  func surrogates() throws {
    for (text, scalar) in [
      (#""\ud800\udc00""#, 0x10000), (#""\udbff\udfff""#, 0x10FFFF), (#""\uD83D\uDE00""#, 0x1F600),
      (#""\ud801\udc37""#, 0x10437), (#""\ue000""#, 0xE000), (#""\ud7ff""#, 0xD7FF), (#""\u0000""#, 0),
    ] as [(String, UInt32)] {
      #expect(try JSONParser.parse(text).string?.unicodeScalars.map(\.value) == [scalar], "\(text)")
    }
  }

  @Test("Escapes are those of RFC 8259, in small letters, and no more than needed")
  func written() {
    #expect(
      JSONValue.quoted("\u{0}\u{8}\u{C}\u{1F} !\u{7F}\u{80}\u{2028}")
        == "\"\\u0000\\u0008\\u000c\\u001f !\\u007f\u{80}\u{2028}\"")
    #expect(JSONValue.quoted("\"\\/\n\r\t") == "\"\\\"\\\\/\\n\\r\\t\"")
    #expect(JSONValue.quoted("") == "\"\"" && JSONValue.quoted("\n\n") == "\"\\n\\n\"")
  }

  @Test("Values for people have a line for each element")
  func indented() throws {
    let value = try JSONParser.parse(#"{"a":[1,[],{"b":null}],"c":{},"d":"e"}"#)
    #expect(
      value.indentedText == """
        {
          "a": [
            1,
            [],
            {
              "b": null
            }
          ],
          "c": {},
          "d": "e"
        }
        """)
  }

  @Test("Whole numbers of every size")
  func integers() {
    func text(_ value: some BinaryInteger) -> String {
      var writer = JSONWriter()
      writer.integer(value)
      return String(decoding: writer.bytes, as: UTF8.self)
    }
    for value in [0, 7, 10, -1, -10, 1_000_000_007, .max, .min, .min + 1] as [Int64] {
      #expect(text(value) == "\(value)")
    }
    #expect(text(UInt64.max) == "18446744073709551615" && text(UInt8.max) == "255")
  }

  @Test(
    "Numbers are rounded to six decimals from 1 on, to nine below, and not at all when they are very small or large",
    arguments: [
      (0.99999999949, "0.999999999"), (0.9999999996, "1"), (1.0000004, "1"), (1.0000006, "1.000001"),
      (0.0001, "0.0001"), (0.00009999, "9.999e-05"), (8_999_999_999.5, "8999999999.5"), (1e12, "1000000000000.0"),
      (-12.5, "-12.5"), (-0.0000000001, "-1e-10"), (0.1234567894, "0.123456789"), (0.1234567896, "0.12345679"),
      (10.1, "10.1"), (100, "100"), (0.5, "0.5"), (1.5, "1.5"), (3.000_1, "3.0001"), (0.000_100_4, "0.0001004"),
    ])
  func numbers(_ value: Double, text: String) {
    var writer = JSONWriter()
    let isWritten = writer.number(value)
    #expect(isWritten && String(decoding: writer.bytes, as: UTF8.self) == text)
  }

  @Test(
    "From 9e9 on, where millionths are no whole numbers any more, a number has the digits by which it is read back",
    arguments: [
      (9_007_199_254.740_991, "9007199254.740992"), (9_007_199_254.740_994, "9007199254.740993"),
      (100_000_000_000.3, "100000000000.3"), (-123_456_789_012.345_67, "-123456789012.34567"),
      (10_000_000_000, "10000000000"), (-999_999_999_999, "-999999999999"), (12_345_678_901.25, "12345678901.25"),
      (1.5e15, "1500000000000000.0"), (1e16, "1e+16"), (1.7976931348623157e308, "1.7976931348623157e+308"),
    ])
  func large(_ value: Double, text: String) {
    var writer = JSONWriter()
    let isWritten = writer.number(value)
    #expect(isWritten && String(decoding: writer.bytes, as: UTF8.self) == text)
  }

  @Test("Numbers of every size are read back as they were, or as near as they are rounded")
  func readBack() throws {
    var chance = SplitMix(state: 9)
    for round in 0..<20_000 {
      // Any double, and every second time one between 1e-5 and 1e13.
      let drawn = exp(Double.random(in: log(1e-5)...log(1e13), using: &chance))
      let value = round % 2 == 0 ? Double(bitPattern: chance.next()) : Bool.random(using: &chance) ? drawn : -drawn
      guard value.isFinite else { continue }
      var writer = JSONWriter()
      let isWritten = writer.number(value)
      let text = String(decoding: writer.bytes, as: UTF8.self)
      let read = try #require(try JSONParser.parse(text).double)
      let size = value.magnitude
      let slack = size < 1e-4 || size >= 9_007_199_254.740_992 ? 0 : size < 1 ? 0.5000001e-9 : 0.51e-6 + size.ulp
      #expect(isWritten && abs(read - value) <= slack, "\(value) \(text)")
    }
  }

  @Test("A number is one of JSON or none")
  func spelling() {
    for text in ["0", "-0", "10", "0.5", "-1.25e10", "1E+5", "1e-05", "9", "100.001"] {
      #expect(JSONValue.number(text).compactText == text)
    }
    for text in ["", "-", "00", "-01", ".5", "5.", "1e", "1e+", "1.e5", "1 ", " 1", "1a", "/", ":", "1/", "1:", "--1"] {
      var writer = JSONWriter()
      let isGood = writer.value(.array([1, .object(["a": .number(text)]), 2]))
      #expect(!isGood, "\(text)")
      #expect(String(decoding: writer.bytes, as: UTF8.self) == "[1,{\"a\":null},2]")
    }
  }

  @Test("Equal values hash alike, different ones are different")
  func equality() throws {
    let equal = [("1.0", "1.00"), ("1e2", "100.0"), ("[1,2]", "[ 1 , 2 ]"), (#"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#)]
    for (one, other) in equal {
      let (one, other) = (try JSONParser.parse(one), try JSONParser.parse(other))
      #expect(one == other && one.hashValue == other.hashValue)
    }
    let different = [
      "null", "true", "false", "0", "1", "0.0", "1.5", "\"\"", "\"0\"", "[]", "[0]", "[0,0]", "{}", #"{"a":0}"#,
      #"{"a":1}"#, #"{"b":0}"#, #"{"a":0,"b":0}"#,
    ]
    let values = try different.map { try JSONParser.parse($0) }
    for (i, one) in values.enumerated() {
      for (j, other) in values.enumerated() { #expect((one == other) == (i == j), "\(different[i]) \(different[j])") }
    }
  }

  @Test("A value tells what it is, and nothing else")
  func access() throws {
    let value = try JSONParser.parse(#"{"n":null,"b":false,"i":-3,"d":0.5,"s":"t","a":[1],"o":{"x":1}}"#)
    #expect(value["i"]?.int == -3 && value["d"]?.int == nil && value["d"]?.double == 0.5 && value["i"]?.double == -3)
    #expect(
      value["b"]?.bool == false && value["n"]?.bool == nil && value["s"]?.string == "t" && value["i"]?.string == nil)
    #expect(value["a"]?.array == [1] && value["o"]?.array == nil && value["o"]?.members?.map(\.name) == ["x"])
    #expect(value["q"] == nil && value["a"]?["x"] == nil)
    let names = ["n", "b", "i", "s", "a", "o"].map { value[$0]?.typeName ?? "" }
    #expect(names == ["null", "true or false", "a number", "a string", "an array", "an object"])
    #expect(["n", "b", "i", "s", "a", "o"].map { value[$0]?.scalarText } == ["null", "false", "-3", "t", nil, nil])
  }
}
