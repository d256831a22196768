import Glibc

/// The peer at the other end, as the kernel tells it.
package struct Peer: Hashable, Sendable {
  /// The process at the time of the connect; 0 from another pid namespace.
  package let process: Int32
  /// Its effective user.
  package let user: UInt32
  /// Its effective group first, then the supplementary ones.
  package let groups: [UInt32]

  /// A peer from its parts.
  package init(process: Int32, user: UInt32, groups: [UInt32]) {
    self.process = process
    self.user = user
    self.groups = groups
  }

  /// The peer of a connected Unix socket; `nil` when the kernel does not tell.
  package init?(descriptor: CInt) {
    // struct ucred is hidden behind _GNU_SOURCE: pid, uid, gid, 32 bits each (man 7 unix, SO_PEERCRED).
    var credentials: (pid: Int32, uid: UInt32, gid: UInt32) = (0, 0, 0)
    var size = socklen_t(12)
    guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0, size == 12 else { return nil }
    // SO_PEERGROUPS (man 7 unix) is 59 on every architecture that Waymark runs on, and tells the size it needs by ERANGE.
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
