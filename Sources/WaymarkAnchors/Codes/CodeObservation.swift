package import WaymarkGeometry

/// Where a code is in a frame.
package struct CodeObservation: Sendable {
  /// Counts up from 1; a code that comes back after it was lost has a new one.
  package var id: Int
  package var content: CodeSighting.Content
  package var trackingMethod: AnchorObservation.TrackingMethod
  /// The outer edges of the symbol in pixels of the frame, from the top left of the upright code clockwise; not smoothed.
  package var corners: Quadrilateral
  /// Pixels of the symbol's picture, `size` of them, → pixels of the frame; not smoothed.
  package var homography: Homography
  package var size: Point2
  /// How alike picture and frame are, 0…1.
  package var score: Double
  /// Where it stands before the camera, smoothed over time; `nil` without a physical width.
  package var pose: Pose?
  /// The same from this frame alone, only the choice between two possible tilts taken over time.
  package var rawPose: Pose?
  /// The times of the frames in which it was last seen and last read, in seconds.
  package var lastSeen: Double
  package var lastRead: Double
}
