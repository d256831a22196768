import NIOCore
import NIOSSL
import Synchronization
import WaymarkClient
import WaymarkProtocol
import WaymarkSpool
import WaymarkSystem

/// Sends the events of one webhook, which are kept on disk until they are delivered. `WebhookDelivery` below decides which event is
/// sent next, and when.
final class WebhookSender: Sendable {
  private struct State {
    var delivery: WebhookDelivery
    var isOutageLogged = false
    var gapPace = LinePace()
    /// The number at which the last reported gap ends.
    var gapEnd: UInt64 = 0
    var asidePace = LinePace()
  }

  /// The limits of the events that are put aside.
  private static let asideLimits = EventLog.Limits(events: 1000, bytes: 8 << 20)

  let settings: GatewayConfiguration.Webhook
  private let secret: String
  private let log: EventLog
  private let aside: EventLog
  private let feed: SpoolFeed
  private let tls: NIOSSLContext?
  private let state: Mutex<State>
  /// Yields after events have been stored in the log.
  private let news: AsyncStream<Void>

  /// Opens the stored events of a webhook.
  ///
  /// - Parameters:
  ///   - service: the service's socket.
  ///   - outage: reports that the service is unavailable.
  /// - Throws: `GatewayError` when a folder, a secret or a certificate cannot be used.
  init(
    _ settings: GatewayConfiguration.Webhook, folder: String, limits: EventLog.Limits, service: String,
    outage: ServiceOutage
  ) throws(GatewayError) {
    self.settings = settings
    secret = try GatewayConfiguration.secret(settings.secretFile, named: "secret of \(settings.name)")
    do {
      log = try EventLog(folder: "\(folder)/\(settings.name)", limits: limits)
      aside = try EventLog(folder: "\(folder)/\(settings.name)-aside", limits: Self.asideLimits)
    } catch {
      throw GatewayError(.store, error.message, hint: error.hint, cause: error.cause)
    }
    tls = try Self.encryption(settings)
    state = Mutex(
      State(delivery: WebhookDelivery(acknowledged: log.figures.acknowledged, attempts: settings.attempts)))
    let (news, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.news = news
    var patterns = EventPatterns()
    patterns.add(settings.events)
    let role = settings.role
    let handlers = SpoolFeed.Handlers {
      try await WaymarkClient.connect(to: service, role: role)
    } record: { [patterns] received, instance, seq in
      // The next subscription replays the lost events, or they are counted as missed.
      if case .streamDropped = received.event.body { throw SpoolFeed.Resubscription() }
      guard let seq, patterns.match(received.event.body.name) else { return nil }
      return Record(position: SpoolPosition(instance: instance, seq: seq), line: received.line).bytes
    } gap: { _, count, end in
      Record(position: end, line: EventFeed.missedLine(count: count)).bytes
    } stored: {
      signal.yield()
    }
    // `gateway.missed` is not an event of the service and is sent without a pattern.
    let asked = settings.events.filter { EventPatterns.fault(of: $0) == nil }
    let subscribed = asked.count <= EventPatterns.maximum ? asked : ["*", "statistics"]
    feed = SpoolFeed(
      name: "webhook \(settings.name): ", log: log, events: subscribed, position: Self.lastPosition(log),
      outage: outage, handlers: handlers)
  }

  private static func encryption(_ settings: GatewayConfiguration.Webhook) throws(GatewayError) -> NIOSSLContext? {
    guard settings.url.isSecure else { return nil }
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.minimumTLSVersion = .tlsv12
    if let file = settings.caFile { configuration.trustRoots = .file(file) }
    do {
      return try NIOSSLContext(configuration: configuration)
    } catch {
      throw GatewayError(
        .cannotOpen, "The certificates for the webhook \(settings.name) cannot be used: \(error)",
        hint: "Check webhooks.\(settings.name).caFile.")
    }
  }

  /// Reads the position of the last event on disk; nil if unknown.
  private static func lastPosition(_ log: EventLog) -> SpoolPosition? {
    let last = log.figures.last
    guard last > 0, case .records(let records) = log.read(after: last - 1, count: 1), let record = records.first else {
      return nil
    }
    return Record(record.payload)?.position
  }

  // MARK: Sending

  /// Stores the events of the service, and sends them, until the task is cancelled. Events that were not delivered stay on disk.
  func run() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.feed.run() }
      group.addTask {
        var news = self.news.makeAsyncIterator()
        while !Task.isCancelled { await self.turn(&news) }
      }
    }
    _ = log.synchronize()
  }

  private func turn(_ news: inout AsyncStream<Void>.Iterator) async {
    switch state.withLock({ $0.delivery.step(now: MonotonicClock.now) }) {
    case .rest(let seconds): try? await Task.sleep(for: .seconds(seconds))
    case .send(let after):
      switch log.read(after: after, count: 1) {
      case .empty:
        _ = log.synchronize()
        await news.next()
      case .gap(let through):
        reportGap(through, after: after)
        await send(
          through, Record(position: nil, line: EventFeed.missedLine(count: Int(clamping: through - after))))
      case .records(let records):
        for record in records {
          guard let event = Record(record.payload) else {
            acknowledge(record.sequence)
            continue
          }
          await send(record.sequence, event)
        }
      }
    }
  }

  private func reportGap(_ through: UInt64, after: UInt64) {
    let count = state.withLock { state in
      let lost = through - min(through, max(after, state.gapEnd))
      state.gapEnd = max(state.gapEnd, through)
      return state.gapPace.due(Int(clamping: lost), now: MonotonicClock.now)
    }
    guard let count else { return }
    JournalLog.write(.error, "webhook \(settings.name): \(count) events were lost before they were sent")
  }

  private func acknowledge(_ number: UInt64) {
    log.acknowledge(through: number)
    state.withLock { $0.delivery.skip(through: number) }
  }

  private func send(_ sequence: UInt64, _ event: Record) async {
    let id = "\(log.stream.digits(16, radix: 16))-\(sequence)"
    let outcome: WebhookDelivery.Outcome
    do {
      outcome = WebhookDelivery.outcome(of: try await request(id, event).send())
    } catch {
      outcome = .failed(WebhookRequest.reason(of: error, at: settings.url))
    }
    if Task.isCancelled, outcome != .delivered { return }
    let verdict = state.withLock { $0.delivery.finished(sequence, outcome, now: MonotonicClock.now) }
    switch verdict {
    case .acknowledge(let number):
      log.acknowledge(through: number)
      if state.withLock({ exchange(&$0.isOutageLogged, false) }) {
        JournalLog.write(.notice, "webhook \(settings.name): its receiver is back")
      }
    case .putAside(let number, let status):
      do {
        try aside.append(event.bytes)
      } catch {
        let count = state.withLock { state in
          state.delivery.restore(number, now: MonotonicClock.now)
          return state.asidePace.due(1, now: MonotonicClock.now)
        }
        if count != nil { JournalLog.write(.error, "webhook \(settings.name): \(error.message)") }
        return
      }
      log.acknowledge(through: number)
      JournalLog.write(
        .error,
        "webhook \(settings.name): event \(id) was refused \(settings.attempts) times, at last with \(status); it is put aside"
      )
    case .again:
      guard !state.withLock({ exchange(&$0.isOutageLogged, true) }) else { return }
      let reason = state.withLock { $0.delivery.lastFailure } ?? "it failed"
      JournalLog.write(.warning, "webhook \(settings.name): \(reason); events wait on disk")
    }
  }

  private func exchange(_ value: inout Bool, _ new: Bool) -> Bool {
    defer { value = new }
    return value
  }

  private func request(_ id: String, _ event: Record) -> WebhookRequest {
    let timestamp = Int(WallClock.now)
    let body = Array(event.line.utf8)
    return WebhookRequest(
      address: settings.url,
      headers: [
        ("Content-Type", "application/json"), ("User-Agent", "waymark-gateway"), ("Waymark-Id", id),
        ("Waymark-Timestamp", "\(timestamp)"),
        ("Waymark-Signature", WebhookSignature.of(body, timestamp: timestamp, secret: secret)),
      ], body: body, tls: tls, timeout: .seconds(Int64(settings.timeout)))
  }

  // MARK: Figures

  /// The numbers of events that wait, that were put aside and that were lost, and the bytes of both stores on disk.
  var counts: (waiting: UInt64, putAside: UInt64, lost: UInt64, bytes: Int) {
    let (waiting, put) = (log.figures, aside.figures)
    return (waiting.waiting, put.waiting, waiting.dropped, waiting.bytes + put.bytes)
  }

  /// The webhook's figures for `GET /v1/webhooks`.
  var figures: JSONValue {
    let counts = counts
    let failure = state.withLock { $0.delivery.lastFailure }
    return .object([
      .init("name", .string(settings.name)), .init("waiting", .int(Int(clamping: counts.waiting))),
      .init("lost", .int(Int(clamping: counts.lost))), .init("putAside", .int(Int(clamping: counts.putAside))),
      .init("failure", failure.map(JSONValue.string) ?? .null),
    ])
  }

  /// An event on disk: its position among the service's events, nil for a gap, and its line.
  private struct Record {
    let position: SpoolPosition?
    let line: String

    init(position: SpoolPosition?, line: String) {
      self.position = position
      self.line = line
    }

    init?(_ bytes: [UInt8]) {
      guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
      position = SpoolPosition(String(decoding: bytes[..<end], as: UTF8.self))
      line = String(decoding: bytes[(end + 1)...], as: UTF8.self)
    }

    var bytes: [UInt8] { Array(((position?.text ?? "") + "\n" + line).utf8) }
  }
}

