import ArgumentParser
import Foundation
import Logging
import WaymarkSystem

/// `waymark-gateway`: the protocol of the service over HTTP.
@main
struct GatewayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "waymark-gateway",
    abstract: "Serve the protocol of the Waymark service over HTTP.",
    discussion: """
      Requests are POST /v1/METHOD, events are GET /v1/events, and GET /v1/openapi.json describes all of it; see docs/gateway.md. \
      Without a configuration file it listens on a Unix socket.
      Examples:
        waymark-gateway --check
        waymark-gateway --config /etc/waymark/gateway.yaml
      """,
    version: waymarkVersion)

  @Option(help: "The configuration file (default: /etc/waymark/gateway.yaml, where there is one).")
  var config: String?

  @Option(help: "The service's socket (else the configuration's, else the one that waymark socket-path prints).")
  var socket: String?

  @Option(help: "The folder of the page's files (default: that of the package).")
  var page: String?

  @Flag(help: "Check the configuration and what it names, and end.")
  var check = false

  func run() async throws {
    do {
      let configuration = try load()
      let page = self.page.map { GatewayPage(folder: $0) } ?? GatewayPage()
      if check {
        let places = configuration.listen.map(\.text).joined(separator: ", ")
        let absence = page.absence.map { "; \($0)" } ?? ""
        let file = config ?? (FileKind(Self.standardFile) == nil ? "The default configuration" : Self.standardFile)
        try report("\(file) is good: listens on \(places)\(absence)\n")
        return
      }
      try await serve(configuration, page)
    } catch let error as GatewayError {
      for line in error.description.split(separator: "\n") { JournalLog.write(.error, String(line)) }
      // The unit is not restarted after status 65, as the configuration would still be invalid.
      throw ExitCode(error.code == .badConfiguration ? 65 : 66)
    }
  }

  private static let standardFile = "/etc/waymark/gateway.yaml"

  private func load() throws -> GatewayConfiguration {
    let path = config ?? Self.standardFile
    do {
      return try GatewayConfiguration(
        yaml: String(decoding: try WholeFile.read(path, limit: 1 << 20), as: UTF8.self), file: path, checksFiles: true)
    } catch let error as FileError {
      if config == nil, error.code == .notFound { return GatewayConfiguration() }
      throw GatewayError(.cannotOpen, error.message, hint: error.hint)
    }
  }

  private func report(_ answer: String) throws {
    do {
      try FileHandle.standardOutput.write(contentsOf: Data(answer.utf8))
    } catch {
      // The caller has not received the answer.
      JournalLog.write(.error, "The answer cannot be written: \(error.localizedDescription)")
      throw ExitCode(74)
    }
  }

  private func serve(_ configuration: GatewayConfiguration, _ page: GatewayPage) async throws {
    if let absence = page.absence { JournalLog.write(.warning, absence) }
    var logger = Logger(label: "waymark-gateway") { _ in SwiftLogNoOpLogHandler() }
    logger.logLevel = .critical
    let usual = SocketPath.forClient(environment: ProcessInfo.processInfo.environment)
    let server = try GatewayServer(
      configuration: configuration,
      socket: socket ?? configuration.socket ?? usual, page: page, version: waymarkVersion, logger: logger)
    let serving = Task {
      try await server.run { JournalLog.write(.notice, "gateway \(waymarkVersion) listens on \($0.text)") }
    }
    let ending = Task {
      await EndSignals.requested()
      serving.cancel()
    }
    defer { ending.cancel() }
    do {
      try await serving.value
    } catch is CancellationError {
      JournalLog.write(.notice, "ending")
    }
  }
}
