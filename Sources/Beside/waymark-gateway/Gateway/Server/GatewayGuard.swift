import HTTPTypes
import Hummingbird
import NIOCore
import WaymarkHTTP
import WaymarkProtocol
import WaymarkSystem

/// Checks the access of every request before its route runs. Adds security headers to every answer, and for listed pages the
/// headers of CORS. `GatewayPaths` below has the paths of the gateway, and the paths that only operators may use.
struct GatewayGuard: RouterMiddleware {
  typealias Context = GatewayContext

  let access: GatewayAccess
  let connections: Connections
  let paths: GatewayPaths
  let page: GatewayPage
  /// The counters to which each refused request is added.
  let figures: ServerFigures
  /// Returns whether the service is connected.
  let isReady: @Sendable () -> Bool

  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    let claims = AccessClaims(request)
    var response: Response
    if let open = health(request) ?? page(request, claims) {
      response = open
    } else {
      response = try await answer(request, claims, context, next)
    }
    response.bound(context.channel, by: connections.limits)
    response.closeIfLast(context.channel)
    response.secure(policy: "default-src 'none'; frame-ancestors 'none'")
    if let origin = claims.origin, access.lists(origin: origin) {
      response.headers[.accessControlAllowOrigin] = origin
      response.headers[.init("Access-Control-Expose-Headers")!] = "X-Frame-Sequence, X-Frame-Captured"
      response.headers[.vary] = "Origin"
    } else {
      response.headers[.init("Cross-Origin-Resource-Policy")!] = "same-origin"
    }
    return response
  }

  private func answer(
    _ request: Request, _ claims: AccessClaims, _ context: Context,
    _ next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    if request.method == .options, let preflight = preflight(request, claims) { return preflight }
    switch access.decide(claims) {
    case .refused(let refusal): return refuse(refusal)
    case .allowed(let caller):
      guard connections.authenticated(context.channel, as: caller.holder) else {
        return GatewayAnswer.busy("connections")
      }
      guard let verbs = paths.verbs(of: request.uri.path) else {
        return GatewayAnswer.own(
          "unknownPath", "There is nothing under this path.", hint: "GET /v1/openapi.json lists what there is.")
      }
      guard verbs.contains(request.method.rawValue) else {
        return Self.unknownVerb(request, verbs)
      }
      if caller.role == .observer, let denied = paths.operatorPart(of: request.uri.path) {
        figures.countRefusal(ServiceError.Code.notPermitted.rawValue)
        return GatewayAnswer.notPermitted(denied)
      }
      var context = context
      context.caller = caller
      return try await .of(request, context, next)
    }
  }

  private static func unknownVerb(_ request: Request, _ verbs: [String]) -> Response {
    let isOwn = request.method == .get && request.uri.path.hasPrefix("/v1/")
    let near = isOwn ? NearestWord.of(String(request.uri.path.dropFirst(4)), among: GatewayPaths.own) : nil
    var response = GatewayAnswer.own(
      "unknownVerb", "This path knows no \(request.method.rawValue.prefix(16)).",
      hint: "Use \(verbs.joined(separator: " or "))\(near.map { ", or GET /v1/\($0)" } ?? "").")
    response.headers[.allow] = verbs.joined(separator: ", ")
    return response
  }

  /// Returns the answer to a request for a file of the page; nil for other paths. Such a file contains no secret, so the request
  /// needs no token.
  private func page(_ request: Request, _ claims: AccessClaims) -> Response? {
    guard GatewayPage.has(request.uri.path) else { return nil }
    guard access.serves(claims) else { return refuse(.foreignHost) }
    guard request.method == .get else { return Self.unknownVerb(request, ["GET"]) }
    return page.response(to: request.uri.path)
  }

  /// Returns the answer to a health probe, which needs no token; nil for other paths.
  private func health(_ request: Request) -> Response? {
    guard GatewayPaths.health.contains(request.uri.path) else { return nil }
    guard request.method == .get else { return Self.unknownVerb(request, ["GET"]) }
    guard request.uri.path == "/livez" || isReady() else {
      return GatewayAnswer.own(
        "offline", "The service does not answer.", hint: "Wait, or start it: systemctl start waymark.")
    }
    return .healthy
  }

  /// Returns the answer to a preflight request of a browser (CORS); nil for another request.
  private func preflight(_ request: Request, _ claims: AccessClaims) -> Response? {
    guard claims.origin != nil, request.headers[.accessControlRequestMethod] != nil else { return nil }
    if let refusal = access.refusal(of: claims) { return refuse(refusal) }
    return Response(
      status: .noContent,
      headers: [
        .accessControlAllowMethods: "GET, POST",
        .accessControlAllowHeaders: "Authorization, Content-Type, Last-Event-ID, Waymark-Session",
        .accessControlMaxAge: "600",
      ])
  }

  private func refuse(_ refusal: AccessRefusal) -> Response {
    figures.countRefusal(refusal.rawValue)
    let response =
      switch refusal {
      case .foreignHost:
        GatewayAnswer.own(
          "foreignHost", "The gateway is not reached under this name.", hint: "Name it under hosts in gateway.yaml.")
      case .foreignOrigin:
        GatewayAnswer.own(
          "foreignOrigin", "Pages of this origin may not use the gateway.",
          hint: "Name it under origins in gateway.yaml.")
      case .noToken:
        GatewayAnswer.own(
          "noToken", "The request has no token that is known here.", hint: "Send Authorization: Bearer TOKEN.")
      }
    // The body of the request is not read.
    return GatewayAnswer.last(response)
  }
}

