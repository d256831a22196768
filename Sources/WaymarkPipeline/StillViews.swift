import WaymarkFrames
import WaymarkGeometry

/// Chooses from what a lane follows what a `LensLearner` may believe: large, sure, and nearly at rest, since a frame is not taken at one
/// moment.
struct StillViews<Key: Hashable> {
  private var last: [Key: Quadrilateral] = [:]
  private var turn = 0

  /// Has a learner learn from what is followed in a frame, flat and of known proportions, where nothing tells of its camera.
  mutating func teach(
    _ learner: LensLearner, _ seen: [(key: Key, placement: AnchorPlacement)], in frame: Frame, of cameras: CameraChoice
  ) {
    // Any camera may have taken the pictures of a folder.
    guard frame.origin != .folder, cameras.isUnknown(width: frame.width, height: frame.height),
      let view = next(seen, width: frame.width, height: frame.height)
    else { return }
    learner.take(view, width: frame.width, height: frame.height)
  }

  /// Returns the thing to learn from in this frame: another one in each, where there are several.
  ///
  /// - Parameters:
  ///   - seen: what is followed in the frame, flat and of known proportions.
  ///   - width: of the frame, in pixels.
  ///   - height: of the frame, in pixels.
  mutating func next(_ seen: [(key: Key, placement: AnchorPlacement)], width: Int, height: Int) -> AnchorPlacement? {
    let step = 1.5 * Double(max(width, height)) / 640
    let still = seen.filter { key, placement in
      guard placement.score >= 0.7, placement.corners.signedArea >= 0.01 * Double(width * height) else { return false }
      return last[key].map { $0.meanCornerDistance(to: placement.corners) <= step } ?? false
    }
    last = Dictionary(seen.map { ($0.key, $0.placement.corners) }) { first, _ in first }
    guard !still.isEmpty else { return nil }
    turn += 1
    return still[turn % still.count].placement
  }
}
