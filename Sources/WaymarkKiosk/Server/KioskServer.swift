import HTTPTypes
import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore
import ServiceLifecycle
import UnixSignals
import WaymarkSystem

/// The page's HTTP server: files, commands, events and pictures, for holders of the token.
package struct KioskServer: Sendable {
  /// The largest picture that is taken from a person's device, in bytes.
  static let uploadLimit = 16 << 20
  /// The largest command, in bytes.
  static let commandLimit = 64 << 10

  let options: KioskOptions
  let backend: any KioskBackend
  let assets: Assets
  /// The memory for the pictures of all pages together.
  let pictureBudget: PictureMemoryBudget
  private let logger: Logger

  /// A server that is not yet listening.
  ///
  /// - Throws: `KioskError` when the page's files are missing.
  package init(options: KioskOptions, backend: any KioskBackend, logger: Logger) throws(KioskError) {
    self.options = options
    self.backend = backend
    self.logger = logger
    pictureBudget = PictureMemoryBudget(bytes: options.limits.pictures, waiting: options.limits.waiting)
    assets = try Assets(folder: options.assets, configuration: options.shown)
  }

  /// Listens until the task is cancelled, a graceful shutdown is asked for, or a signal comes.
  ///
  /// It then accepts nobody any more, ends the streams, lets what is under way finish and closes what is left.
  /// - Parameters:
  ///   - signals: whether SIGTERM and SIGINT end it.
  ///   - onListening: called with the port once the server accepts connections.
  ///   - onCode: called with the port and the code that opens the page once: before `onListening`, and whenever it has been used.
  package func run(
    endedBySignals signals: Bool = false, onCode: @escaping @Sendable (Int, String) -> Void = { _, _ in },
    onListening: @escaping @Sendable (Int) async -> Void = { _ in }
  ) async throws {
    let connections = Connections(options.limits)
    let served = Served(
      application: application(connections, onCode, onListening), connections: connections, drain: options.limits.drain)
    var setup = ServiceGroupConfiguration(
      services: [.init(service: served, serviceName: "kiosk")],
      gracefulShutdownSignals: signals ? [.sigterm, .sigint] : [],
      logger: logger)
    // Every connection is closed by then.
    setup.maximumGracefulShutdownDuration = options.limits.drain + .seconds(3)
    let group = ServiceGroup(configuration: setup)
    // A task of its own: being cancelled is a reason to stop in order, not to drop everything.
    let work = Task { try await group.run() }
    do {
      try await withTaskCancellationHandler {
        try await work.value
      } onCancel: {
        Task { await group.triggerGracefulShutdown() }
      }
    } catch {
      try Task.checkCancellation()
      throw KioskError(
        code: .listen, message: "Cannot listen on \(options.host), port \(options.port): \(error).",
        hint: "Name a free port of this machine with --listen ADDRESS:PORT.")
    }
  }

  private func application(
    _ connections: Connections, _ onCode: @escaping @Sendable (Int, String) -> Void,
    _ onListening: @escaping @Sendable (Int) async -> Void
  ) -> some ApplicationProtocol {
    let gate = AccessGate()
    let router = router(behind: gate, connections: connections)
    let token = options.token.value
    let host = options.host
    let origins = options.origins
    let http = HTTP1Channel.Configuration(
      idleTimeout: TimeAmount(options.limits.idle),
      httpDecoderConfiguration: .init(
        maxHeaderFieldSize: 8 << 10, maxHeaderListSize: 16 << 10, maxHeaderFieldCount: 64))
    return Application(
      responder: router.buildResponder(),
      server: HTTPServerBuilder { responder in
        TrackedHTTPChannel(http: HTTP1Channel(responder: responder, configuration: http), connections: connections)
      },
      configuration: .init(address: .hostname(host, port: options.port), serverName: nil),
      onServerRunning: { channel in
        let port = channel.localAddress?.port ?? 0
        let authorities = AccessGuard.authorities(host: host, port: port)
        gate.open(AccessGuard(token: token, port: port, authorities: authorities, origins: origins)) {
          onCode(port, $0)
        }
        await onListening(port)
      }, logger: logger)
  }

  /// Every route, behind the gate.
  func router(behind gate: AccessGate, connections: Connections) -> Router<KioskContext> {
    let router = Router(context: KioskContext.self)
    router.add(middleware: RequestGuard(gate: gate, connections: connections))
    addPage(to: router)
    addCommands(to: router)
    addPictures(to: router)
    return router
  }
}

/// The application, and the end of its connections when it is told to stop.
private struct Served<App: ApplicationProtocol>: Service {
  let application: App
  let connections: Connections
  let drain: Duration

  func run() async throws {
    try await withGracefulShutdownHandler {
      try await application.run()
    } onGracefulShutdown: {
      connections.close(after: drain)
    }
  }
}
