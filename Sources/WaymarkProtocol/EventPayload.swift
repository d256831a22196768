/// The payload of an event: its fields beside `event`, `seq`, `time` and `frame`.
public protocol EventPayload: Codable, Hashable, Sendable {
  /// The name on the wire.
  static var event: String { get }
}
