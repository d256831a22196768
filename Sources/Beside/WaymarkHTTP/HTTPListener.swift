package import Hummingbird
package import HummingbirdCore
package import Logging
package import NIOCore
import ServiceLifecycle
import UnixSignals

/// Listens for HTTP, with limits for connections and heads, and a shutdown in which pending requests may finish.
/// `ListenAuthorities` below lists the names under which a listener is reached.
package struct HTTPListener: Sendable {
  package let address: BindAddress
  package let limits: HTTPLimits
  package let connections: Connections
  private let name: String
  private let logger: Logger

  /// - Parameter name: the server's name in its log.
  package init(name: String, address: BindAddress, limits: HTTPLimits, logger: Logger) {
    self.name = name
    self.address = address
    self.limits = limits
    self.logger = logger
    connections = Connections(limits)
  }

  /// Creates a listener on an address of the network.
  package init(name: String, host: String, port: Int, limits: HTTPLimits, logger: Logger) {
    self.init(name: name, address: .hostname(host, port: port), limits: limits, logger: logger)
  }

  /// Listens until the task is cancelled, a graceful shutdown is requested, or a signal arrives.
  ///
  /// Then refuses new connections, ends the streams, lets requests finish, and closes the remaining connections.
  /// - Parameters:
  ///   - signals: true if SIGTERM and SIGINT end the listener.
  ///   - channels: wraps each connection, such as in TLS.
  ///   - onListening: called with the listening channel once the server accepts connections.
  /// - Throws: `CancellationError`, or an error if the address cannot be listened on.
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
    // `served` closes every connection before this time has passed.
    setup.maximumGracefulShutdownDuration = limits.drain + .seconds(3)
    let group = ServiceGroup(configuration: setup)
    // Runs in its own task, so that cancelling the current task starts a graceful shutdown instead.
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

/// The application, whose connections are closed on a graceful shutdown.
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

// MARK: - Names

/// The values of `Host` under which clients reach a listener.
package enum ListenAuthorities {
  /// Returns the address itself and, on loopback, its usual names, each with the port; for port 80 also without the port.
  package static func of(host: String, port: Int) -> Set<String> {
    let bracketed = host.contains(":") ? "[\(host)]" : host.lowercased()
    var hosts: Set = [bracketed]
    if isLoopback(host) { hosts.formUnion(["127.0.0.1", "localhost", "[::1]"]) }
    var result = Set(hosts.map { "\($0):\(port)" })
    if port == 80 { result.formUnion(hosts) }
    return result
  }

  /// Returns whether an address is reached from this device alone.
  package static func isLoopback(_ host: String) -> Bool {
    ["127.0.0.1", "::1", "[::1]", "localhost"].contains(host.lowercased())
  }
}
