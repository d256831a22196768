import Foundation
import Glibc
import Synchronization
import WaymarkSpool
import WaymarkSystem

/// The whole: a feed of events from the service into the log, and a thread that carries them to the broker.
final class Bridge: Sendable {
  private let configuration: BridgeConfiguration
  private let log: EventLog
  private let courier: BrokerPublisher
  private let feed: ServiceSubscriber

  init(configuration: BridgeConfiguration, socket: String) throws(BridgeError) {
    guard let topics = BridgeTopics(prefix: configuration.prefix, device: configuration.device) else {
      throw BridgeError(
        .badConfiguration, "prefix or device cannot be part of a topic", hint: "Use letters and digits.")
    }
    self.configuration = configuration
    do {
      log = try EventLog(folder: configuration.storeFolder, limits: configuration.limits)
    } catch {
      throw BridgeError(.store, error.message, hint: error.hint, cause: error.cause)
    }
    let format = MessageFormat(topics: topics, device: configuration.device, selection: configuration.selection)
    let (commands, continuation) = AsyncStream.makeStream(
      of: CommandFilter.Command.self, bufferingPolicy: .bufferingOldest(64))
    courier = BrokerPublisher(
      configuration: configuration, topics: topics, format: format, log: log, commands: continuation)
    feed = ServiceSubscriber(
      socket: socket, configuration: configuration, format: format, log: log, courier: courier, commands: commands)
  }

  /// Runs until a signal ends it.
  func run() async throws {
    EndSignals.ignoreBrokenPipes()
    let figures = log.figures
    JournalLog.write(
      .notice,
      "bridge \(waymarkVersion) for \(configuration.device): \(figures.waiting) events wait for "
        + "\(configuration.broker.host):\(configuration.broker.effectivePort)")
    courier.start()
    let feeding = Task { await feed.run() }
    await EndSignals.requested()
    JournalLog.write(.notice, "ending")
    feeding.cancel()
    // A connection that is being made may hang for minutes. Whatever is on disk stays there.
    guard courier.stop(within: 3) else {
      _ = log.synchronize()
      _exit(0)
    }
    _ = log.synchronize()
  }
}
