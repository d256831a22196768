import HTTPTypes
import Hummingbird

/// Puts the gate before every route, and the security headers on every answer.
struct RequestGuard: RouterMiddleware {
  typealias Context = KioskContext

  let gate: AccessGate
  let token: String
  let connections: Connections

  /// Nothing from elsewhere, nothing inline, nobody may frame the page.
  static var policy: String {
    [
      "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob:", "connect-src 'self'",
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
      connections.proved(context.channel)
      response = try await next(request, context)
    case .trade(let secure):
      connections.proved(context.channel)
      response = trade(secure: secure)
    case .refused(let refusal): response = refuse(refusal)
    }
    response.headers[.contentSecurityPolicy] = Self.policy
    response.headers[.xContentTypeOptions] = "nosniff"
    response.headers[.init("Referrer-Policy")!] = "no-referrer"
    response.headers[.init("Cross-Origin-Opener-Policy")!] = "same-origin"
    response.headers[.init("Cross-Origin-Resource-Policy")!] = "same-origin"
    response.headers[.init("Permissions-Policy")!] = "camera=(), microphone=(), geolocation=()"
    if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
    return response
  }

  private func claims(of request: Request) -> AccessGuard.Claims {
    AccessGuard.Claims(
      method: request.method.rawValue, path: request.uri.path, host: request.head.authority,
      origin: request.headers[.origin], fetchSite: request.headers[.init("Sec-Fetch-Site")!],
      cookie: request.cookies[AccessGuard.cookieName]?.value,
      queryToken: request.uri.queryParameters["token"].map(String.init))
  }

  private func trade(secure: Bool) -> Response {
    Response(
      status: .seeOther,
      headers: [
        .location: "/",
        .setCookie: "\(AccessGuard.cookieName)=\(token); Path=/; HttpOnly; SameSite=Strict\(secure ? "; Secure" : "")",
      ])
  }

  private func refuse(_ refusal: AccessGuard.Refusal) -> Response {
    let (status, text): (HTTPResponse.Status, String) =
      switch refusal {
      case .foreignHost: (.misdirectedRequest, "This kiosk is not reached under that name.")
      case .foreignOrigin: (.forbidden, "Requests from other pages are refused.")
      case .noToken:
        (.unauthorized, "Open the address that `waymark kiosk` printed: it carries the token that opens this page.")
      }
    return Response(
      status: status, headers: [.contentType: "text/plain; charset=utf-8"],
      body: .init(byteBuffer: ByteBuffer(string: text + "\n")))
  }
}
