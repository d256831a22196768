/// This connection was too slow and lost events.
public struct StreamDropped: EventPayload {
  /// How many.
  public var count: Int
  /// The last event before the gap.
  public var sinceSeq: Int

  /// The name on the wire.
  public static let event = "stream.dropped"

  /// Nothing in it is a secret.
  public var forObservers: Self { self }

  /// A value from its parts.
  public init(
    count: Int, sinceSeq: Int
  ) {
    self.count = count
    self.sinceSeq = sinceSeq
  }
}

/// The last line before the service closes this connection on its own.
public struct ConnectionClosed: EventPayload {
  /// Why.
  public var reason: CloseReason

  /// The name on the wire.
  public static let event = "connection.closed"

  /// Nothing in it is a secret.
  public var forObservers: Self { self }

  /// A value from its parts.
  public init(
    reason: CloseReason
  ) {
    self.reason = reason
  }
}

/// Why the service closes a connection.
public enum CloseReason: String, Codable, CaseIterable, Sendable {
  /// It did not read.
  case slowConsumer
  /// It sent a line of more than 64 KiB.
  case lineTooLong
  /// The bytes behind a request did not come in time.
  case bodyTimeout
  /// Its user has another role than when it came, or none; it may come again.
  case roleChanged
  /// Its user may not connect.
  case notPermitted
  /// There are too many connections.
  case tooManyClients
  /// The service stops.
  case stopping
}

/// The service stops.
public struct ServerStopping: EventPayload {
  /// Why, for people.
  public var reason: String

  /// The name on the wire.
  public static let event = "server.stopping"

  /// Nothing in it is a secret.
  public var forObservers: Self { self }

  /// A value from its parts.
  public init(
    reason: String
  ) {
    self.reason = reason
  }
}
