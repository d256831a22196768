import Synchronization
package import WaymarkClient
import WaymarkProtocol
package import WaymarkSystem

/// The position of an event of the service: the run of the service (`instance`), and the event's number in this run. The file also
/// has `SpoolCursor`, which decides by positions which events are stored, `SpoolFeed`, which stores them, and the pace of lines in
/// the journal (`LinePace`, `ServiceOutage`).
package struct SpoolPosition: Hashable, Sendable {
  package let instance: String
  package let seq: Int

  package init(instance: String, seq: Int) {
    self.instance = instance
    self.seq = seq
  }

  /// Parses `INSTANCE-SEQ`; nil if the text is invalid.
  package init?(_ text: String) {
    guard text.utf8.count <= 128, let dash = text.lastIndex(of: "-"), let seq = Int(text[text.index(after: dash)...]),
      seq >= 0, dash > text.startIndex
    else { return nil }
    self.init(instance: String(text[..<dash]), seq: seq)
  }

  /// The text `INSTANCE-SEQ`.
  package var text: String { "\(instance)-\(seq)" }
}

// MARK: - Deciding

/// Decides which events of the service are stored. A value without clock, disk and connection.
///
/// The cursor's position never passes an event that is not on disk. After the store has refused an event, later events are only
/// counted until the next subscription, which continues after the position. Refused events that the service sends again are then
/// stored; all others become a gap.
package struct SpoolCursor: Sendable {
  /// The decision about an event of the service.
  package enum Step: Hashable, Sendable {
    /// The event is on disk already.
    case known
    /// The event is to be stored.
    case store
    /// The event follows an event that the store has refused, and is only counted.
    case refuse
  }

  /// The greatest `clients.history` of the service: the number of events that it can send again.
  private static let longestHistory = 10_000

  /// The position of the last event that is on disk or was not selected; nil before the first subscription of a new
  /// store.
  package private(set) var position: SpoolPosition?
  /// True from a refusal to the next subscription.
  package private(set) var isRefusing = false
  private var instance = ""
  /// The numbers of the refused events after `position`, in ascending order.
  private var refused: [Int] = []
  /// The number of refused events that the service does not send again.
  private var lost = 0
  private var hasGap = false

  /// Creates a cursor with the position of the last event on disk; nil for a store that begins with the next event.
  package init(_ position: SpoolPosition?) { self.position = position }

  /// Handles the answer of the service to a subscription that continues after `position`.
  ///
  /// - Parameters:
  ///   - snapshot: the position of the last event before the answer.
  ///   - isComplete: true if the service sends all events after `position`.
  package mutating func subscribed(at snapshot: SpoolPosition, isComplete: Bool) {
    isRefusing = false
    if instance != snapshot.instance {
      lost += refused.count
      refused = []
      instance = snapshot.instance
    }
    guard position != nil else {
      position = snapshot
      return
    }
    hasGap = !isComplete || lost > 0
  }

  /// Returns the gap that is to be stored before an event: the number of lost events, nil if unknown, and the position of the last
  /// lost event. Nil without a gap.
  package func gap(before seq: Int) -> (count: Int?, position: SpoolPosition)? {
    guard hasGap, !isRefusing else { return nil }
    let count = lost + refused.count { $0 < seq }
    return (count > 0 ? count : nil, SpoolPosition(instance: instance, seq: seq - 1))
  }

  /// Notes that the gap before an event is on disk.
  package mutating func gapStored(before seq: Int) {
    stored(seq - 1)
    (hasGap, lost) = (false, 0)
  }

  /// Returns what to do with event `seq`.
  package func step(_ seq: Int) -> Step {
    if let position, position.instance == instance, position.seq >= seq { return .known }
    return isRefusing ? .refuse : .store
  }

  /// Notes that an event is on disk or was not selected.
  package mutating func stored(_ seq: Int) {
    position = SpoolPosition(instance: instance, seq: seq)
    refused.removeAll { $0 <= seq }
  }

  /// Notes that event `seq` could not be stored, or a gap if `seq` is nil.
  package mutating func refuse(_ seq: Int?) {
    isRefusing = true
    guard let seq, seq > refused.last ?? 0 else { return }
    refused.append(seq)
    guard refused.count > 2 * Self.longestHistory else { return }
    lost += Self.longestHistory
    refused.removeFirst(Self.longestHistory)
  }
}

// MARK: - Lines in the journal

