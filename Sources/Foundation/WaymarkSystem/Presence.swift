/// Decides when something that is looked for counts as found, with hysteresis in time so that nothing flickers.
///
/// A value without a clock: every step brings its time.
package struct Presence: Hashable, Sendable {
  /// The times, in seconds.
  package struct Options: Hashable, Sendable {
    /// For how long it must be seen before it counts as found.
    package var foundAfter: Double
    /// For how long it may be out of sight before it is found, without the count for `foundAfter` starting over. `nil`: a single miss
    /// restarts it, and only that.
    package var gap: Double?
    /// For how long it must be out of sight before it counts as lost.
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
  /// When it was last seen; −∞ before the first time.
  package private(set) var lastSeen = -Double.infinity

  package init() {}

  /// True if it counts as found.
  package var isPresent: Bool { state == .present }

  /// Takes whether it is seen at `time`.
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

  /// When it counts as lost if it is not seen until then; `nil` where it is not found.
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
