/// The frame that an event was born of.
public struct FrameReference: Codable, Hashable, Sendable {
  /// The service's own count of frames; keeps rising when the camera is opened again.
  public var sequence: Int
  /// When it was captured: seconds of `CLOCK_MONOTONIC`.
  public var captured: Double
  /// Width in pixels, after the configured rotation.
  public var width: Int
  /// Height in pixels, after the configured rotation.
  public var height: Int
  /// The kind of source that the frame comes from.
  public var source: ScanSource

  /// A value from its parts.
  public init(
    sequence: Int, captured: Double, width: Int, height: Int, source: ScanSource = .camera
  ) {
    self.sequence = sequence
    self.captured = captured
    self.width = width
    self.height = height
    self.source = source
  }
}
