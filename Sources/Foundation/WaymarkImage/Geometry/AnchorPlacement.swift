/// Where an anchor, a picture or a code, is in one frame.
public struct AnchorPlacement: Hashable, Sendable {
  /// How a place was come by.
  public enum Method: String, Hashable, Sendable {
    /// It is seen in this frame.
    case fullTracking
    /// It is not seen; the place is the last one known.
    case lastKnownPose
    /// It is not seen and no place is known.
    case notTracking
  }

  /// Width and height of the reference, in pixels: of a picture with a long side of 480; a code is drawn in a size of its own.
  public var referenceSize: Point2
  /// The images of the reference points (0,0), (w,0), (w,h), (0,h), in pixels of the frame; of a round anchor those of the part that is
  /// turned to the camera. Not smoothed.
  public var corners: Quadrilateral
  /// Reference pixels → frame pixels; not smoothed. Of a round anchor that of the plane which touches it in the middle of what is in
  /// sight, without the lens's distortion.
  public var homography: Homography
  /// How alike reference and frame are, 0…1.
  public var score: Double
  /// Where it stands before the camera, smoothed over time; `nil` without a physical width.
  public var pose: Pose?
  /// The same from this frame alone, only the choice between two possible tilts taken over time.
  public var rawPose: Pose?

  /// A placement from its parts.
  public init(
    referenceSize: Point2, corners: Quadrilateral, homography: Homography, score: Double, pose: Pose? = nil,
    rawPose: Pose? = nil
  ) {
    self.referenceSize = referenceSize
    self.corners = corners
    self.homography = homography
    self.score = score
    self.pose = pose
    self.rawPose = rawPose
  }

  /// True if every number of it is finite, and the reference has a size.
  package var isFinite: Bool {
    func finite(_ pose: Pose?) -> Bool {
      pose.map { $0.position.sum().isFinite && $0.orientation.vector.sum().isFinite } ?? true
    }
    return corners.isFinite && homography.rowMajor.allSatisfy({ $0.isFinite }) && score.isFinite && finite(pose)
      && finite(rawPose) && referenceSize.x > 0 && referenceSize.y > 0
  }
}
