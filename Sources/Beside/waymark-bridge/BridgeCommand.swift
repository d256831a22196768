import ArgumentParser
import Foundation
import Glibc
import Synchronization
import WaymarkSpool
import WaymarkSystem

/// `waymark-bridge`: publishes the events of the service to a broker. `Bridge` below stores and publishes them.
@main
struct BridgeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "waymark-bridge",
    abstract: "Publish the events of the Waymark service to an MQTT broker.",
    discussion: """
      Events are stored on disk until the broker acknowledges them. The configuration selects the events, their fields and the \
      allowed commands; docs/fleet.md describes topics, payloads and guarantees.
      Examples:
        waymark-bridge --check
        waymark-bridge --config /etc/waymark/bridge.yaml
      """,
    version: waymarkVersion)

  @Option(help: "The configuration file.")
  var config = "/etc/waymark/bridge.yaml"

  @Option(help: "The service's socket (else the configuration's, else the one that waymark socket-path prints).")
  var socket: String?

  @Flag(help: "Check the configuration and what it names, and end.")
  var check = false

  func run() async throws {
    do {
      let configuration = try load()
      if check {
        let answer = "\(config) is good: \(configuration.device) at \(configuration.broker.host)\n"
        do {
          try FileHandle.standardOutput.write(contentsOf: Data(answer.utf8))
        } catch {
          // The caller has not received the answer.
          JournalLog.write(.error, "The answer cannot be written: \(error.localizedDescription)")
          throw ExitCode(74)
        }
        return
      }
      try await Bridge(configuration: configuration, socket: socketPath(configuration)).run()
    } catch let error as BridgeError {
      for line in error.description.split(separator: "\n") { JournalLog.write(.error, String(line)) }
      // The unit is not restarted after status 65, as the configuration would still be invalid.
      throw ExitCode(error.code == .badConfiguration ? 65 : 66)
    }
  }

  private func load() throws -> BridgeConfiguration {
    let text = String(decoding: try Self.read(config), as: UTF8.self)
    return try BridgeConfiguration(
      yaml: text, file: config, hostName: ProcessInfo.processInfo.hostName, checksFiles: true)
  }

  private static func read(_ path: String) throws(BridgeError) -> [UInt8] {
    do {
      return try WholeFile.read(path, limit: 1 << 20)
    } catch {
      throw BridgeError(.cannotOpen, error.message, hint: error.hint)
    }
  }

  private func socketPath(_ configuration: BridgeConfiguration) -> String {
    socket ?? configuration.socket ?? SocketPath.forClient(environment: ProcessInfo.processInfo.environment)
  }
}

/// Stores the events of the service in a log, and publishes them from there.
final class Bridge: Sendable {
  private let configuration: BridgeConfiguration
  private let log: EventLog
  private let publisher: BrokerPublisher
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
    publisher = BrokerPublisher(
      configuration: configuration, topics: topics, format: format, log: log, commands: continuation)
    feed = ServiceSubscriber(
      socket: socket, configuration: configuration, format: format, log: log, publisher: publisher, commands: commands)
  }

  /// Publishes events until SIGTERM or SIGINT arrives.
  func run() async throws {
    EndSignals.ignoreBrokenPipes()
    let figures = log.figures
    JournalLog.write(
      .notice,
      "bridge \(waymarkVersion) for \(configuration.device): \(figures.waiting) events wait for "
        + "\(configuration.broker.host):\(configuration.broker.effectivePort)")
    publisher.start()
    let feeding = Task { await feed.run() }
    await EndSignals.requested()
    JournalLog.write(.notice, "ending")
    feeding.cancel()
    // The thread may be connecting, which can block for minutes. The process exits without waiting for it, because the events stay
    // on disk.
    guard publisher.stop(within: 3) else {
      _ = log.synchronize()
      _exit(0)
    }
    _ = log.synchronize()
  }
}
