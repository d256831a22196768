import WaymarkFrames
import WaymarkImage

/// The lens that a lane looks through: how its camera maps directions to pixels, and what the lane has a `LensLearner` learn of it.
struct LaneLens<Key: Hashable> {
  /// The camera of the present frames.
  private(set) var intrinsics = CameraIntrinsics(assumedFor: 640, 480)
  private let learner: LensLearner
  private var isUnknown = false
  /// True if the last frame showed nothing that is followed.
  private var isIdle = true
  /// Where things were in the last frame, and where they are in the present one.
  private var (last, present): ([Key: Quadrilateral], [Key: Quadrilateral]) = ([:], [:])
  private var turn = 0

  init(_ learner: LensLearner) { self.learner = learner }

  /// Chooses the camera of a frame. A newly learned one holds from when nothing is followed: poses do not jump.
  ///
  /// - Parameter startsOver: what is followed is forgotten in any case.
  /// - Returns: whether the lane has to start over.
  mutating func changes(for frame: Frame, of cameras: CameraChoice, startsOver: Bool) -> Bool {
    guard startsOver || isIdle else { return false }
    let now = cameras.intrinsics(
      width: frame.width, height: frame.height, learned: learner.intrinsics(width: frame.width, height: frame.height))
    guard startsOver || now != intrinsics else { return false }
    (intrinsics, isUnknown) = (now, cameras.isUnknown(now))
    return true
  }

  /// Has the learner learn from a frame, where nothing tells of its camera.
  ///
  /// - Parameters:
  ///   - seen: what is followed in it, flat and of known proportions.
  ///   - isIdle: nothing at all is followed.
  mutating func learn(from seen: some Sequence<(Key, AnchorPlacement)>, in frame: Frame, isIdle: Bool) {
    self.isIdle = isIdle
    // Any camera may have taken the pictures of a folder.
    guard isUnknown, frame.origin != .folder, let view = next(seen, width: frame.width, height: frame.height) else {
      return
    }
    learner.take(view, width: frame.width, height: frame.height)
  }

  /// Returns the thing to learn from in a frame: large, sure, and nearly at rest, since a frame is not taken at one moment; of several another
  /// one in each frame.
  ///
  /// - Parameters:
  ///   - seen: what is followed in it, flat and of known proportions.
  ///   - width: of the frame, in pixels.
  ///   - height: of the frame, in pixels.
  mutating func next(_ seen: some Sequence<(Key, AnchorPlacement)>, width: Int, height: Int) -> AnchorPlacement? {
    let step = 1.5 * Double(max(width, height)) / 640
    swap(&last, &present)
    present.removeAll(keepingCapacity: true)
    turn += 1
    var (chosen, count): (AnchorPlacement?, Int) = (nil, 0)
    for (key, placement) in seen {
      present[key] = placement.corners
      guard placement.score >= 0.7, placement.corners.signedArea >= 0.01 * Double(width * height),
        let before = last[key], before.meanCornerDistance(to: placement.corners) <= step
      else { continue }
      // The last one whose number divides the turn: each comes up equally often.
      count += 1
      if turn % count == 0 { chosen = placement }
    }
    return chosen
  }
}
