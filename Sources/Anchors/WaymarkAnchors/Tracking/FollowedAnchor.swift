public import WaymarkImage
import WaymarkSystem

/// The engine's state of one anchor that it has seen.
///
/// The file also has the assignment of detections to copies (`CopyRoster`), the results of a frame (`AnchorReport`,
/// with `AnchorObservation` and `AnchorLoss`), and the pose of an anchor (`AnchorPose`).
struct FollowedAnchor {
  let index: Int
  let name: String
  /// The number of the copy; `nil` if only one copy of the anchor is allowed.
  let copy: Int?
  let width: Int
  let height: Int
  let physicalWidth: Double?
  var tracker: AnchorTracker
  var pose: PoseFilter
  private var filter = CornerFilter()
  var presence = Presence()
  var observation: AnchorObservation
  /// The corners in the frame without the lens distortion.
  private(set) var place: Quadrilateral
  private let lens: LensMap?
  /// True if the anchor was seen in the last processed frame.
  var isSeen = true
  /// The results of the checks that the followed position still shows this anchor.
  var proof: PlaceProof
  /// The number of consecutive frames in which the anchor was seen.
  private var streak = 0
  /// True once the anchor was seen in three consecutive frames, which wrong detections do not reach.
  private(set) var isConfirmed = false
  /// The time in seconds of the last comparison with the anchors that look like this anchor.
  private(set) var lastJudged: Double
  /// True if the anchor may be reported: it is confirmed or has a score of at least 0.75.
  var isCredible: Bool { isConfirmed || observation.placement.score >= 0.75 }

  init(
    _ detection: DetectedAnchor, _ reference: AnchorReference, _ tracker: AnchorTracker, copy: Int?,
    ambiguous: [String]?, lens: LensMap?, time: Double
  ) {
    self.copy = copy
    self.lens = lens
    (proof, lastJudged) = (PlaceProof(at: time), time)
    index = detection.anchor
    name = reference.name
    width = reference.width
    height = reference.height
    physicalWidth = reference.physicalWidth
    self.tracker = tracker
    pose = PoseFilter()
    let corners = Self.corners(detection.map, width: reference.width, height: reference.height)
    place = corners
    observation = AnchorObservation(
      anchor: detection.anchor, name: reference.name, copy: copy,
      trackingMethod: .fullTracking,
      placement: AnchorPlacement(
        referenceSize: Point2(Double(reference.width), Double(reference.height)), corners: corners,
        homography: detection.homography, score: detection.score),
      cylinder: detection.cylinder, inliers: detection.inliers,
      lastSeen: time, ambiguous: ambiguous, isPresent: false)
  }

  /// Updates the anchor with its position in the frame at `time`, given without the lens distortion.
  ///
  /// - Parameter covariance: The covariance of the corners; `nil` if it is unknown. The corners are then not filtered.
  mutating func see(
    _ map: SurfaceMap, covariance: Matrix8?, inliers: Int, score: Double, at time: Double,
    _ intrinsics: CameraIntrinsics
  ) {
    isSeen = true
    streak += 1
    if streak >= 3 { isConfirmed = true }
    observation.trackingMethod = .fullTracking
    place = Self.corners(map, width: width, height: height)
    observation.cylinder = map.cylinder
    var homography = map.homography
    observation.placement.uncertainty = nil
    if let covariance {
      let estimate = filter.update(CornerFilter.Estimate(corners: place, covariance: covariance), at: time)
      let outline = Quadrilateral(width: Double(width), height: Double(height))
      if estimate.corners.isPlausible(), estimate.deviations.sum().isFinite,
        let map = Homography(from: outline, to: estimate.corners)
      {
        (place, homography) = (estimate.corners, map)
        observation.placement.uncertainty = estimate.deviations
      }
    }
    if map.cylinder != nil {
      (observation.placement.corners, observation.placement.homography) = (lens?.bend(place) ?? place, homography)
    } else {
      (observation.placement.corners, observation.placement.homography) =
        lens?.seen(homography, width: width, height: height) ?? (place, homography)
    }
    observation.inliers = inliers
    observation.placement.score = score
    observation.lastSeen = time
    let solutions = physicalWidth.flatMap {
      AnchorPose.solutions(map, width: width, height: height, physicalWidth: $0, intrinsics)
    }
    pose.update(&observation.placement, solutions, at: time)
  }

