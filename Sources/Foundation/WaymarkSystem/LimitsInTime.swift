/// A limit of the time that work may take.
package enum TimeLimit {
  /// Returns the value of `work`, which is cancelled after `limit`; nil if it takes longer, or throws.
  package static func value<Value: Sendable>(
    within limit: Duration, of work: @escaping @Sendable () async throws -> Value
  ) async -> Value? {
    await withTaskGroup(of: Value?.self) { group in
      group.addTask { try? await work() }
      group.addTask {
        try? await Task.sleep(for: limit)
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
  }
}

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

/// The waits between attempts, which grow exponentially and are randomised.
public struct Backoff: Hashable, Sendable {
  /// The first wait, in seconds.
  public var first: Double
  /// The longest wait, in seconds.
  public var longest: Double
  private var attempt = 0

  /// Creates waits from `first` to `longest` seconds, each twice the one before.
  public init(first: Double = 0.1, longest: Double = 5) {
    self.first = first
    self.longest = longest
  }

  /// Returns the next wait, in seconds.
  ///
  /// - Parameter chance: a random number, 0 to 1. It shortens the wait by up to half, so that clients that lost the service at the
  ///   same moment do not return at once.
  public mutating func next(chance: Double = .random(in: 0...1)) -> Double {
    defer { attempt = min(attempt + 1, 30) }
    var wait = first
    for _ in 0..<attempt where wait < longest { wait *= 2 }
    return min(wait, longest) * (0.5 + 0.5 * chance)
  }

  /// Starts over after a success.
  public mutating func reset() { attempt = 0 }
}
