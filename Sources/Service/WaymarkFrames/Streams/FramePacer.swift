/// Decides which frames to take when fewer are wanted than come; a value without a clock.
package struct FramePacer: Sendable {
  private var due: Double?

  /// Takes the first frame it is asked about.
  package init() {}

  /// Returns whether the frame captured at `time` (seconds) is to be taken when at most `rate` a second are wanted.
  ///
  /// On average the rate is held exactly even where it does not divide the camera's: what a frame came late is taken
  /// off the wait for the next.
  package mutating func takes(_ time: Double, rate: Double?) -> Bool {
    guard let rate, rate > 0 else {
      due = nil
      return true
    }
    let interval = 1 / rate
    guard let due, time >= due - 2 * interval else {
      // The first, or the clock of another device.
      self.due = time + interval
      return true
    }
    // A tenth of the interval of grace: a camera at the very rate that is wanted jitters around it.
    guard time >= due - interval / 10 else { return false }
    self.due = max(due + interval, time)
    return true
  }
}
