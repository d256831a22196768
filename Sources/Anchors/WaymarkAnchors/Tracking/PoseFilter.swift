package import WaymarkImage

/// Smooths the pose of one anchor over time, after choosing between the two tilts that a plane can have in one view.
package struct PoseFilter {
  /// The standard deviation of the reprojection error caused by noise, in pixels.
  private static let noise = 0.1
  /// The lead from which the pose changes to the other tilt: the accumulated difference of the squared reprojection
  /// errors, divided by the variance of the noise.
  private static let leastLead = 8.0
  /// The cutoff frequency at rest, and the cutoff frequency of the filter of the speed, in hertz.
  private static let cutoff = 4.0
  private static let speedCutoff = 5.0
  /// The rise of the cutoff in hertz per unit of speed: in distances from camera to anchor per second, and in radians
  /// per second.
  static let positionSlope = 400.0
  private static let rotationSlope = 100.0

  var positionSlope = Self.positionSlope
  private var last: PlanePose?
  private var doubt = 0.0
  private var position = OneEuroFilter(.init(minimumCutoff: cutoff, slope: 0, speedCutoff: speedCutoff))
  private var rotation = OneEuroRotationFilter(
    .init(minimumCutoff: cutoff, slope: rotationSlope, speedCutoff: speedCutoff))

  package init() {}

  /// Chooses and smooths the pose of the frame at `time`.
  package mutating func update(_ solutions: PlanePoseSolver.Solutions, at time: Double) -> (raw: Pose, smooth: Pose) {
    let chosen = choose(solutions)
    last = chosen
    let raw = Pose(chosen)
    // Speeds are divided by the distance, so that near and far anchors are smoothed alike on the screen.
    position.options.slope = positionSlope / max(raw.position.length, 1e-6)
    let smooth = Pose(
      position: position.update(raw.position, at: time), orientation: rotation.update(raw.orientation, at: time))
    return (raw, smooth)
  }

  /// Sets the poses of a placement in the frame at `time`, or `nil` without solutions.
  mutating func update(_ placement: inout AnchorPlacement, _ solutions: PlanePoseSolver.Solutions?, at time: Double) {
    let poses = solutions.map { update($0, at: time) }
    (placement.rawPose, placement.pose) = (poses?.raw, poses?.smooth)
  }

  /// Forgets the earlier poses, for example after a loss.
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
    // The solution nearer to the last tilt is kept until the accumulated errors favour the other solution. The sum of the
    // differences of squared errors is proportional to the logarithm of the odds, and old evidence decays.
    let bestIsNearer =
      last.rotation.angle(to: solutions.best.pose.rotation) <= last.rotation.angle(to: other.pose.rotation)
    guard !bestIsNearer else {
      doubt = 0
      return solutions.best.pose
    }
    let variance = Self.noise * Self.noise
    doubt = 0.9 * doubt + (other.error * other.error - solutions.best.error * solutions.best.error) / variance
    guard doubt > Self.leastLead else { return other.pose }
    doubt = 0
    position.reset()
    rotation.reset()
    return solutions.best.pose
  }
}
