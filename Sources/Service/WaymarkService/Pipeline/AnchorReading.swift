package import WaymarkImage
package import WaymarkScenes

/// The result of the anchor lane for a frame.
package struct AnchorReading: Sendable {
  /// The anchors that are seen in this very frame.
  package var sightings: [AnchorDetection]
  /// The camera that the poses were computed with.
  package var intrinsics: CameraIntrinsics
  /// Which task of the lane it answers.
  package var generation: Int
  /// Seconds that the engine took.
  package var elapsed: Double
}
