import WaymarkClient
import WaymarkProtocol
import WaymarkSystem

/// The connections to the service over which requests go: one for each token, or for each session that a client names.
///
/// The service disarms a scan when the connection of its client ends, so a connection outlives its requests: that of a token stays, that of a named
/// session goes some minutes after its last request.
actor ServiceSessions {
  /// Sessions at a time.
  static let limit = 64
  /// Seconds for which a named session stays after its last request.
  static let stay = 300.0

  /// The client of a session.
  struct Key: Hashable, Sendable {
    let caller: Caller
    /// The name that the client gave it, or `nil`.
    let name: String?
  }

  private struct Session {
    let client: WaymarkClient
    var lastUsed: Double
    var underway = 0
  }

  private let path: String
  private var sessions: [Key: Session] = [:]
  private var connecting: [Key: Task<WaymarkClient, any Error>] = [:]

  init(path: String) { self.path = path }

  /// Does something with the client of a session.
  func use<Result: Sendable>(_ key: Key, _ body: @Sendable (WaymarkClient) async throws -> Result) async throws
    -> Result
  {
    let client = try await client(of: key)
    sessions[key]?.underway += 1
    defer {
      sessions[key]?.underway -= 1
      sessions[key]?.lastUsed = MonotonicClock.now
    }
    do {
      return try await body(client)
    } catch let error as ClientError {
      drop(key, client)
      throw error
    }
  }

  private func client(of key: Key) async throws -> WaymarkClient {
    if let session = sessions[key] { return session.client }
    if let task = connecting[key] { return try await task.value }
    expire()
    guard sessions.count + connecting.count < Self.limit else {
      throw ServiceError(
        .busy, "\(Self.limit) sessions are open.", hint: "Use fewer names in Waymark-Session, or wait five minutes.")
    }
    let task = Task { [path] in try await WaymarkClient.connect(to: path, role: key.caller.role) }
    connecting[key] = task
    defer { connecting[key] = nil }
    let client = try await task.value
    if sessions[key] == nil {
      sessions[key] = Session(client: client, lastUsed: MonotonicClock.now)
      Task { await watch(key, client) }
    }
    return client
  }

  /// Takes the events that come without being asked for, and notices the end.
  private func watch(_ key: Key, _ client: WaymarkClient) async {
    let events = client.events
    while let _ = try? await events.next() {}
    drop(key, client)
  }

  private func drop(_ key: Key, _ client: WaymarkClient) {
    guard let session = sessions[key], session.client === client else { return }
    sessions[key] = nil
    Task { await client.close() }
  }

  /// Lets sessions go that nobody has used for a while.
  func expire() {
    let oldest = MonotonicClock.now - Self.stay
    for (key, session) in sessions where key.name != nil && session.underway == 0 && session.lastUsed < oldest {
      drop(key, session.client)
    }
  }
}
