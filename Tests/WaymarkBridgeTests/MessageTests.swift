import Testing
import WaymarkSystem

@testable import WaymarkSpool
@testable import waymark_bridge

@Suite struct MessageTests {
  private let verdict = #"""
    {"event":"scan.successful","seq":7,"time":"2026-01-02T03:04:05.678Z","frame":{"sequence":1},"scan":"s1","kind":"wifi","symbology":"qr","text":"WIFI:S:x;P:secret;;","bytesBase64":"V0lGSQ==","corners":[[1,2]],"fields":{"ssid":"x","password":"secret","net":{"vlan":4,"psk":"secret"}},"context":{"who":"secret"},"source":"live","by":{"client":3,"user":1000}}
    """#

  private func format(_ rules: [String: EventSelection.Fields] = [:]) throws -> MessageFormat {
    let topics = try #require(BridgeTopics(prefix: "waymark", device: "line-3"))
    return MessageFormat(topics: topics, device: "line-3", selection: EventSelection(rules: rules))
  }

  private func message(_ line: String, _ rules: [String: EventSelection.Fields] = [:]) throws -> BridgeMessage? {
    let format = try format(rules)
    switch format.disposition(of: try JSONParser.parse(line), instance: "1abc") {
    case .none: return nil
    case .publish(let message): return message
    case .keep(let record): return format.message(of: LogRecord(sequence: 9, payload: record), stream: 255)
    }
  }

  private func text(_ message: BridgeMessage?) -> String { String(decoding: message?.payload ?? [], as: UTF8.self) }

  @Test func theStandardHoldsNoSecret() throws {
    let message = try #require(try message(verdict))
    #expect(message.topic == "waymark/line-3/event/scan/successful")
    #expect(
      text(message)
        == #"{"id":"00000000000000ff-9","event":"scan.successful","seq":7,"time":"2026-01-02T03:04:05.678Z","scan":"s1","kind":"wifi","symbology":"qr","source":"live","device":"line-3","instance":"1abc"}"#
    )
    // Events with unknown names do not leave.
    #expect(try self.message(#"{"event":"account.changed","user":"a"}"#) == nil)
    for (event, fields) in EventSelection.standardFields {
      for secret in ["text", "bytesBase64", "fields", "context", "by", "businessObject", "actionData", "card"] {
        #expect(!fields.contains(secret), "\(event)")
      }
    }
  }

  @Test func fieldsByName() throws {
    let rules: [String: EventSelection.Fields] = [
      "scan.successful": .named(["fields.ssid", "fields.net.vlan", "nothing"], withStandard: false)
    ]
    #expect(
      text(try message(verdict, rules))
        == #"{"id":"00000000000000ff-9","event":"scan.successful","seq":7,"time":"2026-01-02T03:04:05.678Z","fields":{"ssid":"x","net":{"vlan":4}},"device":"line-3","instance":"1abc"}"#
    )
    #expect(text(try message(verdict, ["scan.*": .all])).contains("secret"))
    #expect(try message(verdict, ["scan.*": .off]) == nil)
    #expect(try message(verdict, ["*": .off]) == nil)
    #expect(try message(verdict, ["*": .off, "scan.successful": .standard]) != nil)
  }

  @Test func namesThatTheBridgeNeedsItself() throws {
    let camera = text(try message(#"{"event":"camera.status","seq":1,"status":"lost","device":"usb:1"}"#))
    #expect(camera.contains(#""camera":"usb:1""#))
    #expect(camera.contains(#""device":"line-3""#))
    #expect(text(try message(#"{"event":"card.opened","id":"valve"}"#)).contains(#""item":"valve""#))
    // Of several cameras an event names one already.
    let desk = text(
      try message(#"{"event":"camera.status","seq":1,"camera":"desk","status":"lost","device":"usb:1"}"#))
    #expect(desk.contains(#""camera":"desk""#) && desk.contains(#""cameraDevice":"usb:1""#))
    #expect(text(try message(#"{"event":"scan.ended","seq":1,"camera":"desk","scan":"desk.1"}"#)).contains("desk.1"))
  }

  @Test func namesThatAreNoTopicsStayHere() throws {
    for name in ["scan.#", "+", "a/b", "", "a..b", "ä"] {
      #expect(try message(#"{"event":"\#(name)","seq":1}"#, ["*": .all]) == nil, "\(name)")
    }
  }

  @Test func whatIsFleetingIsNotKept() throws {
    let line = try JSONParser.parse(#"{"event":"anchors.updated","seq":1,"anchors":[]}"#)
    #expect(try format().disposition(of: line, instance: "i") == .none)
    guard case .publish(let told) = try format(["anchors.updated": .all]).disposition(of: line, instance: "i") else {
      Issue.record("it is kept")
      return
    }
    #expect(told.topic == "waymark/line-3/event/anchors/updated")
  }

  @Test func whatIsSubscribedTo() {
    #expect(EventSelection().subscriptions.contains("scan.successful"))
    #expect(!EventSelection().subscriptions.contains("stream.dropped"))
    #expect(EventSelection(rules: ["*": .standard, "statistics": .all]).subscriptions == ["*", "statistics"])
    let some = EventSelection(rules: ["*": .off, "document.*": .all, "scan.successful": .standard])
    #expect(some.subscriptions == ["document.*", "scan.successful"])
    // The service has no events of the bridge.
    #expect(EventSelection(rules: ["bridge.*": .all, "*": .off]).subscriptions.isEmpty)
  }

  @Test func lossIsReported() throws {
    let message = try format().lossMessage(3...8, stream: 255, time: "2026-01-02T03:04:05.678Z")
    #expect(message.topic == "waymark/line-3/event/bridge/dropped")
    #expect(
      text(message)
        == #"{"id":"00000000000000ff-8","event":"bridge.dropped","time":"2026-01-02T03:04:05.678Z","first":"00000000000000ff-3","count":6,"device":"line-3"}"#
    )
    let record = try format().record(event: "bridge.missed", time: "t", members: [.init("seq", 4)])
    let told = try format().message(of: LogRecord(sequence: 1, payload: record), stream: 1)
    #expect(told?.topic == "waymark/line-3/event/bridge/missed")
    for broken: [UInt8] in [[], [200], [4, 0x61], Array("\u{4}scan".utf8), Array("\u{4}scan[]".utf8)] {
      #expect(try format().message(of: LogRecord(sequence: 1, payload: broken), stream: 1) == nil)
    }
  }

  @Test func topicsOfCommands() throws {
    let topics = try #require(BridgeTopics(prefix: "site/4", device: "d"))
    #expect(topics.method(ofTopic: "site/4/d/command/scan/begin") == "scan.begin")
    #expect(topics.method(ofTopic: "site/4/d/command/") == nil)
    #expect(topics.method(ofTopic: "site/4/e/command/scan/begin") == nil)
    for bad in ["", "a/b", "+", "#", "a b", "ä", String(repeating: "a", count: 65)] {
      #expect(BridgeTopics(prefix: "waymark", device: bad) == nil)
    }
    #expect(BridgeTopics(prefix: "a//b", device: "d") == nil)
  }
}

@Suite struct CommandFilterTests {
  private func outcome(
    _ method: String, _ payload: String, isRetained: Bool = false, gate: inout CommandFilter
  ) -> CommandFilter.Outcome {
    gate.handle(method: method, payload: Array(payload.utf8), isRetained: isRetained)
  }

  private func code(_ outcome: CommandFilter.Outcome) -> String? {
    if case .refuse(_, let code, _, _) = outcome { code } else { nil }
  }

  @Test func onlyWhatIsAllowedAndOnlyOnce() {
    var gate = CommandFilter(allowed: ["scan.begin", "torch"])
    guard case .run(let command) = outcome("scan.begin", #"{"id":"a","mode":"barcode"}"#, gate: &gate) else {
      Issue.record("it is not taken")
      return
    }
    #expect(command.params == ["mode": "barcode"])
    #expect(outcome("scan.begin", #"{"id":"a","mode":"barcode"}"#, gate: &gate) == .ignore)
    #expect(code(outcome("scene.load", #"{"id":"b"}"#, gate: &gate)) == "notPermitted")
    // Allowed by a mistake in the configuration, and not permissible anyway.
    #expect(code(outcome("torch", #"{"id":"c"}"#, gate: &gate)) == "notPermitted")
    #expect(code(outcome("scan.begin", #"{"id":"d"}"#, isRetained: true, gate: &gate)) == "notPermitted")
    for bad in ["[]", "{", #"{"mode":"barcode"}"#, #"{"id":true}"#, #"{"id":1.5}"#, "", #"{"id":"a","id":"b"}"#] {
      #expect(code(outcome("scan.begin", bad, gate: &gate)) != nil, "\(bad)")
    }
  }

  @Test func aReplyHoldsWhatMayLeave() {
    let command = CommandFilter.Command(id: "a", method: "scan.begin", params: [:])
    let reply = CommandFilter.reply(to: command, result: ["scan": "s1", "context": "secret"])
    #expect(String(decoding: reply, as: UTF8.self) == #"{"id":"a","result":{"scan":"s1"}}"#)
    let refusal = CommandFilter.reply(id: 7, code: "busy", message: "m", hint: "h")
    #expect(
      String(decoding: refusal, as: UTF8.self) == #"{"id":7,"error":{"code":"busy","message":"m","hint":"h"}}"#)
  }
}

/// The messages for Home Assistant have what its documentation demands of each kind of entity.
@Suite struct HomeAssistantTests {
  private func messages(_ device: String, service: String? = "1.2.3") throws -> [(topic: String, value: JSONValue)] {
    let topics = try #require(BridgeTopics(prefix: "waymark", device: device))
    let discovery = HomeAssistantDiscovery(prefix: "homeassistant", topics: topics, device: device)
    return try discovery.messages(bridge: "0.1.0", service: service).map { message in
      #expect(message.isRetained)
      return (message.topic, try JSONParser.parse(message.payload))
    }
  }

  @Test func eachEntityIsComplete() throws {
    let messages = try messages("line-3.b")
    #expect(messages.count == 5)
    for (topic, value) in messages {
      // PREFIX/COMPONENT/NODE/OBJECT/config, the last two of [a-zA-Z0-9_-].
      let levels = topic.split(separator: "/").map(String.init)
      #expect(levels.count == 5 && levels[0] == "homeassistant" && levels[4] == "config")
      #expect(["sensor", "binary_sensor"].contains(levels[1]))
      #expect(levels[2] == "waymark_line-3_b")
      #expect(levels[3].wholeMatch(of: /[a-zA-Z0-9_-]+/) != nil)
      #expect(value["unique_id"]?.string == "\(levels[2])_\(levels[3])")
      #expect(value["state_topic"]?.string?.hasPrefix("waymark/line-3.b/") == true)
      #expect(value["availability_topic"]?.string == "waymark/line-3.b/status")
      #expect(value["device"]?["identifiers"]?.array == ["waymark_line-3_b"])
      #expect(value["device"]?["sw_version"] == "1.2.3" && value["device"]?["name"] == "line-3.b")
      #expect(value["origin"]?["name"] == "waymark-bridge")
      if levels[1] == "binary_sensor" { #expect(value["device_class"] == "problem" && value["payload_on"] == "ON") }
    }
    #expect(Set(messages.map { $0.value["unique_id"]?.string }).count == messages.count)
  }

  @Test func aServiceThatIsAwayHasNoVersion() throws {
    for (_, value) in try messages("d", service: nil) { #expect(value["device"]?["sw_version"] == nil) }
  }

  @Test func thePrefixIsATopic() throws {
    let yaml = "broker: {host: h}\nhomeAssistant: {prefix: home/assistant}\n"
    #expect(try BridgeConfiguration(yaml: yaml, file: "b.yaml", hostName: "d").homeAssistantPrefix == "home/assistant")
    #expect(throws: BridgeError.self) {
      try BridgeConfiguration(yaml: "homeAssistant: {prefix: \"a/#\"}\n", file: "b.yaml", hostName: "d")
    }
  }
}
