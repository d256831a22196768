/// The payload of an event: its fields beside `event`, `seq`, `time` and `frame`.
public protocol EventPayload: Codable, Hashable, Sendable {
  /// The name on the wire.
  static var event: String { get }
}

/// An event as a client receives it.
public struct Event: Hashable, Sendable {
  /// The service's counter; gaps are normal. `nil` for what concerns one connection alone, such as `hello`.
  public var seq: Int?
  /// When the event was made: RFC 3339, UTC, milliseconds.
  public var time: String?
  /// The frame that it was born of.
  public var frame: FrameReference?
  /// What happened.
  public var body: EventBody

  /// An event from its parts.
  public init(seq: Int? = nil, time: String? = nil, frame: FrameReference? = nil, body: EventBody) {
    self.seq = seq
    self.time = time
    self.frame = frame
    self.body = body
  }

  /// The event that a parsed line holds.
  ///
  /// - Throws: `DecodingError` when a field that must be there is not, or is of another type.
  public init(line: JSONValue) throws {
    let envelope = try JSONValueDecoder.decode(Envelope.self, from: line)
    self.init(
      seq: envelope.seq, time: envelope.time, frame: envelope.frame,
      body: try EventBody(name: envelope.event, line: line))
  }

  private struct Envelope: Decodable {
    let event: String
    let seq: Int?
    let time: String?
    let frame: FrameReference?
  }
}

/// An event on its way out: envelope and payload in one flat object.
package struct EventLine<Payload: EventPayload>: Encodable {
  /// The counter; `nil` for what concerns one connection alone.
  package let seq: Int?
  /// The time stamp.
  package let time: String?
  /// The frame.
  package let frame: FrameReference?
  /// The fields of its own.
  package let payload: Payload

  /// An event from its parts.
  package init(seq: Int? = nil, time: String? = nil, frame: FrameReference? = nil, payload: Payload) {
    self.seq = seq
    self.time = time
    self.frame = frame
    self.payload = payload
  }

  private enum Key: CodingKey { case event, seq, time, frame }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(Payload.event, forKey: .event)
    try container.encodeIfPresent(seq, forKey: .seq)
    try container.encodeIfPresent(time, forKey: .time)
    try container.encodeIfPresent(frame, forKey: .frame)
    try payload.encode(to: encoder)
  }
}
