/// The one-euro filter: a low pass whose cutoff rises with speed, so that what stands still does not tremble and what moves
/// does not lag (G. Casiez, N. Roussel, D. Vogel, "1€ filter", CHI 2012).
///
/// It holds no clock: every value comes with its time. A value or time that is not a finite number, and a time that is not
/// later than the last, leaves the filter as it was.
package struct OneEuroFilter: Sendable {
  package struct Options: Hashable, Sendable {
    /// The cutoff at rest, in hertz: lower trembles less and settles later.
    package var minimumCutoff: Double
    /// By how much the cutoff rises with speed, in hertz per unit and second: higher lags less.
    package var slope: Double
    /// The cutoff of the speed itself, in hertz.
    package var speedCutoff = 1.0

    package init(minimumCutoff: Double, slope: Double, speedCutoff: Double = 1) {
      self.minimumCutoff = minimumCutoff
      self.slope = slope
      self.speedCutoff = speedCutoff
    }
  }

  package var options: Options
  package private(set) var value: Point3?
  private var speed = Point3.zero
  private var last = 0.0

  package init(_ options: Options) { self.options = options }

  /// The share by which a first-order low pass follows in a step of `interval` seconds.
  package static func share(cutoff: Double, interval: Double) -> Double {
    let r = 2 * .pi * cutoff * interval
    return r / (r + 1)
  }

  /// Takes the next value at `time` seconds and returns the smoothed one.
  package mutating func update(_ next: Point3, at time: Double) -> Point3 {
    guard next.sum().isFinite, time.isFinite else { return value ?? .zero }
    guard let previous = value else {
      value = next
      last = time
      return next
    }
    let interval = time - last
    guard interval > 0 else { return previous }
    last = time
    speed += ((next - previous) / interval - speed) * Self.share(cutoff: options.speedCutoff, interval: interval)
    let cutoff = options.minimumCutoff + options.slope * speed.length
    let result = previous + (next - previous) * Self.share(cutoff: cutoff, interval: interval)
    value = result
    return result
  }

  /// Forgets everything.
  package mutating func reset() {
    value = nil
    speed = .zero
  }
}

/// The one-euro filter on rotations: the speed is the angular one, in radians a second.
package struct OneEuroRotationFilter: Sendable {
  package var options: OneEuroFilter.Options
  package private(set) var value: Quaternion?
  private var speed = Point3.zero
  private var last = 0.0

  package init(_ options: OneEuroFilter.Options) { self.options = options }

  /// Takes the next rotation at `time` seconds and returns the smoothed one.
  package mutating func update(_ next: Quaternion, at time: Double) -> Quaternion {
    guard time.isFinite, next.vector.sum().isFinite else { return value ?? .identity }
    guard let previous = value else {
      value = next
      last = time
      return next
    }
    let interval = time - last
    guard interval > 0 else { return previous }
    last = time
    let turn = (next * previous.inverse).rotationVector
    speed += (turn / interval - speed) * OneEuroFilter.share(cutoff: options.speedCutoff, interval: interval)
    let cutoff = options.minimumCutoff + options.slope * speed.length
    let result = previous.slerp(to: next, share: OneEuroFilter.share(cutoff: cutoff, interval: interval))
    value = result
    return result
  }

  /// Forgets everything.
  package mutating func reset() {
    value = nil
    speed = .zero
  }
}
