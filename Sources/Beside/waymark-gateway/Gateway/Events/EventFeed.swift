import NIOCore
import Synchronization
import WaymarkClient
import WaymarkProtocol
import WaymarkSystem

/// The events of one role: taken from the service once, whoever follows them.
final class EventFeed: Sendable {
  private struct State {
    var ring: EventRing
    var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    var lastWaiter = 0
    var position: EventID?
    var isOutageLogged = false
    var isOver = false
  }

  /// The event that tells a client that it has not had some.
  static let missedEvent = "gateway.missed"

  /// The line that tells that events are missing; how many, where that is known.
  static func missedLine(count: Int?) -> String {
    let number = count.map { #","count":\#($0)"# } ?? ""
    return #"{"event":"\#(missedEvent)","time":"\#(WallClock.timestamp)"\#(number)}"#
  }

  /// The role that the events are for.
  let role: Role
  private let path: String
  private let state: Mutex<State>
  private let take: @Sendable (_ name: String, _ line: String, EventID?) -> Void
  /// Seconds after which those that wait are woken in any case.
  private static let pulse = 15

  /// A feed that has not begun.
  ///
  /// - Parameters:
  ///   - position: the last event that is known.
  ///   - take: called with every event, in order.
  init(
    role: Role, path: String, ring: EventRing, position: EventID?,
    take: @escaping @Sendable (_ name: String, _ line: String, EventID?) -> Void
  ) {
    self.role = role
    self.path = path
    self.take = take
    state = Mutex(State(ring: ring, position: position))
  }

  // MARK: Reading

  /// The number of the event that comes next, and the last event before it.
  var start: (number: Int, last: EventID?) { state.withLock { ($0.ring.end, $0.position) } }

  /// Where a client goes on that has had everything up to an event.
  func position(after id: EventID) -> (number: Int, isComplete: Bool) {
    state.withLock { $0.ring.position(after: id) }
  }

  /// The events from a number on; `nil` when there will be no more. Waits while there are none, some seconds at most.
  func next(from number: Int, bytes: Int) async -> EventRing.Batch? {
    let ready = state.withLock { $0.ring.read(from: number, bytes: bytes) }
    if ready.next > number { return ready }
    await wait(for: number)
    return state.withLock { $0.isOver ? nil : $0.ring.read(from: number, bytes: bytes) }
  }

  private func wait(for number: Int) async {
    let key = state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          if state.isOver || state.ring.end > number { return true }
          state.waiters[key] = continuation
          return false
        }
        if isReady { return continuation.resume() }
        // Before it waited there was nobody to be told.
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

  // MARK: Taking

  /// Follows the service until the task is cancelled.
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
        report(error)
      }
      try? await Task.sleep(for: .seconds(backoff.next()))
    }
  }

  private func report(_ error: any Error) {
    guard !Task.isCancelled else { return }
    let isFirst = state.withLock { state in
      defer { state.isOutageLogged = true }
      return !state.isOutageLogged
    }
    if isFirst { JournalLog.write(.warning, "the service is away: \(error)") }
  }

  private func follow(onConnected: () -> Void) async throws {
    let client = try await WaymarkClient.connect(to: path, role: role)
    let last = state.withLock { $0.position }
    let after = last.map { EventPosition(instance: $0.instance, seq: $0.seq) }
    let snapshot = try await client.send(SubscribeRequest(events: ["*", "statistics"], after: after))
    onConnected()
    state.withLock { $0.isOutageLogged = false }
    let replayed = EventID(instance: snapshot.instance, seq: snapshot.seq)
    if snapshot.missed == true {
      push(name: Self.missedEvent, line: Self.missedLine(count: nil), id: nil)
    } else if last == nil {
      state.withLock { state in
        state.ring.begin(after: replayed)
        state.position = replayed
      }
    }
    for try await received in client.events {
      let id = received.event.seq.map { EventID(instance: snapshot.instance, seq: $0) }
      push(name: received.event.body.name, line: received.line, id: id)
    }
  }

  private func push(name: String, line: String, id: EventID?) {
    let entry = EventRing.Entry(id: id, name: name, bytes: Self.message(line, id: id))
    state.withLock { state in
      state.ring.append(entry)
      if let id { state.position = id }
    }
    take(name, line, id)
    wakeAll()
  }

  /// An event as it stands in a stream (HTML, server-sent events).
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
  /// Connects, and gives up what `role` may not do. The connection never has more rights than the gateway has.
  static func connect(to path: String, role: Role) async throws -> WaymarkClient {
    let client = try await connect(to: path)
    if role == .observer, client.hello.role != .observer {
      _ = try await client.send(RoleLowerRequest(role: .observer))
    }
    return client
  }
}
