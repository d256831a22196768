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
