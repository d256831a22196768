import HTTPTypes
import Hummingbird
import WaymarkHTTP
import WaymarkProtocol

/// Decides on every request before any route does, and puts the headers of security and of listed pages on every answer.
struct GatewayGuard: RouterMiddleware {
  typealias Context = GatewayContext

  let access: GatewayAccess
  let connections: Connections
  let paths: GatewayPaths

  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    let claims = claims(of: request)
    var response = try await answer(request, claims, context, next)
    response.headers[.contentSecurityPolicy] = "default-src 'none'; frame-ancestors 'none'"
    response.headers[.xContentTypeOptions] = "nosniff"
    response.headers[.init("Referrer-Policy")!] = "no-referrer"
    if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
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
    _ request: Request, _ claims: GatewayAccess.Claims, _ context: Context,
    _ next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    if request.method == .options, let preflight = preflight(request, claims) { return preflight }
    switch access.decide(claims) {
    case .refused(let refusal): return Self.refuse(refusal)
    case .allowed(let caller):
      connections.authenticated(context.channel)
      guard let verbs = paths.verbs(of: request.uri.path) else {
        return GatewayAnswer.own(
          "unknownPath", "There is nothing under this path.", hint: "GET /v1/openapi.json lists what there is.")
      }
      guard verbs.contains(request.method.rawValue) else {
        var response = GatewayAnswer.own(
          "unknownVerb", "This path knows no \(request.method.rawValue.prefix(16)).",
          hint: "Use \(verbs.joined(separator: " or ")).")
        response.headers[.allow] = verbs.joined(separator: ", ")
        return response
      }
      var context = context
      context.caller = caller
      do {
        return try await next(request, context)
      } catch let error as any HTTPResponseError {
        return try error.response(from: request, context: context)
      }
    }
  }

  /// The answer to a browser that asks what a page may send; `nil` where it is another request.
  private func preflight(_ request: Request, _ claims: GatewayAccess.Claims) -> Response? {
    guard claims.origin != nil, request.headers[.accessControlRequestMethod] != nil else { return nil }
    if let refusal = access.refusal(of: claims) { return Self.refuse(refusal) }
    return Response(
      status: .noContent,
      headers: [
        .accessControlAllowMethods: "GET, POST",
        .accessControlAllowHeaders: "Authorization, Content-Type, Last-Event-ID, Waymark-Session",
        .accessControlMaxAge: "600",
      ])
  }

  private func claims(of request: Request) -> GatewayAccess.Claims {
    // The first Host became the authority. A second one is somebody who wants to be two things at once.
    let hasOneHost = !request.headers.contains { $0.name.canonicalName == "host" }
    return GatewayAccess.Claims(
      host: hasOneHost ? request.head.authority : nil, origin: request.headers[.origin],
      fetchSite: request.headers[.init("Sec-Fetch-Site")!], authorization: request.headers[.authorization],
      webSocketProtocols: request.headers[.secWebSocketProtocol])
  }

  private static func refuse(_ refusal: GatewayAccess.Objection) -> Response {
    var response =
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
    // Its body is not read.
    response.headers[.connection] = "close"
    return response
  }
}
