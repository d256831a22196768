/// The camera's geometry that poses were computed with.
public struct Intrinsics: Codable, Hashable, Sendable {
  /// Horizontal focal length in pixels.
  public var fx: Double
  /// Vertical focal length in pixels.
  public var fy: Double
  /// Horizontal place of the principal point in pixels.
  public var cx: Double
  /// Vertical place of the principal point in pixels.
  public var cy: Double
  /// k1, k2, p1, p2, k3 of the Brown–Conrady model.
  public var distortion: [Double]
  /// Where the numbers come from.
  public var source: IntrinsicsSource

  /// A value from its parts.
  public init(
    fx: Double, fy: Double, cx: Double, cy: Double, distortion: [Double], source: IntrinsicsSource
  ) {
    self.fx = fx
    self.fy = fy
    self.cx = cx
    self.cy = cy
    self.distortion = distortion
    self.source = source
  }
}

/// Where intrinsics come from.
public enum IntrinsicsSource: String, Codable, CaseIterable, Sendable {
  /// A calibration of this camera at this size.
  case calibrated
  /// Found from what was followed in this camera: square pixels, a centred lens without distortion.
  case estimated
  /// A usual field of view.
  case assumed
}
