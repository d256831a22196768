/// Whether an anchor is there, with hysteresis in time so that nothing flickers.
struct AnchorPresence: Sendable {
  private enum State {
    case absent
    /// Seen, but not long enough.
    case candidate(since: Double)
    case present
  }

  enum Change { case found, lost }

  private var state = State.absent
  /// When it was seen last.
  private(set) var lastSeen = -Double.infinity

  var isPresent: Bool { if case .present = state { true } else { false } }

  /// The anchor was seen. Two sightings at least: one alone may be a mistake.
  mutating func seen(at now: Double, _ configuration: SessionConfiguration) -> Change? {
    defer { lastSeen = now }
    switch state {
    case .present: return nil
    case .candidate(let since) where now - lastSeen <= configuration.candidateGap:
      guard now > since, now - since >= configuration.foundAfter else { return nil }
      state = .present
      return .found
    case .candidate, .absent:
      state = .candidate(since: now)
      return nil
    }
  }

  /// Time passed without a sighting.
  mutating func missed(at now: Double, _ configuration: SessionConfiguration) -> Change? {
    switch state {
    case .absent: return nil
    case .candidate:
      if now - lastSeen > configuration.candidateGap { state = .absent }
      return nil
    case .present:
      guard now - lastSeen >= configuration.lostAfter else { return nil }
      state = .absent
      return .lost
    }
  }

  /// When `missed` will say `lost` if nothing is seen until then.
  func deadline(_ configuration: SessionConfiguration) -> Double? {
    isPresent ? lastSeen + configuration.lostAfter : nil
  }
}
