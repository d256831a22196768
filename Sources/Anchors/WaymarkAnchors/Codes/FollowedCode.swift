package import WaymarkImage

/// The follower's state of one code. The file also has the follower's input (`CodeDetection`) and its result for a code
/// (`CodeObservation`).
struct FollowedCode {
  let id: Int
  let content: CodeDetection.Content
  /// True if the code keeps its shape between readings, as bar codes do.
  let isRigid: Bool
  var tracker: AnchorTracker?
  private var outline = Quadrilateral(width: 1, height: 1)
  private var picture = Point2(1, 1)
  private var physicalWidth: Double?
  private var pose = PoseFilter()
  var isDrawn: Bool { observation.isDrawn }
  /// The square root of the code's area in the frame when its picture was made, in pixels.
  private(set) var extent = 0.0
  /// True if the code was seen in the last processed frame.
  private(set) var isSeen = false
  /// True if something else was found at the code's position: the code is then reported as lost.
  private(set) var isGone = false
  private(set) var lastSeen: Double
  private(set) var lastRead: Double
  var proof: PlaceProof
  private var readings = 1
  private var needed: Int
  var isReported = false
  /// The outer corners of the symbol in the frame, without the lens distortion.
  private(set) var corners: Quadrilateral
  private(set) var observation: CodeObservation
  /// The corners in the last 16 frames in which the code was seen, to be compared with readings that arrive late.
  private var places: [(time: Double, corners: Quadrilateral)] = []

  init(id: Int, _ sighting: CodeDetection, _ time: Double) {
    self.id = id
    content = sighting.content
    isRigid = sighting.isLinear
    physicalWidth = sighting.physicalWidth
    needed = sighting.isCertain ? 1 : 2
    (lastSeen, lastRead, proof) = (time, time, PlaceProof(at: time))
    corners = sighting.corners
    observation = CodeObservation(
      id: id, content: sighting.content, trackingMethod: .lastKnownPose,
      placement: AnchorPlacement(
        referenceSize: Point2(1, 1), corners: sighting.corners, homography: .identity, score: 0),
      lastSeen: time, lastRead: time)
  }

  /// True if the code was read as often as required.
  var isBelieved: Bool { readings >= needed }

