import HTTPTypes
package import Hummingbird
package import NIOCore

/// The header fields and the address of a request. `AccessGuard` below decides on access by them. The file also has security
/// headers, web origins (`HTTPOrigin`), and the comparison of secrets (`ConstantTime`).
package struct AccessClaims: Sendable {
  package var method = "GET"
  package var path = "/"
  /// The value of `Host`, such as `kiosk.example:8632`; nil if the request has no such field, or several.
  package var host: String?
  package var origin: String?
  package var fetchSite: String?
  package var cookie: String?
  package var userAgent: String?
  /// The parameter `token` of the query.
  package var code: String?
  package var authorization: String?
  package var webSocketProtocols: String?

  /// True if the browser reports that another site caused the request.
  fileprivate var isCrossSite: Bool { fetchSite.map { $0 != "same-origin" && $0 != "none" } ?? false }
}

extension AccessClaims {
  /// Reads the claims of a request; `cookieName` is the name of the cookie to read.
  package init(_ request: Request, cookieName: String = "") {
    self.init(
      method: request.method.rawValue, path: request.uri.path, host: request.head.authority,
      origin: request.headers[.origin], fetchSite: request.headers[.init("Sec-Fetch-Site")!],
      cookie: request.cookies[cookieName]?.value, userAgent: request.headers[.userAgent],
      code: request.uri.queryParameters["token"].map(String.init), authorization: request.headers[.authorization],
      webSocketProtocols: request.headers[.secWebSocketProtocol])
    // The first `Host` has become the authority; a second `Host` remains among the fields.
    if request.headers.contains(where: { $0.name.canonicalName == "host" }) { host = nil }
  }
}

/// The reasons why a guard refuses a request, in the order of its checks.
package enum AccessRefusal: String, CaseIterable, Sendable {
  /// `Host` is not a name of this server.
  case foreignHost
  /// `Origin` or `Sec-Fetch-Site` shows that the request comes from a page that may not send requests.
  case foreignOrigin
  /// The cookie or token is missing or wrong.
  case noToken
}

/// Decides whether a request is meant for a server, and comes from one of the server's pages or not from a page at all.
///
/// Any local user, and any page in any browser on the device, reaches a loopback port. So a request must name a host of the server
/// (against DNS rebinding), and must not come from another page (against cross-site requests). A cookie or a token authenticates
/// its sender.
package struct AccessGuard: Sendable {
  private let pages: @Sendable (String?) -> Set<String>?
  private let admitsCrossSite: @Sendable (AccessClaims) -> Bool

  /// - Parameters:
  ///   - pages: returns the origins whose pages may send requests to a host, which is in lower case; nil for a host of another
  ///   server.
  ///   - admitsCrossSite: returns true if another site may cause a request that passes all other checks.
  package init(
    pages: @escaping @Sendable (String?) -> Set<String>?, admitsCrossSite: @escaping @Sendable (AccessClaims) -> Bool
  ) {
    self.pages = pages
    self.admitsCrossSite = admitsCrossSite
  }

  /// Returns the reason to refuse a request by its host and origin; nil if both are accepted.
  package func refusal(of claims: AccessClaims) -> AccessRefusal? {
    guard let pages = pages(claims.host?.lowercased()) else { return .foreignHost }
    if let origin = claims.origin?.lowercased(), !pages.contains(origin) { return .foreignOrigin }
    return claims.isCrossSite && !admitsCrossSite(claims) ? .foreignOrigin : nil
  }
}

// MARK: - Errors and security headers

extension Response {
  /// Calls `next`, and converts an HTTP error, such as 404 for an unknown path, to an answer.
  package static func of<Context>(
    _ request: Request, _ context: Context, _ next: (Request, Context) async throws -> Response
  ) async throws -> Response where Context: RequestContext {
    do {
      return try await next(request, context)
    } catch let error as any HTTPResponseError {
      return try error.response(from: request, context: context)
    }
  }

  /// Adds the security headers that the answer lacks: a content security policy, and headers that forbid guessing types, referrers
  /// and caching.
  package mutating func secure(policy: String) {
    if headers[.contentSecurityPolicy] == nil { headers[.contentSecurityPolicy] = policy }
    headers[.xContentTypeOptions] = "nosniff"
    if headers[.referrerPolicy] == nil { headers[.referrerPolicy] = "no-referrer" }
    if headers[.cacheControl] == nil { headers[.cacheControl] = "no-store" }
  }
}

extension HTTPField.Name {
  package static var referrerPolicy: HTTPField.Name { .init("Referrer-Policy")! }
}

// MARK: - Origins and secrets

/// A web origin (scheme, host and port), such as the origin of a page that may send requests, or of a reverse proxy.
package struct HTTPOrigin: Hashable, Sendable {
  /// True for `https`.
  package let isSecure: Bool
  /// `host`, or `host:port` if the port is not the scheme's default, in lower case, as browsers write `Host`.
  package let authority: String

  /// The origin as browsers write `Origin` (RFC 6454, section 6.2).
  package var text: String { (isSecure ? "https://" : "http://") + authority }

  /// Parses `http` or `https`, a host and an optional port; nil if the text is invalid.
  package init?(_ text: String) {
    guard let match = text.lowercased().wholeMatch(of: #/(https?)://([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::([0-9]{1,5}))?/#)
    else { return nil }
    isSecure = match.1 == "https"
    guard let digits = match.3 else {
      authority = String(match.2)
      return
    }
    guard let port = UInt16(digits), port > 0 else { return nil }
    authority = port == (isSecure ? 443 : 80) ? String(match.2) : "\(match.2):\(port)"
  }
}

/// Compares secrets in constant time.
package enum ConstantTime {
  /// Compares texts in a time that does not depend on where the first difference is.
  package static func areEqual(_ a: String, _ b: String) -> Bool {
    areEqual(Array(a.utf8), Array(b.utf8))
  }

  /// Compares bytes in a time that does not depend on where the first difference is.
  package static func areEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    guard a.count == b.count else { return false }
    var difference: UInt8 = 0
    for (x, y) in zip(a, b) { difference |= x ^ y }
    return difference == 0
  }
}
