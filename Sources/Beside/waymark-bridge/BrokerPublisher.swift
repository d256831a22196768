import Glibc
import Synchronization
import WaymarkSpool
import WaymarkSystem

/// Publishes events from the log, and receives commands, on the only thread that uses the connection to the broker. `BridgeMetrics` at
/// the end writes its figures.
final class BrokerPublisher: Sendable {
  enum ServiceState: Equatable, Sendable {
    case running(version: String)
    case away
  }

  private struct Shared {
    var service = ServiceState.away
    /// Messages that are not stored on disk, to be sent with the next events. When a new connection begins, only the replies among
    /// them are sent.
    var unstored: [BridgeMessage] = []
  }

  private let configuration: BridgeConfiguration
  private let topics: BridgeTopics
  private let format: MessageFormat
  private let log: EventLog
  private let commands: AsyncStream<CommandFilter.Command>.Continuation
  private let shared = Mutex(Shared())
  /// Wakes the thread for new events and messages, and when it is to end.
  private let pipe = WakePipe()
  private let isEnding = Atomic(false)
  private let thread = WorkerThread(name: "broker")

  init(
    configuration: BridgeConfiguration, topics: BridgeTopics, format: MessageFormat, log: EventLog,
    commands: AsyncStream<CommandFilter.Command>.Continuation
  ) {
    self.configuration = configuration
    self.topics = topics
    self.format = format
    self.log = log
    self.commands = commands
  }

  /// Starts the thread, which connects to the broker.
  func start() {
    thread.start { [self] stop in
      var run = Run(self)
      run.loop(until: stop)
    }
  }

  /// Ends the thread; returns false if it has not ended within `seconds`.
  func stop(within seconds: Double) -> Bool {
    let ended = Monitor(false)
    let thread = thread
    let waiter = WorkerThread(name: "stop")
    isEnding.store(true, ordering: .releasing)
    wake()
    waiter.start { _ in
      thread.stop()
      ended.update { $0 = true }
    }
    return ended.wait(until: MonotonicClock.now + seconds) { $0 ? true : nil } ?? false
  }

  /// Wakes the thread, as there are new events in the log.
  func wake() { pipe.wake() }

  /// Sends a message that is not stored on disk. If 64 messages wait already, the message is dropped.
  func publish(_ message: BridgeMessage) { pass(message, limit: 64) }

  /// Sends the reply to a command, with QoS 1. If 512 messages wait already, the reply is dropped.
  func reply(_ payload: [UInt8]) { pass(BridgeMessage(topic: topics.reply, payload: payload), limit: 512) }

  private func pass(_ message: BridgeMessage, limit: Int) {
    shared.withLock { if $0.unstored.count < limit { $0.unstored.append(message) } }
    wake()
  }

  /// Sets the state of the service, which is published with the device's status.
  func serviceChanged(_ state: ServiceState) {
    shared.withLock { $0.service = state }
    wake()
  }

  /// The state that only the thread uses, and the thread's loop.
  private struct Run {
    let publisher: BrokerPublisher
    var sender: BridgeSender
    var gate: CommandFilter
    var connection: BrokerConnection?
    var connectingSince = 0.0
    var lastStatus: (text: [UInt8], at: Double)?
    /// The version of the service that was announced to Home Assistant over this connection: nil before an announcement, empty if
    /// unknown.
    var announcedVersion: String?
    var lastSynchronized = 0.0
    var lastMetrics = -Double.infinity
    var isOutageLogged = false
    var gapPace = LinePace()
    var storePace = LinePace()
    var refused: UInt64 = 0

    init(_ publisher: BrokerPublisher) {
      self.publisher = publisher
      sender = BridgeSender(
        acknowledged: publisher.log.figures.acknowledged, window: publisher.configuration.broker.window)
      gate = CommandFilter(allowed: publisher.configuration.commands)
    }

    mutating func loop(until stop: StopSignal) {
      while !stop.isRaised, !publisher.isEnding.load(ordering: .acquiring) {
        let now = MonotonicClock.now
        writeMetrics(now)
        switch sender.step(now: now) {
        case .connect: connect(now)
        case .rest(let seconds):
          // Events that arrive without a connection are flushed to disk, too.
          synchronize(now, every: 1)
          _ = wait(seconds: min(seconds, 1))
        case .send(let after, let count):
          publishDiscovery()
          publishStatus(now)
          if !send(after: after, count: count) { turn() }
        case .listen:
          if sender.isConnected {
            publishDiscovery()
            publishStatus(now)
          }
          if !sender.isConnected, now > connectingSince + 20 { end("the broker does not answer") } else { turn() }
        }
      }
      disconnect()
    }

    private mutating func connect(_ now: Double) {
      connectingSince = now
      let broker = publisher.configuration.broker
      do {
        let will = BridgeMessage(
          topic: publisher.topics.status, payload: Self.status([.init("status", "offline")]), isRetained: true)
        connection = try BrokerConnection(
          broker, clientID: broker.clientID ?? "waymark-\(publisher.configuration.device)", will: will)
      } catch {
        end((error as? ConnectionFailure)?.text ?? (error as? BridgeError)?.message ?? "\(error)")
      }
    }

