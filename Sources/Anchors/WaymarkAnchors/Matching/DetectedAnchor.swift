public import WaymarkImage

/// A detection: an anchor and its place in one frame.
public struct DetectedAnchor: Sendable {
  /// The anchor's index in the library.
  public var anchor: Int
  /// Reference pixels → frame pixels, pixel centres at whole numbers; of a round anchor that of the plane which touches it in the
  /// middle of what is in sight.
  public var homography: Homography
  /// Where a round anchor stands; `nil` of a flat one.
  public var cylinder: CylinderMap?
  /// How many features agree with the homography.
  public var inliers: Int
  /// How sure the claim is, 0…1: the correlation of reference and frame under the homography.
  public var score: Double
  /// The anchors of the library that it may be as well: they look alike, and the frame does not show the part in which they differ.
  public var rivals: [Int] = []
  /// The share of what is in sight of it that contradicts its picture, 0…1: it is covered, or another picture that is alike in the rest.
  public var contradiction = 0.0

  /// True if the frame does not prove that it is this picture and no other.
  public var isAmbiguous: Bool { ClaimJudge.isAmbiguous(rivals, contradiction) }

  /// A claim from its parts.
  public init(anchor: Int, homography: Homography, cylinder: CylinderMap? = nil, inliers: Int, score: Double) {
    self.anchor = anchor
    self.homography = homography
    self.cylinder = cylinder
    self.inliers = inliers
    self.score = score
  }

  /// A claim of either shape.
  init(anchor: Int, map: SurfaceMap, inliers: Int, score: Double) {
    self.init(
      anchor: anchor, homography: map.homography.normalized, cylinder: map.cylinder, inliers: inliers, score: score)
  }

  /// The place in the frame.
  package var map: SurfaceMap {
    get { cylinder.map(SurfaceMap.cylinder) ?? .plane(homography) }
    set { (homography, cylinder) = (newValue.homography.normalized, newValue.cylinder) }
  }
}
