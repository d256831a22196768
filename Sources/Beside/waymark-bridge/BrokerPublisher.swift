import Glibc
import Synchronization
import WaymarkSpool
import WaymarkSystem

/// Carries events from the log to the broker, and commands back: on a thread of its own, the only one that speaks MQTT.
final class BrokerPublisher: Sendable {
  /// How the service is.
  enum ServiceState: Equatable, Sendable {
    case running(version: String)
    case away
  }

  private struct Shared {
    var service = ServiceState.away
    /// Messages that are not kept: told if the broker listens, else forgotten.
    var passing: [BridgeMessage] = []
  }

  private let configuration: BridgeConfiguration
  private let topics: BridgeTopics
  private let format: MessageFormat
  private let log: EventLog
  private let commands: AsyncStream<CommandFilter.Command>.Continuation
  private let shared = Mutex(Shared())
  /// Readable while there is something to do.
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

  /// Begins.
  func start() {
    thread.start { [self] stop in
      var run = Run(self)
      run.loop(until: stop)
    }
  }

  /// Ends; false when it has not ended in time.
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

  /// There are new events in the log.
  func wake() { pipe.wake() }

  /// Tells what is of use only now.
  func publish(_ message: BridgeMessage) { pass(message, limit: 64) }

  /// Answers a command.
  func reply(_ payload: [UInt8]) { pass(BridgeMessage(topic: topics.reply, payload: payload), limit: 512) }

  private func pass(_ message: BridgeMessage, limit: Int) {
    shared.withLock { if $0.passing.count < limit { $0.passing.append(message) } }
    wake()
  }

  /// The service came or went.
  func serviceChanged(_ state: ServiceState) {
    shared.withLock { $0.service = state }
    wake()
  }

  /// The state of the thread.
  private struct Run {
    let courier: BrokerPublisher
    var sender: BridgeSender
    var gate: CommandFilter
    var connection: BrokerConnection?
    var connectingSince = 0.0
    var lastStatus: (text: [UInt8], at: Double)?
    /// The version of the service that Home Assistant was told of over this connection; empty where it is not known.
    var toldVersion: String?
    var lastSynchronized = 0.0
    var lastMetrics = -Double.infinity
    var isOutageLogged = false
    var refused: UInt64 = 0

    init(_ courier: BrokerPublisher) {
      self.courier = courier
      sender = BridgeSender(
        acknowledged: courier.log.figures.acknowledged, window: courier.configuration.broker.window)
      gate = CommandFilter(allowed: courier.configuration.commands)
    }

