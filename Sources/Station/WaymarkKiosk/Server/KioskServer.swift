import HTTPTypes
import Hummingbird
package import Logging
import NIOCore
import WaymarkHTTP
import WaymarkSystem

/// The page's HTTP server: files, commands, events and pictures, for browsers with a cookie of this kiosk.
/// `RequestGuard` below checks their access, and `ServiceProbe` asks whether the service answers.
package struct KioskServer: Sendable {
  private let options: KioskOptions
  private let page: PageRoutes
  private let commands: CommandRoutes
  private let pictures: PictureRoutes
  private let pickups: Pickups?
  private let handover: HandoverRoutes?
  private let figures: ServerFigures
  private let probe: ServiceProbe
  private let logger: Logger

  /// Creates a server, which does not listen yet.
  ///
  /// - Throws: `KioskError` when the page's files are missing.
  package init(options: KioskOptions, backend: any KioskBackend, logger: Logger) throws(KioskError) {
    self.options = options
    self.logger = logger
    // All pages share the memory for pictures.
    let memory = Room("pictures", total: options.limits.pictures, waiting: options.limits.waiting)
    figures = ServerFigures(reasons: AccessRefusal.allCases.map(\.rawValue), rooms: [memory])
    probe = ServiceProbe(backend: backend)
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

  /// Listens until the task is cancelled, a graceful shutdown is requested, or a signal arrives.
  ///
  /// Then refuses new connections, ends the streams, lets requests finish, and closes the remaining connections.
  /// - Parameters:
  ///   - signals: true if SIGTERM and SIGINT end the server.
  ///   - onListening: called with the port once the server accepts connections.
  ///   - onCode: called with the port and a new code that opens the page once: before `onListening`, and whenever a code has been
  ///   used.
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
        gate.open(KioskAccess(token: token, port: port, authorities: authorities, origins: origins, pickup: pickup)) {
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

  /// Returns a router whose routes serve only requests that pass `gate`.
  func router(behind gate: AccessGate, connections: Connections) -> Router<ConnectionContext> {
    let router = Router(context: ConnectionContext.self)
    figures.add(connections)
    router.add(middleware: RequestGuard(gate: gate, connections: connections, figures: figures, probe: probe))
    page.add(to: router)
    commands.add(to: router)
    pictures.add(to: router)
    if let pickups { PickupRoutes(options: options, pickups: pickups, connections: connections).add(to: router) }
    handover?.add(to: router)
    return router
  }
}

/// Checks the access of every request before its route runs, and adds security headers to every answer.
struct RequestGuard: RouterMiddleware {
  typealias Context = ConnectionContext

  let gate: AccessGate
  let connections: Connections
  /// The figures for `/metrics`. Refused requests are counted in them.
  let figures: ServerFigures
  let probe: ServiceProbe

  /// The content security policy: only resources of this server, nothing inline, and no embedding in frames.
  static var policy: String {
    [
      "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob:", "font-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ].joined(separator: "; ")
  }

  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    var response: Response
    let claims = AccessClaims(request, cookieName: gate.cookieName)
    if let answer = await supervised(request, claims) {
      response = answer
    } else {
      response = try await answer(request, claims, context, next)
    }
    response.bound(context.channel, by: connections.limits)
    response.secure(policy: Self.policy)
    response.headers[.init("Cross-Origin-Opener-Policy")!] = "same-origin"
    response.headers[.init("Cross-Origin-Resource-Policy")!] = "same-origin"
    response.headers[.init("Permissions-Policy")!] = "camera=(), microphone=(), geolocation=()"
    return response
  }

  private func answer(
    _ request: Request, _ claims: AccessClaims, _ context: Context,
    _ next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    switch gate.decide(claims) {
    case .allowed:
      connections.authenticated(context.channel)
      return try await .of(request, context, next)
    case .guest: return try await .of(request, context, next)
    case .trade(let cookie, let secure):
      connections.authenticated(context.channel)
      let line = "\(gate.cookieName)=\(cookie); Path=/; HttpOnly; SameSite=Strict\(secure ? "; Secure" : "")"
      return start(from: request, headers: [.setCookie: line])
    case .home:
      connections.authenticated(context.channel)
      return start(from: request)
    case .offer: return refuse(.noToken)
    case .refused(let refusal): return refuse(refusal)
    }
  }

  /// Returns the answer to a supervisor, which has no cookie; nil for other requests. Health probes are answered under any name of
  /// the device. Figures without secrets are answered only under the kiosk's names, so that pages of other sites cannot read them.
  private func supervised(_ request: Request, _ claims: AccessClaims) async -> Response? {
    guard request.method == .get else { return nil }
    switch request.uri.path {
    case "/livez": return .healthy
    case "/readyz":
      if await probe.answers() { return .healthy }
      return Self.plain(.serviceUnavailable, "The scanning service does not answer.")
    case "/metrics":
      switch gate.decide(claims) {
      case .refused(.foreignHost), .refused(.foreignOrigin): return nil
      default: break
      }
      var text = MetricsText(prefix: "waymark_kiosk_")
      text.add("info", "gauge", "The version of the page's server.", 1, ["version": waymarkVersion])
      text.add("service_connected", "gauge", "1 if the service answers.", await probe.answers() ? 1 : 0)
      figures.write(to: &text)
      return .metrics(text.lines.map { $0 + "\n" }.joined())
    default: return nil
    }
  }

  /// Redirects a browser to the start page.
  private func start(from request: Request, headers: HTTPFields = [:]) -> Response {
    var headers = headers
    let site = request.headers[.init("Sec-Fetch-Site")!]
    guard let site, site != "same-origin", site != "none" else {
      headers[.location] = "/"
      return Response(status: .seeOther, headers: headers)
    }
    // The browser comes from another page, such as the launch page. It would regard a redirect as a request from that page and send
    // no cookie. A refresh comes from a page of this server, so the cookie is sent.
    headers[.contentType] = "text/html; charset=utf-8"
    return Response(
      status: .ok, headers: headers,
      body: .init(
        byteBuffer: ByteBuffer(
          string: "<!doctype html><meta charset=\"utf-8\"><title>Waymark</title>"
            + "<meta http-equiv=\"refresh\" content=\"0; url=/\">\n")))
  }

  private func refuse(_ refusal: AccessRefusal) -> Response {
    figures.countRefusal(refusal.rawValue)
    switch refusal {
    case .foreignHost:
      return Self.plain(
        .misdirectedRequest, "The kiosk page is not served under this name. Name its address with --origin.")
    case .foreignOrigin: return Self.plain(.forbidden, "Requests from other pages are refused.")
    case .noToken:
      return Self.plain(
        .unauthorized,
        "This page opens with a code that works once. `waymark kiosk` prints it, and --launch-page keeps a new one.")
    }
  }

  private static func plain(_ status: HTTPResponse.Status, _ text: String) -> Response {
    Response(
      status: status, headers: [.contentType: "text/plain; charset=utf-8"],
      body: .init(byteBuffer: ByteBuffer(string: text + "\n")))
  }
}

/// Asks the service whether it answers, at most once a second however often supervisors ask.
actor ServiceProbe {
  private let backend: any KioskBackend
  private var last: (answer: Task<Bool, Never>, time: Double)?

  init(backend: any KioskBackend) { self.backend = backend }

  /// Returns whether the service answers a ping within five seconds, now or at most a second ago.
  func answers() async -> Bool {
    if let last, MonotonicClock.now - last.time < 1 { return await last.answer.value }
    let answer = Task { [backend] in
      let reply = await TimeLimit.value(within: .seconds(5)) {
        await backend.command("ping", params: Array("{}".utf8), page: nil)
      }
      return reply?.succeeded ?? false
    }
    last = (answer, MonotonicClock.now)
    return await answer.value
  }
}
