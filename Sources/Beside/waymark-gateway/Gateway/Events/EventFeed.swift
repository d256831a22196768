import NIOCore
import Synchronization
import WaymarkClient
import WaymarkProtocol
import WaymarkSpool
import WaymarkSystem

/// The events that one role receives, over one subscription for all clients. The file also has `EventFeeds`, the feeds of both
/// roles, and `EventFollower`, the events that one client receives.
final class EventFeed: Sendable {
  private struct State {
    var ring: EventRing
    var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    var lastWaiter = 0
    var position: EventID?
    /// The number of replayed events still to come; nil before the first subscription.
    var replaying: Int?
    /// True after a subscription to an incomplete history, until its first event shows where the history begins.
    var isBeginning = false
    /// The number of events that the service has dropped for this connection.
    var dropped = 0
    /// The number of times that clients were sent `gateway.missed`.
    var gaps = 0
    var isConnected = false
    var isOver = false

    /// True once the ring has the history of the service.
    var isReady: Bool { replaying == 0 || isOver }
  }

  /// The name of the event that reports missed events to a client.
  static let missedEvent = "gateway.missed"

  /// Returns the reason why a pattern can match no event of the service or the gateway; nil if it can.
  static func fault(of pattern: String) -> (message: String, hint: String)? {
    EventPatterns.fault(of: pattern, own: [missedEvent])
  }

