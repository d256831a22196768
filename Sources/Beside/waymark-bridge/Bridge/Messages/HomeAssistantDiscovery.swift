import WaymarkSystem

/// The messages that announce this device and its values to Home Assistant by its MQTT discovery
/// (https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery): a retained configuration for each entity.
package struct HomeAssistantDiscovery: Sendable {
  /// A value that Home Assistant shows.
  private struct Entity {
    /// The kind of entity, as Home Assistant names it.
    let component: String
    /// The entity's name in topics and identifiers.
    let id: String
    let name: String
    let stateTopic: String
    let template: String
    var rest: [JSONValue.Member] = []
  }

  private let prefix: String
  private let topics: BridgeTopics
  private let device: String

  /// Creates the messages about a device.
  ///
  /// - Parameter prefix: the topic below which Home Assistant looks for devices, usually `homeassistant`.
  package init(prefix: String, topics: BridgeTopics, device: String) {
    self.prefix = prefix
    self.topics = topics
    self.device = device
  }

  /// Returns the configurations of all entities, which the broker retains.
  ///
  /// - Parameters:
  ///   - bridge: the version of the bridge.
  ///   - service: the version of the service; nil if unknown.
  package func messages(bridge: String, service: String?) -> [BridgeMessage] {
    entities.map { entity in
      BridgeMessage(
        topic: "\(prefix)/\(entity.component)/\(node)/\(entity.id)/config",
        payload: (try? JSONLineEncoder.encode(configuration(entity, bridge, service))) ?? [], isRetained: true)
    }
  }

  /// The device's name in identifiers. Home Assistant allows only letters, digits, `-` and `_` in them.
  private var node: String { "waymark_" + device.map { $0 == "." ? "_" : String($0) }.joined() }

  private func configuration(_ entity: Entity, _ bridge: String, _ service: String?) -> JSONValue {
    var about: [JSONValue.Member] = [
      .init("identifiers", .array([.string(node)])), .init("name", .string(device)),
      .init("manufacturer", "Waymark"), .init("model", "Waymark scanner"),
    ]
    if let service { about.append(.init("sw_version", .string(service))) }
    return .object(
      [
        .init("name", .string(entity.name)), .init("unique_id", .string("\(node)_\(entity.id)")),
        .init("state_topic", .string(entity.stateTopic)),
        .init("value_template", .string(entity.template)), .init("availability_topic", .string(topics.status)),
        .init("availability_template", "{{ value_json.status }}"), .init("payload_available", "online"),
        .init("payload_not_available", "offline"), .init("device", .object(about)),
        .init("origin", .object([.init("name", "waymark-bridge"), .init("sw_version", .string(bridge))])),
      ] + entity.rest)
  }

  private var entities: [Entity] {
    let scan = topics.topic(ofEvent: "scan.successful")
    return [
      // The text of a code is sent only if the bridge's `events` allow this; its symbology is always sent. A state has at most 255
      // characters.
      Entity(
        component: "sensor", id: "last_code", name: "Last code", stateTopic: scan,
        template: "{{ (value_json.text | default(value_json.kind or value_json.symbology, true))[:255] }}",
        rest: [
          .init("icon", "mdi:barcode-scan"), .init("json_attributes_topic", .string(scan)),
          .init("force_update", .bool(true)),
        ]),
      Entity(
        component: "sensor", id: "camera", name: "Camera", stateTopic: topics.topic(ofEvent: "camera.status"),
        template: "{{ value_json.status }}",
        rest: [
          .init("icon", "mdi:camera"), .init("json_attributes_topic", .string(topics.topic(ofEvent: "camera.status"))),
          .init("entity_category", "diagnostic"),
        ]),
      Entity(
        component: "sensor", id: "waiting", name: "Events waiting", stateTopic: topics.status,
        template: "{{ value_json.waiting | default(0) }}",
        rest: [
          .init("icon", "mdi:tray-full"), .init("state_class", "measurement"),
          .init("unit_of_measurement", "events"), .init("entity_category", "diagnostic"),
        ]),
      Entity(
        component: "binary_sensor", id: "service", name: "Service problem", stateTopic: topics.status,
        template: "{{ 'OFF' if value_json.service == 'running' else 'ON' }}", rest: Self.problem),
      Entity(
        component: "binary_sensor", id: "camera_problem", name: "Camera problem",
        stateTopic: topics.topic(ofEvent: "camera.status"),
        template: "{{ 'ON' if value_json.status in ['lost', 'stalled'] else 'OFF' }}", rest: Self.problem),
    ]
  }

  private static let problem: [JSONValue.Member] = [
    .init("device_class", "problem"), .init("payload_on", "ON"), .init("payload_off", "OFF"),
    .init("entity_category", "diagnostic"),
  ]
}
