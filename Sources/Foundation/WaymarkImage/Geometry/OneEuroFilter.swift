/// The one-euro filter: a low-pass filter whose cutoff rises with speed, so that values at rest have little jitter and moving
/// values little lag (G. Casiez, N. Roussel, D. Vogel, "1€ filter", CHI 2012). `OneEuroRotationFilter` below filters rotations.
///
/// The filter has no clock: every value is passed with its time. It ignores values and times that are not finite, and times that
/// are not later than the last.
package struct OneEuroFilter: Sendable {
  package struct Options: Hashable, Sendable {
    /// The cutoff at rest, in hertz: a lower cutoff leaves less jitter and settles later.
    package var minimumCutoff: Double
    /// The increase of the cutoff with speed, in hertz per unit per second: a larger increase lags less.
    package var slope: Double
    /// The cutoff of the filter for the speed, in hertz.
    package var speedCutoff = 1.0

    package init(minimumCutoff: Double, slope: Double, speedCutoff: Double = 1) {
      self.minimumCutoff = minimumCutoff
      self.slope = slope
      self.speedCutoff = speedCutoff
    }
  }

  package var options: Options
  package private(set) var value: Point3?
  private var motion = Motion()

  package init(_ options: Options) { self.options = options }

  /// Returns the smoothing factor of a first-order low-pass filter for a step of `interval` seconds, 0…1.
  package static func share(cutoff: Double, interval: Double) -> Double {
    let r = 2 * .pi * cutoff * interval
    return r / (r + 1)
  }

  /// Adds the value at `time` seconds and returns the smoothed value.
  package mutating func update(_ next: Point3, at time: Double) -> Point3 {
    guard next.sum().isFinite, time.isFinite else { return value ?? .zero }
    guard let previous = value else {
      motion.last = time
      value = next
      return next
    }
    guard let share = motion.share(of: next - previous, at: time, options) else { return previous }
    let result = previous + (next - previous) * share
    value = result
    return result
  }

  package mutating func reset() { (value, motion) = (nil, Motion()) }

  /// The smoothed speed and the time of the last value.
  fileprivate struct Motion: Sendable {
    private var speed = Point3.zero
    var last = 0.0

    /// Returns the smoothing factor for a change, 0…1; `nil` if `time` is not later than the last.
    mutating func share(of change: Point3, at time: Double, _ options: Options) -> Double? {
      let interval = time - last
      guard interval > 0 else { return nil }
      last = time
      speed += (change / interval - speed) * OneEuroFilter.share(cutoff: options.speedCutoff, interval: interval)
      let cutoff = options.minimumCutoff + options.slope * speed.length
      return OneEuroFilter.share(cutoff: cutoff, interval: interval)
    }
  }
}

/// The one-euro filter for rotations, with the angular speed in radians per second.
package struct OneEuroRotationFilter: Sendable {
  package var options: OneEuroFilter.Options
  package private(set) var value: Quaternion?
  private var motion = OneEuroFilter.Motion()

  package init(_ options: OneEuroFilter.Options) { self.options = options }

  /// Adds the rotation at `time` seconds and returns the smoothed rotation.
  package mutating func update(_ next: Quaternion, at time: Double) -> Quaternion {
    guard time.isFinite, next.vector.sum().isFinite else { return value ?? .identity }
    guard let previous = value else {
      motion.last = time
      value = next
      return next
    }
    let turn = (next * previous.inverse).rotationVector
    guard let share = motion.share(of: turn, at: time, options) else { return previous }
    let result = previous.slerp(to: next, share: share)
    value = result
    return result
  }

  package mutating func reset() { (value, motion) = (nil, .init()) }
}
