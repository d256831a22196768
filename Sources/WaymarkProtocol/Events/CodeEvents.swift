/// A code is known and followed from now on.
public struct CodeFound: EventPayload {
  /// Its number: counts up; a code that comes back after `code.lost` has a new one.
  public var code: Int
  /// The symbology.
  public var symbology: String
  /// Its content as text; missing when redacted.
  public var text: String?
  /// Its content's bytes; missing when redacted.
  public var bytesBase64: String?
  /// How the bytes became text.
  public var charset: String?
  /// Which part of a message it carries, where it is one of several codes; missing when redacted.
  public var part: MessagePart?
  /// Corners of the upright code from its top left clockwise, in pixels.
  public var corners: [[Double]]
  /// Where it is; null where its printed size is not known.
  public var pose: PoseValue?
  /// True where something was left out for an observer.
  public var redacted: Bool?
  /// True if observers may see the content: not unless whoever made the event knows better. Never on the wire.
  package var isHarmless = false

  private enum CodingKeys: CodingKey {
    case code, symbology, text, bytesBase64, charset, part, corners, pose, redacted
  }

  /// The name on the wire.
  public static let event = "code.found"

  /// Without the content, unless it is known to be harmless.
  public var forObservers: Self {
    guard !isHarmless else { return self }
    var copy = self
    copy.text = nil
    copy.bytesBase64 = nil
    copy.charset = nil
    copy.part = nil
    copy.redacted = true
    return copy
  }

  /// A value from its parts.
  public init(
    code: Int, symbology: String, text: String? = nil, bytesBase64: String? = nil, charset: String? = nil,
    part: MessagePart? = nil, corners: [[Double]], pose: PoseValue? = nil, redacted: Bool? = nil
  ) {
    self.code = code
    self.symbology = symbology
    self.text = text
    self.bytesBase64 = bytesBase64
    self.charset = charset
    self.part = part
    self.corners = corners
    self.pose = pose
    self.redacted = redacted
  }

  /// Writes the value; `pose` also when null.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(code, forKey: .code)
    try container.encode(symbology, forKey: .symbology)
    try container.encodeIfPresent(text, forKey: .text)
    try container.encodeIfPresent(bytesBase64, forKey: .bytesBase64)
    try container.encodeIfPresent(charset, forKey: .charset)
    try container.encodeIfPresent(part, forKey: .part)
    try container.encode(corners, forKey: .corners)
    try container.encode(pose, forKey: .pose)
    try container.encodeIfPresent(redacted, forKey: .redacted)
  }
}

/// A code has been out of view for a while, or something else stands in its place.
public struct CodeLost: EventPayload {
  /// Its number.
  public var code: Int
  /// When it was last seen: seconds of `CLOCK_MONOTONIC`.
  public var lastSeen: Double

  /// The name on the wire.
  public static let event = "code.lost"

  /// Nothing in it is a secret.
  public var forObservers: Self { self }

  /// A value from its parts.
  public init(code: Int, lastSeen: Double) {
    self.code = code
    self.lastSeen = lastSeen
  }
}

/// Where every code is that is followed; one a frame.
public struct CodesUpdated: EventPayload {
  /// The codes, by their numbers.
  public var codes: [CodeTracking]
  /// The camera's intrinsics that the poses were computed with.
  public var intrinsics: Intrinsics?

  /// The name on the wire.
  public static let event = "codes.updated"

  /// Nothing in it is a secret: contents are told by `code.found`.
  public var forObservers: Self { self }

  /// A value from its parts.
  public init(codes: [CodeTracking], intrinsics: Intrinsics? = nil) {
    self.codes = codes
    self.intrinsics = intrinsics
  }
}

/// A code in a frame.
public struct CodeTracking: Codable, Hashable, Sendable {
  /// Its number.
  public var code: Int
  /// How its place was come by.
  public var trackingMethod: TrackingMethod
  /// Corners of the upright code from its top left clockwise, in pixels; not smoothed.
  public var corners: [[Double]]
  /// Smoothed; null where its printed size is not known.
  public var pose: PoseValue?
  /// Not smoothed; null where its printed size is not known.
  public var rawPose: PoseValue?
  /// How alike the frame and the code's picture are, 0 to 1.
  public var score: Double
  /// True where codes are counted and this one was; missing otherwise.
  public var counted: Bool?

  /// A value from its parts.
  public init(
    code: Int, trackingMethod: TrackingMethod, corners: [[Double]], pose: PoseValue? = nil, rawPose: PoseValue? = nil,
    score: Double, counted: Bool? = nil
  ) {
    self.code = code
    self.trackingMethod = trackingMethod
    self.corners = corners
    self.pose = pose
    self.rawPose = rawPose
    self.score = score
    self.counted = counted
  }

  /// Writes the value; `pose` and `rawPose` also when null.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(code, forKey: .code)
    try container.encode(trackingMethod, forKey: .trackingMethod)
    try container.encode(corners, forKey: .corners)
    try container.encode(pose, forKey: .pose)
    try container.encode(rawPose, forKey: .rawPose)
    try container.encode(score, forKey: .score)
    try container.encodeIfPresent(counted, forKey: .counted)
  }
}
