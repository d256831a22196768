import Hummingbird
package import Logging
import NIOCore
import WaymarkHTTP
import WaymarkSystem

/// The page's HTTP server: files, commands, events and pictures, for holders of the token.
package struct KioskServer: Sendable {
  private let options: KioskOptions
  private let page: PageRoutes
  private let commands: CommandRoutes
  private let pictures: PictureRoutes
  private let pickups: Pickups?
  private let handover: HandoverRoutes?
  private let logger: Logger

  /// A server that is not yet listening.
  ///
  /// - Throws: `KioskError` when the page's files are missing.
  package init(options: KioskOptions, backend: any KioskBackend, logger: Logger) throws(KioskError) {
    self.options = options
    self.logger = logger
    // All pages share the memory for pictures.
    let memory = PictureMemoryBudget(bytes: options.limits.pictures, waiting: options.limits.waiting)
    page = try PageRoutes(options: options)
    let documents = SavedDocuments()
    pickups = options.pickup.map { origin in
      var limits = PickupStore.Limits()
      limits.life = options.pickupSeconds
      return Pickups(origin: origin, documents: documents, limits: limits)
    }
    commands = CommandRoutes(options: options, backend: backend, pictures: memory, documents: documents)
    handover = options.page.ways.isEmpty ? nil : HandoverRoutes(options: options, documents: documents)
    pictures = PictureRoutes(options: options, backend: backend, pictures: memory)
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
    let gate = AccessGate()
    let listener = HTTPListener(
      name: "kiosk", host: options.host, port: options.port, limits: options.limits, logger: logger)
    let token = options.token.value
    let host = options.host
    let origins = options.origins
    let pickup = options.pickup
    do {
      try await listener.run(router(behind: gate, connections: listener.connections), endedBySignals: signals) {
        channel in
        let port = channel.localAddress?.port ?? 0
        let authorities = ListenAuthorities.of(host: host, port: port)
        gate.open(AccessGuard(token: token, port: port, authorities: authorities, origins: origins, pickup: pickup)) {
          onCode(port, $0)
        }
        await onListening(port)
      }
    } catch {
      try Task.checkCancellation()
      throw KioskError(
        code: .listen, message: "Cannot listen on \(options.host), port \(options.port): \(error).",
        hint: "Name a free port of this machine with --listen ADDRESS:PORT.")
    }
  }

  /// Every route, behind the gate.
  func router(behind gate: AccessGate, connections: Connections) -> Router<ConnectionContext> {
    let router = Router(context: ConnectionContext.self)
    router.add(middleware: RequestGuard(gate: gate, connections: connections))
    page.add(to: router)
    commands.add(to: router)
    pictures.add(to: router)
    if let pickups { PickupRoutes(options: options, pickups: pickups, connections: connections).add(to: router) }
    handover?.add(to: router)
    return router
  }
}
