import Foundation
import Testing
import WaymarkSystem

@testable import WaymarkProtocol

/// The wire, byte for byte. A change here is a change of the protocol: run with `WAYMARK_RECORD_GOLDEN=1` to write the
/// files again, and read the difference.
@Suite struct GoldenTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Fixtures/Protocol")
  private static let records = ProcessInfo.processInfo.environment["WAYMARK_RECORD_GOLDEN"] != nil

  private func check(_ lines: [String], _ file: String) throws {
    let url = Self.folder.appending(path: file)
    let text = lines.joined(separator: "\n") + "\n"
    if Self.records { try text.write(to: url, atomically: true, encoding: .utf8) }
    let golden = try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map(String.init)
    #expect(golden == lines)
  }

  private func text(_ value: some Encodable) throws -> String {
    String(decoding: try JSONLineEncoder.encode(value), as: UTF8.self)
  }

  private func line(_ payload: some EventPayload) throws -> String {
    try text(EventLine(seq: 42, time: "2026-01-02T03:04:05.678Z", frame: Samples.frame, payload: payload))
  }

  private func line(_ request: some ServiceRequest) throws -> String {
    try text(RequestLine(id: 7, method: type(of: request).method, params: request))
  }

  @Test func aCodeThatIsPrintedSaysNothing() {
    let event = ScanSuccessful(
      scan: "s1", context: nil, kind: "wifi", symbology: "qr", text: "WIFI:P:hunter2;;", bytesBase64: "aHVudGVyMg==",
      charset: "utf8",
      corners: [], fields: ["password": "hunter2"])
    var shown = "\(event) \(String(reflecting: event)) \([event]) \(EventBody.scanSuccessful(event))"
    dump(event, to: &shown)
    #expect(!shown.contains("hunter2") && !shown.contains("aHVudGVyMg") && shown.contains("wifi"))
  }

  @Test func eventsAreAsTheyWere() throws { try check(Samples.allEvents.map { try line($0) }, "events.ndjson") }

  @Test func observersSeeWhatTheyDid() throws {
    let events = Samples.allEvents + Samples.copies
    try check(events.map { try line($0.forObservers) }, "observers.ndjson")
  }

  @Test func copiesAreReportedByTheirNumber() throws {
    try check(Samples.copies.map { try line($0) }, "copies.ndjson")
    for payload in Samples.copies {
      let event = try Event(line: JSONParser.parse(Array(try line(payload).utf8)))
      #expect(event.body.name == type(of: payload).event)
      try comesBack(payload)
    }
  }

  @Test func furtherPagesAreReportedBesideTheOneThatIsCaptured() throws {
    let others = [[[1.0, 2], [3, 2], [3, 4.5], [1, 4.5]]]
    let event = DocumentCaptured(session: "d1", count: 1, automatic: true, others: others)
    #expect(
      try text(event)
        == #"{"session":"d1","count":1,"automatic":true,"others":[[[1,2],[3,2],[3,4.5],[1,4.5]]]}"#)
    #expect(event.forObservers.others == nil)
    try comesBack(event)
  }

  @Test func observersOfARefusalDoNotSeeWhatThePolicyAllows() {
    var event = ScanInvalid(
      scan: "s1", context: ["a": 1], reason: .wrongIssuer, field: "iss", explanation: "\"a\"; allowed: b")
    #expect(event.forObservers.explanation == nil)
    event.finding = "\"a\""
    #expect(event.forObservers.explanation == "\"a\"" && event.forObservers.context == nil)
    #expect(event.forObservers.field == "iss")
  }

  @Test func aPartOfAMessageSaysWhichOneItIs() throws {
    var event = ScanSuccessful(
      scan: "s1", symbology: "pdf417", text: "part 2 ", part: MessagePart(index: 2, count: 3, id: "012345"), corners: []
    )
    #expect(
      try text(event)
        == #"{"scan":"s1","kind":null,"symbology":"pdf417","text":"part 2 ","part":{"index":2,"count":3,"id":"012345"},"corners":[],"source":"camera"}"#
    )
    #expect(event.forObservers.part == nil)
    event.part = MessagePart(index: 2)
    #expect(try text(event).contains(#""part":{"index":2},"#))
  }

  @Test func requestsAreAsTheyWere() throws { try check(Samples.allRequests.map { try line($0) }, "requests.ndjson") }

  @Test func resultsAreAsTheyWere() throws {
    try check(Samples.allResults.map { "\($0.method) \(try text($0.result))" }, "results.txt")
  }

  @Test func severalCamerasAreNamedBesideAnEvent() throws {
    let line = EventLine(seq: 42, time: "T", camera: "desk", payload: CameraStatus(status: .lost, device: "usb:1"))
    #expect(
      try text(line)
        == #"{"event":"camera.status","seq":42,"time":"T","camera":"desk","status":"lost","device":"usb:1"}"#)
    let event = try Event(line: JSONParser.parse(Array(try text(line).utf8)))
    #expect(event.camera == "desk" && event.body == .cameraStatus(line.payload))
    #expect(
      try text(RequestLine(id: 7, method: "scan.begin", params: ScanBeginRequest(mode: .barcode, camera: "desk")))
        == #"{"id":7,"method":"scan.begin","params":{"mode":"barcode","camera":"desk"}}"#)
  }

  @Test func everyEventHasAnExample() {
    #expect(Samples.allEvents.count == Set(Samples.allEvents.map { type(of: $0).event }).count)
    // Events that concern one connection alone cannot be subscribed to: hello, stream.dropped, connection.closed, and the
    // questions to the program that verifies.
    #expect(Samples.allEvents.count == ProtocolCatalog.subscribable.count + 5)
    #expect(Samples.allRequests.count == Set(Samples.allRequests.map { type(of: $0).method }).count)
  }

  @Test func everyNameInTheDocumentHasAnExample() throws {
    let document = Self.folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "docs/protocol.md")
    let named = try String(contentsOf: document, encoding: .utf8).split(separator: "\n")
      .filter { $0.hasPrefix("|") }.compactMap { $0.split(separator: "|").first }
      .flatMap { $0.matches(of: /`([a-z]+\.[a-zA-Z]+)`/).map { String($0.1) } }
    let shown =
      Set(Samples.allEvents.map { type(of: $0).event }).union(Samples.allRequests.map { type(of: $0).method })
    #expect(named.count > 50)
    #expect(Set(named).subtracting(shown).isEmpty)
  }

  @Test func eventsComeBackAsTheyWent() throws {
    for payload in Samples.allEvents {
      let json = try JSONParser.parse(Array(try line(payload).utf8))
      let event = try Event(line: json)
      #expect(event.seq == 42)
      #expect(event.frame == Samples.frame)
      #expect(event.body.name == type(of: payload).event)
      if case .unknown = event.body { Issue.record("\(event.body.name) is not understood") }
      try comesBack(payload)
    }
  }

  private func comesBack<Payload: EventPayload>(_ payload: Payload) throws {
    let json = try JSONParser.parse(Array(try line(payload).utf8))
    #expect(try JSONValueDecoder.decode(Payload.self, from: json) == payload)
  }

  @Test func requestsComeBackAsTheyWent() throws {
    func comesBack<Request: ServedRequest>(_ request: Request) throws {
      let incoming = try IncomingRequest.parse(Array(try line(request).utf8)).get()
      #expect(incoming.id == 7)
      #expect(incoming.method == Request.method)
      #expect(try incoming.decode(Request.self) == request)
    }
    for request in Samples.allRequests { try comesBack(request) }
  }

  @Test func foundationReadsTheSame() throws {
    for payload in Samples.allEvents {
      let object = try JSONSerialization.jsonObject(with: Data(try line(payload).utf8)) as? [String: Any]
      #expect(object?["event"] as? String == type(of: payload).event)
    }
  }
}

