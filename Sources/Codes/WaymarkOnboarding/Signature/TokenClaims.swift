package import WaymarkSystem

/// The registered claims of a token (RFC 7519, 4.1) that a verdict looks at.
package struct TokenClaims: Sendable, Hashable {
  package var issuer: String?
  var audiences: [String]?
  /// Seconds since 1970.
  package var expires: Double?
  /// Seconds since 1970.
  package var notBefore: Double?
  /// Seconds since 1970.
  package var issuedAt: Double?
  package var identifier: String?

  /// Reads the claims; one of the wrong type refuses the token, for it was meant to say something.
  package init(_ payload: JSONValue) throws(TokenError) {
    issuer = try Self.text("iss", payload)
    identifier = try Self.text("jti", payload)
    expires = try Self.date("exp", payload)
    notBefore = try Self.date("nbf", payload)
    issuedAt = try Self.date("iat", payload)
    switch payload["aud"] {
    case nil: audiences = nil
    case .string(let one): audiences = [one]
    case .array(let several) where several.allSatisfy({ $0.string != nil }):
      audiences = several.compactMap(\.string)
    default: throw .claims("\"aud\" is neither text nor a list of strings")
    }
  }

  private static func text(_ name: String, _ payload: JSONValue) throws(TokenError) -> String? {
    guard let value = payload[name] else { return nil }
    guard let text = value.string else { throw .claims("\"\(name)\" is not a string") }
    return text
  }

  /// A NumericDate (RFC 7519, section 2), within what a calendar holds.
  private static func date(_ name: String, _ payload: JSONValue) throws(TokenError) -> Double? {
    guard let value = payload[name] else { return nil }
    guard let seconds = value.double, seconds >= 0, seconds < 253_402_300_800 else {
      throw .claims("\"\(name)\" is not a number of seconds since 1970")
    }
    return seconds
  }
}
