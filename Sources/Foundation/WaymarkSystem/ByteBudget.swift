/// Decides how many bytes of pictures each client may hold at a time, before the bytes are read.
///
/// The budget is never given to a single user, a client has one picture at a time, and a limited number of requests waits in order.
/// The type uses no clock.
package struct ByteBudget: Sendable {
  /// A client's request for memory.
  package struct Request: Hashable, Sendable {
    package let id: Int
    package let client: Int
    package let user: UInt32
    package var bytes: Int

    package init(id: Int, client: Int, user: UInt32, bytes: Int) {
      self.id = id
      self.client = client
      self.user = user
      self.bytes = bytes
    }
  }

  /// The decision about a request.
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
  ///   - limit: the bytes for all users together.
  ///   - share: the bytes for one user.
  ///   - reserve: the bytes reserved for users who hold nothing, so that two slow users cannot block a third.
  ///   - waitingLimit: the number of clients that may wait. The limit is twice this number for a user's only waiting client, and
  ///   three times for a client of root.
  ///   - waitingShare: the number of clients of one user that may wait.
  package init(limit: Int, share: Int, reserve: Int, waitingLimit: Int, waitingShare: Int) {
    self.limit = limit
    self.share = share
    self.reserve = reserve
    self.waitingLimit = waitingLimit
    self.waitingShare = waitingShare
  }

  /// The bytes that are held.
  package var bytes: Int { held.values.reduce(0) { $0 + $1.bytes } }

  /// Requests memory; a request for more than the share of a user is reduced to the share.
  package mutating func ask(_ wanted: Request) -> Answer {
    var ask = wanted
    ask.bytes = min(ask.bytes, share)
    waiting.append(ask)
    if grant().contains(ask.id) { return .granted }
    // Clients are counted, not their requests: the server bounds the requests of a connection.
    let clients = Set(waiting.map { [Int($0.user), $0.client] })
    let own = clients.count(where: { $0[0] == Int(ask.user) })
    // Some positions in the queue are reserved for users without another waiting client, and for root.
    let places = ask.user == 0 ? 3 * waitingLimit : own == 1 ? 2 * waitingLimit : waitingLimit
    guard clients.count <= places, own <= waitingShare else {
      waiting.removeAll { $0.id == ask.id }
      return .refused
    }
    return .waits
  }

  /// Corrects the size of a granted request.
  ///
  /// - Returns: the requests that are granted now.
  package mutating func resize(_ id: Int, to bytes: Int) -> [Int] {
    held[id]?.bytes = bytes
    return grant()
  }

  /// Ends a request that was granted or waits.
  ///
  /// - Returns: the requests that are granted now.
  package mutating func leave(_ id: Int) -> [Int] {
    held[id] = nil
    waiting.removeAll { $0.id == id }
    return grant()
  }

  /// Grants every waiting request that fits.
  private mutating func grant() -> [Int] {
    var granted: [Int] = []
    // A user's requests keep their order, except that a client that still holds a picture does not block the user's other clients.
    var blocked: Set<UInt32> = []
    var passed: Set<Int> = []
    // The user who holds the fewest bytes comes first, so that two busy users do not block a third.
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
