/// The payload of an event: its fields beside `event`, `seq`, `time` and `frame`.
public protocol EventPayload: Codable, Hashable, Sendable {
  /// The name on the wire.
  static var event: String { get }
  /// The event as an observer sees it: nothing that a code or a client may have meant for operators alone.
  ///
  /// There is no default: whoever makes an event says what is in it for whom, or it does not compile.
  var forObservers: Self { get }
}