  /// Returns the line that reports missed events, with their number if it is known.
  static func missedLine(count: Int?) -> String {
    let number = count.map { #","count":\#($0)"# } ?? ""
    return #"{"event":"\#(missedEvent)","time":"\#(WallClock.timestamp)"\#(number)}"#
  }

  let role: Role
  private let path: String
  private let outage: ServiceOutage
  private let state: Mutex<State>
  /// All waiting clients are woken at this interval in seconds, which limits their waits.
  private static let pulse = 15

  init(role: Role, path: String, ring: EventRing, outage: ServiceOutage) {
    self.role = role
    self.path = path
    self.outage = outage
    state = Mutex(State(ring: ring))
  }

  /// The number of times that clients of this role were sent `gateway.missed`.
  var gaps: Int { state.withLock { $0.gaps } }

  /// Returns the line that reports missed events to one client, as a message of its stream.
  func gap(count: Int?) -> ByteBuffer {
    state.withLock { $0.gaps += 1 }
    return Self.message(Self.missedLine(count: count), id: nil)
  }

  /// True while the service is connected.
  var isConnected: Bool { state.withLock { $0.isConnected } }

  // MARK: Reading

  /// Waits at most `pulse` seconds until the ring contains the service's history; returns whether it does. Without the history,
  /// every client that reconnects would seem to have missed events.
  func ready() async -> Bool {
    await wait { $0.isReady }
    return state.withLock { $0.isReady }
  }

  /// The number of the next event, and the id of the last event.
  var start: (number: Int, last: EventID?) { state.withLock { ($0.ring.end, $0.position) } }

  /// Returns the number of the next event for a client that has received all events up to `id`, and true if the events in between
  /// are complete.
  func position(after id: EventID) -> (number: Int, isComplete: Bool) {
    state.withLock { $0.ring.position(after: id) }
  }

  /// Returns the events from `number` on, at most `bytes` bytes of them but at least one event. Waits at most `pulse` seconds for
  /// this event, and then returns an empty batch. Nil after the end of the feed.
  func next(from number: Int, bytes: Int) async -> EventRing.Batch? {
    let ready = state.withLock { $0.ring.read(from: number, bytes: bytes) }
    if ready.next > number { return ready }
    await wait { $0.ring.end > number }
    return state.withLock { $0.isOver ? nil : $0.ring.read(from: number, bytes: bytes) }
  }

  private func wait(until isMet: @Sendable (State) -> Bool) async {
    let key = state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          if state.isOver || isMet(state) { return true }
          state.waiters[key] = continuation
          return false
        }
        if isReady { return continuation.resume() }
        // A cancellation before the continuation was stored could not resume it.
        if Task.isCancelled { wake(key) }
      }
    } onCancel: {
      wake(key)
    }
  }

  private func wake(_ key: Int) { state.withLock { $0.waiters.removeValue(forKey: key) }?.resume() }

  private func wakeAll() {
    let waiters = state.withLock { state in
      defer { state.waiters.removeAll(keepingCapacity: true) }
      return Array(state.waiters.values)
    }
    for waiter in waiters { waiter.resume() }
  }

  // MARK: Following the service

  /// Subscribes to the service's events, and reconnects, until the task is cancelled.
  func run() async {
    let pulse = Task {
      while !Task.isCancelled {
        try? await Task.sleep(for: .seconds(Self.pulse))
        wakeAll()
      }
    }
    defer {
      pulse.cancel()
      state.withLock { $0.isOver = true }
      wakeAll()
    }
    var backoff = Backoff(first: 0.1, longest: 2)
    while !Task.isCancelled {
      do {
        try await follow { backoff.reset() }
      } catch {
        if !Task.isCancelled { outage.began(for: self, error) }
      }
      state.withLock { $0.isConnected = false }
      try? await Task.sleep(for: .seconds(backoff.next()))
    }
  }

  private func follow(onConnected: () -> Void) async throws {
    let client = try await WaymarkClient.connect(to: path, role: role)
    // At the start the whole history is requested, for clients that reconnect with an id from the history.
    let last = state.withLock { $0.position } ?? EventID(instance: client.hello.instance, seq: 0)
    let after = EventPosition(instance: last.instance, seq: last.seq)
    let snapshot = try await client.send(SubscribeRequest(events: ["*", "statistics"], after: after))
    onConnected()
    let end = EventID(instance: snapshot.instance, seq: snapshot.seq)
    subscribed(at: end, replayed: snapshot.replayed ?? 0, isComplete: snapshot.missed != true)
    for try await received in client.events {
      if case .streamDropped(let loss) = received.event.body {
        // The next subscription replays the lost events, or they are reported as missed.
        state.withLock { $0.dropped += loss.count }
        return
      }
      let id = received.event.seq.map { EventID(instance: snapshot.instance, seq: $0) }
      push(name: received.event.body.name, line: received.line, id: id)
    }
  }

  private func subscribed(at end: EventID, replayed: Int, isComplete: Bool) {
    outage.ended(for: self)
    let missed = state.withLock { state -> Int?? in
      defer { state.dropped = 0 }
      state.isConnected = true
      let isFirst = state.position == nil || state.isBeginning
      if isFirst {
        let origin = EventID(instance: end.instance, seq: 0)
        // If the history is incomplete, the ring begins with its first event, which `push` receives.
        state.isBeginning = !isComplete && replayed > 0
        if !state.isBeginning { state.ring.begin(after: isComplete ? origin : end) }
        state.position = replayed > 0 ? origin : end
      }
      state.replaying = replayed
      return isComplete || isFirst ? nil : .some(state.dropped > 0 ? state.dropped : nil)
    }
    if let missed {
      state.withLock { $0.gaps += 1 }
      push(name: Self.missedEvent, line: Self.missedLine(count: missed), id: nil)
    }
    wakeAll()
  }

  private func push(name: String, line: String, id: EventID?) {
    let entry = EventRing.Entry(id: id, name: name, bytes: Self.message(line, id: id))
    state.withLock { state in
      if let id {
        if state.isBeginning { state.ring.begin(after: EventID(instance: id.instance, seq: id.seq - 1)) }
        state.isBeginning = false
        state.position = id
        if let rest = state.replaying, rest > 0 { state.replaying = rest - 1 }
      }
      state.ring.append(entry)
    }
    wakeAll()
  }

  /// Formats an event for a stream (HTML Standard, server-sent events).
  static func message(_ line: String, id: EventID?) -> ByteBuffer {
    var buffer = ByteBuffer()
    buffer.reserveCapacity(line.utf8.count + 64)
    if let id { buffer.writeString("id: \(id.text)\n") }
    buffer.writeString("data: ")
    buffer.writeString(line)
    buffer.writeString("\n\n")
    return buffer
  }
}