  private static func corners(_ map: SurfaceMap, width: Int, height: Int) -> Quadrilateral {
    switch map {
    case .plane(let h): h.apply(Quadrilateral(width: Double(width), height: Double(height)))
    case .cylinder(let c):
      c.corners ?? map.homography.apply(Quadrilateral(width: Double(width), height: Double(height)))
    }
  }

  /// The followed anchor as a detection in the present frame.
  var claim: DetectedAnchor {
    DetectedAnchor(
      anchor: index, map: tracker.map, inliers: observation.inliers, score: observation.placement.score)
  }

  /// Resumes following at a position where the anchor was found again; `ambiguous` has the names of the anchors that may be there
  /// instead.
  mutating func begin(_ tracker: AnchorTracker, ambiguous: [String]?, at time: Double) {
    self.tracker = tracker
    observation.ambiguous = ambiguous
    (proof, lastJudged) = (PlaceProof(at: time), time)
  }

  /// Updates the names of the anchors that may be there instead; `nil` if the anchor is proven. A proven anchor stays proven while
  /// it is followed.
  mutating func judge(_ ambiguous: [String]?, at time: Double) {
    lastJudged = time
    if ambiguous == nil { observation.ambiguous = nil }
    if observation.ambiguous != nil { observation.ambiguous = ambiguous }
  }

  /// Stops following the anchor because another object is at its position, and stops searching for it there.
  mutating func drop() {
    miss()
    isConfirmed = false
  }

  /// Records that the anchor was not seen in the present frame.
  mutating func miss() {
    isSeen = false
    streak = 0
    observation.trackingMethod = .lastKnownPose
  }
}

/// If several copies of an anchor are allowed, assigns detections to the followed copies, and decides which of two copies keeps a
/// position.
///
/// Copies look the same and differ only in position. A copy is recognised by its last position and keeps its number as long as it
/// is followed.
struct CopyRoster {
  /// The relation of a detection to the followed anchors.
  enum Seat {
    /// The anchor or copy is already followed, or all allowed copies are.
    case taken
    /// The anchor was followed a moment ago; the value is its index among the kept anchors.
    case again(Int)
    /// The detection shows a new anchor or copy.
    case free
  }

  let copies: AnchorCopies
  /// The number of the copy that was numbered last.
  var lastCopy = 0

  /// Returns how a detection relates to the followed anchors.
  ///
  /// - Parameter corners: The corners of the detection without the lens distortion.
  func seat(of anchor: Int, _ name: String, at corners: Quadrilateral, among anchors: [FollowedAnchor]) -> Seat {
    let allowed = copies.allowed(of: name)
    guard allowed > 1 else {
      guard let own = anchors.firstIndex(where: { $0.index == anchor }) else { return .free }
      return anchors[own].isSeen ? .taken : .again(own)
    }
    var seen = 0
    var kept: Int?
    for (i, other) in anchors.enumerated() where other.index == anchor {
      let isHere = other.place.overlaps(corners)
      if other.isSeen {
        if isHere { return .taken }
        seen += 1
      } else if isHere, kept == nil {
        kept = i
      }
    }
    guard seen < allowed else { return .taken }
    if let kept { return .again(kept) }
    return anchors.count(where: { $0.copy != nil }) < AnchorCopies.most ? .free : .taken
  }

  /// Returns the number for a new copy; `nil` if only one copy of the anchor is allowed.
  mutating func number(_ name: String) -> Int? {
    guard copies.allowed(of: name) > 1 else { return nil }
    lastCopy += 1
    return lastCopy
  }

  /// Returns whether the position found for the copy at index `i` belongs to another followed copy.
  ///
  /// When alignment loses its own copy, it can lock on to a neighbour. If two separate copies now coincide, the copy that jumped is
  /// wrong; if they already coincided in the last frame, the copy with the higher number is wrong.
  func isAnother(_ corners: Quadrilateral, than i: Int, among anchors: [FollowedAnchor]) -> Bool {
    let own = anchors[i]
    guard let copy = own.copy else { return false }
    return anchors.contains { other in
      guard other.index == own.index, let rival = other.copy, rival != copy, other.isSeen,
        other.place.overlaps(corners)
      else { return false }
      let jumped =
        corners.center.distance(to: own.place.center) > corners.center.distance(to: other.place.center)
      return jumped || (rival < copy && own.place.overlaps(other.place))
    }
  }
}

