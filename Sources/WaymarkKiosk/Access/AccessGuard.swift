/// Who may speak to the kiosk's port: a pure decision over the few fields of a request that matter.
///
/// Any local user, and any page in any browser on the device, reaches a loopback port. So a request must name this host
/// (against DNS rebinding), must not come from another page (against cross-site requests), and must carry the cookie
/// that only someone who knows the token can have.
struct AccessGuard: Sendable {
  /// The name of the cookie that the token is traded for.
  static let cookieName = "waymark"

  /// What a request says of itself.
  struct Claims: Sendable {
    var method: String
    var path: String
    var host: String?
    var origin: String?
    var fetchSite: String?
    var cookie: String?
    var queryToken: String?
  }

  /// What becomes of a request.
  enum Decision: Equatable, Sendable {
    case allowed
    /// The right token in the address: set the cookie, `secure` where it came over TLS, and go to the address without it.
    case trade(secure: Bool)
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

  private let token: [UInt8]
  /// The pages that may send requests, by the authority that these name.
  private var origins: [String: Set<String>] = [:]

  /// A guard for a token, the authorities (`host:port`, lower case) under which this kiosk is reached, and what it is
  /// called besides.
  init(token: String, authorities: Set<String>, origins: [KioskOrigin] = []) {
    self.token = Array(token.utf8)
    for authority in authorities { self.origins[authority] = ["http://\(authority)"] }
    for origin in origins { self.origins[origin.authority, default: []].insert(origin.text) }
  }

  /// The authorities of a listener: the address itself and, on loopback, its usual names.
  static func authorities(host: String, port: Int) -> Set<String> {
    let bracketed = host.contains(":") ? "[\(host)]" : host.lowercased()
    var hosts: Set = [bracketed]
    if ["127.0.0.1", "[::1]", "localhost"].contains(bracketed) {
      hosts.formUnion(["127.0.0.1", "localhost", "[::1]"])
    }
    var result = Set(hosts.map { "\($0):\(port)" })
    if port == 80 { result.formUnion(hosts) }
    return result
  }

  /// Decides on a request.
  func decide(_ claims: Claims) -> Decision {
    guard let host = claims.host?.lowercased(), let own = origins[host] else { return .refused(.foreignHost) }
    if let origin = claims.origin?.lowercased(), !own.contains(origin) { return .refused(.foreignOrigin) }
    if let site = claims.fetchSite, site != "same-origin", site != "none" {
      // A link from elsewhere may open the start page, which then still needs its cookie; nothing else.
      guard claims.method == "GET", claims.path == "/", claims.origin == nil else { return .refused(.foreignOrigin) }
    }
    if claims.method == "GET", claims.path == "/", let offered = claims.queryToken {
      return matches(offered)
        ? .trade(secure: own.allSatisfy { $0.hasPrefix("https://") }) : .refused(.noToken)
    }
    guard let cookie = claims.cookie, matches(cookie) else { return .refused(.noToken) }
    return .allowed
  }

  /// Compares in a time that does not depend on where the first difference is.
  private func matches(_ offered: String) -> Bool {
    let bytes = Array(offered.utf8)
    guard bytes.count == token.count else { return false }
    var difference: UInt8 = 0
    for (a, b) in zip(bytes, token) { difference |= a ^ b }
    return difference == 0
  }
}
