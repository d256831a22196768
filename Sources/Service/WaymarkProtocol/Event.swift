public import WaymarkSystem

/// An event as a client receives it.
public struct Event: Hashable, Sendable {
  /// The service's counter; gaps are normal. `nil` for what concerns one connection alone, such as `hello`.
  public var seq: Int?
  /// When the event was made: RFC 3339, UTC, milliseconds.
  public var time: String?
  /// The name of the camera that it is of, where the service has several.
  public var camera: String?
  /// The frame that it was born of.
  public var frame: FrameReference?
  /// The body.
  public var body: EventBody

  /// An event from its parts.
  public init(
    seq: Int? = nil, time: String? = nil, camera: String? = nil, frame: FrameReference? = nil, body: EventBody
  ) {
    self.seq = seq
    self.time = time
    self.camera = camera
    self.frame = frame
    self.body = body
  }

  /// The event that a parsed line holds.
  ///
  /// - Throws: `DecodingError` when a field that must be there is not, or is of another type.
  public init(line: JSONValue) throws {
    let envelope = try JSONValueDecoder.decode(Envelope.self, from: line)
    self.init(
      seq: envelope.seq, time: envelope.time, camera: envelope.camera, frame: envelope.frame,
      body: try EventBody(name: envelope.event, line: line))
  }

  private struct Envelope: Decodable {
    let event: String
    let seq: Int?
    let time: String?
    let camera: String?
    let frame: FrameReference?
  }
}
