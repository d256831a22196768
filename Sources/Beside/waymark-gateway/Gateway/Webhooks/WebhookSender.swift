import NIOCore
import NIOSSL
import Synchronization
import WaymarkClient
import WaymarkProtocol
import WaymarkSpool
import WaymarkSystem

/// One address that events are sent to: its events on disk, and the task that carries them.
final class WebhookSender: Sendable {
  private struct State {
    var delivery: WebhookDelivery
    var position: EventID?
    var waiter: CheckedContinuation<Void, Never>?
    var isOutageLogged = false
    var isOver = false
  }

  /// Events that were put aside, at most.
  private static let asideLimits = EventLog.Limits(events: 1000, bytes: 8 << 20)

  let settings: GatewayConfiguration.Webhook
  private let secret: String
  private let patterns: EventPatterns
  private let log: EventLog
  private let aside: EventLog
  private let tls: NIOSSLContext?
  private let state: Mutex<State>

  /// Opens what waits for an address.
  ///
  /// - Throws: `GatewayError` when a folder, a secret or a certificate cannot be used.
  init(_ settings: GatewayConfiguration.Webhook, folder: String, limits: EventLog.Limits) throws(GatewayError) {
    self.settings = settings
    secret = try GatewayConfiguration.secret(settings.secretFile, named: "secret of \(settings.name)")
    var patterns = EventPatterns()
    patterns.add(settings.events)
    self.patterns = patterns
    do {
      log = try EventLog(folder: "\(folder)/\(settings.name)", limits: limits)
      aside = try EventLog(folder: "\(folder)/\(settings.name)-aside", limits: Self.asideLimits)
    } catch {
      throw GatewayError(.store, error.message, hint: error.hint, cause: error.cause)
    }
    tls = try Self.encryption(settings)
    let figures = log.figures
    state = Mutex(
      State(
        delivery: WebhookDelivery(acknowledged: figures.acknowledged, attempts: settings.attempts),
        position: Self.lastPosition(log)))
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

  /// The service's number of the last event that is on disk.
  private static func lastPosition(_ log: EventLog) -> EventID? {
    let last = log.figures.last
    guard last > 0, case .records(let records) = log.read(after: last - 1, count: 1), let record = records.first else {
      return nil
    }
    return Record(record.payload)?.position
  }

  // MARK: Taking

  /// The last event that is on disk.
  var position: EventID? { state.withLock { $0.position } }

  /// Takes an event of the service, where it is one of those that are sent and not on disk already.
  func take(name: String, line: String, id: EventID?) {
    guard patterns.match(name) || name == EventFeed.missedEvent else { return }
    let isNew = state.withLock { state in
      guard let id else { return true }
      if let last = state.position, last.instance == id.instance, last.seq >= id.seq { return false }
      state.position = id
      return true
    }
    guard isNew else { return }
    do {
      try log.append([Record(position: id, line: line).bytes])
    } catch {
      JournalLog.write(.error, "webhook \(settings.name): an event is lost: \(error.message)")
    }
    wake()
  }

  private func wake() {
    let waiter = state.withLock { state in
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }

  // MARK: Sending

  /// Sends until the task is cancelled. Whatever is on disk stays there.
  func run() async {
    await withTaskCancellationHandler {
      while !Task.isCancelled { await turn() }
    } onCancel: {
      state.withLock { $0.isOver = true }
      wake()
    }
    _ = log.synchronize()
  }

  private func turn() async {
    switch state.withLock({ $0.delivery.step(now: MonotonicClock.now) }) {
    case .rest(let seconds): try? await Task.sleep(for: .seconds(seconds))
    case .send(let after):
      switch log.read(after: after, count: 1) {
      case .empty: await wait(after)
      case .gap(let through):
        JournalLog.write(.error, "webhook \(settings.name): \(through - after) events were lost before they were sent")
        acknowledge(through)
      case .records(let records):
        for record in records { await send(record) }
      }
    }
  }

  /// Waits until an event comes.
  private func wait(_ after: UInt64) async {
    _ = log.synchronize()
    await withCheckedContinuation { continuation in
      let isReady = state.withLock { state in
        if state.isOver || log.figures.last > after { return true }
        state.waiter = continuation
        return false
      }
      if isReady { continuation.resume() }
    }
  }

  private func acknowledge(_ number: UInt64) {
    log.acknowledge(through: number)
    state.withLock { $0.delivery.skip(through: number) }
  }

  private func send(_ record: LogRecord) async {
    guard let event = Record(record.payload) else { return acknowledge(record.sequence) }
    let id = "\(log.stream.digits(16, radix: 16))-\(record.sequence)"
    let outcome: WebhookDelivery.Outcome
    do {
      outcome = WebhookDelivery.outcome(of: try await request(id, event).send())
    } catch {
      outcome = .failed("\(error)")
    }
    if Task.isCancelled, outcome != .delivered { return }
    let verdict = state.withLock { $0.delivery.finished(record.sequence, outcome, now: MonotonicClock.now) }
    switch verdict {
    case .acknowledge(let number):
      log.acknowledge(through: number)
      if state.withLock({ exchange(&$0.isOutageLogged, false) }) {
        JournalLog.write(.notice, "webhook \(settings.name): its receiver is back")
      }
    case .putAside(let number, let status):
      do {
        try aside.append([record.payload])
      } catch {
        JournalLog.write(.error, "webhook \(settings.name): \(error.message)")
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

  // MARK: Telling

  /// How it is, for `GET /v1/webhooks`.
  var figures: JSONValue {
    let (waiting, put) = (log.figures, aside.figures)
    let failure = state.withLock { $0.delivery.lastFailure }
    return .object([
      .init("name", .string(settings.name)), .init("waiting", .int(Int(clamping: waiting.waiting))),
      .init("lost", .int(Int(clamping: waiting.dropped))), .init("putAside", .int(Int(clamping: put.waiting))),
      .init("failure", failure.map(JSONValue.string) ?? .null),
    ])
  }

  /// An event on disk: its place among those of the service, and its line.
  private struct Record {
    let position: EventID?
    let line: String

    init(position: EventID?, line: String) {
      self.position = position
      self.line = line
    }

    init?(_ bytes: [UInt8]) {
      guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
      position = EventID(String(decoding: bytes[..<end], as: UTF8.self))
      line = String(decoding: bytes[(end + 1)...], as: UTF8.self)
    }

    var bytes: [UInt8] { Array(((position?.text ?? "") + "\n" + line).utf8) }
  }
}
