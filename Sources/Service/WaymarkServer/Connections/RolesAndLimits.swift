import Glibc
package import WaymarkProtocol

/// The permissions of users on the socket. The file also has the process at the other end of a connection (`Peer`), and
/// the limits of connections (`ConnectionLimits`).
package struct RolePolicy: Hashable, Sendable {
  package var operatorUsers: Set<UInt32>
  package var operatorGroups: Set<UInt32>
  package var observerUsers: Set<UInt32>
  package var observerGroups: Set<UInt32>
  /// The socket's group, whose other members are operators; nil if operators are configured.
  package var socketGroup: UInt32?
  /// True if observers may request pictures.
  package var observersSeePictures: Bool

  package init(
    operatorUsers: Set<UInt32>, operatorGroups: Set<UInt32> = [], observerUsers: Set<UInt32> = [],
    observerGroups: Set<UInt32> = [], observersSeePictures: Bool = false
  ) {
    self.operatorUsers = operatorUsers
    self.operatorGroups = operatorGroups
    self.observerUsers = observerUsers
    self.observerGroups = observerGroups
    self.observersSeePictures = observersSeePictures
  }

  /// Returns the role of `peer`; nil if its connection is to be refused. The socket's group comes last, because observers join it to
  /// open the socket.
  package func role(of peer: Peer) -> Role? {
    if operatorUsers.contains(peer.user) || !operatorGroups.isDisjoint(with: peer.groups) { return .operator }
    if observerUsers.contains(peer.user) || !observerGroups.isDisjoint(with: peer.groups) { return .observer }
    return socketGroup.map(peer.groups.contains) == true ? .operator : nil
  }
}

// MARK: - Peers

/// The process at the other end of a connection, as reported by the kernel.
package struct Peer: Hashable, Sendable {
  /// The process id at the time of connecting; 0 for a process in another pid namespace.
  package let process: Int32
  /// The effective user id.
  package let user: UInt32
  /// The effective group id, then the supplementary group ids.
  package let groups: [UInt32]

  package init(process: Int32, user: UInt32, groups: [UInt32]) {
    self.process = process
    self.user = user
    self.groups = groups
  }

  /// Creates the peer of a connected Unix socket; `nil` if the kernel reports an error.
  package init?(descriptor: CInt) {
    // Swift does not import struct ucred, which requires _GNU_SOURCE. It consists of pid, uid and gid of 32 bits each (unix(7),
    // SO_PEERCRED).
    var credentials: (pid: Int32, uid: UInt32, gid: UInt32) = (0, 0, 0)
    var size = socklen_t(12)
    guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0, size == 12 else { return nil }
    // SO_PEERGROUPS (unix(7)) is 59 on all supported architectures. If the buffer is too small, the call fails with ERANGE and
    // returns the required size.
    var groups = [UInt32](repeating: 0, count: 64)
    var length = socklen_t(groups.count * 4)
    if getsockopt(descriptor, SOL_SOCKET, 59, &groups, &length) != 0 {
      guard errno == ERANGE else { return nil }
      groups = [UInt32](repeating: 0, count: Int(length) / 4)
      guard getsockopt(descriptor, SOL_SOCKET, 59, &groups, &length) == 0 else { return nil }
    }
    let supplementary = groups.prefix(Int(length) / 4).filter { $0 != credentials.gid }
    self.init(process: credentials.pid, user: credentials.uid, groups: [credentials.gid] + supplementary)
  }
}

// MARK: - Limits

/// The limits on the number, the queues and the waits of connections.
package struct ConnectionLimits: Hashable, Sendable {
  package var clients = 512
  /// The maximum number of connections of one user; root and the service's own user have no such limit.
  package var perUser = 128
  /// The maximum number of requests of a connection that are processed at the same time.
  static let inFlight = 16
  /// The seconds within which a closing connection can still send its last line.
  package static let linger = 0.5
  /// The seconds for which a slow client can still read after its connection was closed. It first reads the data that were already
  /// written, then the reason.
  static let slowConsumerLinger = 10.0
  /// The maximum bytes of events that wait for a connection.
  package var outbox = 1 << 20
  /// The number of events that are stored for clients that reconnect.
  package var history = 0
  /// The seconds without a read after which a client that loses events is disconnected.
  package var slowAfter = 5.0
  /// The seconds without a read after which a client with waiting data is disconnected, and the maximum seconds for
  /// which a client may lose events.
  package var stalledAfter = 30.0
  /// The maximum seconds for receiving the bytes that follow a request.
  package var body = 30.0

  package init() {}

  /// The number of connections reserved for operators, and how many of these are reserved for root and the service's own
  /// user.
  var reserves: (operators: Int, root: Int) { (min(32, clients / 4), min(8, clients / 16)) }

  /// Returns whether another connection is accepted.
  ///
  /// - Parameters:
  ///   - isPrivileged: true for root and the service's own user.
  ///   - all: the number of all connections.
  ///   - own: the number of connections of the same user.
  func admits(isOperator: Bool, isPrivileged: Bool, all: Int, own: Int) -> Bool {
    if isPrivileged { return all < clients }
    return own < perUser && all < clients - (isOperator ? reserves.root : reserves.operators)
  }
}