    private mutating func end(_ reason: String) {
      if !isOutageLogged { JournalLog.write(.warning, "the broker is away: \(reason)") }
      isOutageLogged = true
      connection = nil
      lastStatus = nil
      announcedVersion = nil
      sender.disconnected(now: MonotonicClock.now)
    }

    /// Sends the messages that are not stored, and up to `count` events after a number.
    ///
    /// - Returns: false if the log has no further events.
    private mutating func send(after: UInt64, count: Int) -> Bool {
      guard let connection else { return false }
      // Events are flushed before they are sent. If a power cut lost a sent event, its number would be used again for another
      // event.
      synchronize(MonotonicClock.now, every: 0)
      for message in publisher.shared.withLock({ shared in
        defer { shared.unstored = [] }
        return shared.unstored
      }) {
        _ = connection.publish(message, quality: message.topic == publisher.topics.reply ? 1 : 0)
      }
      switch publisher.log.read(after: after, count: count, bytes: 1 << 18) {
      case .empty: return false
      case .gap(let through):
        let loss = publisher.format.lossMessage(
          after + 1...through, stream: publisher.log.stream, time: WallClock.timestamp)
        if let lost = gapPace.due(Int(clamping: through - after), now: MonotonicClock.now) {
          JournalLog.write(.warning, "\(lost) events were lost: the store was full or damaged")
        }
        _ = publish(loss, sequence: through)
      case .records(let records):
        for record in records {
          guard let message = publisher.format.message(of: record, stream: publisher.log.stream) else {
            acknowledge(sender.skip(record.sequence))
            continue
          }
          guard publish(message, sequence: record.sequence) else { break }
        }
      }
      return true
    }

    private mutating func publish(_ message: BridgeMessage, sequence: UInt64) -> Bool {
      guard let connection else { return false }
      switch connection.publish(message) {
      case .underway(let number): sender.sent(sequence, message: number)
      case .impossible(let reason):
        refused += 1
        JournalLog.write(.error, "event \(sequence) cannot be sent to any broker: \(reason)")
        acknowledge(sender.skip(sequence))
      case .failed(let reason):
        end(reason)
        return false
      }
      return true
    }

    private func acknowledge(_ sequence: UInt64?) {
      if let sequence { publisher.log.acknowledge(through: sequence) }
    }

    private mutating func synchronize(_ now: Double, every seconds: Double) {
      guard now >= lastSynchronized + seconds else { return }
      lastSynchronized = now
      if let number = publisher.log.synchronize(), storePace.due(1, now: now) != nil {
        JournalLog.write(.error, "the store cannot be written: \(systemMessage(number))")
      }
    }

    /// Waits for the network or for new events, for a second at most, and handles incidents of the connection.
    private mutating func turn() {
      guard let connection else { return }
      let events = wait(
        seconds: 1, socket: connection.socket, events: POLLIN | (connection.wantsWrite ? POLLOUT : 0))
      let isAlive = connection.turn(
        readable: events & (POLLIN | POLLHUP | POLLERR) != 0, writable: events & POLLOUT != 0)
      for incident in connection.takeIncidents() { handle(incident) }
      if !isAlive, self.connection != nil { end(connection.endReason ?? "the connection ended") }
    }

    private mutating func handle(_ incident: BrokerConnection.Incident) {
      switch incident {
      case .connected:
        // Frequent events of the outage are stale and dropped; replies are sent.
        publisher.shared.withLock { shared in shared.unstored.removeAll { $0.topic != publisher.topics.reply } }
        sender.connected()
        isOutageLogged = false
        JournalLog.write(.notice, "connected, \(publisher.log.figures.waiting) events wait")
        if !publisher.configuration.commands.isEmpty { connection?.subscribe(to: publisher.topics.commandFilter) }
      case .refused(let reason): end("it refuses this device: \(reason)")
      case .arrived(let message, let refusal):
        if let refusal {
          // A refused event is not sent again: it would be refused again, and delay all later events.
          refused += 1
          if refused == 1 || refused % 1000 == 0 {
            JournalLog.write(.error, "the broker refuses events of this device (\(refused) so far): \(refusal)")
          }
        }
        acknowledge(sender.arrived(message: message))
      case .received(let topic, let payload, let isRetained): execute(topic, payload, isRetained)
      }
    }

    private mutating func execute(_ topic: String, _ payload: [UInt8], _ isRetained: Bool) {
      guard let method = publisher.topics.method(ofTopic: topic) else { return }
      switch gate.handle(method: method, payload: payload, isRetained: isRetained) {
      case .run(let command):
        JournalLog.write(.notice, "command \(command.method)")
        if case .enqueued = publisher.commands.yield(command) { return }
        publisher.reply(
          CommandFilter.reply(
            id: command.id, code: "busy", message: "Too many commands wait.", hint: "Try again later."))
      case .refuse(let id, let code, let message, let hint):
        publisher.reply(CommandFilter.reply(id: id, code: code, message: message, hint: hint))
      case .ignore: break
      }
    }

    // MARK: Status

