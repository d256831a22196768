/// The profile in use, and why: another one than before.
public struct ProfileStatus: EventPayload {
  /// Its name; missing where the usual settings hold.
  public var profile: String?
  /// The reason why it is in use.
  public var reason: ProfileReason
  /// When a choice ends by itself: RFC 3339, UTC.
  public var until: String?
  /// The cues that are signalled while it is in use; all where it names none.
  public var cues: [String]?
  /// The client that asked for it.
  public var by: Actor?

  /// The name on the wire.
  public static let event = "profile.changed"

  /// All of it.
  public var forObservers: Self { self }

  /// A value from its parts.
  public init(
    profile: String? = nil, reason: ProfileReason, until: String? = nil, cues: [String]? = nil, by: Actor? = nil
  ) {
    self.profile = profile
    self.reason = reason
    self.until = until
    self.cues = cues
    self.by = by
  }
}

/// The reason why a profile is in use.
public enum ProfileReason: String, Codable, CaseIterable, Sendable {
  /// Nothing chose one: the usual settings hold.
  case none
  /// A client asked for it by `profile.use`.
  case request
  /// Its code was scanned.
  case code
  /// Its days and times.
  case schedule
}
