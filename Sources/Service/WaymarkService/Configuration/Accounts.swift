import Glibc
package import WaymarkServer

/// Users and groups by name, from the system's databases.
package enum Accounts {
  /// The id of a user, given by name or number.
  package static func user(_ name: String) -> UInt32? {
    if let number = UInt32(name) { return number }
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 16 << 10)
    guard getpwnam_r(name, &entry, &buffer, buffer.count, &found) == 0, found != nil else { return nil }
    return entry.pw_uid
  }

  /// The id of a group, given by name or number.
  package static func group(_ name: String) -> UInt32? {
    if let number = UInt32(name) { return number }
    var entry = Glibc.group()
    var found: UnsafeMutablePointer<Glibc.group>?
    var buffer = [CChar](repeating: 0, count: 64 << 10)
    guard getgrnam_r(name, &entry, &buffer, buffer.count, &found) == 0, found != nil else { return nil }
    return entry.gr_gid
  }
}

extension RolePolicy {
  /// The policy that a configuration describes. Without operators in it: the service's own user, root and the group of
  /// the socket operate, nobody else connects.
  ///
  /// - Returns: also the names that are not accounts here; they are left out.
  package static func make(
    _ roles: ServiceConfiguration.Roles, socketGroup: UInt32?, ownUser: UInt32 = geteuid()
  ) -> (policy: RolePolicy, unknown: [String]) {
    var unknown: [String] = []
    func ids(_ names: [String], _ look: (String) -> UInt32?, _ what: String) -> Set<UInt32> {
      Set(
        names.compactMap { name in
          if let id = look(name) { return id }
          unknown.append("\(what) \(name)")
          return nil
        })
    }
    var policy = RolePolicy(
      operatorUsers: ids(roles.operatorUsers, Accounts.user, "user"),
      operatorGroups: ids(roles.operatorGroups, Accounts.group, "group"),
      observerUsers: ids(roles.observerUsers, Accounts.user, "user"),
      observerGroups: ids(roles.observerGroups, Accounts.group, "group"),
      observersSeePictures: roles.observersSeePictures)
    // The service's own user and root always operate: whoever may stop it may also ask it.
    policy.operatorUsers.formUnion([0, ownUser])
    if roles.operatorUsers.isEmpty, roles.operatorGroups.isEmpty, let socketGroup {
      policy.operatorGroups.insert(socketGroup)
    }
    return (policy, unknown)
  }
}
