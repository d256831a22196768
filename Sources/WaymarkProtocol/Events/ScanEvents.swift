public import WaymarkJSON

/// An accepted code.
public struct ScanSuccessful: EventPayload {
  /// The scan it belongs to.
  public var scan: String
  /// The `context` of `scan.begin`, unread.
  public var context: JSONValue?
  /// The kind of the payload; null in barcode mode.
  public var kind: String?
  /// The symbology.
  public var symbology: String
  /// The payload as text; missing when redacted.
  public var text: String?
  /// The payload's bytes; missing when redacted.
  public var bytesBase64: String?
  /// How the bytes became text.
  public var charset: String?
  /// True where the code declares that it holds GS1 element strings.
  public var gs1: Bool?
  /// The digits of the add-on beside a code of retail, where add-ons are asked for; missing when redacted.
  public var addOn: String?
  /// Which part it is of a message that is spread over several codes, where not all of them were in view; missing when
  /// redacted.
  public var part: MessagePart?
  /// Corners of the upright code from its top left clockwise, in pixels.
  public var corners: [[Double]]
  /// The host to show to the person before going on.
  public var connectTo: String?
  /// The fields of the payload, by name; missing when redacted.
  public var fields: JSONValue?
  /// Where it was seen.
  public var source: ScanSource
  /// The picture of the gallery.
  public var picture: String?
  /// The owner of the scan; nobody when the service armed itself.
  public var by: Actor?
  /// True where something was left out for an observer.
  public var redacted: Bool?
  /// The part of the payload that observers may see: nothing, unless the maker of the event knows better. Never on the wire.
  package var harmless = Harmless()

  /// The part of a payload that is known to be no secret.
  package struct Harmless: Hashable, Sendable {
    /// True if text and bytes are.
    package var text = false
    /// The fields, with what is not replaced.
    package var fields: JSONValue?

    /// Nothing, unless said otherwise.
    package init(text: Bool = false, fields: JSONValue? = nil) {
      self.text = text
      self.fields = fields
    }
  }

  private enum CodingKeys: CodingKey {
    case scan, context, kind, symbology, text, bytesBase64, charset, gs1, addOn, part, corners, connectTo, fields,
      source,
      picture,
      by, redacted
  }

  /// The name on the wire.
  public static let event = "scan.successful"

  /// Without text, bytes and fields, but for what is known to be harmless.
  public var forObservers: Self {
    var copy = self
    copy.context = nil
    copy.fields = fields == nil ? nil : harmless.fields
    if !harmless.text {
      copy.text = nil
      copy.bytesBase64 = nil
      copy.charset = nil
      copy.addOn = nil
      copy.part = nil
    }
    copy.redacted = !harmless.text || copy.fields != fields ? true : nil
    return copy
  }

  /// A value from its parts.
  public init(
    scan: String, context: JSONValue? = nil, kind: String? = nil, symbology: String, text: String? = nil,
    bytesBase64: String? = nil, charset: String? = nil, gs1: Bool? = nil, addOn: String? = nil,
    part: MessagePart? = nil, corners: [[Double]], connectTo: String? = nil, fields: JSONValue? = nil,
    source: ScanSource = .camera,
    picture: String? = nil, by: Actor? = nil,
    redacted: Bool? = nil
  ) {
    self.scan = scan
    self.context = context
    self.kind = kind
    self.symbology = symbology
    self.text = text
    self.bytesBase64 = bytesBase64
    self.charset = charset
    self.gs1 = gs1
    self.addOn = addOn
    self.part = part
    self.corners = corners
    self.connectTo = connectTo
    self.fields = fields
    self.source = source
    self.picture = picture
    self.by = by
    self.redacted = redacted
  }

  /// Writes the value; `kind` also when null.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(scan, forKey: .scan)
    try container.encodeIfPresent(context, forKey: .context)
    try container.encode(kind, forKey: .kind)
    try container.encode(symbology, forKey: .symbology)
    try container.encodeIfPresent(text, forKey: .text)
    try container.encodeIfPresent(bytesBase64, forKey: .bytesBase64)
    try container.encodeIfPresent(charset, forKey: .charset)
    try container.encodeIfPresent(gs1, forKey: .gs1)
    try container.encodeIfPresent(addOn, forKey: .addOn)
    try container.encodeIfPresent(part, forKey: .part)
    try container.encode(corners, forKey: .corners)
    try container.encodeIfPresent(connectTo, forKey: .connectTo)
    try container.encodeIfPresent(fields, forKey: .fields)
    try container.encode(source, forKey: .source)
    try container.encodeIfPresent(picture, forKey: .picture)
    try container.encodeIfPresent(by, forKey: .by)
    try container.encodeIfPresent(redacted, forKey: .redacted)
  }
}

