import WaymarkImage
import WaymarkSystem

/// All that the engine keeps of an anchor it has seen.
struct FollowedAnchor {
  let index: Int
  let name: String
  /// Which copy it is, where several are allowed.
  let copy: Int?
  let width: Int
  let height: Int
  let physicalWidth: Double?
  var tracker: AnchorTracker
  var pose: PoseFilter
  var presence = Presence()
  var observation: AnchorObservation
  /// The corners without the lens's distortion.
  private(set) var place: Quadrilateral
  private let lens: LensMap?
  /// True if it is seen in the present frame.
  var isSeen = true
  /// When it was last asked whether it is still what is followed, and when it last was.
  private(set) var lastChecked: Double
  private var lastVerified: Double
  /// In how many frames running it has been seen.
  private var streak = 0
  /// True if it has been followed for a few frames: a claim that was a mistake does not last that long.
  private(set) var isConfirmed = false
  /// When it was last asked whether it is this picture and no other.
  private(set) var lastJudged: Double
  /// True if it may be told: it is confirmed, or so alike that nobody doubts it.
  var isCredible: Bool { isConfirmed || observation.placement.score >= 0.75 }

  init(
    _ detection: DetectedAnchor, _ reference: AnchorReference, _ tracker: AnchorTracker, copy: Int?,
    ambiguous: [String]?, lens: LensMap?, time: Double
  ) {
    self.copy = copy
    self.lens = lens
    (lastChecked, lastVerified, lastJudged) = (time, time, time)
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

  /// Takes the place in the frame at `time`, without the lens's distortion.
  mutating func see(
    _ map: SurfaceMap, inliers: Int, score: Double, at time: Double, _ intrinsics: CameraIntrinsics
  ) {
    isSeen = true
    streak += 1
    if streak >= 3 { isConfirmed = true }
    observation.trackingMethod = .fullTracking
    place = Self.corners(map, width: width, height: height)
    observation.cylinder = map.cylinder
    let homography = map.homography
    if map.cylinder != nil {
      (observation.placement.corners, observation.placement.homography) = (lens?.bend(place) ?? place, homography)
    } else {
      (observation.placement.corners, observation.placement.homography) =
        lens?.seen(homography, width: width, height: height) ?? (place, homography)
    }
    observation.inliers = inliers
    observation.placement.score = score
    observation.lastSeen = time
    observation.placement.pose = nil
    observation.placement.rawPose = nil
    guard let physicalWidth,
      let solutions = AnchorPose.solutions(map, width: width, height: height, physicalWidth: physicalWidth, intrinsics)
    else { return }
    let (raw, smooth) = pose.update(solutions, at: time)
    observation.placement.rawPose = raw
    observation.placement.pose = smooth
  }

  private static func corners(_ map: SurfaceMap, width: Int, height: Int) -> Quadrilateral {
    switch map {
    case .plane(let h): h.apply(Quadrilateral(width: Double(width), height: Double(height)))
    case .cylinder(let c):
      c.corners ?? map.homography.apply(Quadrilateral(width: Double(width), height: Double(height)))
    }
  }

  /// What is followed, as a claim in the present frame.
  var claim: DetectedAnchor {
    DetectedAnchor(
      anchor: index, map: tracker.map, inliers: observation.inliers, score: observation.placement.score)
  }

  /// Takes a place where it was found again, and what may stand there as well.
  mutating func begin(_ tracker: AnchorTracker, ambiguous: [String]?, at time: Double) {
    self.tracker = tracker
    observation.ambiguous = ambiguous
    (lastChecked, lastVerified, lastJudged) = (time, time, time)
  }

  /// Takes how far its place in the frame at `time` is from chance.
  ///
  /// - Returns: whether it may be followed on: it has proven itself within a tenth of a second.
  mutating func verify(_ deviations: Double, at time: Double) -> Bool {
    lastChecked = time
    if deviations >= StructureVerifier.holding { lastVerified = time }
    return time - lastVerified < 0.09
  }

  /// Takes what may stand there as well; what is proven stays proven while it is followed, whatever covers it then.
  mutating func judge(_ ambiguous: [String]?, at time: Double) {
    lastJudged = time
    if ambiguous == nil { observation.ambiguous = nil }
    if observation.ambiguous != nil { observation.ambiguous = ambiguous }
  }

  /// Takes that something else stands where it was followed: it is not looked for there any more.
  mutating func drop() {
    miss()
    isConfirmed = false
  }

  /// Takes that it is not in the present frame.
  mutating func miss() {
    isSeen = false
    streak = 0
    observation.trackingMethod = .lastKnownPose
  }
}
