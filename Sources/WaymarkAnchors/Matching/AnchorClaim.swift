public import WaymarkGeometry

/// "This anchor is in the frame, here": what the detector says of one frame.
public struct AnchorClaim: Sendable {
  /// The anchor's index in the library.
  public var anchor: Int
  /// Reference pixels → frame pixels, pixel centres at whole numbers.
  public var homography: Homography
  /// How many features agree with the homography.
  public var inliers: Int
  /// How sure the claim is, 0…1: the correlation of reference and frame under the homography.
  public var score: Double

  /// A claim from its parts.
  public init(anchor: Int, homography: Homography, inliers: Int, score: Double) {
    self.anchor = anchor
    self.homography = homography
    self.inliers = inliers
    self.score = score
  }
}
