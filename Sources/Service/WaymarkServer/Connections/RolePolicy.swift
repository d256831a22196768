package import WaymarkProtocol

/// The permissions of users on the socket.
package struct RolePolicy: Hashable, Sendable {
  /// Users that operate.
  package var operatorUsers: Set<UInt32>
  /// Groups that operate.
  package var operatorGroups: Set<UInt32>
  /// Users that observe.
  package var observerUsers: Set<UInt32>
  /// Groups that observe.
  package var observerGroups: Set<UInt32>
  /// True if observers may have pictures too.
  package var observersSeePictures: Bool

  /// A policy from its parts.
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

  /// Returns the role of `peer`; `nil` refuses it.
  package func role(of peer: Peer) -> Role? {
    if operatorUsers.contains(peer.user) || !operatorGroups.isDisjoint(with: peer.groups) { return .operator }
    if observerUsers.contains(peer.user) || !observerGroups.isDisjoint(with: peer.groups) { return .observer }
    return nil
  }
}
