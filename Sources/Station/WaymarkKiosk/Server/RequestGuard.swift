import HTTPTypes
import Hummingbird
import WaymarkHTTP

/// Puts the gate before every route, and the security headers on every answer.
struct RequestGuard: RouterMiddleware {
  typealias Context = ConnectionContext

  let gate: AccessGate
  let connections: Connections

  static var referrerPolicy: HTTPField.Name { .init("Referrer-Policy")! }

  /// Nothing from elsewhere, nothing inline, nobody may frame the page.
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
    switch gate.decide(claims(of: request)) {
    case .allowed:
      connections.authenticated(context.channel)
      response = try await answer(request, context, next)
    case .guest: response = try await answer(request, context, next)
    case .trade(let cookie, let secure):
      connections.authenticated(context.channel)
      let line = "\(cookieName)=\(cookie); Path=/; HttpOnly; SameSite=Strict\(secure ? "; Secure" : "")"
      response = start(from: request, headers: [.setCookie: line])
    case .home:
      connections.authenticated(context.channel)
      response = start(from: request)
    case .offer: response = refuse(.noToken)
    case .refused(let refusal): response = refuse(refusal)
    }
    if response.headers[.contentSecurityPolicy] == nil { response.headers[.contentSecurityPolicy] = Self.policy }
    response.headers[.xContentTypeOptions] = "nosniff"
    if response.headers[Self.referrerPolicy] == nil { response.headers[Self.referrerPolicy] = "no-referrer" }
    response.headers[.init("Cross-Origin-Opener-Policy")!] = "same-origin"
    response.headers[.init("Cross-Origin-Resource-Policy")!] = "same-origin"
    response.headers[.init("Permissions-Policy")!] = "camera=(), microphone=(), geolocation=()"
    if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
    return response
  }

  /// The answer of the route. An error of the server, such as 404 where there is no route, is an answer like any other.
  private func answer(
    _ request: Request, _ context: Context, _ next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let error as any HTTPResponseError {
      return try error.response(from: request, context: context)
    }
  }

  private func claims(of request: Request) -> AccessGuard.Claims {
    // The first Host became the authority. A second one is somebody who wants to be two things at once.
    let hasOneHost = !request.headers.contains { $0.name.canonicalName == "host" }
    return AccessGuard.Claims(
      method: request.method.rawValue, path: request.uri.path, host: hasOneHost ? request.head.authority : nil,
      origin: request.headers[.origin], fetchSite: request.headers[.init("Sec-Fetch-Site")!],
      cookie: request.cookies[cookieName]?.value, agent: request.headers[.userAgent],
      code: request.uri.queryParameters["token"].map(String.init))
  }

  private var cookieName: String { gate.cookieName }

  /// Sends a browser on to the start page.
  private func start(from request: Request, headers: HTTPFields = [:]) -> Response {
    var headers = headers
    let site = request.headers[.init("Sec-Fetch-Site")!]
    guard let site, site != "same-origin", site != "none" else {
      headers[.location] = "/"
      return Response(status: .seeOther, headers: headers)
    }
    // It was sent here by another page, such as the file that launches it. After a redirect that would still count as coming from there,
    // and the cookie would stay behind; going on from a page of its own does not.
    headers[.contentType] = "text/html; charset=utf-8"
    return Response(
      status: .ok, headers: headers,
      body: .init(
        byteBuffer: ByteBuffer(
          string: "<!doctype html><meta charset=\"utf-8\"><title>Waymark</title>"
            + "<meta http-equiv=\"refresh\" content=\"0; url=/\">\n")))
  }

  private func refuse(_ refusal: AccessGuard.Refusal) -> Response {
    let (status, text): (HTTPResponse.Status, String) =
      switch refusal {
      case .foreignHost:
        (.misdirectedRequest, "The kiosk page is not served under this name. Name its address with --origin.")
      case .foreignOrigin: (.forbidden, "Requests from other pages are refused.")
      case .noToken:
        (
          .unauthorized,
          "This page opens with a code that works once. `waymark kiosk` prints it, and --launch-page keeps a new one."
        )
      }
    return Response(
      status: status, headers: [.contentType: "text/plain; charset=utf-8"],
      body: .init(byteBuffer: ByteBuffer(string: text + "\n")))
  }
}
