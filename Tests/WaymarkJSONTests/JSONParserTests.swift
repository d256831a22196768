import Testing
import WaymarkSystem

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
  func refused(_ text: String) { #expect(throws: JSONSyntaxError.self) { try JSONParser.parse(text) } }

  @Test("Bytes that are not UTF-8 are refused")
  func encoding() { #expect(throws: JSONSyntaxError.self) { try JSONParser.parse([0x22, 0xFF, 0x22]) } }
}

/// A tree that keeps nothing but positions.
private struct Places: JSONTree {
  var text: String

  init(_ shape: JSONShape<Places>, at position: JSONPosition) {
    text = "\(position.line):\(position.column)"
    switch shape {
    case .array(let elements): text += "[" + elements.map(\.text).joined(separator: " ") + "]"
    case .object(let members):
      text +=
        "{" + members.map { "\($0.position.line):\($0.position.column)=\($0.value.text)" }.joined(separator: " ") + "}"
    default: break
    }
  }
}

@Suite("JSON values and positions") struct JSONValueTests {
  @Test func whatTravelsUnreadComesOutAsItWentIn() throws {
    let text = #"{"z":1.50,"a":18446744073709551616,"m":[1e2,-0,0.1e-7],"b":{"y":1,"x":2}}"#
    let value = try JSONParser.parse(text)
    #expect(String(decoding: try JSONLineEncoder.encode(value), as: UTF8.self) == text)
    #expect(value.compactText == text)
    #expect(value["m"]?.array?[0].int == nil && value["m"]?.array?[0].double == 100)
  }

  @Test func equalityIsOfValues() throws {
    #expect(try JSONParser.parse(#"{"a":1,"b":[2.50]}"#) == JSONParser.parse(#"{"b":[2.5],"a":1}"#))
    #expect(try JSONParser.parse("1") != JSONParser.parse("1.0"))
    #expect(try JSONParser.parse(#"{"a":1}"#) != JSONParser.parse(#"{"b":1}"#))
    // Deep and different at the very end: compared once a level, not twice.
    let deep = { (end: String) in
      try JSONParser.parse(String(repeating: "{\"a\":", count: 31) + end + String(repeating: "}", count: 31))
    }
    #expect(try deep("1") != deep("2"))
  }

  @Test func whatIsNoNumberIsNotWritten() {
    for text in ["", "nan", "-inf", "01", "1.", "+1", "1,2", "1e", "0x1", "1 "] {
      #expect(throws: EncodingError.self) { try JSONLineEncoder.encode(JSONValue.number(text)) }
    }
  }

  @Test func namesAreComparedScalarByScalar() throws {
    let value = try JSONParser.parse("{\"\u{E9}\":1,\"e\u{301}\":2}")
    #expect(value["\u{E9}"] == 1 && value["e\u{301}"] == 2)
    let many = "{" + (0..<40).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
    #expect(try JSONParser.parse(many + "}").members?.count == 40)
    let error = #expect(throws: JSONSyntaxError.self) { try JSONParser.parse(many + ",\"k7\":0}") }
    #expect(error?.code == "duplicateKey")
  }

  @Test func positionsAreKept() throws {
    let text = "\u{FEFF}[1,\n  {\"a\": true,\n\"b\" :[ ]}]"
    let tree = try JSONParser.tree(text.utf8, as: Places.self, rules: JSONRules(allowsByteOrderMark: true))
    #expect(tree.text == "1:4[1:5 2:3{2:4=2:9 3:1=3:6[]}]")
    let error = #expect(throws: JSONSyntaxError.self) { try JSONParser.parse("[1,\n 2,\n x]") }
    #expect(error.map { [$0.position.offset, $0.position.line, $0.position.column] } == [9, 3, 2])
  }

  @Test func rulesAreKept() throws {
    #expect(throws: JSONSyntaxError.self) {
      try JSONParser.tree("[1,2,3]".utf8, as: Places.self, rules: .init(values: 3))
    }
    #expect(throws: JSONSyntaxError.self) { try JSONParser.tree("[[1]]".utf8, as: Places.self, rules: .init(depth: 1)) }
    for text in ["NaN", "[Infinity]", "-Infinity"] {
      #expect(throws: JSONSyntaxError.self) { try JSONParser.parse(text) }
      _ = try JSONParser.tree(text.utf8, as: Places.self, rules: .init(allowsNonFinite: true))
    }
  }
}

/// What types write that encode themselves in unusual ways: by nested containers, and as classes by that of the class above.
@Suite struct JSONLineEncoderTests {
  private class Machine: Encodable {
    private enum Key: String, CodingKey { case name, parts }
    private let name = "pump"

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(name, forKey: .name)
      var parts = container.nestedUnkeyedContainer(forKey: .parts)
      try parts.encode("seal")
      var part = parts.nestedContainer(keyedBy: Key.self)
      try part.encode("valve", forKey: .name)
      try parts.encode(2)
    }
  }

  private final class Leased: Machine {
    private enum Key: String, CodingKey { case machine, lease, until, super_ = "super" }

    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try super.encode(to: container.superEncoder(forKey: .machine))
      var lease = container.nestedContainer(keyedBy: Key.self, forKey: .lease)
      try lease.encode("2027-01", forKey: .until)
      var list = container.nestedUnkeyedContainer(forKey: .super_)
      try super.encode(to: list.superEncoder())
      try list.encodeNil()
      try container.encode(true, forKey: .until)
    }
  }

  private func text(_ value: some Encodable) throws -> String {
    String(decoding: try JSONLineEncoder.encode(value), as: UTF8.self)
  }

  @Test func nestedContainersAreClosedWhereTheyEnd() throws {
    #expect(try text(Machine()) == #"{"name":"pump","parts":["seal",{"name":"valve"},2]}"#)
    #expect(try text([Machine(), Machine()]).hasSuffix(#",2]},{"name":"pump","parts":["seal",{"name":"valve"},2]}]"#))
  }

  @Test func theClassAboveWritesIntoItsOwnPlace() throws {
    let machine = #"{"name":"pump","parts":["seal",{"name":"valve"},2]}"#
    #expect(
      try text(Leased())
        == #"{"machine":\#(machine),"lease":{"until":"2027-01"},"super":[\#(machine),null],"until":true}"#)
  }

  @Test func aLineEndsWithALineFeed() throws {
    #expect(try JSONLineEncoder.line([1, 2]) == Array("[1,2]\n".utf8))
  }
}
