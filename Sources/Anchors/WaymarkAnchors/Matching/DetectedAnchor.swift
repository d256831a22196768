public import WaymarkImage

/// An anchor detected in one frame.
public struct DetectedAnchor: Sendable {
  /// The anchor's index in the library.
  public var anchor: Int
  /// Reference pixels → frame pixels, with pixel centres at integers; for a round anchor the map of the tangent plane in the
  /// middle of the visible part.
  public var homography: Homography
  /// The cylinder of a round anchor; `nil` if the anchor is flat.
  public var cylinder: CylinderMap?
  /// The number of features that agree with the homography.
  public var inliers: Int
  /// The score of the claim, 0…1: the correlation of reference and frame under the homography.
  public var score: Double
  /// The indices of the anchors that the claim could be as well: they look alike, and the frame does not show the part in which they differ.
  public var rivals: [Int] = []
  /// The share of the visible part that contradicts the picture, 0…1, because it is covered or belongs to a similar picture.
  public var contradiction = 0.0

  /// True if the frame does not prove that the anchor is this picture and no other.
  public var isAmbiguous: Bool { Self.isAmbiguous(rivals, contradiction) }

  /// Returns whether rivals or a contradicting share make a claim ambiguous.
  static func isAmbiguous(_ rivals: [Int], _ contradiction: Double) -> Bool {
    !rivals.isEmpty || contradiction > mostContradiction
  }
  /// The contradiction from which a claim is ambiguous. Correct claims stay below it if uncovered and hardly blurred; nearly
  /// every picture that differs in a third of the visible part exceeds it.
  private static let mostContradiction = 0.1

  /// Creates a claim from a homography and an optional cylinder.
  public init(anchor: Int, homography: Homography, cylinder: CylinderMap? = nil, inliers: Int, score: Double) {
    self.anchor = anchor
    self.homography = homography
    self.cylinder = cylinder
    self.inliers = inliers
    self.score = score
  }

  /// Creates a claim from a flat or round map.
  init(anchor: Int, map: SurfaceMap, inliers: Int, score: Double) {
    self.init(
      anchor: anchor, homography: map.homography.normalized, cylinder: map.cylinder, inliers: inliers, score: score)
  }

  /// The map into the frame: the cylinder if present, otherwise the homography.
  package var map: SurfaceMap {
    get { cylinder.map(SurfaceMap.cylinder) ?? .plane(homography) }
    set { (homography, cylinder) = (newValue.homography.normalized, newValue.cylinder) }
  }
}
