/// An event on its way out: envelope and payload in one flat object.
package struct EventLine<Payload: EventPayload>: Encodable {
  /// The counter; `nil` for what concerns one connection alone.
  package let seq: Int?
  /// The time stamp.
  package let time: String?
  /// The camera that it is of, where there are several.
  package let camera: String?
  /// The frame.
  package let frame: FrameReference?
  /// The fields of its own.
  package let payload: Payload

  /// An event from its parts.
  package init(
    seq: Int? = nil, time: String? = nil, camera: String? = nil, frame: FrameReference? = nil, payload: Payload
  ) {
    self.seq = seq
    self.time = time
    self.camera = camera
    self.frame = frame
    self.payload = payload
  }

  private enum Key: CodingKey { case event, seq, time, camera, frame }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(Payload.event, forKey: .event)
    try container.encodeIfPresent(seq, forKey: .seq)
    try container.encodeIfPresent(time, forKey: .time)
    try container.encodeIfPresent(camera, forKey: .camera)
    try container.encodeIfPresent(frame, forKey: .frame)
    try payload.encode(to: encoder)
  }
}
