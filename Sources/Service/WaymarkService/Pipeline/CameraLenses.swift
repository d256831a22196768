import WaymarkFrames
package import WaymarkImage
import WaymarkSystem

/// Chooses the intrinsics for frames of a given size, from the calibrations, the field of view, and what was learned: `LensLearner`
/// below estimates a focal length, and `LaneLens` has the intrinsics that one lane uses.
package struct CameraChoice: Hashable, Sendable {
  /// A calibration with the size of the frames from which it was made, in pixels. If the width is 0, the size is unknown and the
  /// calibration applies to frames of any size.
  package struct Calibration: Hashable, Sendable {
    package var width: Int
    package var height: Int
    package var intrinsics: CameraIntrinsics
    /// A part of the name of the camera for which it was made; nil for any camera.
    package var camera: String?
  }

  package var calibrations: [Calibration] = []
  /// The angle of view across the longer side of the frame, in radians, for cameras without a calibration.
  package var fieldOfView: Double?

  /// Returns the choice for one camera: first the calibrations for its name, then the calibrations for any camera.
  package func narrowed(to device: String) -> CameraChoice {
    let named = calibrations.filter { $0.camera.map(device.contains) == true }
    return CameraChoice(calibrations: named + calibrations.filter { $0.camera == nil }, fieldOfView: fieldOfView)
  }

  /// Returns the intrinsics for frames of a size: the first available of a calibration of the same size; the largest calibration of
  /// the same aspect ratio, scaled; a calibration of unknown size; the field of view; the learned intrinsics; an assumed field of
  /// view.
  ///
  /// - Parameter learned: the intrinsics that a `LensLearner` has estimated; nil if it has none.
  package func intrinsics(width: Int, height: Int, learned: @autoclosure () -> CameraIntrinsics? = nil)
    -> CameraIntrinsics
  {
    if let exact = calibrations.first(where: { $0.width == width && $0.height == height }) { return exact.intrinsics }
    let alike = calibrations.lazy.filter { $0.width > 0 && $0.width * height == $0.height * width }.max {
      $0.width < $1.width
    }
    if let alike {
      return alike.intrinsics.scaled(from: (alike.width, alike.height), to: (width, height))
    }
    if let any = calibrations.first(where: { $0.width == 0 }) { return any.intrinsics }
    if let fieldOfView { return CameraIntrinsics(assumedFor: width, height, fieldOfView: fieldOfView) }
    return learned() ?? CameraIntrinsics(assumedFor: width, height)
  }

  /// Returns whether a camera has neither a calibration nor a field of view, so that it uses the learned intrinsics.
  package func isUnknown(_ camera: CameraIntrinsics) -> Bool { fieldOfView == nil && camera.source != .calibrated }
}

// MARK: - Learned lenses