  /// Returns whether a reading of the frame at `time` shows the code in more detail than its picture or, for bars, with another shape.
  func isOutgrown(by read: Quadrilateral, at time: Double) -> Bool {
    let size = read.signedArea.squareRoot()
    // At twice the size, a drawn picture is too blurred.
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

  /// The speed of the code in pixels per second.
  var speed: Double { tracker?.speed ?? 0 }

  private func corners(at time: Double) -> Quadrilateral {
    places.min { abs($0.time - time) < abs($1.time - time) }?.corners ?? corners
  }

  /// Returns the centre of the code at the time in `places` that is nearest to `time`.
  func center(at time: Double) -> Point2 {
    corners(at: time).center
  }

  /// Records a further reading and, if it is not `nil`, the physical width of the code in metres.
  mutating func confirm(at time: Double, width: Double?) {
    if time > lastRead { readings += 1 }
    lastRead = max(lastRead, time)
    physicalWidth = width ?? physicalWidth
    observation.lastRead = lastRead
  }

  /// Starts to follow the code by a picture made from the frame at `time`.
  mutating func begin(_ portrait: CodeTemplate, _ read: Quadrilateral, _ score: Double, at time: Double) {
    let width = Double(portrait.image.width), height = Double(portrait.image.height)
    let inner = portrait.outline
    outline = inner
    picture = Point2(width, height)
    observation.isDrawn = portrait.isDrawn
    // Drawn codes are located three times as precisely as other pictures, so their smoothing ends at a third of the speed.
    pose.positionSlope = PoseFilter.positionSlope * (isDrawn ? 3 : 1)
    corners = portrait.homography.apply(inner)
    extent = max(1, corners.signedArea).squareRoot()
    var options = TrackingOptions()
    // A code is read again soon, and with sixty codes there is no time for this comparison.
    options.comparesSteps = false
    if isRigid {
      // Bars correlate a little at any position. Bars cut out of a frame correlate highly at the correct position.
      (options.minimumScore, options.minimumShare) = (0.75, 0.5)
    }
    tracker = AnchorTracker(
      AnchorTemplate(portrait.image), at: .plane(portrait.homography), time: time, options: options)
    (isSeen, isGone) = (true, false)
    proof = PlaceProof(at: time)
    lastSeen = time
    observation.placement.score = score
  }

  /// Updates the code with its homography in the frame at `time`, without the lens distortion.
  mutating func see(
    _ homography: Homography, score: Double, at time: Double, _ intrinsics: CameraIntrinsics, _ lens: LensMap?
  ) {
    isSeen = true
    lastSeen = time
    corners = homography.apply(outline)
    if places.count == 16 { places.removeFirst() }
    places.append((time, corners))
    // The homography in the symbol's own pixels, without the margin.
    let margin = outline.topLeft + 0.5
    let own = homography * Homography.translation(margin)
    observation.placement.referenceSize = outline.bottomRight - outline.topLeft
    observation.trackingMethod = .fullTracking
    observation.placement.corners = lens?.bend(corners) ?? corners
    observation.placement.homography = lens == nil ? own.normalized : seen(own, through: lens)
    observation.placement.score = score
    observation.lastSeen = time
    let width = observation.placement.referenceSize.x
    let solutions = physicalWidth.flatMap {
      PlanePoseSolver.solve(
        homography: homography, width: Int(picture.x), height: Int(picture.y), physicalWidth: $0 * picture.x / width,
        intrinsics: intrinsics)
    }
    pose.update(&observation.placement, solutions, at: time)
  }

  /// Returns the homography from the symbol's own pixels to its distorted corners in the frame.
  private func seen(_ own: Homography, through lens: LensMap?) -> Homography {
    let offset = -(outline.topLeft + 0.5)
    let reference = outline.mapped { $0 + offset }
    return Homography(from: reference, to: observation.placement.corners) ?? own.normalized
  }

  /// Records that the code was not seen in the present frame.
  mutating func miss() {
    isSeen = false
    observation.trackingMethod = .lastKnownPose
  }

  /// Stops following the code because something else is at its position.
  mutating func drop() {
    miss()
    isGone = true
  }
}

/// A code read in a frame.
package struct CodeDetection: Sendable {
  /// The symbology and payload. Readings with equal content show the same code, or copies of it that only their positions
  /// distinguish.
  package struct Content: Hashable, Sendable {
    /// The symbology, as the reader names it.
    package var symbology: String
    /// The payload as bytes.
    package var bytes: [UInt8]

    package init(symbology: String, bytes: [UInt8]) {
      self.symbology = symbology
      self.bytes = bytes
    }
  }

  package var content: Content
  /// The corners in frame pixels, clockwise from the top left of the upright code.
  package var corners: Quadrilateral
  /// The possible numbers of columns and rows of modules; empty if the code has no grid, and its picture is cut out of the frame.
  package var grids: [SIMD2<Int>]
  /// True if the code consists of bars. They determine the position only across the bars, not along them.
  package var isLinear: Bool
  /// True if one reading suffices, false if a second is required.
  package var isCertain: Bool
  /// The width of the printed symbol in metres, without its quiet zone; `nil` if unknown.
  package var physicalWidth: Double?

  package init(
    content: Content, corners: Quadrilateral, grids: [SIMD2<Int>], isLinear: Bool = false,
    isCertain: Bool = true, physicalWidth: Double? = nil
  ) {
    self.content = content
    self.corners = corners
    self.grids = grids
    self.isLinear = isLinear
    self.isCertain = isCertain
    self.physicalWidth = physicalWidth
  }
}

/// The state of one code in one frame.
@dynamicMemberLookup
package struct CodeObservation: Sendable {
  /// The number of the code. A code that reappears after it was lost gets a new number.
  package var id: Int
  package var content: CodeDetection.Content
  package var trackingMethod: AnchorPlacement.Method
  /// The position of the outer edges of the symbol, clockwise from the top left of the upright code.
  package var placement: AnchorPlacement
  /// True if the picture is drawn from the modules rather than cut out of a frame; the proportions of its reference are then exact.
  package var isDrawn = false
  /// The times of the frames in which the code was last seen and last read, in seconds.
  package var lastSeen: Double
  package var lastRead: Double

  /// Reads a member of `placement`, such as the pose.
  package subscript<Part>(dynamicMember part: KeyPath<AnchorPlacement, Part>) -> Part { placement[keyPath: part] }
}
