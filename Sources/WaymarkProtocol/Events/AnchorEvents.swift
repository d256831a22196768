/// An anchor has come into view.
public struct AnchorFound: EventPayload {
  /// Its name.
  public var anchor: String
  /// Its corners, in pixels.
  public var corners: [[Double]]
  /// Where it is; null where no physical width is known.
  public var pose: Pose?
  /// How sure the engine is, 0 to 1.
  public var score: Double

  /// The name on the wire.
  public static let event = "anchor.found"

  /// Nothing in it is a secret.
  public var forObservers: Self { self }

  /// A value from its parts.
  public init(
    anchor: String, corners: [[Double]], pose: Pose? = nil, score: Double
  ) {
    self.anchor = anchor
    self.corners = corners
    self.pose = pose
    self.score = score
  }

  /// Writes the value; `pose` also when null.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(anchor, forKey: .anchor)
    try container.encode(corners, forKey: .corners)
    try container.encode(pose, forKey: .pose)
    try container.encode(score, forKey: .score)
  }
}

/// An anchor has been out of view for a while.
public struct AnchorLost: EventPayload {
  /// Its name.
  public var anchor: String
  /// When it was last seen: seconds of `CLOCK_MONOTONIC`.
  public var lastSeen: Double

  /// The name on the wire.
  public static let event = "anchor.lost"

  /// Nothing in it is a secret.
  public var forObservers: Self { self }

  /// A value from its parts.
  public init(
    anchor: String, lastSeen: Double
  ) {
    self.anchor = anchor
    self.lastSeen = lastSeen
  }
}

/// Where everything is that is followed; one a frame.
public struct AnchorsUpdated: EventPayload {
  /// The anchors.
  public var anchors: [AnchorTracking]
  /// What the poses were computed with.
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
