/// The limits of connections.
package struct ConnectionLimits: Hashable, Sendable {
  /// Connections at a time.
  package var clients = 512
  /// Connections of one user; root and the service's own user have no such bound.
  package var perUser = 128
  /// Bytes of events that may wait for one.
  package var outbox = 1 << 20
  /// Events that are kept for clients that come back.
  package var history = 0
  /// Requests of one that may be worked on at a time.
  package var inFlight = 16
  /// Seconds that a client may read nothing while it loses events.
  package var slowAfter = 5.0
  /// Seconds that a client may read nothing at all while something waits, or lose events.
  package var stalledAfter = 30.0
  /// Seconds that the last line of a closing connection is waited for.
  package var linger = 0.5
  /// The same for a slow client: what is on its way to it comes first.
  var slowConsumerLinger = 10.0
  /// Seconds that the bytes behind a request may take.
  package var body = 30.0

  /// The usual limits.
  package init() {}

  /// Places that only operators can have, and of these what only root and the service's own user can.
  var reserves: (operators: Int, root: Int) { (min(32, clients / 4), min(8, clients / 16)) }

  /// Returns whether one more connection is let in.
  ///
  /// - Parameters:
  ///   - all: how many there are.
  ///   - own: how many of its user.
  ///   - isPrivileged: whether its user is root or the service's own.
  func admits(isOperator: Bool, isPrivileged: Bool, all: Int, own: Int) -> Bool {
    if isPrivileged { return all < clients }
    return own < perUser && all < clients - (isOperator ? reserves.root : reserves.operators)
  }
}
