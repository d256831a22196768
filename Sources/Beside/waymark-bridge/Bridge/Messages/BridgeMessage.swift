package import WaymarkSpool
package import WaymarkSystem

/// A message for a broker: a topic and bytes.
package struct BridgeMessage: Hashable, Sendable {
  /// The topic.
  package var topic: String
  /// The payload: a JSON object.
  package var payload: [UInt8]
  /// True if the broker keeps it for those who come later.
  package var isRetained: Bool

  /// A message from its parts.
  package init(topic: String, payload: [UInt8], isRetained: Bool = false) {
    self.topic = topic
    self.payload = payload
    self.isRetained = isRetained
  }
}

/// Makes messages of events, and the records in between that wait on disk.
package struct MessageFormat: Sendable {
  /// The topics of this device.
  package let topics: BridgeTopics
  private let selection: EventSelection
  private let device: String

  /// Messages of a device.
  package init(topics: BridgeTopics, device: String, selection: EventSelection) {
    self.topics = topics
    self.device = device
    self.selection = selection
  }

  /// The id of the event with a number of a log: `STREAM-NUMBER`.
  package static func id(stream: UInt64, sequence: UInt64) -> String {
    "\(stream.digits(16, radix: 16))-\(sequence)"
  }

  /// The treatment of an event.
  package enum Disposition: Hashable, Sendable {
    /// It stays here.
    case none
    /// It is kept until the broker has it: a record for the log.
    case keep([UInt8])
    /// It is told if the broker listens just now.
    case publish(BridgeMessage)
  }

  /// Returns how an event of the service is treated.
  ///
  /// - Parameter instance: the run of the service that counts `seq`.
  package func disposition(of line: JSONValue, instance: String) -> Disposition {
    guard let event = line["event"]?.string, Self.isEventName(event), var members = selection.project(line) else {
      return .none
    }
    // The names that the bridge adds are its own: cameras tell their `device`, annotations their `id`. Where there are several cameras,
    // events name theirs as `camera` already.
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

  /// A record of the bridge's own, such as that events were missed.
  package func record(event: String, time: String, members: [JSONValue.Member]) -> [UInt8] {
    let all =
      [JSONValue.Member("event", .string(event)), .init("time", .string(time))] + members
      + [.init("device", .string(device))]
    return Self.record(event, (try? JSONLineEncoder.encode(JSONValue.object(all))) ?? Array("{}".utf8))
  }

  private static func record(_ event: String, _ json: [UInt8]) -> [UInt8] {
    [UInt8(truncatingIfNeeded: event.utf8.count)] + Array(event.utf8) + json
  }

  /// The message of a record; `nil` when another program made it.
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

  /// Makes the message that events were lost before the broker had them. Its id is that of the last lost one.
  package func lossMessage(_ numbers: ClosedRange<UInt64>, stream: UInt64, time: String) -> BridgeMessage {
    let members: [JSONValue.Member] = [
      .init("id", .string(Self.id(stream: stream, sequence: numbers.upperBound))),
      .init("event", .string("bridge.dropped")), .init("time", .string(time)),
      .init("first", .string(Self.id(stream: stream, sequence: numbers.lowerBound))),
      .init("count", .number(String(numbers.upperBound - numbers.lowerBound + 1))), .init("device", .string(device)),
    ]
    let json = (try? JSONLineEncoder.encode(JSONValue.object(members))) ?? []
    return BridgeMessage(topic: topics.topic(ofEvent: "bridge.dropped"), payload: json)
  }

  /// Names become topics: letters and digits in levels, nothing else.
  private static func isEventName(_ name: String) -> Bool {
    name.utf8.count <= 100
      && name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { BridgeTopics.isLevel(String($0)) }
  }
}
