import WaymarkHTTP

/// Decides who may speak to the kiosk's port: a pure decision over the few fields of a request that matter.
///
/// Any local user, and any page in any browser on the device, reaches a loopback port. So a request must name this host
/// (against DNS rebinding), must not come from another page (against cross-site requests), and must carry a cookie
/// that only a browser can have that came with a launch code.
struct AccessGuard: Sendable {
  /// The claims of a request.
  struct Claims: Sendable {
    var method: String
    var path: String
    var host: String?
    var origin: String?
    var fetchSite: String?
    var cookie: String?
    /// The browser's own name.
    var agent: String?
    /// The launch code in the address.
    var code: String?
  }

  /// The decision about a request.
  enum Decision: Equatable, Sendable {
    case allowed
    /// A phone that takes a result home, whose address is the secret.
    case guest
    /// A launch code in the address, still to be looked at; `secure` where it came over TLS.
    case offer(code: String, secure: Bool)
    /// The right one: set the cookie, and go to the address without the code.
    case trade(cookie: String, secure: Bool)
    /// A used one of a browser that is known: go to the address without it.
    case home
    case refused(Refusal)
  }

  /// Why a request is refused.
  enum Refusal: Equatable, Sendable {
    /// `Host` is not an address of this kiosk.
    case foreignHost
    /// `Origin` or `Sec-Fetch-Site` tell of another page.
    case foreignOrigin
    /// No cookie, or a wrong one.
    case noToken
  }

  /// The name of the cookie.
  let cookieName: String
  private let cookies: KioskCookie
  /// The pages that may send requests, by the authority that these name.
  private var origins: [String: Set<String>] = [:]
  /// The address under which phones take results home.
  private let pickup: HTTPOrigin?

  /// A guard for the token that proves cookies, the port, the authorities (`host:port`, lower case) under which this kiosk is
  /// reached, what it is called besides, and under which address results are taken home.
  init(
    token: String, port: Int, authorities: Set<String>, origins: [HTTPOrigin] = [], pickup: HTTPOrigin? = nil
  ) {
    self.pickup = pickup
    cookies = KioskCookie(token: token)
    cookieName = KioskCookie.name(port: port)
    for authority in authorities { self.origins[authority] = ["http://\(authority)"] }
    for origin in origins { self.origins[origin.authority, default: []].insert(origin.text) }
  }

  /// Decides on a request.
  func decide(_ claims: Claims) -> Decision {
    if claims.path.hasPrefix(Pickups.path) { return decidePickup(claims) }
    guard let host = claims.host?.lowercased(), let own = origins[host] else { return .refused(.foreignHost) }
    if let origin = claims.origin?.lowercased(), !own.contains(origin) { return .refused(.foreignOrigin) }
    if let site = claims.fetchSite, site != "same-origin", site != "none" {
      // A link from elsewhere may open the start page, which then still needs its cookie; nothing else.
      guard claims.method == "GET", claims.path == "/", claims.origin == nil else { return .refused(.foreignOrigin) }
    }
    if claims.method == "GET", claims.path == "/", let code = claims.code {
      return .offer(code: code, secure: own.allSatisfy { $0.hasPrefix("https://") })
    }
    return isKnown(claims) ? .allowed : .refused(.noToken)
  }

  /// Decides on a request for a result: under its own address alone, from anywhere to look at it, from its own page to take it.
  private func decidePickup(_ claims: Claims) -> Decision {
    guard let pickup, claims.host?.lowercased() == pickup.authority else { return .refused(.foreignHost) }
    switch claims.method {
    case "GET": return claims.origin == nil ? .guest : .refused(.foreignOrigin)
    case "POST":
      let isOwn = claims.origin?.lowercased() == pickup.text && ["same-origin", nil].contains(claims.fetchSite)
      return isOwn ? .guest : .refused(.foreignOrigin)
    default: return .refused(.foreignOrigin)
    }
  }

  /// Returns whether a request comes from a browser that has its cookie.
  func isKnown(_ claims: Claims) -> Bool {
    claims.cookie.map { cookies.isValid($0, for: claims.agent) } ?? false
  }

  /// A cookie for the browser of a request.
  func newCookie(for claims: Claims) -> String { cookies.make(for: claims.agent) }
}
