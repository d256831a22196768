/// Which connections are open, and which of them must go so that there are never more than `limit`: a pure state machine.
///
/// A connection has *proved itself* when it has sent a request with the right cookie or token. Whoever has not is the
/// first to go, the oldest before the others: connections that say nothing never keep the page out.
struct ConnectionTable<Key: Hashable> {
  /// The most connections at a time.
  let limit: Int
  private var proven: Set<Key> = []
  /// Oldest first.
  private var unproven: [Key] = []

  init(limit: Int) { self.limit = limit }

  /// How many are open.
  var count: Int { proven.count + unproven.count }

  /// Takes up a connection; gives the one that must be closed for it, which may be itself.
  mutating func opened(_ key: Key) -> Key? {
    unproven.append(key)
    return count > limit ? unproven.removeFirst() : nil
  }

  /// A connection has proved itself.
  mutating func proved(_ key: Key) {
    guard let index = unproven.firstIndex(of: key) else { return }
    unproven.remove(at: index)
    proven.insert(key)
  }

  /// The time to prove itself is over; whether the connection must be closed.
  mutating func expired(_ key: Key) -> Bool {
    guard let index = unproven.firstIndex(of: key) else { return false }
    unproven.remove(at: index)
    return true
  }

  /// A connection has ended.
  mutating func closed(_ key: Key) {
    if proven.remove(key) == nil, let index = unproven.firstIndex(of: key) { unproven.remove(at: index) }
  }
}
