public import WaymarkGeometry

/// Where one anchor is in one frame.
public struct AnchorObservation: Sendable {
  /// How the place was come by.
  public enum TrackingMethod: String, Hashable, Sendable, Codable {
    /// It is seen in this frame.
    case fullTracking
    /// It is not seen; the place is the last one known.
    case lastKnownPose
    /// It is not seen and no place is known.
    case notTracking
  }

  /// The anchor's index in the library.
  public var anchor: Int
  /// The anchor's name.
  public var name: String
  /// Width and height of the reference, in pixels: long side 480.
  public var referenceSize: Point2
  /// How the place was come by.
  public var trackingMethod: TrackingMethod
  /// The images of the reference points (0,0), (w,0), (w,h), (0,h), in pixels of the frame; of a round anchor those of the part that is
  /// turned to the camera. Not smoothed.
  public var corners: Quadrilateral
  /// Reference pixels → frame pixels; not smoothed. Of a round anchor that of the plane which touches it in the middle of what is in
  /// sight, without the lens's distortion.
  public var homography: Homography
  /// Where a round anchor stands; not smoothed. `nil` of a flat one.
  public var cylinder: CylinderMap?
  /// How many features or patches agree with it.
  public var inliers: Int
  /// How alike reference and frame are, 0…1.
  public var score: Double
  /// Where it stands before the camera, smoothed over time; `nil` without a physical width.
  public var pose: Pose?
  /// The same from this frame alone, only the choice between two possible tilts taken over time.
  public var rawPose: Pose?
  /// The time of the frame in which it was last seen, in seconds.
  public var lastSeen: Double
  /// Whether it counts as found: seen for long enough, and not away for too long.
  public var isPresent: Bool

  /// The outline of what is in sight, in pixels of the frame, clockwise from the top left: the corners, or of a round anchor
  /// points along its curved sides.
  public var outline: [Point2] { cylinder?.outline ?? corners.corners }
}

/// What the engine says of one frame.
public struct AnchorReport: Sendable {
  /// The time of the frame, in seconds.
  public var time: Double
  /// Every anchor that is seen or whose last place is still held, best first.
  public var observations: [AnchorObservation]
  /// Indices of the anchors that count as found from this frame on.
  public var found: [Int]
  /// The anchors that count as lost from this frame on, and when each was last seen.
  public var lost: [AnchorLoss]
  /// Whether the whole frame was searched for anchors.
  public var searched: Bool
}

/// An anchor that is not in sight any more.
public struct AnchorLoss: Hashable, Sendable {
  /// Its index in the library.
  public var anchor: Int
  /// Its name.
  public var name: String
  /// The time of the frame in which it was last seen, in seconds.
  public var lastSeen: Double
}
