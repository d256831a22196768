/// Bounds how often something that changes is told: at once where nothing was told lately, else when the interval is over, and then as it is by
/// then. A value without a clock.
package struct UpdatePace: Sendable {
  /// Seconds between two tellings at least.
  package let interval: Double
  private var last = -Double.infinity
  private var isWaiting = false

  /// A pace that has told nothing yet.
  package init(interval: Double) { self.interval = interval }

  /// Something changed.
  ///
  /// - Returns: after how many seconds to tell it; nil where that is arranged already.
  package mutating func change(at now: Double) -> Double? {
    guard !isWaiting else { return nil }
    isWaiting = true
    return max(0, last + interval - now)
  }

  /// It is told now.
  package mutating func tell(at now: Double) {
    isWaiting = false
    last = now
  }
}
