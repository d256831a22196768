import Glibc
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
package import Logging
import NIOCore
import NIOSSL
import WaymarkHTTP
import WaymarkProtocol
import WaymarkSpool
import WaymarkSystem

/// The gateway: the protocol of the socket over HTTP.
package struct GatewayServer: Sendable {
  private let configuration: GatewayConfiguration
  private let limits: HTTPLimits
  private let paths: GatewayPaths
  private let page: GatewayPage
  private let webhooks: [WebhookSender]
  private let feeds: EventFeeds
  private let methods: MethodRoutes
  private let streams: StreamRoutes
  private let webSockets: WebSocketRoutes
  private let metrics: GatewayMetrics
  private let tokens: TokenTable
  private let logger: Logger

  /// Creates a gateway without listening yet.
  ///
  /// - Parameters:
  ///   - socket: the path of the service's socket.
  ///   - page: the page for operators.
  /// - Throws: `GatewayError` if a token or a webhook's secret, certificate or folder cannot be used.
  package init(
    configuration: GatewayConfiguration, socket: String, page: GatewayPage, version: String, logger: Logger
  ) throws {
    self.page = page
    self.configuration = configuration
    self.logger = logger
    var limits = HTTPLimits()
    limits.connections = configuration.connections
    limits.connectionShare = configuration.connections / 2
    limits.connectionReserve = configuration.connections / 4
    limits.bodyRate = 16 << 10
    self.limits = limits
    let rooms = GatewayRooms(limits: limits, streams: configuration.streams)
    let schema = try ProtocolSchema()
    paths = GatewayPaths(schema)
    tokens = try configuration.tokenTable()
    let outage = ServiceOutage()
    webhooks = try configuration.openWebhooks(service: socket, outage: outage)
    feeds = EventFeeds(
      path: socket, ring: EventRing(limit: configuration.ringEvents, bytes: configuration.ringBytes), outage: outage)
    methods = try MethodRoutes(
      paths: paths, schema: schema, version: version, socket: socket, webhooks: webhooks, limits: limits, rooms: rooms)
    streams = StreamRoutes(feeds: feeds, socket: socket, limits: limits, rooms: rooms)
    webSockets = WebSocketRoutes(socket: socket, room: rooms.webSockets)
    metrics = GatewayMetrics(version: version, socket: socket, feeds: feeds, webhooks: webhooks, rooms: rooms)
  }

  /// Serves all addresses until the task is cancelled or an address fails.
  ///
  /// - Parameter onListening: called with each address once it accepts connections.
  /// - Throws: `GatewayError` with the code `listen`; `CancellationError`.
  package func run(onListening: @escaping @Sendable (ListenAddress) async -> Void = { _ in }) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for feed in feeds.all { group.addTask { await feed.run() } }
      for webhook in webhooks { group.addTask { await webhook.run() } }
      for address in configuration.listen { group.addTask { try await listen(on: address, onListening) } }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  private func listen(
    on address: ListenAddress, _ onListening: @escaping @Sendable (ListenAddress) async -> Void
  ) async throws {
    let tls = try configuration.tls.flatMap { tls in
      if case .network = address { try tls.encryption() } else { nil }
    }
    let bind: BindAddress
    switch address {
    case .network(let host, let port): bind = .hostname(host, port: port)
    case .socket(let path):
      try Self.clear(path)
      bind = .unixDomainSocket(path: path)
    }
    let listener = HTTPListener(name: "gateway", address: bind, limits: limits, logger: logger)
    let router = router(behind: access(to: address), connections: listener.connections)
    do {
      try await listener.run(router, endedBySignals: false) { channel in
        guard let tls else { return channel }
        return try TLSChannel(channel, tlsConfiguration: tls)
      } onListening: { _ in
        if case .socket(let path) = address { chmod(path, Self.socketMode) }
        await onListening(address)
      }
    } catch {
      try Task.checkCancellation()
      throw Self.failure(on: address, error)
    }
  }

  /// Returns the error of an address on which the gateway cannot listen.
  private static func failure(on address: ListenAddress, _ error: any Error) -> GatewayError {
    if case .socket(let path) = address, case let folder = Folder.parent(of: path), FileKind(folder) != .folder {
      return GatewayError(
        .listen, "Cannot listen on \(path): there is no folder \(folder)",
        hint: "Create it, or name another path under listen in a file for --config.")
    }
    let reason = (error as? IOError).map { systemMessage($0.errnoCode) } ?? "\(error)"
    return GatewayError(
      .listen, "Cannot listen on \(address.text): \(reason)", hint: "Name a free address of this device under listen.")
  }

  /// The permissions of a Unix socket: the socket's user and group may connect.
  private static let socketMode: mode_t = 0o660

  /// Removes a socket that an earlier process has left at a path.
  private static func clear(_ path: String) throws(GatewayError) {
    guard let address = SocketFile.address(path) else {
      throw GatewayError(.listen, "\(path) is too long for a socket", hint: "Name another path under listen.")
    }
    switch SocketFile.removeLeftover(at: path, address) {
    case .none: break
    case .notASocket:
      throw GatewayError(.listen, "\(path) is there, and no socket", hint: "Name another path under listen.")
    case .inUse:
      throw GatewayError(
        .listen, "Another program listens on \(path) already", hint: "End it, or name another path under listen.")
    case .failed(let number):
      throw GatewayError(
        .listen, "\(path) cannot be removed (\(systemMessage(number)))", hint: "Remove it, or name another path.")
    }
  }

  /// Returns the rules of access for a listener on an address.
  func access(to address: ListenAddress) -> GatewayAccess {
    let origins = Set(configuration.origins)
    switch address {
    case .socket(let path):
      return GatewayAccess(
        authorities: nil, isSecure: false, origins: origins, tokens: tokens,
        anonymous: Caller(name: path, role: .operator))
    case .network(let host, let port):
      let names = ListenAuthorities.of(host: host, port: port).union(configuration.hosts)
      return GatewayAccess(
        authorities: names, isSecure: configuration.tls != nil, origins: origins, tokens: tokens, anonymous: nil)
    }
  }

  /// Returns a router with all routes behind a guard.
  func router(behind access: GatewayAccess, connections: Connections) -> Router<GatewayContext> {
    let router = Router(context: GatewayContext.self)
    let feed = feeds.of(.operator)
    metrics.server.add(connections)
    router.add(
      middleware: GatewayGuard(
        access: access, connections: connections, paths: paths, page: page, figures: metrics.server
      ) { feed.isConnected })
    metrics.add(to: router)
    methods.add(to: router)
    streams.add(to: router)
    webSockets.add(to: router)
    return router
  }
}