/// The part of a code that observers see: each part of the content by itself.
@Suite("Observers") struct ObserverTests {
  private static let fields: JSONValue = ["host": "example.com", "secret": "s"]
  private static let shown: JSONValue = ["host": "example.com"]

  private static func scan(fields: JSONValue?, harmless: Harmless) -> ScanSuccessful {
    var scan = ScanSuccessful(
      scan: "s1", context: ["a": 1], kind: "wifi", symbology: "qr", text: "t", bytesBase64: "dA==", charset: "utf8",
      gs1: true, addOn: "12", part: MessagePart(index: 1),
      composite: Composite(state: .joined, text: "10A"), corners: [[1, 2]], connectTo: "example.com", fields: fields)
    scan.harmless = harmless
    return scan
  }

  @Test("Text and bytes are left out together unless they are harmless; the context always")
  func text() {
    for isHarmless in [false, true] {
      let seen = Self.scan(fields: nil, harmless: .init(text: isHarmless)).forObservers
      #expect(seen.text == (isHarmless ? "t" : nil) && seen.bytesBase64 == (isHarmless ? "dA==" : nil))
      #expect(seen.charset == (isHarmless ? "utf8" : nil) && seen.addOn == (isHarmless ? "12" : nil))
      #expect((seen.part == nil) == !isHarmless && (seen.composite == nil) == !isHarmless)
      #expect(seen.context == nil)
      #expect(seen.scan == "s1" && seen.kind == "wifi" && seen.symbology == "qr" && seen.gs1 == true)
      #expect(seen.corners == [[1, 2]] && seen.connectTo == "example.com")
    }
  }

  @Test(
    "Fields are replaced by those that are harmless, and what is missing is said",
    arguments: [
      (nil, false, nil, true), (nil, true, nil, nil), (fields, true, nil, true), (fields, true, shown, true),
      (fields, true, fields, nil), (fields, false, fields, true), (nil, true, shown, nil),
    ] as [(JSONValue?, Bool, JSONValue?, Bool?)])
  func replaced(own: JSONValue?, isTextHarmless: Bool, harmless: JSONValue?, redacted: Bool?) {
    let seen = Self.scan(fields: own, harmless: .init(text: isTextHarmless, fields: harmless)).forObservers
    #expect(seen.fields == (own == nil ? nil : harmless))
    #expect(seen.redacted == redacted)
  }
}