/// The state of one anchor in one frame.
@dynamicMemberLookup
public struct AnchorObservation: Sendable {
  /// The anchor's index in the library.
  public var anchor: Int
  /// The anchor's name in the library.
  public var name: String
  /// The number of the copy, unique as long as it is followed; `nil` if only one copy of the anchor is allowed.
  public var copy: Int?
  /// The origin of the placement: tracked in this frame, or kept from the last frame in which the anchor was seen.
  public var trackingMethod: AnchorPlacement.Method
  /// The position and pose; its members can be read directly from the observation.
  public var placement: AnchorPlacement
  /// The cylinder of a round anchor, not smoothed; `nil` if the anchor is flat.
  public var cylinder: CylinderMap?
  /// The number of features or patches that agree with the placement.
  public var inliers: Int
  /// The time of the frame in which the anchor was last seen, in seconds.
  public var lastSeen: Double
  /// The names of the anchors that may be there instead, as long as the frames do not prove which anchor it is. Empty if the only
  /// doubt is that a visible part contradicts the picture; `nil` once the anchor is proven.
  public var ambiguous: [String]?
  /// True if the anchor is reported as found: seen for long enough and not out of sight for too long.
  public var isPresent: Bool

  /// The outline of the visible part in frame pixels, clockwise from the top left: the four corners, or for a round anchor
  /// points along its curved sides.
  public var outline: [Point2] { cylinder?.outline ?? placement.corners.corners }

  /// Reads a member of `placement`, such as the pose.
  public subscript<Part>(dynamicMember part: KeyPath<AnchorPlacement, Part>) -> Part { placement[keyPath: part] }
}

/// The anchors in one frame, and the anchors found and lost since the frame before.
public struct AnchorReport: Sendable {
  /// The time of the frame, in seconds.
  public var time: Double
  /// Every anchor that is seen or whose last position is kept: visible anchors first, then by score.
  public var observations: [AnchorObservation]
  /// The indices of the anchors that are reported as found from this frame on, one entry per copy.
  public var found: [Int]
  /// The anchors that are reported as lost from this frame on.
  public var lost: [AnchorLoss]
  /// True if the whole frame was searched for anchors.
  public var searched: Bool
}

/// An anchor or copy that was out of sight for so long that it is reported as lost.
public struct AnchorLoss: Hashable, Sendable {
  /// The anchor's index in the library.
  public var anchor: Int
  /// The anchor's name in the library.
  public var name: String
  /// The number of the copy; `nil` if only one copy of the anchor is allowed.
  public var copy: Int?
  /// The time of the frame in which the anchor was last seen, in seconds.
  public var lastSeen: Double
}

/// Computes the pose of an anchor from its map into a frame.
package enum AnchorPose {
  /// Returns the pose from a single frame; for a flat anchor the better of the two possible tilts.
  ///
  /// - Parameters:
  ///   - map: Reference pixels → frame pixels, without the lens distortion.
  ///   - width: The width of the reference in pixels; `height` likewise.
  ///   - physicalWidth: The width of the printed picture in metres.
  /// - Returns: `nil` if no camera can produce the map.
  package static func single(
    _ map: SurfaceMap, width: Int, height: Int, physicalWidth: Double, _ intrinsics: CameraIntrinsics
  ) -> Pose? {
    solutions(map, width: width, height: height, physicalWidth: physicalWidth, intrinsics).map { Pose($0.best.pose) }
  }

  /// Returns both possible poses, or the only one of a cylinder; `nil` if no camera can produce the map.
  static func solutions(
    _ map: SurfaceMap, width: Int, height: Int, physicalWidth: Double, _ intrinsics: CameraIntrinsics
  ) -> PlanePoseSolver.Solutions? {
    switch map {
    case .plane(let homography):
      PlanePoseSolver.solve(
        homography: homography, width: width, height: height, physicalWidth: physicalWidth, intrinsics: intrinsics)
    case .cylinder(let cylinder): (PlanePoseSolver.Solution(pose: cylinder.pose, error: 0), nil)
    }
  }
}
