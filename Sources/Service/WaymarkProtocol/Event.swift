public import WaymarkSystem

/// An event as a client receives it. The file also has the line of an event to send (`EventLine`), and the events of a
/// subscription (`EventPatterns`).
public struct Event: Hashable, Sendable {
  /// The number of the event; gaps are normal. `nil` for events that concern one connection alone, such as
  /// `hello`.
  public var seq: Int?
  /// The time of the event by RFC 3339, in UTC with milliseconds.
  public var time: String?
  /// The name of the camera, if the service has several.
  public var camera: String?
  /// The frame that caused the event.
  public var frame: FrameReference?
  /// The kind of the event, with its payload.
  public var body: EventBody

  /// Creates an event from its parts.
  public init(
    seq: Int? = nil, time: String? = nil, camera: String? = nil, frame: FrameReference? = nil, body: EventBody
  ) {
    self.seq = seq
    self.time = time
    self.camera = camera
    self.frame = frame
    self.body = body
  }

  /// Decodes an event from a parsed line.
  ///
  /// - Throws: `DecodingError` if a required field is missing or a field has another type.
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

/// An event to send: envelope and payload in one flat object.
package struct EventLine<Payload: EventPayload>: Encodable {
  /// The number of the event; `nil` for events that concern one connection alone.
  package let seq: Int?
  package let time: String?
  /// The name of the camera, if there are several.
  package let camera: String?
  package let frame: FrameReference?
  /// The fields of this kind of event.
  package let payload: Payload

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

/// The events that a connection has subscribed to.
package struct EventPatterns: Hashable, Sendable {
  /// The patterns in the order of the requests.
  package private(set) var patterns: [String] = []
  /// The greatest number of patterns of a connection.
  package static let maximum = 64

  package init() {}

  /// Adds patterns that are not there yet.
  package mutating func add(_ new: [String]) {
    for pattern in new where !patterns.contains(pattern) { patterns.append(pattern) }
  }

  package mutating func remove(_ old: [String]) { patterns.removeAll { old.contains($0) } }

  package mutating func removeAll() { patterns.removeAll() }

  /// Returns whether a pattern matches `event`: its name, `family.*`, or `*`, which does not include `statistics`.
  package func match(_ event: String) -> Bool {
    patterns.contains { pattern in
      if pattern == event { return true }
      if pattern == "*" { return event != "statistics" }
      return pattern.hasSuffix(".*") && event.hasPrefix(pattern.dropLast())
    }
  }

  private init(_ pattern: String) { patterns = [pattern] }

  /// Returns the reason why a pattern matches no event, with the pattern that is probably meant; `nil` if the pattern matches an
  /// event of this version.
  ///
  /// - Parameter own: the names of events that the caller adds to the events of the service.
  package static func fault(of pattern: String, own: [String] = []) -> (message: String, hint: String)? {
    let shown = JSONValue.string(String(pattern.prefix(64))).compactText
    guard isValid(pattern) else {
      return ("\(shown) is not a pattern of events", "Use names (scan.successful), families (scan.*) or *.")
    }
    let names = ProtocolCatalog.events.map { $0.event } + own
    if names.contains(where: EventPatterns(pattern).match) { return nil }
    let families = Set(names.compactMap { name in name.lastIndex(of: ".").map { "\(name[...$0])*" } }).sorted()
    let siblings = names.filter { $0.hasPrefix(pattern.prefix { $0 != "." } + ".") }
    let hint =
      NearestWord.hint(pattern, among: names + families)
      ?? "There are \((siblings.isEmpty ? families : siblings).joined(separator: ", "))."
    return ("there is no event \(shown)", hint)
  }

  /// Returns whether a pattern has a valid form: a name, `family.*`, or `*`.
  private static func isValid(_ pattern: String) -> Bool {
    guard !pattern.isEmpty, pattern.utf8.count <= 64 else { return false }
    let stem = pattern == "*" ? "" : pattern.hasSuffix(".*") ? String(pattern.dropLast(2)) : pattern
    return pattern == "*" || (!stem.isEmpty && stem.allSatisfy { $0.isASCII && ($0.isLetter || $0 == ".") })
  }
}