/// Estimates the focal length of a camera without a calibration, from the anchors and codes that its lanes follow. The lanes of a
/// camera share one learner. `LaneLens` below has the intrinsics that one lane uses, and selects the views for the learner.
///
/// A lane passes one view per frame. While the estimator processes the view of one lane, views of other lanes are dropped, so that
/// lanes do not wait.
package final class LensLearner: Sendable {
  /// The focal length of a camera for frames of a size.
  package struct Lens: Hashable, Sendable {
    /// The width of the frames in pixels.
    package var width: Int
    /// The height of the frames in pixels.
    package var height: Int
    package var estimate: FocalLengthEstimator.Estimate

    /// The pinhole camera with this focal length.
    package var intrinsics: CameraIntrinsics {
      CameraIntrinsics(estimatedFor: width, height, focal: estimate.focal)
    }

    /// Returns whether this lens replaces the known one. Its deviation must be at most `sufficient`, and one of these
    /// must hold:
    /// - no lens of the same aspect ratio is known;
    /// - its deviation is at most 0.7 times the deviation of the known lens;
    /// - the focal lengths differ, relatively, by more than three times the sum of both deviations.
    func isNew(after old: Lens?) -> Bool {
      guard estimate.deviation <= LensLearner.sufficient else { return false }
      guard let old, old.width * height == width * old.height else { return true }
      let ratio = old.intrinsics.scaled(from: (old.width, old.height), to: (width, height)).focal.x / estimate.focal
      let spread = estimate.deviation + old.estimate.deviation
      return estimate.deviation <= 0.7 * old.estimate.deviation || abs(ratio - 1) > 3 * spread
    }
  }

  private struct State {
    var known: Lens?
    var estimator: FocalLengthEstimator?
    var isLent = false
    /// The camera's name, and a number that increases with every change of the camera. Results with an earlier number are ignored.
    var camera = (name: "", number: 0)
    var onLens: (@Sendable (Lens, _ camera: String) -> Void)?
  }

  /// The maximum relative deviation of a focal length that is used.
  static let sufficient = 0.03

  private let state = Monitor(State())

  package init() {}

  /// Sets the handler of learned lenses. It is called on the thread of a lane.
  package func onLens(_ handler: @escaping @Sendable (Lens, _ camera: String) -> Void) {
    state.withLock { $0.onLens = handler }
  }

  /// Starts to estimate for a camera.
  ///
  /// - Parameter known: the saved lens of the camera; nil without a saved lens.
  package func begin(_ known: Lens?, of camera: String) {
    state.update { state in
      (state.known, state.estimator) = (known, nil)
      state.camera = (camera, state.camera.number + 1)
    }
  }

  /// Returns the learned intrinsics for frames of a size; nil if no lens is known for their aspect ratio.
  package func intrinsics(width: Int, height: Int) -> CameraIntrinsics? {
    guard let known = state.withLock({ $0.known }), known.width * height == known.height * width else { return nil }
    return known.intrinsics.scaled(from: (known.width, known.height), to: (width, height))
  }

  /// Adds a view of a flat object at rest to the estimate, in a frame of the size `width` × `height` in pixels.
  package func take(_ view: AnchorPlacement, width: Int, height: Int) {
    let lent = state.update { state -> (estimator: FocalLengthEstimator, camera: (name: String, number: Int))? in
      guard !state.isLent else { return nil }
      state.isLent = true
      if let estimator = state.estimator, (estimator.width, estimator.height) == (width, height) {
        return (estimator, state.camera)
      }
      return (FocalLengthEstimator(width: width, height: height), state.camera)
    }
    guard let lent else { return }
    var estimator = lent.estimator
    estimator.add(view.homography, size: view.referenceSize)
    let news = state.update { state -> (Lens, (@Sendable (Lens, String) -> Void)?)? in
      state.isLent = false
      guard state.camera.number == lent.camera.number else { return nil }
      state.estimator = estimator
      guard let estimate = estimator.estimate else { return nil }
      let lens = Lens(width: width, height: height, estimate: estimate)
      guard lens.isNew(after: state.known) else { return nil }
      state.known = lens
      return (lens, state.onLens)
    }
    if let (lens, onLens) = news { onLens?(lens, lent.camera.name) }
  }
}

// MARK: - The lens of a lane

/// The intrinsics that a lane uses, and the selection of the views from which a `LensLearner` improves them.
struct LaneLens<Key: Hashable> {
  /// The intrinsics for the current frames.
  private(set) var intrinsics = CameraIntrinsics(assumedFor: 640, 480)
  private let learner: LensLearner
  private var isUnknown = false
  /// True if nothing was followed in the last frame.
  private var isIdle = true
  /// The corners of the followed objects in the last frame and in the current frame.
  private var (last, present): ([Key: Quadrilateral], [Key: Quadrilateral]) = ([:], [:])
  private var turn = 0

  init(_ learner: LensLearner) { self.learner = learner }

  /// Chooses the intrinsics for a frame. Newly learned intrinsics apply only while nothing is followed, so that poses do not jump.
  ///
  /// - Returns: whether the intrinsics have changed and the lane has to start over.
  mutating func changes(for frame: Frame, of cameras: CameraChoice, startsOver: Bool) -> Bool {
    guard startsOver || isIdle else { return false }
    let now = cameras.intrinsics(
      width: frame.width, height: frame.height, learned: learner.intrinsics(width: frame.width, height: frame.height))
    guard startsOver || now != intrinsics else { return false }
    (intrinsics, isUnknown) = (now, cameras.isUnknown(now))
    return true
  }

  /// Passes a view of the frame to the learner if the camera is not calibrated.
  ///
  /// - Parameters:
  ///   - seen: the followed objects in the frame that are flat and whose proportions are known.
  ///   - isIdle: true if nothing is followed.
  mutating func learn(from seen: some Sequence<(Key, AnchorPlacement)>, in frame: Frame, isIdle: Bool) {
    self.isIdle = isIdle
    // The pictures of a folder may come from different cameras.
    guard isUnknown, frame.origin != .folder, let view = next(seen, width: frame.width, height: frame.height) else {
      return
    }
    learner.take(view, width: frame.width, height: frame.height)
  }

  /// Returns an object of a frame to learn from: it is large, has a high score, and is nearly at rest, because a rolling shutter
  /// distorts moving objects. Several such objects take turns from frame to frame. Nil without a suitable object.
  ///
  /// - Parameter seen: the followed objects in the frame that are flat and whose proportions are known.
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
      // The last object whose number, from 1, divides `turn`: several objects take turns.
      count += 1
      if turn % count == 0 { chosen = placement }
    }
    return chosen
  }
}
