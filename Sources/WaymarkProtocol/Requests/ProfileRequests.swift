/// Asks which profiles there are and which one is in use.
public struct ProfileListRequest: ServiceRequest {

  /// The result of a success.
  public typealias Result = ProfileListResult

  /// The name on the wire.
  public static let method = "profile.list"

  /// The only value.
  public init() {}
}

/// The profiles of the configuration.
public struct ProfileListResult: Codable, Hashable, Sendable {
  /// Each of them, in the order in which they are tried.
  public var profiles: [ProfileDescription]
  /// The one in use, as the last `profile.changed` told it.
  public var active: ProfileStatus

  /// A value from its parts.
  public init(profiles: [ProfileDescription], active: ProfileStatus) {
    self.profiles = profiles
    self.active = active
  }
}

/// A profile, and when it is in use by itself.
public struct ProfileDescription: Codable, Hashable, Sendable {
  /// Its name.
  public var profile: String
  /// The days of the week on which it is in use, `mon` to `sun`; missing where all are.
  public var days: [String]?
  /// The times of day, such as `08:00-17:30`, in the time zone of the device; missing where all are.
  public var times: [String]?
  /// True if codes choose it. They are not told: whoever has one may choose.
  public var codes: Bool

  /// A value from its parts.
  public init(profile: String, days: [String]? = nil, times: [String]? = nil, codes: Bool) {
    self.profile = profile
    self.days = days
    self.times = times
    self.codes = codes
  }
}

/// Chooses a profile, before the schedule; without one takes the choice of a request or a code back.
public struct ProfileUseRequest: ServiceRequest {
  /// Its name.
  public var profile: String?
  /// Seconds after which the choice ends by itself; it holds until another one when missing. From 1 to 86400.
  public var seconds: Double?

  /// The result of a success.
  public typealias Result = ProfileStatus

  /// The name on the wire.
  public static let method = "profile.use"

  /// A value from its parts.
  public init(profile: String? = nil, seconds: Double? = nil) {
    self.profile = profile
    self.seconds = seconds
  }
}
