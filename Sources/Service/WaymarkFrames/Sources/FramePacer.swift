/// Decides which frames to take so that they do not exceed a maximum rate. It uses no clock.
package struct FramePacer: Sendable {
  private var due: Double?

  /// Creates a pacer, which takes the first frame.
  package init() {}

  /// Returns whether to take the frame captured at `time`, in seconds, if at most `rate` frames per second are
  /// needed; a nil rate takes all.
  ///
  /// The average rate is exact even if it does not divide the camera's rate: the delay of a frame shortens the wait
  /// for the next.
  package mutating func takes(_ time: Double, rate: Double?) -> Bool {
    guard let rate, rate > 0 else {
      due = nil
      return true
    }
    let interval = 1 / rate
    guard let due, time >= due - 2 * interval else {
      // The first frame, or one whose time is of another clock.
      self.due = time + interval
      return true
    }
    // A frame may be early by a tenth of the interval, since a camera of exactly this rate jitters around it.
    guard time >= due - interval / 10 else { return false }
    self.due = max(due + interval, time)
    return true
  }
}
