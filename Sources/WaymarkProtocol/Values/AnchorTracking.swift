/// How well an anchor is known at this moment.
public enum TrackingMethod: String, Codable, CaseIterable, Sendable {
  /// It is seen in this frame.
  case fullTracking
  /// It was seen a moment ago; its pose stands.
  case lastKnownPose
  /// Nothing is known.
  case notTracking
}

/// An anchor in a frame.
public struct AnchorTracking: Codable, Hashable, Sendable {
  /// Its name.
  public var anchor: String
  /// Which copy of it, where several are allowed, as in `anchor.found`.
  public var copy: Int?
  /// How well it is known.
  public var trackingMethod: TrackingMethod
  /// Where the corners of the reference lie: from its top left clockwise, each x, y in pixels of the frame. Of a round anchor those of
  /// the part that is turned to the camera.
  public var corners: [[Double]]
  /// Of a round anchor: the outline of the part that is turned to the camera, clockwise from the top left, each x, y; missing of a flat
  /// one, whose outline the corners are.
  public var outline: [[Double]]?
  /// Nine numbers, row-major: reference pixels to frame pixels. Of a round anchor they hold around the middle of what is in sight.
  public var homography: [Double]
  /// Smoothed; null where no physical width is known.
  public var pose: PoseValue?
  /// Not smoothed; null where no physical width is known.
  public var rawPose: PoseValue?
  /// How sure the engine is, 0 to 1.
  public var score: Double?
  /// As in `anchor.found`; missing once it is proven that it is this anchor.
  public var ambiguous: [String]?
  /// The annotations on it. Where several copies are allowed, those of the nearest one or of each, as the scene says.
  public var markers: [MarkerTracking]

  /// A value from its parts.
  public init(
    anchor: String, copy: Int? = nil, trackingMethod: TrackingMethod, corners: [[Double]],
    outline: [[Double]]? = nil, homography: [Double],
    pose: PoseValue? = nil, rawPose: PoseValue? = nil, score: Double? = nil, ambiguous: [String]? = nil,
    markers: [MarkerTracking] = []
  ) {
    self.anchor = anchor
    self.copy = copy
    self.trackingMethod = trackingMethod
    self.corners = corners
    self.outline = outline
    self.homography = homography
    self.pose = pose
    self.rawPose = rawPose
    self.score = score
    self.ambiguous = ambiguous
    self.markers = markers
  }

  /// Writes the value; `pose` and `rawPose` also when null.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(anchor, forKey: .anchor)
    try container.encodeIfPresent(copy, forKey: .copy)
    try container.encode(trackingMethod, forKey: .trackingMethod)
    try container.encode(corners, forKey: .corners)
    try container.encodeIfPresent(outline, forKey: .outline)
    try container.encode(homography, forKey: .homography)
    try container.encode(pose, forKey: .pose)
    try container.encode(rawPose, forKey: .rawPose)
    try container.encodeIfPresent(score, forKey: .score)
    try container.encodeIfPresent(ambiguous, forKey: .ambiguous)
    try container.encode(markers, forKey: .markers)
  }
}

/// A marker in a frame.
public struct MarkerTracking: Codable, Hashable, Sendable {
  /// The annotation.
  public var id: String
  /// True if it is to be drawn.
  public var visible: Bool
  /// True if it has the focus.
  public var selected: Bool
  /// x, y in pixels of the frame; null when it lies behind the camera or nothing is known.
  public var screen: [Double]?
  /// Distance along the line of sight in metres; null when not known.
  public var depth: Double?

  /// A value from its parts.
  public init(
    id: String, visible: Bool, selected: Bool, screen: [Double]? = nil, depth: Double? = nil
  ) {
    self.id = id
    self.visible = visible
    self.selected = selected
    self.screen = screen
    self.depth = depth
  }

  /// Writes the value; `screen` and `depth` also when null.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(visible, forKey: .visible)
    try container.encode(selected, forKey: .selected)
    try container.encode(screen, forKey: .screen)
    try container.encode(depth, forKey: .depth)
  }
}
