/// Whether an anchor counts as found, with hysteresis in time so that nothing flickers.
///
/// A value without a clock: every step brings its time.
package struct AnchorPresence: Hashable, Sendable {
  package struct Options: Hashable, Sendable {
    /// For how long it must be seen before it counts as found, in seconds.
    package var foundAfter = 0.05
    /// For how long it must be away before it counts as lost, in seconds.
    package var lostAfter = 0.5
    package init(foundAfter: Double = 0.05, lostAfter: Double = 0.5) {
      self.foundAfter = foundAfter
      self.lostAfter = lostAfter
    }
  }

  package enum Effect: Hashable, Sendable { case found, lost }

  private enum State: Hashable, Sendable {
    case absent
    case appearing(since: Double)
    case present
  }

  package let options: Options
  private var state = State.absent
  /// When it was last seen, in seconds.
  package private(set) var lastSeen: Double?

  package init(_ options: Options = Options()) { self.options = options }

  /// Whether it counts as found.
  package var isPresent: Bool { state == .present }

  /// Takes whether it is seen in the frame at `time`.
  package mutating func handle(seen: Bool, at time: Double) -> Effect? {
    defer { if seen { lastSeen = time } }
    switch state {
    case .absent:
      guard seen else { return nil }
      return appear(since: time, time)
    case .appearing(let since):
      guard seen else {
        state = .absent
        return nil
      }
      return appear(since: since, time)
    case .present:
      guard !seen, time - (lastSeen ?? time) >= options.lostAfter else { return nil }
      state = .absent
      return .lost
    }
  }

  private mutating func appear(since: Double, _ time: Double) -> Effect? {
    guard time - since >= options.foundAfter else {
      state = .appearing(since: since)
      return nil
    }
    state = .present
    return .found
  }
}
