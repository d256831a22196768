import Testing
import WaymarkSystem

@testable import waymark_bridge

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
