package import WaymarkSpool
package import WaymarkSystem

/// A message for a broker: a topic and bytes. The file also has its topics (`BridgeTopics`) and the conversion of
/// events to messages (`MessageFormat`).
package struct BridgeMessage: Hashable, Sendable {
  package var topic: String
  /// The payload: a JSON object.
  package var payload: [UInt8]
  /// True if the broker keeps it for later subscribers.
  package var isRetained: Bool

  package init(topic: String, payload: [UInt8], isRetained: Bool = false) {
    self.topic = topic
    self.payload = payload
    self.isRetained = isRetained
  }
}

// MARK: - Events as records and messages

/// Converts events to records, which are stored on disk, and records to messages for a broker.
package struct MessageFormat: Sendable {
  package let topics: BridgeTopics
  private let selection: EventSelection
  private let device: String

  package init(topics: BridgeTopics, device: String, selection: EventSelection) {
    self.topics = topics
    self.device = device
    self.selection = selection
  }

  /// Returns the id of an event in a log, `STREAM-NUMBER`.
  package static func id(stream: UInt64, sequence: UInt64) -> String {
    "\(stream.digits(16, radix: 16))-\(sequence)"
  }

  /// The handling of an event: dropped, stored or sent at once.
  package enum Disposition: Hashable, Sendable {
    /// The event does not leave the device.
    case none
    /// The event is stored as this record until the broker acknowledges it.
    case keep([UInt8])
    /// The event is sent if the broker is connected now, and not stored.
    case publish(BridgeMessage)
  }

  /// Decides whether an event of the service is stored, sent at once or neither.
  ///
  /// - Parameter instance: identifies the run of the service; `seq` counts the events of this run.
  package func disposition(of line: JSONValue, instance: String) -> Disposition {
    guard let event = line["event"]?.string, Self.isEventName(event), var members = selection.project(line) else {
      return .none
    }
    // The names that the bridge adds are reserved: cameras have a `device`, annotations an `id`. If there are several cameras,
    // events already name theirs as `camera`.
    let device = members.contains { $0.name == "camera" } ? "cameraDevice" : "camera"
    for (name, other) in [("id", "item"), ("device", device), ("instance", "ofInstance")] {
      if let index = members.firstIndex(where: { $0.name == name }) { members[index].name = other }
    }
    members += [.init("device", .string(self.device)), .init("instance", .string(instance))]
    guard let json = try? JSONLineEncoder.encode(JSONValue.object(members)) else { return .none }
    if EventSelection.fleeting.contains(event) {
      return .publish(BridgeMessage(topic: topics.topic(ofEvent: event), payload: json))
    }
    return .keep(Self.record(event, json))
  }

  /// The name of the event that reports events that the bridge has missed.
  package static let missedEvent = "bridge.missed"

  /// The names of the bridge's own events.
  static let ownEvents = [missedEvent, droppedEvent]
  private static let droppedEvent = "bridge.dropped"

  /// Makes the record of an event of the bridge itself.
  package func record(event: String, time: String, members: [JSONValue.Member]) -> [UInt8] {
    let all =
      [JSONValue.Member("event", .string(event)), .init("time", .string(time))] + members
      + [.init("device", .string(device))]
    return Self.record(event, (try? JSONLineEncoder.encode(JSONValue.object(all))) ?? Array("{}".utf8))
  }

  private static func record(_ event: String, _ json: [UInt8]) -> [UInt8] {
    [UInt8(truncatingIfNeeded: event.utf8.count)] + Array(event.utf8) + json
  }

  /// Returns the message of a record; nil if the record is invalid.
  package func message(of record: LogRecord, stream: UInt64) -> BridgeMessage? {
    guard let length = record.payload.first.map(Int.init), record.payload.count > length + 2 else { return nil }
    let event = String(decoding: record.payload[1...length], as: UTF8.self)
    let json = record.payload[(length + 1)...]
    guard json.first == UInt8(ascii: "{") else { return nil }
    let id = Array(#"{"id":""#.utf8) + Array(Self.id(stream: stream, sequence: record.sequence).utf8)
    let rest = json.dropFirst()
    let join = rest.first == UInt8(ascii: "}") ? "\"" : "\","
    return BridgeMessage(topic: topics.topic(ofEvent: event), payload: id + Array(join.utf8) + rest)
  }

  /// Makes the message `bridge.dropped` about events that were lost before they were sent. Its id is the id of the last lost event.
  package func lossMessage(_ numbers: ClosedRange<UInt64>, stream: UInt64, time: String) -> BridgeMessage {
    let members: [JSONValue.Member] = [
      .init("id", .string(Self.id(stream: stream, sequence: numbers.upperBound))),
      .init("event", .string(Self.droppedEvent)), .init("time", .string(time)),
      .init("first", .string(Self.id(stream: stream, sequence: numbers.lowerBound))),
      .init("count", .number(String(numbers.upperBound - numbers.lowerBound + 1))), .init("device", .string(device)),
    ]
    let json = (try? JSONLineEncoder.encode(JSONValue.object(members))) ?? []
    return BridgeMessage(topic: topics.topic(ofEvent: Self.droppedEvent), payload: json)
  }

  /// Returns whether a name can be part of a topic: its parts between full stops must be valid levels.
  private static func isEventName(_ name: String) -> Bool {
    name.utf8.count <= 100
      && name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { BridgeTopics.isLevel(String($0)) }
  }
}

// MARK: - Topics

/// The topics of one device: `PREFIX/DEVICE/…`.
package struct BridgeTopics: Hashable, Sendable {
  /// The first levels of all topics of this device.
  package let base: String

  /// Creates the topics of a device; nil if prefix or device are not valid levels.
  package init?(prefix: String, device: String) {
    guard Self.isLevels(prefix), Self.isLevel(device) else { return nil }
    base = "\(prefix)/\(device)"
  }

  /// The topic of the device's retained status messages, and of its last will.
  package var status: String { "\(base)/status" }
  /// The topic of the replies to commands.
  package var reply: String { "\(base)/reply" }
  /// The filter of the subscription to commands.
  package var commandFilter: String { "\(base)/command/#" }

  /// Returns the topic of an event, such as `PREFIX/DEVICE/event/scan/successful` for `scan.successful`.
  package func topic(ofEvent name: String) -> String {
    "\(base)/event/\(name.split(separator: ".").joined(separator: "/"))"
  }

  /// Returns the method that a command's topic names; nil for other topics.
  package func method(ofTopic topic: String) -> String? {
    let start = "\(base)/command/"
    guard topic.utf8.starts(with: start.utf8) else { return nil }
    let levels = topic.utf8.dropFirst(start.utf8.count).split(separator: UInt8(ascii: "/"))
    guard (1...4).contains(levels.count) else { return nil }
    return levels.map { String(Substring($0)) }.joined(separator: ".")
  }

  /// Returns whether a text can be one level of a topic: without wildcards, separators, and characters that are unsafe in terminals
  /// or logs.
  static func isLevel(_ text: String) -> Bool {
    let allowed = { (byte: UInt8) in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
        true
      default: false
      }
    }
    return (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(allowed)
  }

  private static func isLevels(_ text: String) -> Bool {
    let levels = text.split(separator: "/", omittingEmptySubsequences: false)
    return levels.count <= 4 && levels.allSatisfy { isLevel(String($0)) }
  }
}