extension WaymarkClient {
  /// Connects, and lowers the connection's role to `role`. The connection never has more rights than the gateway has.
  static func connect(to path: String, role: Role) async throws -> WaymarkClient {
    let client = try await connect(to: path)
    if role == .observer, client.hello.role != .observer {
      _ = try await client.send(RoleLowerRequest(role: .observer))
    }
    return client
  }
}

/// The feeds of both roles.
struct EventFeeds: Sendable {
  private let ofOperator: EventFeed
  private let ofObserver: EventFeed

  /// Creates the feeds of the service that listens at `path`. Each starts with a copy of `ring`, which is empty.
  init(path: String, ring: EventRing, outage: ServiceOutage) {
    ofOperator = EventFeed(role: .operator, path: path, ring: ring, outage: outage)
    ofObserver = EventFeed(role: .observer, path: path, ring: ring, outage: outage)
  }

  var all: [EventFeed] { [ofOperator, ofObserver] }

  /// Returns the feed of a role.
  func of(_ role: Role) -> EventFeed { role == .operator ? ofOperator : ofObserver }
}

/// The events of a feed for one client, as the bytes of the client's stream.
struct EventFollower: AsyncSequence, Sendable {
  let feed: EventFeed
  let patterns: EventPatterns
  /// The id of the last event that the client has received; nil to begin with the next event.
  let last: EventID?
  /// The approximate number of bytes that are written at a time.
  static let piece = 64 << 10
  /// The seconds without events after which an empty comment is sent.
  static let pulse = 15.0

  func makeAsyncIterator() -> Iterator { Iterator(follower: self) }

  struct Iterator: AsyncIteratorProtocol {
    private let follower: EventFollower
    private var hasBegun = false
    private var number: Int?
    private var lastSent = MonotonicClock.now

    init(follower: EventFollower) { self.follower = follower }

    /// Returns the next bytes; nil at the end of the feed.
    mutating func next() async -> ByteBuffer? {
      guard let number else { return await start() }
      var position = number
      while !Task.isCancelled {
        guard let batch = await follower.feed.next(from: position, bytes: EventFollower.piece) else { return nil }
        position = batch.next
        self.number = position
        var piece = ByteBuffer()
        if batch.missed > 0 { piece.writeImmutableBuffer(follower.feed.gap(count: batch.missed)) }
        for entry in batch.entries where follower.wants(entry.name) { piece.writeImmutableBuffer(entry.bytes) }
        if piece.readableBytes == 0 {
          guard MonotonicClock.now - lastSent >= EventFollower.pulse else { continue }
          // Only a write detects that the client has disconnected.
          piece.writeString(":\n\n")
        }
        lastSent = MonotonicClock.now
        return piece
      }
      return nil
    }

    /// Returns the beginning of the stream. It contains the id of the last event, so that a client that disconnects at once can
    /// continue from this id.
    private mutating func start() async -> ByteBuffer? {
      guard hasBegun else {
        hasBegun = true
        return ByteBuffer(string: ": waymark\n\n")
      }
      guard await follower.feed.ready() else { return Task.isCancelled ? nil : ByteBuffer(string: ":\n\n") }
      var piece = ByteBuffer()
      if let last = follower.last {
        let (position, isComplete) = follower.feed.position(after: last)
        number = position
        if !isComplete { piece.writeImmutableBuffer(follower.feed.gap(count: nil)) }
      } else {
        let (position, id) = follower.feed.start
        number = position
        if let id { piece.writeString("id: \(id.text)\n\n") }
      }
      return piece.readableBytes > 0 ? piece : ByteBuffer(string: ":\n\n")
    }
  }

  private func wants(_ event: String) -> Bool { event == EventFeed.missedEvent || patterns.match(event) }
}
