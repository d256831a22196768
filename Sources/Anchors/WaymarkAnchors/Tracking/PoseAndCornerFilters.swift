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

/// Filters the corners of a flat anchor over time, with a separate uncertainty for each of the eight directions in which they can
/// move.
///
/// The filter is a Kalman filter (R. Kalman, "A new approach to linear filtering and prediction problems", 1960) of the corners and
/// their velocities. A direction that a frame determines exactly follows it at once; a direction that it hardly determines, such as
/// the perspective of a picture with texture only in its middle, is averaged over frames. The acceleration is learned from the
/// innovations: it decays, and where innovations exceed the uncertainties, it is raised within the same frame.
package struct CornerFilter: Sendable {
  /// The corners and the covariance of their coordinates: x and y of each, clockwise from the top left, in pixels.
  package struct Estimate: Sendable {
    package var corners: Quadrilateral
    package var covariance: Matrix8

    package init(corners: Quadrilateral, covariance: Matrix8) {
      (self.corners, self.covariance) = (corners, covariance)
    }

    /// The standard deviation of each corner along an axis: the root of the mean of both axes' variances.
    package var deviations: SIMD4<Double> {
      var result = SIMD4<Double>.zero
      for i in 0..<4 {
        let (x, y) = (covariance.rows[2 * i][2 * i], covariance.rows[2 * i + 1][2 * i + 1])
        result[i] = max(0, 0.5 * (x + y)).squareRoot()
      }
      return result
    }
  }

  /// The standard deviations of the acceleration of the eight modes, relative to the acceleration of a shift, for: shift, change of
  /// size, turn and shape, and change of perspective. A hand shifts a picture by more than it tilts it.
  private static let ratios = SIMD8<Double>(1, 1, 0.6, 0.6, 0.6, 0.6, 0.25, 0.25)
  /// The range of the acceleration of a shift, in pixels per second squared.
  private static let (least, most) = (4.0, 40_000.0)
  /// The sum of the squared innovations, in units of their variances, above which the acceleration is raised. The sum
  /// has a mean of eight and a standard deviation of four.
  private static let expected = 14.0
  /// The modes as rows, alternately for the x and the y coordinates of the corners: a shift of all corners, then displacements in
  /// proportion to a corner's x, to its y, and to the product of both.
  private static let modes: Matrix8 = {
    var result = Matrix8()
    let places = [(-1.0, -1.0), (1, -1), (1, 1), (-1, 1)]
    for (corner, (x, y)) in places.enumerated() {
      for (k, factor) in [1, x, y, x * y].enumerated() {
        result.rows[2 * k][2 * corner] = 0.5 * factor
        result.rows[2 * k + 1][2 * corner + 1] = 0.5 * factor
      }
    }
    return result
  }()
  private static let spread = modes.transposed * Matrix8(diagonal: ratios * ratios) * modes

  package init() {}

  private var time = -Double.infinity
  private var state = SIMD8<Double>.zero
  private var velocity = SIMD8<Double>.zero
  /// The covariances of the positions, of positions (rows) with velocities, and of the velocities.
  private var (places, mixed, speeds) = (Matrix8(), Matrix8(), Matrix8())
  private var acceleration = CornerFilter.most

  /// Returns the estimate for the frame at `now`, given what this frame alone shows.
  package mutating func update(_ seen: Estimate, at now: Double) -> Estimate {
    let interval = now - time
    let measured = seen.corners.packed
    guard interval > 0, interval <= 0.25 else { return restart(seen, at: now) }
    time = now
    let drift = mixed + mixed.transposed
    let innovation = measured - state - velocity * interval
    acceleration = max(Self.least, 0.6 * acceleration)
    // The acceleration is first raised in ten small steps, for a motion that changes slowly; then nine doublings reach the largest
    // acceleration.
    for round in 0..<20 {
      let agitation = Self.spread * (acceleration * acceleration)
      let square = interval * interval
      let p = places + drift * interval + speeds * square + agitation * (0.25 * square * square)
      let m = mixed + speeds * interval + agitation * (0.5 * square * interval)
      let sum = p + seen.covariance
      guard let weighted = sum.solve(innovation) else { return restart(seen, at: now) }
      if (innovation * weighted).sum() > Self.expected, acceleration < Self.most {
        acceleration = min(Self.most, acceleration * (round < 10 ? 1.4 : 2))
        continue
      }
      guard let inverse = sum.inverse else { return restart(seen, at: now) }
      let (gain, speedGain) = (p * inverse, m.transposed * inverse)
      state += velocity * interval + gain * innovation
      velocity += speedGain * innovation
      speeds = (speeds + agitation * square - speedGain * m).symmetric
      mixed = m - gain * m
      places = (p - gain * p).symmetric
      break
    }
    return Estimate(corners: Quadrilateral(packed: state), covariance: places)
  }

  private mutating func restart(_ seen: Estimate, at now: Double) -> Estimate {
    self = CornerFilter()
    (time, state, places) = (now, seen.corners.packed, seen.covariance)
    // The velocity is unknown: its standard deviation is 1,000 pixels a second.
    speeds = Self.spread * 1e6
    return seen
  }
}
