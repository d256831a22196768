import WaymarkHTTP
import WaymarkProtocol

/// Decides who may speak to one listener: a pure decision over the few fields of a request that matter.
///
/// A request must name a host of this gateway (against DNS rebinding), must not come from a page that is not listed, and must carry a
/// token. At a Unix socket the file's permissions have decided already, and no browser comes there.
struct GatewayAccess: Sendable {
  /// The claims of a request.
  struct Claims: Sendable {
    /// The host; `nil` where there is none, or more than one.
    var host: String?
    var origin: String?
    var fetchSite: String?
    /// `Authorization`.
    var authorization: String?
    /// The protocols that a WebSocket offers.
    var webSocketProtocols: String?
  }

  /// The decision about a request.
  enum Decision: Equatable, Sendable {
    case allowed(Caller)
    case refused(Objection)
  }

  /// Why a request is refused.
  enum Objection: Equatable, Sendable {
    /// `Host` is not a name of this gateway.
    case foreignHost
    /// `Origin` or `Sec-Fetch-Site` tell of a page that is not listed.
    case foreignOrigin
    /// No token, or a wrong one.
    case noToken
  }

  /// The word before a token in the protocols of a WebSocket, which cannot send `Authorization` in a browser.
  static let bearerProtocol = "bearer."
  /// The protocol that a WebSocket speaks.
  static let lineProtocol = "waymark.v1"

  /// `Host` as clients may give it; anything where `nil`.
  private let authorities: Set<String>?
  private let origins: Set<String>
  private let tokens: TokenTable
  /// The caller that a request without a token is from; it is refused where `nil`.
  private let anonymous: Caller?

  init(authorities: Set<String>?, origins: Set<String>, tokens: TokenTable, anonymous: Caller?) {
    self.authorities = authorities
    self.origins = origins
    self.tokens = tokens
    self.anonymous = anonymous
  }

  /// Returns whether a page may use it.
  func lists(origin: String) -> Bool { origins.contains(origin.lowercased()) }

  /// Why a request is refused before it is known whom it is from; `nil` when it is not.
  func refusal(of claims: Claims) -> Objection? {
    if let authorities {
      guard let host = claims.host?.lowercased(), authorities.contains(host) else { return .foreignHost }
    }
    if let origin = claims.origin {
      return lists(origin: origin) ? nil : .foreignOrigin
    }
    if let site = claims.fetchSite, site != "same-origin", site != "none" { return .foreignOrigin }
    return nil
  }

  /// Decides on a request.
  func decide(_ claims: Claims) -> Decision {
    if let refusal = refusal(of: claims) { return .refused(refusal) }
    if let token = Self.token(of: claims) {
      return tokens.caller(of: token).map { .allowed($0) } ?? .refused(.noToken)
    }
    return anonymous.map { .allowed($0) } ?? .refused(.noToken)
  }

  private static func token(of claims: Claims) -> String? {
    if let authorization = claims.authorization {
      let parts = authorization.split(separator: " ", maxSplits: 1)
      guard parts.count == 2, parts[0].lowercased() == "bearer" else { return "" }
      return String(parts[1].trimmingPrefix { $0 == " " })
    }
    return claims.webSocketProtocols?.split(separator: ",").lazy
      .map { $0.trimmingPrefix { $0 == " " } }
      .first { $0.hasPrefix(bearerProtocol) }
      .map { String($0.dropFirst(bearerProtocol.count).prefix { $0 != " " }) }
  }
}
