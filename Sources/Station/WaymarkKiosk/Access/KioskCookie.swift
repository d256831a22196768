import WaymarkCrypto
import WaymarkHTTP

/// The cookie of one browser: a number of its own, and proof that this kiosk gave it to a browser of that name.
///
/// Nothing is kept of it here: pages stay open over a restart, as long as the token stays.
struct KioskCookie: Sendable {
  private let key: SymmetricKey

  /// Cookies that are proven by a token.
  init(token: String) { key = SymmetricKey(Array(token.utf8)) }

  /// The name of the cookie. Cookies do not tell ports apart: it names the port, so that it gets in nobody else's way.
  static func name(port: Int) -> String { "waymark-\(port)" }

  /// A new cookie.
  ///
  /// - Parameter agent: what the browser calls itself.
  func make(for agent: String?) -> String {
    let number = KioskToken().value
    return number + "." + proof(number, agent)
  }

  /// Returns whether a cookie was made here, for that browser.
  func isValid(_ cookie: String, for agent: String?) -> Bool {
    let parts = cookie.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].utf8.count == 64 else { return false }
    return ConstantTime.areEqual(String(parts[1]), proof(String(parts[0]), agent))
  }

  private func proof(_ number: String, _ agent: String?) -> String {
    let text = "waymark kiosk cookie\n\(number)\n\(agent ?? "")"
    return key.authenticationCode(for: Array(text.utf8)).map { byte in
      String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }.joined()
  }
}