// MARK: - Order and time of delivery

/// Decides which event is sent to one address next, and when. A value without clock, network and disk.
///
/// Events are sent one at a time, in the order of their numbers. While the receiver cannot be reached, all events wait. An event
/// that the receiver refuses is put aside after `attempts` attempts, and the next event is sent.
struct WebhookDelivery: Sendable {
  /// An action for the caller of `step`.
  enum Step: Hashable, Sendable {
    /// Send the event whose number follows `after`.
    case send(after: UInt64)
    /// Wait for this number of seconds, then call `step` again.
    case rest(Double)
  }

  /// The result of an attempt to send an event.
  enum Outcome: Hashable, Sendable {
    /// The receiver has accepted the event.
    case delivered
    /// The receiver has refused the event with this status.
    case refused(Int)
    /// The receiver cannot be reached, or cannot accept the event now.
    case failed(String)
  }

  /// The action after an attempt to send an event.
  enum Consequence: Hashable, Sendable {
    /// All events up to the number are delivered or put aside.
    case acknowledge(UInt64)
    /// The event with this number is put aside; all events before it are delivered or put aside.
    case putAside(UInt64, status: Int)
    /// The event is sent again later.
    case again
  }

  private let attempts: Int
  private var backoff: Backoff
  private var until = -Double.infinity
  private var refusals = 0
  /// The number up to which all events are delivered, put aside or lost.
  private(set) var acknowledged: UInt64
  /// The reason why the last attempt failed; nil after a success.
  private(set) var lastFailure: String?