    mutating func loop(until stop: StopSignal) {
      while !stop.isRaised, !courier.isEnding.load(ordering: .acquiring) {
        let now = MonotonicClock.now
        writeMetrics(now)
        switch sender.step(now: now) {
        case .connect: connect(now)
        case .rest(let seconds):
          // Messages that came in meanwhile reach the disk anyway.
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
      let broker = courier.configuration.broker
      do {
        let will = BridgeMessage(
          topic: courier.topics.status, payload: Self.status([.init("status", "offline")]), isRetained: true)
        connection = try BrokerConnection(
          broker, clientID: broker.clientID ?? "waymark-\(courier.configuration.device)", will: will)
      } catch {
        end((error as? ConnectionFailure)?.text ?? (error as? BridgeError)?.message ?? "\(error)")
      }
    }

    private mutating func end(_ reason: String) {
      if !isOutageLogged { JournalLog.write(.warning, "the broker is away: \(reason)") }
      isOutageLogged = true
      connection = nil
      lastStatus = nil
      toldVersion = nil
      sender.disconnected(now: MonotonicClock.now)
    }

    /// Hands over what follows.
    ///
    /// - Returns: whether there was anything.
    private mutating func send(after: UInt64, count: Int) -> Bool {
      guard let connection else { return false }
      // Nothing is sent that a power cut could still take back: its number would be given to another event.
      synchronize(MonotonicClock.now, every: 0)
      for message in courier.shared.withLock({ shared in
        defer { shared.passing = [] }
        return shared.passing
      }) {
        _ = connection.publish(message, quality: message.topic == courier.topics.reply ? 1 : 0)
      }
      switch courier.log.read(after: after, count: count, bytes: 1 << 18) {
      case .empty: return false
      case .gap(let through):
        let loss = courier.format.lossMessage(
          after + 1...through, stream: courier.log.stream, time: WallClock.timestamp)
        JournalLog.write(.warning, "\(through - after) events were lost: the store was full or damaged")
        _ = publish(loss, sequence: through)
      case .records(let records):
        for record in records {
          guard let message = courier.format.message(of: record, stream: courier.log.stream) else {
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
      if let sequence { courier.log.acknowledge(through: sequence) }
    }

    private mutating func synchronize(_ now: Double, every seconds: Double) {
      guard now >= lastSynchronized + seconds else { return }
      lastSynchronized = now
      if let number = courier.log.synchronize() {
        JournalLog.write(.error, "the store cannot be written: \(systemMessage(number))")
      }
    }

    /// Waits for the network, for new events, or a second.
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
        sender.connected()
        isOutageLogged = false
        JournalLog.write(.notice, "connected, \(courier.log.figures.waiting) events wait")
        if !courier.configuration.commands.isEmpty { connection?.subscribe(to: courier.topics.commandFilter) }
      case .refused(let reason): end("it refuses this device: \(reason)")
      case .arrived(let message, let refusal):
        if let refusal {
          // Asking again would not help, and nothing behind it would ever arrive.
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
      guard let method = courier.topics.method(ofTopic: topic) else { return }
      switch gate.handle(method: method, payload: payload, isRetained: isRetained) {
      case .run(let command):
        JournalLog.write(.notice, "command \(command.method)")
        if case .enqueued = courier.commands.yield(command) { return }
        courier.reply(
          CommandFilter.reply(
            id: command.id, code: "busy", message: "Too many commands wait.", hint: "Try again later."))
      case .refuse(let id, let code, let message, let hint):
        courier.reply(CommandFilter.reply(id: id, code: code, message: message, hint: hint))
      case .ignore: break
      }
    }

    // MARK: Status

    private mutating func publishStatus(_ now: Double) {
      guard let connection else { return }
      let figures = courier.log.figures
      var members: [JSONValue.Member] = [.init("status", "online")]
      switch courier.shared.withLock({ $0.service }) {
      case .running(let version): members += [.init("service", "running"), .init("version", .string(version))]
      case .away: members.append(.init("service", "away"))
      }
      members += [
        .init("stream", .string(MessageFormat.id(stream: courier.log.stream, sequence: 0))),
        .init("dropped", .number(String(figures.dropped))), .init("refused", .number(String(refused))),
      ]
      // How many wait changes with every event: it is told when something else is, or it is time.
      let text = Self.status(members)
      if let lastStatus, lastStatus.text == text, now < lastStatus.at + Double(courier.configuration.statusEvery) {
        return
      }
      lastStatus = (text, now)
      let whole = Self.status(members + [.init("waiting", .number(String(figures.waiting)))])
      _ = connection.publish(BridgeMessage(topic: courier.topics.status, payload: whole, isRetained: true))
    }

    /// Tells Home Assistant of this device, once a connection and version of the service.
    private mutating func publishDiscovery() {
      guard let connection, let prefix = courier.configuration.homeAssistantPrefix else { return }
      let version: String? =
        if case .running(let version) = courier.shared.withLock({ $0.service }) { version } else { nil }
      guard toldVersion == nil || version != nil && version != toldVersion else { return }
      toldVersion = version ?? ""
      let discovery = HomeAssistantDiscovery(
        prefix: prefix, topics: courier.topics, device: courier.configuration.device)
      for message in discovery.messages(bridge: waymarkVersion, service: version) { _ = connection.publish(message) }
    }

    private mutating func writeMetrics(_ now: Double) {
      guard let file = courier.configuration.metricsFile, now >= lastMetrics + 15 else { return }
      lastMetrics = now
      let text = BridgeMetrics.text(
        isConnected: sender.isConnected, isServiceThere: courier.shared.withLock { $0.service } != .away,
        refused: refused, figures: courier.log.figures)
      // A file that cannot be written is missed by whoever reads it.
      try? DurableFile.replace(file, with: Array(text.utf8), mode: 0o644)
    }

    private static func status(_ members: [JSONValue.Member]) -> [UInt8] {
      (try? JSONLineEncoder.encode(JSONValue.object(members))) ?? []
    }

    private mutating func disconnect() {
      guard let connection, sender.isConnected else { return }
      let farewell = Self.status([.init("status", "offline"), .init("reason", "stopped")])
      _ = connection.publish(BridgeMessage(topic: courier.topics.status, payload: farewell, isRetained: true))
      let end = MonotonicClock.now + 1
      // Until the broker has it, and with it what went before.
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

    /// - Returns: what `poll` says of the socket.
    private func wait(seconds: Double, socket: Int32 = -1, events: Int32 = 0) -> Int32 {
      var list = [
        pollfd(fd: courier.pipe.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: socket, events: Int16(events), revents: 0),
      ]
      poll(&list, 2, Int32(min(seconds, 1) * 1000) + 1)
      if list[0].revents != 0 { courier.pipe.drain() }
      return Int32(list[1].revents)
    }
  }
}
