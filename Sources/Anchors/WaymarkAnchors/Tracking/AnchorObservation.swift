public import WaymarkImage

/// The state of one anchor in one frame.
@dynamicMemberLookup
public struct AnchorObservation: Sendable {
  /// The anchor's index in the library.
  public var anchor: Int
  /// The anchor's name.
  public var name: String
  /// Which copy it is, where several of the anchor are allowed: a number that it keeps as long as it is followed and that no other has. `nil` where
  /// one is allowed.
  public var copy: Int?
  /// How the place was come by.
  public var trackingMethod: AnchorPlacement.Method
  /// Where it is; its parts are read through the observation as well.
  public var placement: AnchorPlacement
  /// Where a round anchor stands; not smoothed. `nil` of a flat one.
  public var cylinder: CylinderMap?
  /// How many features or patches agree with it.
  public var inliers: Int
  /// The time of the frame in which it was last seen, in seconds.
  public var lastSeen: Double
  /// Where the frames so far do not prove that it is this picture: the names of the other anchors that it may be as well, none where a part of what
  /// is in sight contradicts the picture. `nil` once it is proven.
  public var ambiguous: [String]?
  /// True if it counts as found: seen for long enough, and not away for too long.
  public var isPresent: Bool

  /// The outline of what is in sight, in pixels of the frame, clockwise from the top left: the corners, or of a round anchor
  /// points along its curved sides.
  public var outline: [Point2] { cylinder?.outline ?? placement.corners.corners }

  /// A part of the placement.
  public subscript<Part>(dynamicMember part: KeyPath<AnchorPlacement, Part>) -> Part { placement[keyPath: part] }
}

/// The result of one frame.
public struct AnchorReport: Sendable {
  /// The time of the frame, in seconds.
  public var time: Double
  /// Every anchor that is seen or whose last place is still held, best first.
  public var observations: [AnchorObservation]
  /// Indices of the anchors that count as found from this frame on; of several copies one each.
  public var found: [Int]
  /// The anchors that count as lost from this frame on, and when each was last seen.
  public var lost: [AnchorLoss]
  /// True if the whole frame was searched for anchors.
  public var searched: Bool
}

/// An anchor that is not in sight any more.
public struct AnchorLoss: Hashable, Sendable {
  /// Its index in the library.
  public var anchor: Int
  /// Its name.
  public var name: String
  /// Which copy it was, where several are allowed.
  public var copy: Int?
  /// The time of the frame in which it was last seen, in seconds.
  public var lastSeen: Double
}
