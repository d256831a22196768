package import Hummingbird
package import HummingbirdCore
package import Logging
package import NIOCore
import ServiceLifecycle
import UnixSignals

/// Listens for HTTP: bounded connections, bounded heads, and an end in which what is under way may finish.
package struct HTTPListener: Sendable {
  /// The address to listen on.
  package let address: BindAddress
  /// The limits of clients.
  package let limits: HTTPLimits
  /// The open connections.
  package let connections: Connections
  private let name: String
  private let logger: Logger

  /// A listener that does not listen yet.
  ///
  /// - Parameter name: the server's name in its log.
  package init(name: String, address: BindAddress, limits: HTTPLimits, logger: Logger) {
    self.name = name
    self.address = address
    self.limits = limits
    self.logger = logger
    connections = Connections(limits)
  }

  /// A listener on an address of the network.
  package init(name: String, host: String, port: Int, limits: HTTPLimits, logger: Logger) {
    self.init(name: name, address: .hostname(host, port: port), limits: limits, logger: logger)
  }

  /// Listens until the task is cancelled, a graceful shutdown is asked for, or a signal comes.
  ///
  /// It then accepts nobody any more, ends the streams, lets what is under way finish and closes what is left.
  /// - Parameters:
  ///   - signals: whether SIGTERM and SIGINT end it.
  ///   - channels: puts something around each connection, such as TLS.
  ///   - onListening: called with the listening channel once the server accepts connections.
  /// - Throws: `CancellationError`, or why the address cannot be listened on.
  package func run<Context: RequestContext & InitializableFromSource<ApplicationRequestContextSource>>(
    _ router: Router<Context>, endedBySignals signals: Bool,
    channels: @escaping @Sendable (HTTP1Channel) throws -> any ServerChildChannel = { $0 },
    onListening: @escaping @Sendable (any Channel) async -> Void
  ) async throws {
    let connections = connections
    let http = HTTP1Channel.Configuration(
      idleTimeout: TimeAmount(limits.idle),
      httpDecoderConfiguration: .init(
        maxHeaderFieldSize: 8 << 10, maxHeaderListSize: 16 << 10, maxHeaderFieldCount: 64))
    let application = Application(
      responder: router.buildResponder(),
      server: HTTPServerBuilder { responder in
        func tracked(_ base: some ServerChildChannel) -> any ServerChildChannel {
          TrackedHTTPChannel(base: base, connections: connections)
        }
        return tracked(try channels(HTTP1Channel(responder: responder, configuration: http)))
      },
      configuration: .init(address: address, serverName: nil), onServerRunning: onListening, logger: logger)
    let served = Served(application: application, connections: connections, drain: limits.drain)
    var setup = ServiceGroupConfiguration(
      services: [.init(service: served, serviceName: name)],
      gracefulShutdownSignals: signals ? [.sigterm, .sigint] : [], logger: logger)
    // Every connection is closed by then.
    setup.maximumGracefulShutdownDuration = limits.drain + .seconds(3)
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
      throw error
    }
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