/// The place of a code in a message that is spread over several (structured append, Macro PDF417).
public struct MessagePart: Codable, Hashable, Sendable {
  /// Its number, from 1.
  public var index: Int
  /// How many codes carry the message; missing where only another of them tells.
  public var count: Int?
  /// The identifier that all parts of one message share, as the codes tell it; missing where they tell none.
  public var id: String?

  /// A value from its parts.
  public init(index: Int, count: Int? = nil, id: String? = nil) {
    self.index = index
    self.count = count
    self.id = id
  }
}

/// A code was read; policy or signature refused it.
public struct ScanInvalid: EventPayload {
  /// The scan it belongs to.
  public var scan: String
  /// The `context` of `scan.begin`, unread.
  public var context: JSONValue?
  /// Why: the first check that failed.
  public var reason: String
  /// The kind of the payload.
  public var kind: String?
  /// Corners of the code.
  public var corners: [[Double]]?
  /// Where it was seen.
  public var source: ScanSource
  /// The picture of the gallery.
  public var picture: String?
  /// The owner of the scan; nobody when the service armed itself.
  public var by: Actor?

  /// The name on the wire.
  public static let event = "scan.invalid"

  /// Without what the client that scans brought along.
  public var forObservers: Self {
    var copy = self
    copy.context = nil
    return copy
  }

  /// A value from its parts.
  public init(
    scan: String, context: JSONValue? = nil, reason: String, kind: String? = nil, corners: [[Double]]? = nil,
    source: ScanSource = .camera, picture: String? = nil, by: Actor? = nil
  ) {
    self.by = by
    self.scan = scan
    self.context = context
    self.reason = reason
    self.kind = kind
    self.corners = corners
    self.source = source
    self.picture = picture
  }
}

/// A still picture, or an armed scan that timed out, without an acceptable read.
public struct ScanUnsuccessful: EventPayload {
  /// The scan it belongs to.
  public var scan: String
  /// The `context` of `scan.begin`, unread.
  public var context: JSONValue?
  /// Why.
  public var reason: UnsuccessfulReason
  /// The parts of a structured append that are missing, from 1 on.
  public var missing: [Int]?
  /// Corners of what could not be used.
  public var corners: [[Double]]?
  /// Where it was seen.
  public var source: ScanSource
  /// The picture of the gallery.
  public var picture: String?
  /// The owner of the scan; nobody when the service armed itself.
  public var by: Actor?

  /// The name on the wire.
  public static let event = "scan.unsuccessful"

  /// Without what the client that scans brought along.
  public var forObservers: Self {
    var copy = self
    copy.context = nil
    return copy
  }

  /// A value from its parts.
  public init(
    scan: String, context: JSONValue? = nil, reason: UnsuccessfulReason, missing: [Int]? = nil,
    corners: [[Double]]? = nil, source: ScanSource = .camera, picture: String? = nil, by: Actor? = nil
  ) {
    self.by = by
    self.scan = scan
    self.context = context
    self.reason = reason
    self.missing = missing
    self.corners = corners
    self.source = source
    self.picture = picture
  }
}

/// Why nothing acceptable was read.
public enum UnsuccessfulReason: String, Codable, CaseIterable, Sendable {
  /// No code.
  case nothingFound
  /// Only codes of another symbology.
  case notQR
  /// A part of a structured append.
  case incomplete
  /// A code is there but cannot be read.
  case codeNotReadable
}

extension ScanSuccessful: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The scan, the kind and the symbology. What the code says may be a secret, and stays in its properties and on the wire.
  public var description: String { "a code of scan \(scan): \(kind ?? "of no kind"), \(symbology)" }
  /// As `description`.
  public var debugDescription: String { description }
  /// As much as `description` says.
  public var customMirror: Mirror {
    Mirror(self, children: ["scan": scan, "kind": kind as Any, "symbology": symbology], displayStyle: .struct)
  }
}
