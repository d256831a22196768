// Rules of time: the most that work may take (`TimeLimit`), the pace of reports (`UpdatePace`) and of attempts (`Backoff`), and the
// presence of an object in sight (`Presence`).

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

// MARK: - Presence

/// Decides when an object is found or lost, with hysteresis in time. The type uses no clock: every observation is passed with its
/// time.
package struct Presence: Hashable, Sendable {
  /// The durations, in seconds.
  package struct Options: Hashable, Sendable {
    /// The seconds for which the object must be seen before it is found.
    package var foundAfter: Double
    /// The seconds out of sight after which `foundAfter` starts over; nil if a single miss suffices.
    package var gap: Double?
    /// The seconds for which the object must be out of sight before it is lost.
    package var lostAfter: Double

    package init(foundAfter: Double = 0.05, gap: Double? = nil, lostAfter: Double = 0.5) {
      self.foundAfter = foundAfter
      self.gap = gap
      self.lostAfter = lostAfter
    }
  }

  package enum Change: Hashable, Sendable { case found, lost }

  private enum State: Hashable, Sendable {
    case absent
    case appearing(since: Double)
    case present
  }

  private var state = State.absent
  /// The time at which the object was last seen, in seconds; −∞ before the first time.
  package private(set) var lastSeen = -Double.infinity

  package init() {}

  /// True if the object is found and not lost.
  package var isPresent: Bool { state == .present }

  /// Handles an observation at `time`, in seconds; returns the change, or `nil` without a change.
  package mutating func handle(seen: Bool, at time: Double, _ options: Options) -> Change? {
    defer { if seen { lastSeen = time } }
    switch state {
    case .absent:
      guard seen else { return nil }
      return appear(since: time, time, options)
    case .appearing(let since):
      let isOver = options.gap.map { time - lastSeen > $0 } ?? !seen
      if seen { return appear(since: isOver ? time : since, time, options) }
      if isOver { state = .absent }
      return nil
    case .present:
      guard !seen, time - lastSeen >= options.lostAfter else { return nil }
      state = .absent
      return .lost
    }
  }

  /// Returns the time in seconds at which the object is lost unless it is seen again before then; `nil` if it is not present.
  package func deadline(_ options: Options) -> Double? { isPresent ? lastSeen + options.lostAfter : nil }

  private mutating func appear(since: Double, _ time: Double, _ options: Options) -> Change? {
    guard time - since >= options.foundAfter else {
      state = .appearing(since: since)
      return nil
    }
    state = .present
    return .found
  }
}