/// Limits the journal to one line per minute about one kind of incident, with the number of incidents since the last line.
package struct LinePace: Sendable {
  private var last = -Double.infinity
  private var count = 0

  package init() {}

  /// Counts incidents at the time `now`, in seconds. Returns the number to report in a line now; nil if no line is due.
  package mutating func due(_ incidents: Int, now: Double) -> Int? {
    count += incidents
    guard count > 0, now >= last + 60 else { return nil }
    defer { (last, count) = (now, 0) }
    return count
  }
}

/// Reports in the journal that the service is unavailable, and that it is available again, once for all feeds of a program.
package final class ServiceOutage: Sendable {
  /// The feeds that are not connected to the service.
  private let feeds = Mutex<Set<ObjectIdentifier>>([])
  private let write: @Sendable (JournalLog.Level, String) -> Void

  package init(write: @escaping @Sendable (JournalLog.Level, String) -> Void = JournalLog.write) { self.write = write }

  /// Notes that a feed has lost the service, or cannot reach it.
  package func began(for feed: AnyObject, _ error: any Error) {
    feeds.withLock { feeds in
      if feeds.isEmpty { write(.warning, "the service is away: \(error)") }
      feeds.insert(ObjectIdentifier(feed))
    }
  }

  /// Notes that a feed is connected to the service.
  package func ended(for feed: AnyObject) {
    feeds.withLock { feeds in
      if feeds.remove(ObjectIdentifier(feed)) != nil, feeds.isEmpty { write(.notice, "the service is back") }
    }
  }
}

// MARK: - Storing

