import WaymarkImage

/// All that the follower keeps of a code.
struct FollowedCode {
  let id: Int
  let content: CodeDetection.Content
  /// True if it keeps its shape between readings, as bars do.
  let isRigid: Bool
  var tracker: AnchorTracker?
  private var outline = Quadrilateral(width: 1, height: 1)
  private var picture = Point2(1, 1)
  private var physicalWidth: Double?
  private var pose = PoseFilter()
  var isDrawn: Bool { observation.isDrawn }
  /// The side of the square of its area when its picture was made, in pixels of the frame.
  private(set) var extent = 0.0
  /// True if it is seen in the present frame.
  private(set) var isSeen = false
  /// True if something else stands in its place.
  private(set) var isGone = false
  private(set) var lastSeen: Double
  private(set) var lastRead: Double
  private(set) var lastChecked: Double
  private var lastVerified: Double
  private var readings = 1
  private var needed: Int
  var isReported = false
  /// The outer edges of the symbol, without the lens's distortion.
  private(set) var corners: Quadrilateral
  private(set) var observation: CodeObservation
  /// Where it was in the last frames, to be compared with readings that come late.
  private var places: [(time: Double, corners: Quadrilateral)] = []

  init(id: Int, _ sighting: CodeDetection, _ time: Double) {
    self.id = id
    content = sighting.content
    isRigid = sighting.isLinear
    physicalWidth = sighting.physicalWidth
    needed = sighting.isCertain ? 1 : 2
    (lastSeen, lastRead, lastChecked, lastVerified) = (time, time, time, time)
    corners = sighting.corners
    observation = CodeObservation(
      id: id, content: sighting.content, trackingMethod: .lastKnownPose,
      placement: AnchorPlacement(
        referenceSize: Point2(1, 1), corners: sighting.corners, homography: .identity, score: 0),
      lastSeen: time, lastRead: time)
  }

  /// True if it has been read often enough.
  var isBelieved: Bool { readings >= needed }

  /// Returns whether a reading of the frame at `time` shows more of it than its picture does, or, of bars, another shape.
  func isOutgrown(by read: Quadrilateral, at time: Double) -> Bool {
    let size = read.signedArea.squareRoot()
    // Seen from half the distance its drawing is too soft.
    if isDrawn { return extent * 2 <= size }
    if extent * 1.4 <= size { return true }
    guard isRigid else { return false }
    func sides(_ q: Quadrilateral) -> [Point2] { (0..<4).map { q.corners[($0 + 1) % 4] - q.corners[$0] } }
    let then = sides(corners(at: time))
    // Bars look the same upside down.
    return [sides(read), sides(read).map { -$0 }].allSatisfy { now in
      zip(then, now).contains { ($0 - $1).length > max(3, 0.08 * size) }
    }
  }

  /// How fast it moves, in pixels a second.
  var speed: Double { tracker?.speed ?? 0 }

  private func corners(at time: Double) -> Quadrilateral {
    places.min { abs($0.time - time) < abs($1.time - time) }?.corners ?? corners
  }

  /// Where its middle was at a time.
  func center(at time: Double) -> Point2 {
    corners(at: time).center
  }

  /// It was read once more.
  mutating func confirm(at time: Double, width: Double?) {
    if time > lastRead { readings += 1 }
    lastRead = max(lastRead, time)
    physicalWidth = width ?? physicalWidth
    observation.lastRead = lastRead
  }

  /// It is followed by this picture from now on.
  mutating func begin(_ portrait: CodeTemplate, _ read: Quadrilateral, _ score: Double, at time: Double) {
    let width = Double(portrait.image.width), height = Double(portrait.image.height)
    let inner = portrait.outline
    outline = inner
    picture = Point2(width, height)
    observation.isDrawn = portrait.isDrawn
    // Drawn codes are placed three times as exactly as pictures, so that smoothing may give way at a third of the speed.
    pose.options.positionSlope = PoseFilter.Options().positionSlope * (isDrawn ? 3 : 1)
    corners = portrait.homography.apply(inner)
    extent = max(1, corners.signedArea).squareRoot()
    var options = TrackingOptions()
    // A code is read again soon, and sixty of them leave no time for it.
    options.comparesSteps = false
    if isRigid {
      // Bars are a little like themselves wherever they are laid; cut out of a frame they are very much so in the right place.
      (options.minimumScore, options.minimumShare) = (0.75, 0.5)
    }
    tracker = AnchorTracker(
      AnchorTemplate(portrait.image), at: .plane(portrait.homography), time: time, options: options)
    (isSeen, isGone) = (true, false)
    (lastChecked, lastVerified) = (time, time)
    lastSeen = time
    observation.placement.score = score
  }

  /// Takes the place in the frame at `time`: a homography without the lens's distortion.
  mutating func see(
    _ homography: Homography, score: Double, at time: Double, _ intrinsics: CameraIntrinsics, _ lens: LensMap?
  ) {
    isSeen = true
    lastSeen = time
    corners = homography.apply(outline)
    if places.count == 16 { places.removeFirst() }
    places.append((time, corners))
    // The symbol's own pixels: without the margin.
    let margin = outline.topLeft + 0.5
    let own = homography * Homography.translation(margin)
    observation.placement.referenceSize = outline.bottomRight - outline.topLeft
    observation.trackingMethod = .fullTracking
    observation.placement.corners = lens?.bend(corners) ?? corners
    observation.placement.homography = lens == nil ? own.normalized : seen(own, through: lens)
    observation.placement.score = score
    observation.lastSeen = time
    observation.placement.pose = nil
    observation.placement.rawPose = nil
    guard let physicalWidth,
      let solutions = PlanePoseSolver.solve(
        homography: homography, width: Int(picture.x), height: Int(picture.y),
        physicalWidth: physicalWidth * picture.x / observation.placement.referenceSize.x, intrinsics: intrinsics)
    else { return }
    let (raw, smooth) = pose.update(solutions, at: time)
    observation.placement.rawPose = raw
    observation.placement.pose = smooth
  }

  /// The homography through the corners as the frame shows them.
  private func seen(_ own: Homography, through lens: LensMap?) -> Homography {
    let reference = outline.moved(by: -(outline.topLeft + 0.5))
    return Homography(from: reference, to: observation.placement.corners) ?? own.normalized
  }

  /// Takes how far its place in the frame at `time` is from chance.
  ///
  /// - Returns: whether it may be followed on: it has proven itself within a tenth of a second.
  mutating func verify(_ deviations: Double, at time: Double) -> Bool {
    lastChecked = time
    if deviations >= StructureVerifier.holding { lastVerified = time }
    return time - lastVerified < 0.09
  }

  /// True if it proved itself when it was asked last.
  var isVerified: Bool { lastVerified == lastChecked }

  /// It is not in the present frame.
  mutating func miss() {
    isSeen = false
    observation.trackingMethod = .lastKnownPose
  }

  /// Something else stands where it was: it is not looked for there any more.
  mutating func drop() {
    miss()
    isGone = true
  }
}

extension Quadrilateral {
  fileprivate func moved(by offset: Point2) -> Quadrilateral {
    Quadrilateral(
      topLeft: topLeft + offset, topRight: topRight + offset, bottomRight: bottomRight + offset,
      bottomLeft: bottomLeft + offset)
  }
}
