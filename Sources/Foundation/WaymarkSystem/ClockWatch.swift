/// Decides whether the wall clock can be trusted: whether it has run alongside the time since boot for a while.
///
/// A clock may jump: a device without a battery starts in 1970, a wrong server sets it, a person does. What cannot be
/// undone waits until the clock has been steady.
package struct ClockWatch: Sendable {
  /// Seconds that both clocks must have agreed for.
  private let wanted: Double
  /// Seconds by which they may differ meanwhile.
  private let tolerance: Double
  private var wallStart: Double
  private var bootStart: Double

  /// A watch that begins now.
  ///
  /// - Parameters:
  ///   - wall: seconds of the wall clock.
  ///   - boot: seconds since boot, sleep included.
  package init(wall: Double, boot: Double, steadyFor wanted: Double = 3600, tolerance: Double = 60) {
    (wallStart, bootStart) = (wall, boot)
    self.wanted = wanted
    self.tolerance = tolerance
  }

  /// Looks at both clocks; a jump since the last look begins the wait again.
  package mutating func isSteady(wall: Double, boot: Double) -> Bool {
    if abs((wall - wallStart) - (boot - bootStart)) > tolerance { (wallStart, bootStart) = (wall, boot) }
    return boot - bootStart >= wanted
  }
}
