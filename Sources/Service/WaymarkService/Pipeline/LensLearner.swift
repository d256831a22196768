package import WaymarkImage
import WaymarkSystem

/// Finds the focal length of a camera without a calibration from what the camera's lanes follow: one for each camera, shared by them.
///
/// A lane offers one view a frame, and no lane waits for another: while one has the estimator, the views of the others are left out.
package final class LensLearner: Sendable {
  /// The focal length of a camera for frames of a size.
  package struct Lens: Hashable, Sendable {
    /// Of the frames, in pixels.
    package var width: Int
    /// Of the frames, in pixels.
    package var height: Int
    package var estimate: FocalLengthEstimator.Estimate

    package init(width: Int, height: Int, estimate: FocalLengthEstimator.Estimate) {
      (self.width, self.height, self.estimate) = (width, height, estimate)
    }

    /// The camera that it tells of.
    package var intrinsics: CameraIntrinsics {
      CameraIntrinsics(estimatedFor: width, height, focal: estimate.focal)
    }

    /// Returns whether it takes the place of what was known: for frames of another shape, more exact by a third, or in contradiction to it.
    func isNews(after old: Lens?) -> Bool {
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
    /// Whose lens it is, and a number that rises with every camera: what an estimator of an earlier one has learned is not believed.
    var camera = (name: "", number: 0)
  }

  /// With a greater deviation a focal length is as good as a guess.
  static let sufficient = 0.03

  private let state = Monitor(State())
  private let onLens: @Sendable (Lens, _ camera: String) -> Void

  /// A learner that knows nothing yet.
  ///
  /// - Parameter onLens: called with what is known of a camera from then on, on the thread of a lane.
  package init(onLens: @escaping @Sendable (Lens, _ camera: String) -> Void = { _, _ in }) { self.onLens = onLens }

  /// Begins with a camera, and what is known of it.
  package func begin(_ known: Lens?, of camera: String) {
    state.update { state in
      (state.known, state.estimator) = (known, nil)
      state.camera = (camera, state.camera.number + 1)
    }
  }

  /// The camera for frames of a size; `nil` where nothing is known of frames of that shape.
  package func intrinsics(width: Int, height: Int) -> CameraIntrinsics? {
    guard let known = state.withLock({ $0.known }), known.width * height == known.height * width else { return nil }
    return known.intrinsics.scaled(from: (known.width, known.height), to: (width, height))
  }

  /// Takes a view of a flat thing at rest, in a frame of a size.
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
    let news = state.update { state -> Lens? in
      state.isLent = false
      guard state.camera.number == lent.camera.number else { return nil }
      state.estimator = estimator
      guard let estimate = estimator.estimate else { return nil }
      let lens = Lens(width: width, height: height, estimate: estimate)
      guard lens.isNews(after: state.known) else { return nil }
      state.known = lens
      return lens
    }
    if let news { onLens(news, lent.camera.name) }
  }
}
