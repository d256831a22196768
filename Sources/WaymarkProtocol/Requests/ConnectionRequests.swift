/// A result or parameters without content.
public struct Empty: Codable, Hashable, Sendable {

  /// The only value.
  public init() {}
}

/// Gives up rights for the rest of this connection, before it is used for somebody who has fewer.
public struct RoleLowerRequest: ServiceRequest {
  /// The role from now on: the own one, or one below it.
  public var role: Role

  /// The result of a success.
  public typealias Result = RoleLowerResult

  /// The name on the wire.
  public static let method = "role.lower"

  /// A value from its parts.
  public init(role: Role) { self.role = role }
}

/// The role that a connection has now.
public struct RoleLowerResult: Codable, Hashable, Sendable {
  /// The role.
  public var role: Role

  /// A value from its parts.
  public init(role: Role) { self.role = role }
}

/// Asks whether the service answers.
public struct PingRequest: ServiceRequest {

  /// The result of a success.
  public typealias Result = PingResult

  /// The name on the wire.
  public static let method = "ping"

  /// The only value.
  public init() {}
}

/// The answer to a ping.
public struct PingResult: Codable, Hashable, Sendable {
  /// The service's clock: RFC 3339, UTC, milliseconds.
  public var time: String
  /// `CLOCK_MONOTONIC` in seconds, the clock of `captured`.
  public var monotonic: Double

  /// A value from its parts.
  public init(
    time: String, monotonic: Double
  ) {
    self.time = time
    self.monotonic = monotonic
  }
}

/// Asks for events; the answer is the current state.
public struct SubscribeRequest: ServiceRequest {
  /// Names or patterns such as `scan.*`; everything but `statistics` when missing. Added to what was subscribed before.
  public var events: [String]?
  /// The last event that this client has: those that the service still keeps follow the answer.
  public var after: EventPosition?

  /// The result of a success.
  public typealias Result = Snapshot

  /// The name on the wire.
  public static let method = "subscribe"

  /// A value from its parts.
  public init(
    events: [String]? = nil, after: EventPosition? = nil
  ) {
    self.events = events
    self.after = after
  }
}

/// The last event that a client has received.
public struct EventPosition: Codable, Hashable, Sendable {
  /// The run of the service that counts.
  public var instance: String
  /// The last event that the client has.
  public var seq: Int

  /// A position from its parts.
  public init(instance: String, seq: Int) {
    self.instance = instance
    self.seq = seq
  }
}

/// Reloads the configuration, as SIGHUP does.
public struct ConfigReloadRequest: ServiceRequest {

  /// The result of a success.
  public typealias Result = ConfigReloadResult

  /// The name on the wire.
  public static let method = "config.reload"

  /// The only value.
  public init() {}
}

/// The configuration was taken over.
public struct ConfigReloadResult: Codable, Hashable, Sendable {
  /// Sections that changed and need a restart.
  public var restart: [String]

  /// A value from its parts.
  public init(restart: [String]) { self.restart = restart }
}

/// Asks for events no more.
public struct UnsubscribeRequest: ServiceRequest {
  /// Patterns that were subscribed; all when missing.
  public var events: [String]?

  /// The result of a success.
  public typealias Result = UnsubscribeResult

  /// The name on the wire.
  public static let method = "unsubscribe"

  /// A value from its parts.
  public init(
    events: [String]? = nil
  ) {
    self.events = events
  }
}

/// The events that stay subscribed.
public struct UnsubscribeResult: Codable, Hashable, Sendable {
  /// The patterns that stay.
  public var events: [String]

  /// A value from its parts.
  public init(
    events: [String]
  ) {
    self.events = events
  }
}