  /// - Parameters:
  ///   - acknowledged: the number up to which all events are delivered, put aside or lost.
  ///   - attempts: the number of times that a refused event is sent.
  init(acknowledged: UInt64, attempts: Int, backoff: Backoff = Backoff(first: 1, longest: 300)) {
    self.acknowledged = acknowledged
    self.attempts = attempts
    self.backoff = backoff
  }

  /// Returns the action at the time `now`, in seconds of a monotonic clock.
  func step(now: Double) -> Step { until > now ? .rest(until - now) : .send(after: acknowledged) }

  /// Skips the events up to a number, which are lost or invalid.
  mutating func skip(through number: UInt64) { acknowledged = max(acknowledged, number) }

  /// Handles the outcome of an attempt to send the event with a number.
  ///
  /// - Parameter chance: a random number from 0 to 1. Gateways that lost their receiver at the same time then try again at
  ///   different times.
  mutating func finished(
    _ number: UInt64, _ outcome: Outcome, now: Double, chance: Double = .random(in: 0...1)
  ) -> Consequence {
    switch outcome {
    case .delivered:
      done(number)
      lastFailure = nil
      return .acknowledge(number)
    case .refused(let status):
      refusals += 1
      lastFailure = "it was refused with \(status)"
      if refusals >= attempts {
        done(number)
        return .putAside(number, status: status)
      }
    case .failed(let reason): lastFailure = reason
    }
    until = now + backoff.next(chance: chance)
    return .again
  }

  /// Schedules the event of a number again, as it could not be put aside.
  mutating func restore(_ number: UInt64, now: Double, chance: Double = .random(in: 0...1)) {
    acknowledged = number - 1
    until = now + backoff.next(chance: chance)
  }

  private mutating func done(_ number: UInt64) {
    acknowledged = number
    refusals = 0
    until = -.infinity
    backoff.reset()
  }

  /// Returns the outcome for the status of an answer (RFC 9110, section 15). A status that may differ at a later attempt is a
  /// failure.
  static func outcome(of status: Int) -> Outcome {
    switch status {
    case 200..<300: .delivered
    case 408, 425, 429: .failed("it answered \(status)")
    case 400..<500: .refused(status)
    default: .failed("it answered \(status)")
    }
  }
}

extension GatewayConfiguration {
  /// Returns the webhooks, with their pending events.
  ///
  /// - Parameters:
  ///   - service: the service's socket.
  ///   - outage: reports that the service is unavailable.
  /// - Throws: with the code `store` or `cannotOpen`.
  func openWebhooks(service: String, outage: ServiceOutage) throws(GatewayError) -> [WebhookSender] {
    guard !webhooks.isEmpty else { return [] }
    do {
      try Folder.make(storeFolder, withParents: false)
    } catch {
      throw GatewayError(.store, error.message, hint: error.hint, cause: error.cause)
    }
    var opened: [WebhookSender] = []
    for settings in webhooks {
      opened.append(
        try WebhookSender(settings, folder: storeFolder, limits: storeLimits, service: service, outage: outage))
    }
    return opened
  }
}
