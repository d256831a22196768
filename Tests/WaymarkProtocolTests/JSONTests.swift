import Foundation
import Testing
import WaymarkProtocol
import WaymarkSystem

@Suite struct JSONTests {
  private func parse(_ text: String) throws -> JSONValue { try JSONParser.parse(Array(text.utf8)) }
  private func text(_ value: some Encodable) throws -> String {
    String(decoding: try JSONLineEncoder.encode(value), as: UTF8.self)
  }

  @Test func valuesAreRead() throws {
    #expect(
      try parse(#" {"a":[1,-2.5e1,true,null,"x\u00e9\uD83D\uDE00\n"]} "#) == ["a": [1, -25.0, true, nil, "xé😀\n"]])
    #expect(try parse("9223372036854775807") == .int(.max))
    #expect(try parse("9223372036854775808") == .double(9_223_372_036_854_775_808))
  }

  @Test(arguments: [
    "", "{", "[1,]", "{\"a\":1,}", "01", "+1", "1.", ".5", "1e", "nul", "\"\\x\"", "\"\u{1}\"", "\"\\uD800\"",
    "\"\\uDC00\"", "\"\\uD800\\u0041\"", "[1] 2", "{\"a\":1,\"a\":2}", "{a:1}", "1e999", "\"abc", "NaN", "Infinity",
    "'a'",
    "[1 2]", "{\"a\" 1}",
  ])
  func whatIsNotJSONIsRefused(_ text: String) { #expect(throws: JSONSyntaxError.self) { try parse(text) } }

  @Test func whatTravelsThroughUnreadIsNotRounded() throws {
    for number in ["123.58647901", "1e-300", "1.7976931348623157e+308", "0.1", "-0.30000000000000004", "100.0"] {
      let value = try parse(#"{"context":\#(number)}"#)
      #expect(try parse(text(value)) == value, "\(number)")
    }
  }

  @Test func brokenUTF8IsRefused() {
    for bytes: [UInt8] in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82], [0xF5, 0x80, 0x80, 0x80]] {
      #expect(throws: JSONSyntaxError.self) { try JSONParser.parse([0x22] + bytes + [0x22]) }
    }
  }

  @Test func depthIsBounded() throws {
    _ = try parse(String(repeating: "[", count: 32) + String(repeating: "]", count: 32))
    #expect(throws: JSONSyntaxError.self) { try parse(String(repeating: "[", count: 33)) }
    #expect(throws: JSONSyntaxError.self) { try parse(String(repeating: "{\"a\":", count: 60_000)) }
  }

  /// What is read of a damaged line is written as a line that reads the same; the rest is refused with a place within the line.
  @Test func damagedLinesAreReadOrRefused() throws {
    var state: UInt64 = 1
    func random() -> UInt64 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return state
    }
    let seed = Array(
      #"{"id":7,"method":"scan.begin","params":{"mode":"barcode","region":[0.25,1e3,-5,"\u00e9"]}}"#.utf8)
    var (read, refused) = (0, 0)
    for _ in 0..<20_000 {
      var bytes = seed
      for _ in 0..<(1 + random() % 4) {
        bytes[Int(random() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random())
      }
      if random() % 8 == 0 { bytes.removeLast(Int(random() % UInt64(bytes.count))) }
      do {
        let value = try JSONParser.parse(bytes)
        let again = try JSONParser.parse(JSONLineEncoder.encode(value))
        #expect(again == value)
        read += 1
      } catch let error as JSONSyntaxError {
        #expect((0...bytes.count).contains(error.offset) && !error.problem.isEmpty)
        refused += 1
      }
    }
    #expect(read > 1000 && refused > 1000)
  }

  @Test func numbersAreRoundedAsDocumented() throws {
    let cases: [(Double, String)] = [
      (0, "0"), (-0.0, "0"), (1, "1"), (-1.5, "-1.5"), (123.4567891, "123.456789"), (0.1, "0.1"),
      (0.123456789123, "0.123456789"), (0.00001, "1e-05"), (1e15, "1000000000000000.0"), (99999.9999999, "100000"),
      (-0.05, "-0.05"), (2.000001, "2.000001"),
    ]
    for (value, expected) in cases { #expect(try text([value]) == "[\(expected)]") }
  }

  @Test func roundedNumbersStayClose() throws {
    for exponent in -30...30 {
      let value = 1.2345678901234567 * pow(10, Double(exponent))
      let written = try parse(try text([value])).array?[0].double ?? .nan
      #expect(abs(written - value) <= 5e-7 || abs(written - value) <= 1e-9 * value)
      if value < 1 { #expect(abs(written - value) <= 5e-10) }
    }
  }

  @Test func notFiniteIsRefused() {
    for bad in [Double.nan, .infinity, -.infinity] {
      #expect(throws: EncodingError.self) { try JSONLineEncoder.encode([bad]) }
      #expect(throws: EncodingError.self) { try JSONLineEncoder.encode(JSONValue.double(bad)) }
      #expect(throws: EncodingError.self) {
        try JSONLineEncoder.encode(EventLine(seq: 1, time: "", payload: AnchorLost(anchor: "a", lastSeen: bad)))
      }
      #expect(throws: EncodingError.self) {
        var pose = Samples.pose
        pose.matrix[3] = bad
        return try JSONLineEncoder.encode(AnchorFound(anchor: "a", corners: [[bad, 0]], pose: pose, score: 1))
      }
    }
  }

  @Test func stringsStayOneLine() throws {
    let wild = "a\"\\\n\r\t\u{0}\u{7F}\u{2028}é😀"
    let written = try text([wild])
    #expect(!written.contains("\n"))
    #expect(try parse(written) == [.string(wild)])
  }

  @Test func errorsNameTheField() throws {
    func problem<R: ServedRequest>(_ type: R.Type, _ json: String) throws -> String {
      let request = try IncomingRequest.parse(Array(json.utf8)).get()
      do {
        _ = try request.decode(type)
        return ""
      } catch {
        #expect(error.code == .badParams)
        return error.message
      }
    }
    #expect(
      try problem(ScanBeginRequest.self, #"{"method":"scan.begin","params":{"mode":"barcode","region":[0,"x"]}}"#)
        == "scan.begin: region.1: a number is expected, not a string.")
    #expect(try problem(ScanBeginRequest.self, #"{"method":"scan.begin"}"#) == "scan.begin: mode: it is missing.")
    #expect(try problem(TorchRequest.self, #"{"method":"torch","params":{"on":1}}"#).contains("true or false"))
  }

  @Test(arguments: [
    "[]", "1", "null", "{}", #"{"id":1.5,"method":"ping"}"#, #"{"id":{},"method":"ping"}"#, #"{"id":1,"method":5}"#,
    #"{"id":1,"method":"ping","params":[]}"#,
  ])
  func whatIsNoRequestIsRefused(_ line: String) {
    #expect(throws: IncomingRequest.Refusal.self) { try IncomingRequest.parse(Array(line.utf8)).get() }
  }
}
