public import WaymarkImage

/// An anchor detected in one frame; called a claim as long as it may be rejected.
///
/// The rest of this file is about copies, several objects with the same picture: how many are allowed (`AnchorCopies`,
/// `CopyLimits`), and on which planes they were found (`CopyPlanes`).
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
  /// The likeness of reference and frame, 0…1: the mean of the better half of the patches' correlations.
  public var score: Double
  /// The indices of the anchors that could be there instead: they look like this anchor, and the frame does not show the part in
  /// which they differ.
  public var rivals: [Int] = []
  /// The share of the visible part that contradicts the picture, 0…1, because the part is covered or belongs to a similar picture.
  public var contradiction = 0.0

  /// True if the frame does not prove that the anchor is this picture and no other.
  public var isAmbiguous: Bool { Self.isAmbiguous(rivals, contradiction) }

  /// Returns whether a detection is ambiguous: it has rivals, or too large a part contradicts it.
  static func isAmbiguous(_ rivals: [Int], _ contradiction: Double) -> Bool {
    !rivals.isEmpty || contradiction > mostContradiction
  }
  /// The contradiction above which a detection is ambiguous. Correct detections stay below it if uncovered and hardly
  /// blurred; nearly every picture that differs in a third of the visible part exceeds it.
  private static let mostContradiction = 0.1

  /// Creates a detection from a homography and, for a round anchor, a cylinder.
  public init(anchor: Int, homography: Homography, cylinder: CylinderMap? = nil, inliers: Int, score: Double) {
    self.anchor = anchor
    self.homography = homography
    self.cylinder = cylinder
    self.inliers = inliers
    self.score = score
  }

  /// Creates a detection from a flat or round map.
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

extension DetectedAnchor {
  /// Aligns the detection in a frame as tracking would, unless this lowers the agreement.
  ///
  /// - Returns: The covariance of the corners, see `AlignmentResult`; `nil` if the detection was not aligned.
  mutating func align(_ template: AnchorTemplate, in pyramid: GrayPyramid, by aligner: PatchAligner) -> Matrix8? {
    guard let result = aligner.align(template, from: map, in: pyramid), result.score >= score - 0.05,
      result.inliers >= 6
    else { return nil }
    map = result.map
    inliers = max(inliers, result.inliers)
    score = max(score, result.score)
    return result.covariance
  }
}

/// The largest number of copies of each anchor that are reported in one frame.
///
/// A copy is another object with the same picture, such as the boxes of one article on a shelf. If one copy is allowed, only the
/// first copy found is reported.
public struct AnchorCopies: Hashable, Sendable {
  /// The upper limit on the copies of one anchor, and on the copies of all anchors in total.
  public static let most = 30

  private let common: Int
  private let named: [String: Int]

  /// - Parameters:
  ///   - common: The most copies of every anchor, clamped to 1…`most`.
  ///   - named: The most copies of individual anchors, by name, clamped likewise.
  public init(_ common: Int = 1, named: [String: Int] = [:]) {
    self.common = Self.bounded(common)
    self.named = named.mapValues(Self.bounded).filter { [common = self.common] in $0.value != common }
  }

  /// True if one copy of each anchor is allowed.
  public var isSingle: Bool { common == 1 && named.isEmpty }

  /// Returns the most copies that are reported of the anchor with this name.
  public func allowed(of name: String) -> Int { named[name] ?? common }

  private static func bounded(_ count: Int) -> Int { min(max(count, 1), most) }
}

/// The number of copies allowed of each anchor of a library, and the check whether a detection is a further copy.
struct CopyLimits {
  private let references: [AnchorReference]
  /// Indexed by anchor; empty if one copy of each is allowed.
  private let limits: [Int]
  /// The indices of the anchors that may have several copies.
  let several: [Int]

  init(_ copies: AnchorCopies, _ references: [AnchorReference]) {
    self.references = references
    let limits = copies.isSingle ? [] : references.map { copies.allowed(of: $0.name) }
    self.limits = limits
    several = limits.indices.filter { limits[$0] > 1 }
  }

  /// True if one copy of each anchor is allowed.
  var isSingle: Bool { several.isEmpty }

  subscript(anchor: Int) -> Int { limits.isEmpty ? 1 : limits[anchor] }

  /// Returns whether a detection may be reported in addition to `others`: they contain fewer copies of its anchor than allowed, and
  /// its outline overlaps none of their outlines.
  func allow(_ claim: DetectedAnchor, beside others: [DetectedAnchor]) -> Bool {
    guard let outline = outline(claim), others.count(where: { $0.anchor == claim.anchor }) < self[claim.anchor] else {
      return false
    }
    return !others.contains { self.outline($0)?.overlaps(outline) ?? false }
  }

  /// Returns the outline of a detection in the frame, without the lens distortion; `nil` if it is not plausible.
  func outline(_ claim: DetectedAnchor) -> Quadrilateral? {
    let reference = references[claim.anchor]
    return claim.map.outline(width: reference.width, height: reference.height)
  }
}

/// The planes on which copies of one anchor were found.
///
/// Equal objects side by side are one picture moved along a plane. So the map of one copy, moved on its plane, gives the map of the
/// next copy: size and perspective are known, and only the position is unknown.
struct CopyPlanes {
  private struct Plane {
    var map: Homography
    var back: Homography
    var center: Point2
  }
  private var planes: [Plane] = []

  var isEmpty: Bool { planes.isEmpty }

  /// Adds a found copy; ignored if its map has no inverse.
  mutating func add(_ map: Homography, _ outline: Quadrilateral) {
    guard let back = map.inverse else { return }
    planes.append(Plane(map: map, back: back, center: outline.center))
  }

  /// Returns the point of the nearest copy's plane at a point of the frame, in reference pixels, and the map of this copy; `nil` if
  /// the point of the frame does not show the plane.
  func point(at place: SIMD2<Float>) -> (map: Homography, point: Point2)? {
    let q = Point2(Double(place.x), Double(place.y))
    guard let nearest = planes.min(by: { $0.center.distance(to: q) < $1.center.distance(to: q) }),
      nearest.back.depth(q) > 0
    else { return nil }
    let p = nearest.back.apply(q)
    return nearest.map.depth(p) > 0 ? (nearest.map, p) : nil
  }

  /// Returns the map of a copy on the nearest plane that shows a point of the reference at a point of the frame; `nil`
  /// as for `point(at:)`.
  func map(from reference: SIMD2<Float>, to place: SIMD2<Float>) -> Homography? {
    point(at: place).map { map, p in
      map * Homography.translation(p - Point2(Double(reference.x), Double(reference.y)))
    }
  }
}