    private mutating func publishStatus(_ now: Double) {
      guard let connection else { return }
      let figures = publisher.log.figures
      var members: [JSONValue.Member] = [.init("status", "online")]
      switch publisher.shared.withLock({ $0.service }) {
      case .running(let version): members += [.init("service", "running"), .init("version", .string(version))]
      case .away: members.append(.init("service", "away"))
      }
      members += [
        .init("stream", .string(MessageFormat.id(stream: publisher.log.stream, sequence: 0))),
        .init("dropped", .number(String(figures.dropped))), .init("refused", .number(String(refused))),
      ]
      // The number of waiting events changes with every event: it is published with other changes, or after a time.
      let text = Self.status(members)
      if let lastStatus, lastStatus.text == text, now < lastStatus.at + Double(publisher.configuration.statusEvery) {
        return
      }
      lastStatus = (text, now)
      let whole = Self.status(members + [.init("waiting", .number(String(figures.waiting)))])
      _ = connection.publish(BridgeMessage(topic: publisher.topics.status, payload: whole, isRetained: true))
    }

    /// Announces this device to Home Assistant, once for each connection and each version of the service.
    private mutating func publishDiscovery() {
      guard let connection, let prefix = publisher.configuration.homeAssistantPrefix else { return }
      let version: String? =
        if case .running(let version) = publisher.shared.withLock({ $0.service }) { version } else { nil }
      guard announcedVersion == nil || version != nil && version != announcedVersion else { return }
      announcedVersion = version ?? ""
      let discovery = HomeAssistantDiscovery(
        prefix: prefix, topics: publisher.topics, device: publisher.configuration.device)
      for message in discovery.messages(bridge: waymarkVersion, service: version) { _ = connection.publish(message) }
    }

    private mutating func writeMetrics(_ now: Double) {
      guard let file = publisher.configuration.metricsFile, now >= lastMetrics + 15 else { return }
      lastMetrics = now
      let text = BridgeMetrics.text(
        isConnected: sender.isConnected, isServiceThere: publisher.shared.withLock { $0.service } != .away,
        refused: refused, figures: publisher.log.figures)
      // Errors are ignored: the age of the file shows its readers that it cannot be written.
      try? DurableFile.replace(file, with: Array(text.utf8), mode: 0o644)
    }

    private static func status(_ members: [JSONValue.Member]) -> [UInt8] {
      (try? JSONLineEncoder.encode(JSONValue.object(members))) ?? []
    }

    private mutating func disconnect() {
      guard let connection, sender.isConnected else { return }
      let farewell = Self.status([.init("status", "offline"), .init("reason", "stopped")])
      _ = connection.publish(BridgeMessage(topic: publisher.topics.status, payload: farewell, isRetained: true))
      let end = MonotonicClock.now + 1
      // Waits until the broker has acknowledged all events that were sent, for a second at most.
      repeat {
        var fd = pollfd(fd: connection.socket, events: Int16(POLLIN), revents: 0)
        poll(&fd, 1, 50)
        guard connection.turn(readable: fd.revents != 0, writable: connection.wantsWrite) else { return }
        for incident in connection.takeIncidents() {
          if case .arrived(let message, nil) = incident { acknowledge(sender.arrived(message: message)) }
        }
      } while MonotonicClock.now < end && (sender.inFlight > 0 || connection.wantsWrite)
      connection.disconnect()
    }

    /// Waits for the socket or for `wake`.
    ///
    /// - Returns: the events that `poll` reports for the socket.
    private func wait(seconds: Double, socket: Int32 = -1, events: Int32 = 0) -> Int32 {
      var list = [
        pollfd(fd: publisher.pipe.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: socket, events: Int16(events), revents: 0),
      ]
      poll(&list, 2, Int32(min(seconds, 1) * 1000) + 1)
      if list[0].revents != 0 { publisher.pipe.drain() }
      return Int32(list[1].revents)
    }
  }
}

// MARK: - Figures

/// Writes the bridge's figures in the text exposition format of Prometheus, version 0.0.4.
private enum BridgeMetrics {
  /// Returns the figures; `refused` counts the events that the broker refused.
  static func text(isConnected: Bool, isServiceThere: Bool, refused: UInt64, figures: EventLog.Figures)
    -> String
  {
    let rows: [(name: String, type: String, help: String, value: UInt64)] = [
      ("connected", "gauge", "1 while the broker is connected.", isConnected ? 1 : 0),
      ("service_connected", "gauge", "1 while the service of this device is connected.", isServiceThere ? 1 : 0),
      ("events_total", "counter", "Events that the store has taken since it was made.", figures.last),
      ("events_waiting", "gauge", "Events that the broker has not acknowledged.", figures.waiting),
      (
        "events_dropped_total", "counter", "Events that were lost because the store was full or damaged.",
        figures.dropped
      ),
      ("events_refused_total", "counter", "Events that the broker refused.", refused),
      ("store_bytes", "gauge", "Bytes that the store has on disk.", UInt64(max(0, figures.bytes))),
    ]
    var text = MetricsText(prefix: "waymark_bridge_")
    for row in rows { text.add(row.name, row.type, row.help, row.value) }
    return text.lines.map { $0 + "\n" }.joined()
  }
}
