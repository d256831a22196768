/// Who may hold how many bytes of pictures at a time, decided before a byte of them is read.
///
/// A value without a clock. No user gets all of it, a client has one picture at a time, and who cannot have it now waits in the order in
/// which they came, few at a time.
struct ByteBudget {
  /// Who wants how much.
  struct Ask: Hashable {
    let id: Int
    let client: Int
    let user: UInt32
    var bytes: Int
  }

  /// What becomes of it.
  enum Answer: Hashable {
    case granted, waits, refused
  }

  /// Bytes for all.
  let limit: Int
  /// Bytes for one user.
  let share: Int
  /// How many may wait, and how many of one user.
  let waitingLimit: Int
  let waitingShare: Int
  private var held: [Int: Ask] = [:]
  private var waiting: [Ask] = []

  init(limit: Int, share: Int, waitingLimit: Int, waitingShare: Int) {
    self.limit = limit
    self.share = share
    self.waitingLimit = waitingLimit
    self.waitingShare = waitingShare
  }

  /// Bytes that are held.
  var bytes: Int { held.values.reduce(0) { $0 + $1.bytes } }

  /// How many wait.
  var waitingCount: Int { waiting.count }

  /// Asks for room. More than the share of a user is as much as that: it then has it alone.
  mutating func ask(_ wanted: Ask) -> Answer {
    var ask = wanted
    ask.bytes = min(ask.bytes, share)
    waiting.append(ask)
    if grant().contains(ask.id) { return .granted }
    // Many of one client count once: the requests of a connection are bounded by themselves.
    let clients = Set(waiting.map { [Int($0.user), $0.client] })
    guard clients.count <= waitingLimit, clients.count(where: { $0[0] == Int(ask.user) }) <= waitingShare else {
      waiting.removeAll { $0.id == ask.id }
      return .refused
    }
    return .waits
  }

  /// It turned out to be more, or less; who comes next waits the longer.
  mutating func resize(_ id: Int, to bytes: Int) { held[id]?.bytes = bytes }

  /// Gives room back, or waits for it no longer.
  ///
  /// - Returns: whose turn it is now.
  mutating func leave(_ id: Int) -> [Int] {
    held[id] = nil
    waiting.removeAll { $0.id == id }
    return grant()
  }

  /// Gives room to all who can have it.
  private mutating func grant() -> [Int] {
    var granted: [Int] = []
    // A user's asks keep their order, except that one of a client that still holds a picture holds up nobody else.
    var blocked: Set<UInt32> = []
    for ask in waiting where !blocked.contains(ask.user) {
      if fits(ask) {
        held[ask.id] = ask
        granted.append(ask.id)
      } else if !holds(ask.client) {
        blocked.insert(ask.user)
      }
    }
    waiting.removeAll { granted.contains($0.id) }
    return granted
  }

  private func holds(_ client: Int) -> Bool { held.values.contains { $0.client == client } }

  private func fits(_ ask: Ask) -> Bool {
    let own = held.values.reduce(ask.bytes) { $1.user == ask.user ? $0 + $1.bytes : $0 }
    return bytes + ask.bytes <= limit && own <= share && !holds(ask.client)
  }
}
