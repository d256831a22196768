import HTTPTypes
import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore

/// The page's HTTP server: files, commands, events and pictures, for whoever holds the token.
package struct KioskServer: Sendable {
  /// The largest picture that is taken from a person's device, in bytes.
  package static let uploadLimit = 16 << 20
  /// The largest command, in bytes.
  static let commandLimit = 64 << 10
  /// How long a client may take to send a whole body.
  static let bodyDeadline = Duration.seconds(30)
  /// How long a connection may stay without a complete request.
  static let idleSeconds: Int64 = 15
  /// More connections than this wait unanswered.
  package static let connectionLimit = 200
  /// More event streams, and more picture streams, than this are refused.
  static let streamLimit = 16

  let options: KioskOptions
  let backend: any KioskBackend
  let assets: Assets
  private let logger: Logger

  /// A server that is not yet listening.
  ///
  /// - Throws: `KioskError` when the page's files are missing.
  package init(options: KioskOptions, backend: any KioskBackend, logger: Logger) throws(KioskError) {
    self.options = options
    self.backend = backend
    self.logger = logger
    assets = try Assets(folder: options.assets)
  }

  /// Listens until the task is cancelled or a graceful shutdown is asked for.
  ///
  /// - Parameter onListening: called with the port once the server accepts connections.
  package func run(onListening: @escaping @Sendable (Int) async -> Void = { _ in }) async throws {
    let gate = AccessGate()
    let router = router(behind: gate)
    let host = options.host
    let token = options.token.value
    let application = Application(
      responder: router.buildResponder(),
      server: .http1(
        configuration: .init(
          idleTimeout: .seconds(Self.idleSeconds),
          httpDecoderConfiguration: .init(
            maxHeaderFieldSize: 8 << 10, maxHeaderListSize: 16 << 10, maxHeaderFieldCount: 64))),
      configuration: .init(
        address: .hostname(host, port: options.port), serverName: nil,
        availableConnectionsDelegate: MaximumAvailableConnections(Self.connectionLimit)),
      onServerRunning: { channel in
        let port = channel.localAddress?.port ?? 0
        gate.open(AccessGuard(token: token, authorities: AccessGuard.authorities(host: host, port: port)))
        await onListening(port)
      }, logger: logger)
    do {
      try await application.run()
    } catch {
      if error is CancellationError { throw error }
      throw KioskError(
        code: .listen, message: "Cannot listen on \(host), port \(options.port): \(error).",
        hint: "Name a free port of this machine with --listen ADDRESS:PORT.")
    }
  }

  /// Every route, behind the gate.
  func router(behind gate: AccessGate) -> Router<BasicRequestContext> {
    let router = Router()
    router.add(middleware: RequestGuard(gate: gate, token: options.token.value))
    addPage(to: router)
    addCommands(to: router)
    addPictures(to: router)
    return router
  }
}
