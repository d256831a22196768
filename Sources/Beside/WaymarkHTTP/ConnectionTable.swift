/// The open connections, and the choice of which to close so that there are never more than `limit`: a pure state machine.
///
/// A connection has *proved itself* when it has sent a request with the right cookie or token. Whoever has not is the
/// first to go, the oldest before the others: connections that say nothing never keep the page out.
package struct ConnectionTable<Key: Hashable> {
  /// The most connections at a time.
  package let limit: Int
  private var authenticatedKeys: Set<Key> = []
  /// Oldest first.
  private var pendingKeys: [Key] = []

  /// A table without connections.
  package init(limit: Int) { self.limit = limit }

  /// How many are open.
  package var count: Int { authenticatedKeys.count + pendingKeys.count }

  /// Takes up a connection; gives the one that must be closed for it, which may be itself.
  package mutating func opened(_ key: Key) -> Key? {
    pendingKeys.append(key)
    return count > limit ? pendingKeys.removeFirst() : nil
  }

  /// A connection has proved itself.
  package mutating func authenticated(_ key: Key) {
    guard let index = pendingKeys.firstIndex(of: key) else { return }
    pendingKeys.remove(at: index)
    authenticatedKeys.insert(key)
  }

  /// The time to prove itself is over; whether the connection must be closed.
  package mutating func expired(_ key: Key) -> Bool {
    guard let index = pendingKeys.firstIndex(of: key) else { return false }
    pendingKeys.remove(at: index)
    return true
  }

  /// A connection has ended.
  package mutating func closed(_ key: Key) {
    if authenticatedKeys.remove(key) == nil, let index = pendingKeys.firstIndex(of: key) {
      pendingKeys.remove(at: index)
    }
  }
}
