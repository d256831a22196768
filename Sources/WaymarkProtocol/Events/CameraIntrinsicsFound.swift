/// The focal length of a camera without a calibration was found from what was followed in it, or more exactly than before.
///
/// Poses are computed with it from when nothing is followed.
public struct CameraIntrinsicsFound: EventPayload {
  /// Which camera, as `camera.status` tells it.
  public var device: String?
  /// Width of the frames in pixels.
  public var width: Int
  /// Height of the frames in pixels.
  public var height: Int
  /// The camera's geometry.
  public var intrinsics: Intrinsics
  /// The standard deviation of the focal length, as a share of it.
  public var deviation: Double
  /// How many views it comes from.
  public var views: Int

  /// The name on the wire.
  public static let event = "camera.intrinsics"

  /// Nothing in it is a secret.
  public var forObservers: Self { self }

  /// A value from its parts.
  public init(
    device: String? = nil, width: Int, height: Int, intrinsics: Intrinsics, deviation: Double, views: Int
  ) {
    self.device = device
    self.width = width
    self.height = height
    self.intrinsics = intrinsics
    self.deviation = deviation
    self.views = views
  }
}