/// Stores the events of the service in a log, across restarts of the service and of this program, and across times of a full disk.
package final class SpoolFeed: Sendable {
  /// Thrown to end a connection that has lost events, so that the next connection continues after the position.
  package struct Resubscription: Error {
    package init() {}
  }

  /// The functions by which the owner of a log handles events and connections.
  package struct Handlers: Sendable {
    /// Called for each attempt to connect to the service.
    package var connect: @Sendable () async throws -> WaymarkClient
    /// Makes the record of an event; nil if the event is not stored. An error ends the connection.
    package var record: @Sendable (ReceivedEvent, _ instance: String, _ seq: Int?) throws -> [UInt8]?
    /// Makes the record of a gap from the position before it (nil if unknown), the number of lost events (nil if unknown), and the
    /// position of the last lost event.
    package var gap: @Sendable (_ after: SpoolPosition?, _ count: Int?, _ end: SpoolPosition) -> [UInt8]
    /// Called after a record was stored, or could not be.
    package var stored: @Sendable () -> Void
    /// Called with a new connection and the number of replayed events that follow, and with nil when the connection has ended.
    package var connected: @Sendable (WaymarkClient?, _ replayed: Int) async -> Void

    package init(
      connect: @escaping @Sendable () async throws -> WaymarkClient,
      record: @escaping @Sendable (ReceivedEvent, _ instance: String, _ seq: Int?) throws -> [UInt8]?,
      gap: @escaping @Sendable (_ after: SpoolPosition?, _ count: Int?, _ end: SpoolPosition) -> [UInt8],
      stored: @escaping @Sendable () -> Void,
      connected: @escaping @Sendable (WaymarkClient?, _ replayed: Int) async -> Void = { _, _ in }
    ) {
      self.connect = connect
      self.record = record
      self.gap = gap
      self.stored = stored
      self.connected = connected
    }
  }

  private struct State {
    var cursor: SpoolCursor
    var pace = LinePace()
    var gapPace = LinePace()
  }

  private let name: String
  private let log: EventLog
  private let events: [String]
  private let handlers: Handlers
  private let outage: ServiceOutage
  private let state: Mutex<State>

  /// - Parameters:
  ///   - name: the prefix of the feed's lines in the journal, such as `webhook erp: `.
  ///   - events: the patterns to subscribe to.
  ///   - position: the position of the last event in the log; nil if its records contain none.
  ///   - outage: reports that the service is unavailable, for all feeds of the program.
  package init(
    name: String, log: EventLog, events: [String], position: SpoolPosition?, outage: ServiceOutage, handlers: Handlers
  ) {
    self.name = name
    self.outage = outage
    self.log = log
    self.events = events
    self.handlers = handlers
    state = Mutex(State(cursor: SpoolCursor(position ?? log.bookmark.flatMap { SpoolPosition($0) })))
  }

  /// Subscribes to the service and stores its events until the task is cancelled; reconnects with growing waits.
  package func run() async {
    var backoff = Backoff(first: 0.2, longest: 5)
    var storeBackoff = Backoff(first: 1, longest: 60)
    while !Task.isCancelled {
      do {
        try await follow(&backoff, &storeBackoff)
      } catch {
        report(error)
      }
      await handlers.connected(nil, 0)
      try? await Task.sleep(for: .seconds(backoff.next()))
    }
  }

  private func report(_ error: any Error) {
    // While the store refuses events, the connection was ended on purpose.
    guard !Task.isCancelled, !(error is Resubscription), !state.withLock({ $0.cursor.isRefusing }) else { return }
    outage.began(for: self, error)
  }

  private func follow(_ backoff: inout Backoff, _ storeBackoff: inout Backoff) async throws {
    let client = try await handlers.connect()
    let position = state.withLock { $0.cursor.position }
    let after = position.map { EventPosition(instance: $0.instance, seq: $0.seq) }
    let snapshot = try await client.send(SubscribeRequest(events: events, after: after))
    backoff.reset()
    let end = SpoolPosition(instance: snapshot.instance, seq: snapshot.seq)
    outage.ended(for: self)
    state.withLock { $0.cursor.subscribed(at: end, isComplete: snapshot.missed != true) }
    if position == nil { log.bookmark = end.text }
    await handlers.connected(client, snapshot.replayed ?? 0)
    if snapshot.replayed ?? 0 == 0 { storeGap(before: end.seq + 1) }
    var retry: Task<Void, any Error>?
    defer { retry?.cancel() }
    let events = client.events.makeAsyncIterator()
    while true {
      if state.withLock({ $0.cursor.isRefusing }), retry == nil {
        // Until the connection is closed, further events are only counted.
        let seconds = storeBackoff.next()
        retry = Task {
          try await Task.sleep(for: .seconds(seconds))
          await client.close()
        }
      }
      guard let received = try await events.next() else { return }
      try take(received, instance: snapshot.instance)
      if !state.withLock({ $0.cursor.isRefusing }) { storeBackoff.reset() }
    }
  }

  private func take(_ received: ReceivedEvent, instance: String) throws {
    // An event of a newer service may have a body that cannot be read.
    let number = received.event.seq ?? (try? JSONParser.parse(received.line))?["seq"]?.int
    let record = try handlers.record(received, instance, number)
    guard let seq = number else {
      // An event without a number concerns only this connection, and has no position.
      guard let record else { return }
      guard let problem = store(record) else {
        log.bookmark = state.withLock { $0.cursor.position?.text }
        return
      }
      log.countLost(1)
      guard state.withLock({ $0.pace.due(1, now: MonotonicClock.now) }) != nil else { return }
      return JournalLog.write(.error, "\(name)an event is lost: \(problem)")
    }
    storeGap(before: seq)
    switch state.withLock({ $0.cursor.step(seq) }) {
    case .known: break
    case .refuse: if record != nil { refuse(seq, nil) }
    case .store:
      if let record, let problem = store(record, of: SpoolPosition(instance: instance, seq: seq)) {
        return refuse(seq, problem)
      }
      state.withLock { $0.cursor.stored(seq) }
    }
  }

  private func storeGap(before seq: Int) {
    let (position, gap) = state.withLock { ($0.cursor.position, $0.cursor.gap(before: seq)) }
    guard let gap else { return }
    if let problem = store(handlers.gap(position, gap.count, gap.position)) { return refuse(nil, problem) }
    let count = state.withLock { state in
      state.cursor.gapStored(before: seq)
      return state.gapPace.due(gap.count ?? 1, now: MonotonicClock.now)
    }
    log.countLost(gap.count ?? 0)
    guard count != nil else { return }
    JournalLog.write(.warning, "\(name)events of the service were missed")
  }

  /// Stores the record of an event. Returns the reason why the record is not on disk; nil if it is, or if it is too large and
  /// became a gap.
  private func store(_ record: [UInt8], of position: SpoolPosition? = nil) -> String? {
    defer { handlers.stored() }
    do {
      try log.append(record)
    } catch {
      guard error.code == .tooLarge else { return error.message }
      log.bookmark = position?.text
      JournalLog.write(.error, "\(name)an event is lost: \(error.message)")
    }
    return nil
  }

  private func refuse(_ seq: Int?, _ problem: String?) {
    let count = state.withLock { state in
      state.cursor.refuse(seq)
      return problem == nil ? nil : state.pace.due(1, now: MonotonicClock.now)
    }
    guard let problem, count != nil else { return }
    JournalLog.write(.error, "\(name)\(problem); events wait at the service, as far as clients.history reaches")
  }
}
