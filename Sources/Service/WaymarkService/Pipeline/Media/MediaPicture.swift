/// A picture of the preview: a complete JPEG file.
package struct MediaPicture: Sendable {
  /// The frame it shows.
  package let sequence: UInt64
  /// When that was captured: seconds of CLOCK_MONOTONIC.
  package let captured: Double
  /// Size of the frame as the lanes see it, in pixels.
  package let frameWidth: Int
  /// Size of the frame as the lanes see it, in pixels.
  package let frameHeight: Int
  /// Size of the picture as it is seen, in pixels.
  package let width: Int
  /// Size of the picture as it is seen, in pixels.
  package let height: Int
  /// The JPEG file.
  package let bytes: [UInt8]
}
