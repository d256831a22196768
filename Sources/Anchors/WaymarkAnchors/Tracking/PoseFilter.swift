package import WaymarkImage

/// The pose of one anchor over time: chooses between the two tilts that a plane can have, and smooths.
package struct PoseFilter {
  package struct Options: Hashable, Sendable {
    /// The deviation that the reprojection error has by noise alone, in pixels.
    package var noise = 0.1
    /// How much the other tilt must be better, in summed squared errors over the noise, to be taken instead.
    package var doubt = 8.0
    /// The cutoff at rest in hertz, and its rise per unit of speed: distances a second, and radians a second.
    package var minimumCutoff = 4.0
    var positionSlope = 400.0
    let rotationSlope = 100.0
    /// The cutoff of the speed in hertz.
    package var speedCutoff = 5.0
    package init() {}
  }

  package var options: Options
  private var last: PlanePose?
  private var doubt = 0.0
  private var position: OneEuroFilter
  private var rotation: OneEuroRotationFilter

  package init(_ options: Options = Options()) {
    self.options = options
    position = OneEuroFilter(
      .init(minimumCutoff: options.minimumCutoff, slope: 0, speedCutoff: options.speedCutoff))
    rotation = OneEuroRotationFilter(
      .init(
        minimumCutoff: options.minimumCutoff, slope: options.rotationSlope, speedCutoff: options.speedCutoff))
  }

  /// Takes the poses of the frame at `time`.
  package mutating func update(_ solutions: PlanePoseSolver.Solutions, at time: Double) -> (raw: Pose, smooth: Pose) {
    let chosen = choose(solutions)
    last = chosen
    let raw = Pose(chosen)
    // Speeds count relative to the distance, so that a near and a far anchor are smoothed alike on the screen.
    position.options.slope = options.positionSlope / max(raw.position.length, 1e-6)
    let smooth = Pose(
      position: position.update(raw.position, at: time), orientation: rotation.update(raw.orientation, at: time))
    return (raw, smooth)
  }

  /// Forgets what was, as after a loss.
  package mutating func reset() {
    last = nil
    doubt = 0
    position.reset()
    rotation.reset()
  }

  private mutating func choose(_ solutions: PlanePoseSolver.Solutions) -> PlanePose {
    guard let last, let other = solutions.other else {
      doubt = 0
      return solutions.best.pose
    }
    // The one nearer to the last tilt goes on unless the errors speak against it for long or loudly: the sum of the
    // differences is the logarithm of the odds, and old evidence fades.
    let bestIsNearer =
      last.rotation.angle(to: solutions.best.pose.rotation) <= last.rotation.angle(to: other.pose.rotation)
    guard !bestIsNearer else {
      doubt = 0
      return solutions.best.pose
    }
    let variance = options.noise * options.noise
    doubt = 0.9 * doubt + (other.error * other.error - solutions.best.error * solutions.best.error) / variance
    guard doubt > options.doubt else { return other.pose }
    doubt = 0
    position.reset()
    rotation.reset()
    return solutions.best.pose
  }
}
