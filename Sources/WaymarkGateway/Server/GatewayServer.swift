import Glibc
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
package import Logging
import NIOCore
import NIOSSL
import WaymarkHTTP
import WaymarkJSON
import WaymarkProtocol
import WaymarkSystem

/// The gateway: the protocol of the socket over HTTP.
package struct GatewayServer: Sendable {
  /// Live pictures at a time, and WebSockets. With the sessions they keep to the connections that one user may have at the service.
  private static let previewLimit = 8
  private static let webSocketLimit = 32

  let configuration: GatewayConfiguration
  /// The service's socket.
  let socket: String
  let limits: HTTPLimits
  let paths: GatewayPaths
  let sessions: ServiceSessions
  /// The memory of all bodies and pictures together.
  let bodies: PictureMemoryBudget
  let eventStreams: StreamLimiter
  let previews: StreamLimiter
  let webSockets: StreamLimiter
  /// The description of the whole, as JSON.
  let openAPI: [UInt8]
  let webhooks: [WebhookSender]
  private let operatorFeed: EventFeed
  private let observerFeed: EventFeed
  private let tokens: TokenTable
  private let logger: Logger

  /// A gateway that does not listen yet.
  ///
  /// - Throws: `GatewayError` when a token cannot be read.
  package init(
    configuration: GatewayConfiguration, socket: String, version: String, logger: Logger
  ) throws {
    self.configuration = configuration
    self.socket = socket
    self.logger = logger
    var limits = HTTPLimits()
    limits.connections = configuration.connections
    self.limits = limits
    let schema = try ProtocolSchema()
    paths = GatewayPaths(schema)
    openAPI = try JSONLineEncoder.encode(OpenAPIDocument(schema: schema).json(version: version))
    sessions = ServiceSessions(path: socket)
    bodies = PictureMemoryBudget(bytes: limits.pictures, waiting: limits.waiting)
    eventStreams = StreamLimiter(limit: configuration.streams)
    previews = StreamLimiter(limit: Self.previewLimit)
    webSockets = StreamLimiter(limit: Self.webSocketLimit)
    tokens = try configuration.tokenTable()
    let webhooks = try configuration.openWebhooks()
    self.webhooks = webhooks
    let ring = EventRing(limit: configuration.ringEvents, bytes: configuration.ringBytes)
    func feed(_ role: Role) -> EventFeed {
      let own = webhooks.filter { $0.settings.role == role }
      // The one that has had least says where the service goes on; the others leave out what they have.
      let positions = own.compactMap(\.position)
      let position = positions.count == own.count ? positions.min { $0.seq < $1.seq } : nil
      return EventFeed(role: role, path: socket, ring: ring, position: position) { name, line, id in
        for webhook in own { webhook.take(name: name, line: line, id: id) }
      }
    }
    operatorFeed = feed(.operator)
    observerFeed = feed(.observer)
  }

  /// The events of a role.
  func feed(of role: Role) -> EventFeed { role == .operator ? operatorFeed : observerFeed }

  /// Listens until the task is cancelled.
  ///
  /// - Parameter onListening: called with each address once it is listened on.
  package func run(onListening: @escaping @Sendable (ListenAddress) async -> Void = { _ in }) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for feed in [operatorFeed, observerFeed] { group.addTask { await feed.run() } }
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
      if case .network = address { try Self.encryption(tls) } else { nil }
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
      throw GatewayError(
        .listen, "Cannot listen on \(address.text): \(error)", hint: "Name a free address of this device under listen.")
    }
  }

  /// The permissions of a Unix socket: its user and its group may connect.
  private static let socketMode: mode_t = 0o660

  /// Makes room for a socket at a path.
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
        .listen, "Somebody listens on \(path) already", hint: "End it, or name another path under listen.")
    case .failed(let number):
      throw GatewayError(
        .listen, "\(path) cannot be removed (\(systemMessage(number)))", hint: "Remove it, or name another path.")
    }
  }

  /// The access to an address.
  func access(to address: ListenAddress) -> GatewayAccess {
    let origins = Set(configuration.origins)
    switch address {
    case .socket(let path):
      return GatewayAccess(
        authorities: nil, origins: origins, tokens: tokens, anonymous: Caller(name: path, role: .operator))
    case .network(let host, let port):
      let names = ListenAuthorities.of(host: host, port: port).union(configuration.hosts)
      return GatewayAccess(authorities: names, origins: origins, tokens: tokens, anonymous: nil)
    }
  }

  /// Every route, behind the guard.
  func router(behind access: GatewayAccess, connections: Connections) -> Router<GatewayContext> {
    let router = Router(context: GatewayContext.self)
    router.add(middleware: GatewayGuard(access: access, connections: connections, paths: paths))
    addRequests(to: router)
    addStreams(to: router)
    addWebSocket(to: router)
    return router
  }

  private static func encryption(_ tls: GatewayConfiguration.TLS) throws -> TLSConfiguration {
    let chain = try NIOSSLCertificate.fromPEMFile(tls.certificateFile).map { NIOSSLCertificateSource.certificate($0) }
    let key = try NIOSSLPrivateKey(file: tls.keyFile, format: .pem)
    var configuration = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(key))
    configuration.minimumTLSVersion = .tlsv12
    configuration.applicationProtocols = ["http/1.1"]
    return configuration
  }
}