// MARK: - Paths

/// The paths of the gateway: the paths of the protocol's methods, and its own paths.
struct GatewayPaths: Sendable {
  /// The form of a method's request and answer over HTTP.
  enum Treatment: Hashable, Sendable {
    /// Parameters and result are JSON.
    case call
    /// The result is a picture.
    case picture
    /// The body is a picture.
    case upload
    /// The method changes the state of its connection. HTTP requests do not have such a state.
    case connectionOnly
  }

  /// The methods that need a connection of the client: a WebSocket, or the socket.
  static let connectionMethods: Set<String> = [
    "subscribe", "unsubscribe", "role.lower", "media.preview", "authentication.provide", "authentication.answer",
  ]

  /// The gateway's own paths below `/v1/`.
  static let own = ["events", "state", "preview", "socket", "openapi.json", "webhooks"]

  /// The paths of health probes, which need no token: for the gateway itself, and for its connection to the service.
  static let health = ["/livez", "/readyz"]

  /// The path of the figures for Prometheus.
  static let metrics = "/metrics"

  /// The form of each method's request and answer, by the method's name.
  let methods: [String: Treatment]
  /// The methods that observers may not use.
  private let operatorMethods = Set(ProtocolCatalog.requests.filter { !$0.allowsObservers }.map { $0.method })

  init(_ schema: ProtocolSchema) {
    methods = Dictionary(
      schema.methods.map { ($0.name, Self.treatment(of: $0)) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the form of a method's request and answer.
  static func treatment(of method: ProtocolSchema.Method) -> Treatment {
    if connectionMethods.contains(method.name) { return .connectionOnly }
    if method.carriesPicture { return .upload }
    return method.answersPicture ? .picture : .call
  }

  /// Returns the name of a path that only operators may use; nil for all other paths, for which the service decides.
  func operatorPart(of path: String) -> String? {
    let name = String(path.dropFirst(4))
    return name == "webhooks" || operatorMethods.contains(name) ? name : nil
  }

  /// Returns the HTTP methods of a path; nil for an unknown path. Every valid method name counts as known, because a newer service
  /// may have the method.
  func verbs(of path: String) -> [String]? {
    if path == Self.metrics || Self.health.contains(path) { return ["GET"] }
    guard path.hasPrefix("/v1/") else { return nil }
    let name = String(path.dropFirst(4))
    if Self.own.contains(name) { return ["GET"] }
    return Self.isMethodName(name) ? ["POST"] : nil
  }

  /// Returns whether a text has the form of a method's name.
  static func isMethodName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 64 && text.first != "." && text.last != "." && !text.contains("..")
      && text.utf8.allSatisfy {
        ($0 | 32 >= UInt8(ascii: "a") && $0 | 32 <= UInt8(ascii: "z")) || $0 == UInt8(ascii: ".")
      }
  }
}
