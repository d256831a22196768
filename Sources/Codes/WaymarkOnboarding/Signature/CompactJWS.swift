package import WaymarkSystem

/// A signed token in compact form (RFC 7515, 3.1), parsed but not verified. The file also has the claims of a token
/// (`TokenClaims`), the errors of tokens, and `Base64URL`, their encoding.
package struct CompactJWS: Sendable, Hashable {
  /// The header, an object.
  package let header: JSONValue
  /// The signed payload, decoded.
  package let payload: [UInt8]
  package let signature: [UInt8]
  /// The signed bytes: header and payload in base64url, with the dot between them.
  package let signed: [UInt8]

  /// Returns whether a text looks like a token: three parts separated by dots, the first a JSON object in base64url. Also true for
  /// the five parts of an encrypted token (RFC 7516), which `init` refuses with a reason.
  package static func isLikely(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3 || parts.count == 5, let header = Base64URL.decode(parts[0]),
      header.first(where: { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }) == UInt8(ascii: "{")
    else { return false }
    return parts.allSatisfy { $0.allSatisfy { $0 > 0x20 && $0 < 0x7F } }
  }

  /// Parses a token.
  ///
  /// - Throws: `badToken` for another form, and for header members that are not supported.
  package init(_ text: String) throws(TokenError) {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3 else { throw .token("the token is encrypted, and only signed ones can be judged") }
    guard let head = Base64URL.decode(parts[0]), let payload = Base64URL.decode(parts[1]),
      let signature = Base64URL.decode(parts[2])
    else { throw .token("a part of the token is not base64url") }
    do {
      header = try JSONParser.parse(head)
    } catch {
      throw .token("the token's header is not JSON: \(error.problem)")
    }
    guard header.members != nil else { throw .token("the token's header is not an object") }
    // RFC 7515, 4.1.11: extensions that are not understood make the token invalid.
    if header["crit"] != nil { throw .token("the token demands extensions (\"crit\") that are not known here") }
    if let b64 = header["b64"], b64 != .bool(true) {
      throw .token("the token's payload is not encoded (\"b64\")")
    }
    guard header["alg"]?.string != nil else { throw .token("the token's header names no algorithm") }
    if let id = header["kid"], id.string == nil { throw .token("the token's key identifier is not a string") }
    self.payload = payload
    self.signature = signature
    signed = Array(parts[0]) + [UInt8(ascii: ".")] + Array(parts[1])
  }

  /// The algorithm as the token spells it.
  var algorithmName: String { header["alg"]?.string ?? "" }
  /// The key identifier in the token's header; nil without one.
  var keyID: String? { header["kid"]?.string }
}

// MARK: - Claims

/// The registered claims of a token (RFC 7519, 4.1) that a verdict depends on.
package struct TokenClaims: Sendable, Hashable {
  package var issuer: String?
  var audiences: [String]?
  /// `exp`, in seconds since 1970.
  package var expires: Double?
  /// `nbf`, in seconds since 1970.
  package var notBefore: Double?
  /// `iat`, in seconds since 1970.
  package var issuedAt: Double?
  package var identifier: String?

  /// Reads the claims.
  ///
  /// - Throws: `badClaims` for a claim of the wrong type, and for a time before 1970 or after the year 9999.
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

  /// Reads a NumericDate (RFC 7519, section 2) from 1970 to the year 9999; returns nil if the claim is absent.
  private static func date(_ name: String, _ payload: JSONValue) throws(TokenError) -> Double? {
    guard let value = payload[name] else { return nil }
    guard let seconds = value.double, seconds >= 0, seconds < 253_402_300_800 else {
      throw .claims("\"\(name)\" is not a number of seconds since 1970")
    }
    return seconds
  }
}

// MARK: - Errors

/// The error of a text that is not a token, or of invalid claims.
package typealias TokenError = Problem<TokenErrorCode>

/// The codes of `TokenError`.
package enum TokenErrorCode: String, ProblemCode {
  /// The text is not a signed token in compact form.
  case badToken
  /// A registered claim has the wrong type or range.
  case badClaims
}

extension Problem where Kind == TokenErrorCode {
  static func token(_ message: String) -> TokenError {
    TokenError(.badToken, message, hint: "Sign a JWT as compact JWS, without extensions.")
  }

  static func claims(_ message: String) -> TokenError {
    TokenError(.badClaims, message, hint: "Write the registered claims as RFC 7519 has them.")
  }
}

// MARK: - Base64

/// Base64 in the alphabet for URLs, without padding (RFC 7515, section 2).
package enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  private static let values: [UInt8] = {
    var table = [UInt8](repeating: 0xFF, count: 256)
    for (value, byte) in alphabet.enumerated() { table[Int(byte)] = UInt8(value) }
    return table
  }()

  package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    var output: [UInt8] = []
    var buffer: UInt32 = 0
    var bits = 0
    for byte in bytes {
      buffer = (buffer << 8 | UInt32(byte)) & 0xFFFF
      bits += 8
      while bits >= 6 {
        bits -= 6
        output.append(alphabet[Int(buffer >> UInt32(bits)) & 63])
      }
    }
    if bits > 0 { output.append(alphabet[Int(buffer << UInt32(6 - bits)) & 63]) }
    return String(decoding: output, as: UTF8.self)
  }

  /// Decodes a text; returns nil for characters outside of the alphabet, padding included, and for unused bits that are not zero.
  package static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
    var output: [UInt8] = []
    var buffer: UInt32 = 0
    var bits = 0
    for byte in text {
      let value = values[Int(byte)]
      guard value < 64 else { return nil }
      buffer = (buffer << 6 | UInt32(value)) & 0xFFFF
      bits += 6
      if bits >= 8 {
        bits -= 8
        output.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
      }
    }
    // With six unused bits, the last character encodes no byte.
    guard bits < 6, buffer & ((1 << UInt32(bits)) - 1) == 0 else { return nil }
    return output
  }

  package static func decode(_ text: String) -> [UInt8]? { decode(text.utf8) }
}
