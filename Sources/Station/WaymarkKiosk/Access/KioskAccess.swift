import Synchronization
import WaymarkHTTP

/// Decides which requests to the kiosk's port are accepted. `AccessGate` below refuses all requests until the port is known.
///
/// A request must pass the `AccessGuard` and contain a cookie. A browser gets the cookie in return for a launch code. Phones fetch
/// results without a cookie, under another address.
struct KioskAccess: Sendable {
  enum Decision: Equatable, Sendable {
    case allowed
    /// A phone that fetches a result; the address itself is the secret.
    case guest
    /// A launch code in the address, which has not been compared yet; `secure` if it came over TLS.
    case offer(code: String, secure: Bool)
    /// The right code: set the cookie, and redirect to the address without the code.
    case trade(cookie: String, secure: Bool)
    /// A wrong or used code from a browser that has a cookie: redirect to the address without the code.
    case home
    case refused(AccessRefusal)
  }

  let cookieName: String
  private let cookies: KioskCookie
  private let access: AccessGuard
  /// The origins from which requests may come, by the authority in the `Host` of the requests.
  private let origins: [String: Set<String>]
  /// The address under which phones fetch results.
  private let pickup: HTTPOrigin?

  /// - Parameters:
  ///   - token: the token that authenticates cookies.
  ///   - port: the port of the page, which is part of the cookie's name.
  ///   - authorities: `host:port` in lower case of this kiosk's own addresses.
  ///   - origins: further addresses, such as the addresses of a proxy in front of the kiosk.
  ///   - pickup: the address under which results are fetched.
  init(
    token: String, port: Int, authorities: Set<String>, origins: [HTTPOrigin] = [], pickup: HTTPOrigin? = nil
  ) {
    var pages = Dictionary(uniqueKeysWithValues: authorities.map { ($0, Set(["http://\($0)"])) })
    for origin in origins { pages[origin.authority, default: []].insert(origin.text) }
    self.origins = pages
    self.pickup = pickup
    cookies = KioskCookie(token: token)
    cookieName = KioskCookie.name(port: port)
    access = AccessGuard { [pages] host in
      host.flatMap { pages[$0] }
    } admitsCrossSite: {
      // A link on another site may open the start page, which still needs its cookie.
      $0.method == "GET" && $0.path == "/" && $0.origin == nil
    }
  }

  func decide(_ claims: AccessClaims) -> Decision {
    if claims.path.hasPrefix(Pickups.path) { return decidePickup(claims) }
    if let refusal = access.refusal(of: claims) { return .refused(refusal) }
    if claims.method == "GET", claims.path == "/", let code = claims.code {
      let own = claims.host.flatMap { origins[$0.lowercased()] } ?? []
      return .offer(code: code, secure: own.allSatisfy { $0.hasPrefix("https://") })
    }
    return isKnown(claims) ? .allowed : .refused(.noToken)
  }

  /// Decides on a request below `Pickups.path`. Its host must be the host of `pickup`. GET must have no origin, and POST the origin
  /// of `pickup`.
  private func decidePickup(_ claims: AccessClaims) -> Decision {
    guard let pickup, claims.host?.lowercased() == pickup.authority else { return .refused(.foreignHost) }
    switch claims.method {
    case "GET": return claims.origin == nil ? .guest : .refused(.foreignOrigin)
    case "POST":
      let isOwn = claims.origin?.lowercased() == pickup.text && ["same-origin", nil].contains(claims.fetchSite)
      return isOwn ? .guest : .refused(.foreignOrigin)
    default: return .refused(.foreignOrigin)
    }
  }

  /// Returns whether a request has a cookie of this kiosk for its browser.
  func isKnown(_ claims: AccessClaims) -> Bool {
    claims.cookie.map { cookies.isValid($0, for: claims.userAgent) } ?? false
  }

  /// Makes a cookie for the browser of a request.
  func newCookie(for claims: AccessClaims) -> String { cookies.make(for: claims.userAgent) }
}

/// Holds the launch code and the `KioskAccess`. The latter is set once the port is known; until then, every request is refused.
final class AccessGate: Sendable {
  private struct State {
    var access: KioskAccess?
    var code = LaunchCode()
    /// Receives every new code.
    var onCode: @Sendable (String) -> Void = { _ in }
  }

  private let state = Mutex(State())

  /// Sets the `KioskAccess` that decides on requests from now on.
  ///
  /// - Parameter onCode: called with the launch code now, and with each new code that replaces a used code.
  func open(_ access: KioskAccess, onCode: @escaping @Sendable (String) -> Void = { _ in }) {
    let code = state.withLock { state in
      (state.access, state.onCode) = (access, onCode)
      return state.code.value
    }
    onCode(code)
  }

  /// The current launch code.
  var code: String { state.withLock { $0.code.value } }

  /// The name of the page's cookie; empty until `open`.
  var cookieName: String { state.withLock { $0.access?.cookieName } ?? "" }

  /// Decides on a request. A correct launch code is used up, and a new code replaces it.
  func decide(_ claims: AccessClaims) -> KioskAccess.Decision {
    let (decision, news) = state.withLock { state -> (KioskAccess.Decision, (String, @Sendable (String) -> Void)?) in
      guard let access = state.access else { return (.refused(.foreignHost), nil) }
      var decision = access.decide(claims)
      guard case .offer(let code, let secure) = decision else { return (decision, nil) }
      // A browser with a cookie may use its old address again.
      guard state.code.use(code) else { return (access.isKnown(claims) ? .home : .refused(.noToken), nil) }
      decision = .trade(cookie: access.newCookie(for: claims), secure: secure)
      return (decision, (state.code.value, state.onCode))
    }
    if let (code, onCode) = news { onCode(code) }
    return decision
  }
}

/// A code that opens the page once: a browser gets a cookie for it.
struct LaunchCode: Sendable {
  /// The code: 256 random bits, in hexadecimal.
  private(set) var value = KioskToken().value

  /// Replaces the code by a new code if it equals `offered`; returns whether it did.
  mutating func use(_ offered: String) -> Bool {
    guard ConstantTime.areEqual(offered, value) else { return false }
    value = KioskToken().value
    return true
  }
}
