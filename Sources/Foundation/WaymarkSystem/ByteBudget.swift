/// Decides who may hold how many bytes of pictures at a time, before a byte of them is read.
///
/// A value without a clock. No user gets all of it, a client has one picture at a time, and who cannot have it now waits in the order in
/// which they came, few at a time.
package struct ByteBudget: Sendable {
  /// A request for room.
  package struct Request: Hashable, Sendable {
    package let id: Int
    package let client: Int
    package let user: UInt32
    package var bytes: Int

    /// A request from its parts.
    package init(id: Int, client: Int, user: UInt32, bytes: Int) {
      self.id = id
      self.client = client
      self.user = user
      self.bytes = bytes
    }
  }

  /// The decision about it.
  package enum Answer: Hashable, Sendable {
    case granted, waits, refused
  }

  private let limit: Int
  private let share: Int
  private let reserve: Int
  private let waitingLimit: Int
  private let waitingShare: Int
  private var held: [Int: Request] = [:]
  private var waiting: [Request] = []

  /// - Parameters:
  ///   - limit: bytes for all.
  ///   - share: bytes for one user.
  ///   - reserve: bytes that only users get who hold nothing, so that two slow ones cannot keep a third waiting.
  ///   - waitingLimit: how many may wait; the first one of every user may wait although all places are taken.
  ///   - waitingShare: how many of one user may wait.
  package init(limit: Int, share: Int, reserve: Int, waitingLimit: Int, waitingShare: Int) {
    self.limit = limit
    self.share = share
    self.reserve = reserve
    self.waitingLimit = waitingLimit
    self.waitingShare = waitingShare
  }

  /// Bytes that are held.
  package var bytes: Int { held.values.reduce(0) { $0 + $1.bytes } }

  /// Asks for room. More than the share of a user is as much as that: it then has it alone.
  package mutating func ask(_ wanted: Request) -> Answer {
    var ask = wanted
    ask.bytes = min(ask.bytes, share)
    waiting.append(ask)
    if grant().contains(ask.id) { return .granted }
    // Many of one client count once: the requests of a connection are bounded by themselves.
    let clients = Set(waiting.map { [Int($0.user), $0.client] })
    let own = clients.count(where: { $0[0] == Int(ask.user) })
    // Those who fill the places leave some to users who have none waiting, and to root, who mends things.
    let places = ask.user == 0 ? 3 * waitingLimit : own == 1 ? 2 * waitingLimit : waitingLimit
    guard clients.count <= places, own <= waitingShare else {
      waiting.removeAll { $0.id == ask.id }
      return .refused
    }
    return .waits
  }

  /// Corrects the size of what is held; where it is more, the next ones wait the longer.
  ///
  /// - Returns: whose turn it is now.
  package mutating func resize(_ id: Int, to bytes: Int) -> [Int] {
    held[id]?.bytes = bytes
    return grant()
  }

  /// Gives room back, or waits for it no longer.
  ///
  /// - Returns: whose turn it is now.
  package mutating func leave(_ id: Int) -> [Int] {
    held[id] = nil
    waiting.removeAll { $0.id == id }
    return grant()
  }

  /// Gives room to all who can have it.
  private mutating func grant() -> [Int] {
    var granted: [Int] = []
    // A user's asks keep their order, except that one of a client that still holds a picture holds up nobody else.
    var blocked: Set<UInt32> = []
    var passed: Set<Int> = []
    // The user who holds least comes first, so that two who always ask for more do not keep a third waiting.
    while let ask = waiting.filter({ !blocked.contains($0.user) && !passed.contains($0.id) })
      .min(by: { held(by: $0.user) < held(by: $1.user) })
    {
      if fits(ask) {
        held[ask.id] = ask
        granted.append(ask.id)
      } else if !holds(ask.client) {
        blocked.insert(ask.user)
      }
      passed.insert(ask.id)
    }
    waiting.removeAll { granted.contains($0.id) }
    return granted
  }

  private func held(by user: UInt32) -> Int { held.values.reduce(0) { $1.user == user ? $0 + $1.bytes : $0 } }

  private func holds(_ client: Int) -> Bool { held.values.contains { $0.client == client } }

  private func fits(_ ask: Request) -> Bool {
    let own = held(by: ask.user)
    let most = own > 0 ? limit - reserve : limit
    return bytes + ask.bytes <= most && own + ask.bytes <= share && !holds(ask.client)
  }
}
