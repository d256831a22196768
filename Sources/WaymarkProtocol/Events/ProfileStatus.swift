/// The profile in use, and why: another one than before.
public struct ProfileStatus: EventPayload {
  /// Its name; missing where the usual settings hold.
  public var profile: String?
  /// The reason why it is in use.
  public var reason: ProfileReason
  /// The program that has the focus; operators alone see it.
  public var program: String?
  /// When a choice ends by itself: RFC 3339, UTC.
  public var until: String?
  /// The cues that are signalled while it is in use; all where it names none.
  public var cues: [String]?
  /// The client that asked for it.
  public var by: Actor?

  /// The name on the wire.
  public static let event = "profile.changed"

  /// Without the program in front of which a person sits.
  public var forObservers: Self {
    var copy = self
    copy.program = nil
    return copy
  }

  /// A value from its parts.
  public init(
    profile: String? = nil, reason: ProfileReason, program: String? = nil, until: String? = nil,
    cues: [String]? = nil, by: Actor? = nil
  ) {
    self.profile = profile
    self.reason = reason
    self.program = program
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
  /// The program that it is for has the focus.
  case program
  /// Its days and times.
  case schedule
}
