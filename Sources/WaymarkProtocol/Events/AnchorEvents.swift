/// An anchor has come into view.
public struct AnchorFound: EventPayload {
  /// Its name.
  public var anchor: String
  /// Which copy of it, where several are allowed: a number that this one keeps as long as it is followed and that no other has while the service runs.
  public var copy: Int?
  /// Its corners, in pixels.
  public var corners: [[Double]]
  /// Where it is; null where no physical width is known.
  public var pose: PoseValue?
  /// How sure the engine is, 0 to 1.
  public var score: Double
  /// The content of the code that was found; missing where the anchor is a picture.
  public var code: AnchorCodeContent?
  /// Where it is not proven that it is this anchor: the other anchors of the scene that it may be as well; empty: a part of what is in sight contradicts
  /// its picture, because something covers it or it is a picture that looks alike. Missing once it is proven.
  public var ambiguous: [String]?

  private enum CodingKeys: CodingKey {
    case anchor, copy, corners, pose, score, code, ambiguous
  }

  /// The name on the wire.
  public static let event = "anchor.found"

  /// Without what a code says, unless it is known to be harmless.
  public var forObservers: Self {
    var copy = self
    copy.code = code?.forObservers
    return copy
  }

  /// A value from its parts.
  public init(
    anchor: String, copy: Int? = nil, corners: [[Double]], pose: PoseValue? = nil, score: Double,
    code: AnchorCodeContent? = nil, ambiguous: [String]? = nil
  ) {
    self.anchor = anchor
    self.copy = copy
    self.corners = corners
    self.pose = pose
    self.score = score
    self.code = code
    self.ambiguous = ambiguous
  }

  /// Writes the value; `pose` also when null.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(anchor, forKey: .anchor)
    try container.encodeIfPresent(copy, forKey: .copy)
    try container.encode(corners, forKey: .corners)
    try container.encode(pose, forKey: .pose)
    try container.encode(score, forKey: .score)
    try container.encodeIfPresent(code, forKey: .code)
    try container.encodeIfPresent(ambiguous, forKey: .ambiguous)
  }
}

/// The content of a code that is an anchor.
public struct AnchorCodeContent: Codable, Hashable, Sendable {
  /// The symbology.
  public var symbology: String
  /// Its content as text; missing when redacted.
  public var text: String?
  /// True where something was left out for an observer.
  public var redacted: Bool?
  /// True if observers may see the content: not unless whoever made it knows better. Never on the wire.
  package var isHarmless = false

  private enum CodingKeys: CodingKey {
    case symbology, text, redacted
  }

  /// A value from its parts.
  public init(symbology: String, text: String? = nil, redacted: Bool? = nil) {
    self.symbology = symbology
    self.text = text
    self.redacted = redacted
  }

  /// Without the content, unless it is known to be harmless.
  package var forObservers: Self {
    isHarmless ? self : Self(symbology: symbology, redacted: true)
  }
}

/// An anchor has been out of view for a while.
public struct AnchorLost: EventPayload {
  /// Its name.
  public var anchor: String
  /// Which copy of it, where several are allowed.
  public var copy: Int?
  /// When it was last seen: seconds of `CLOCK_MONOTONIC`.
  public var lastSeen: Double

  /// The name on the wire.
  public static let event = "anchor.lost"

  /// Nothing in it is a secret.
  public var forObservers: Self { self }

  /// A value from its parts.
  public init(
    anchor: String, copy: Int? = nil, lastSeen: Double
  ) {
    self.anchor = anchor
    self.copy = copy
    self.lastSeen = lastSeen
  }
}

/// Where everything is that is followed; one a frame.
public struct AnchorsUpdated: EventPayload {
  /// The anchors.
  public var anchors: [AnchorTracking]
  /// The camera's intrinsics that the poses were computed with.
  public var intrinsics: Intrinsics?

  /// The name on the wire.
  public static let event = "anchors.updated"

  /// Nothing in it is a secret.
  public var forObservers: Self { self }

  /// A value from its parts.
  public init(
    anchors: [AnchorTracking], intrinsics: Intrinsics? = nil
  ) {
    self.anchors = anchors
    self.intrinsics = intrinsics
  }
}
