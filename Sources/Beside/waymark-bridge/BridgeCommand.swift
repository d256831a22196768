import ArgumentParser
import CMosquitto
import Foundation
import WaymarkSystem

/// `waymark-bridge`: publishes the events of the service to a broker.
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

  @Option(help: "The service's socket (else the configuration's, else $WAYMARK_SOCKET, else the system's).")
  var socket: String?

  @Flag(help: "Check the configuration and what it names, and end.")
  var check = false

  func run() async throws {
    do {
      let configuration = try load()
      if let problem = cmosquitto_load() {
        throw BridgeError(
          .noLibrary, "The MQTT library cannot be used: \(String(cString: problem))",
          hint: "Install it: apt-get install libmosquitto1")
      }
      if check {
        for file in configuration.namedFiles { _ = try Self.read(file) }
        _ = try configuration.broker.password()
        let answer = "\(config) is good: \(configuration.device) at \(configuration.broker.host)\n"
        do {
          try FileHandle.standardOutput.write(contentsOf: Data(answer.utf8))
        } catch {
          // The sender of the request did not get the answer.
          JournalLog.write(.error, "The answer cannot be written: \(error.localizedDescription)")
          throw ExitCode(74)
        }
        return
      }
      try await Bridge(configuration: configuration, socket: socketPath(configuration)).run()
    } catch let error as BridgeError {
      JournalLog.write(.error, "\(error.message). \(error.hint)")
      // A wrong configuration does not come right by itself: the unit is not started again for it.
      throw ExitCode(error.code == .badConfiguration ? 65 : error.code == .noLibrary ? 69 : 66)
    }
  }

  private func load() throws -> BridgeConfiguration {
    let text = String(decoding: try Self.read(config), as: UTF8.self)
    return try BridgeConfiguration(yaml: text, file: config, hostName: ProcessInfo.processInfo.hostName)
  }

  private static func read(_ path: String) throws(BridgeError) -> [UInt8] {
    do {
      return try WholeFile.read(path, limit: 1 << 20)
    } catch {
      throw BridgeError(.cannotOpen, error.message, hint: error.hint)
    }
  }

  private func socketPath(_ configuration: BridgeConfiguration) -> String {
    let environment = ProcessInfo.processInfo.environment["WAYMARK_SOCKET"]
    return socket ?? configuration.socket ?? environment ?? "/run/waymark/waymark.sock"
  }
}
