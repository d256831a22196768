package import WaymarkSystem

/// A signed token in compact form (RFC 7515, 3.1), taken apart but not believed.
package struct CompactJWS: Sendable, Hashable {
  /// The header's members, as the token has them.
  package let header: JSONValue
  /// The signed payload, decoded.
  package let payload: [UInt8]
  /// The signature.
  package let signature: [UInt8]
  /// The bytes under the signature: the first two parts with their dot.
  package let signed: [UInt8]

  /// Returns whether a text has the look of such a token: base64url parts with dots between, the first an object. A token of
  /// five parts is an encrypted one (RFC 7516), which `init` refuses.
  package static func isLikely(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3 || parts.count == 5, let header = Base64URL.decode(parts[0]),
      header.first(where: { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }) == UInt8(ascii: "{")
    else { return false }
    return parts.allSatisfy { $0.allSatisfy { $0 > 0x20 && $0 < 0x7F } }
  }

  /// Takes a token apart.
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
    // RFC 7515, 4.1.11: what must be understood and is not, refuses the token.
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
  /// The key that the token names.
  var keyID: String? { header["kid"]?.string }
}
