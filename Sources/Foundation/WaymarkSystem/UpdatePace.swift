/// Limits how often changes are reported: a change after a pause is reported immediately, all others when the interval has passed.
/// The type uses no clock.
package struct UpdatePace: Sendable {
  /// The least number of seconds between two reports.
  package let interval: Double
  private var last = -Double.infinity
  private var isWaiting = false

  package init(interval: Double) { self.interval = interval }

  /// Notes a change.
  ///
  /// - Returns: the seconds after which to report the change; `nil` if a report is scheduled already.
  package mutating func change(at now: Double) -> Double? {
    guard !isWaiting else { return nil }
    isWaiting = true
    return max(0, last + interval - now)
  }

  /// Notes that the state was reported.
  package mutating func report(at now: Double) {
    isWaiting = false
    last = now
  }
}
