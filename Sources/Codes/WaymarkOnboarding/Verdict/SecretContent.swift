import FoundationEssentials
import WaymarkSystem

/// Recognizes a text of any kind that holds a secret, by its structure: user information in an address, a name that sounds like
/// a secret with a value behind it, a scheme that carries one, a signed token, a key.
package enum SecretContent {
  /// Schemes whose addresses are secrets: one-time passwords, activation of a SIM or of an authenticator, pairing, accesses to networks.
  private static let schemes: Set<String> = [
    "otpauth", "otpauth-migration", "lpa", "fido", "x-hm", "ss", "ssr", "vmess", "vless", "trojan", "wireguard",
  ]
  private static let maximumDepth = 4

  /// Returns whether a text holds a secret.
  package static func isIn(_ text: String) -> Bool { isIn(text, depth: 0) }

  private static func isIn(_ text: String, depth: Int) -> Bool {
    let text = VisibleText.of(text.replacing("\r", with: "\n").replacing("\n", with: " \n "))
    if text.contains("-----BEGIN"), text.contains("PRIVATE KEY") { return true }
    if hasSecretScheme(text) || hasUserInformation(text) || hasSecretParameter(text) || isKey(text) { return true }
    let words = text.utf8.split { $0 <= 0x20 || "=&?#\"',;".utf8.contains($0) }
    if words.contains(where: { $0.count > 40 && CompactJWS.isLikely(String(decoding: $0, as: UTF8.self)) }) {
      return true
    }
    // Deeper than any honest text is hidden on purpose.
    guard depth < maximumDepth else { return PercentCoding.decodedOnce(text) != nil }
    if let decoded = PercentCoding.decodedOnce(text), isIn(decoded, depth: depth + 1) { return true }
    guard let first = text.utf8.first(where: { $0 > 0x20 }), first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
      let value = try? JSONParser.parse(text)
    else { return false }
    return isIn(value, depth: depth + 1)
  }

  private static func isIn(_ value: JSONValue, depth: Int) -> Bool {
    switch value {
    case .object(let members):
      members.contains { member in
        PayloadField.looksSecret(member.name) && !isEmpty(member.value) || isIn(member.value, depth: depth)
      }
    case .array(let elements): elements.contains { isIn($0, depth: depth) }
    case .string(let text): isIn(text, depth: depth)
    case .number, .bool, .null: false
    }
  }

  private static func isEmpty(_ value: JSONValue) -> Bool {
    value == .null || value.string?.isEmpty ?? value.array?.isEmpty ?? value.members?.isEmpty ?? false
  }

  private static func hasSecretScheme(_ text: String) -> Bool {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
    let scheme = text[..<colon].lowercased().drop { $0 == " " || $0 == "\n" }
    guard schemes.contains(String(scheme)) else { return false }
    return scheme == "lpa" || scheme == "fido" || text[colon...].hasPrefix("://")
  }

  /// Returns whether an address names a user: `https://anna:pass@example.com`.
  private static func hasUserInformation(_ text: String) -> Bool {
    let bytes = Array(text.utf8.map { $0 == 0x5C ? 0x2F : $0 })
    return bytes.indices.dropLast().contains { index in
      guard bytes[index] == 0x2F, bytes[index + 1] == 0x2F else { return false }
      let authority = bytes[(index + 2)...].prefix { $0 > 0x20 && $0 != 0x2F && $0 != 0x3F && $0 != 0x23 }
      return authority.contains(UInt8(ascii: "@"))
    }
  }

  /// Returns whether a parameter or a line gives a value to a name that sounds like a secret: `#access_token=…`, `PrivateKey = …`,
  /// `password: …`.
  private static func hasSecretParameter(_ text: String) -> Bool {
    text.split(whereSeparator: { "?&#;\n".contains($0) }).contains { piece in
      guard let sign = piece.firstIndex(where: { $0 == "=" || $0 == ":" }) else { return false }
      let name = piece[..<sign].drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
      let value = piece[piece.index(after: sign)...].drop { $0 == " " }
      // Short words before a colon begin a sentence: "Code: see the label".
      guard !value.isEmpty, piece[sign] == "=" || name.count > 4 && !name.contains(" ") else { return false }
      return PayloadField.looksSecret(String(name))
    }
  }

  /// Returns whether a text is nothing but 32 bytes in base64, as WireGuard writes keys.
  private static func isKey(_ text: String) -> Bool {
    let key = text.utf8.filter { $0 > 0x20 }
    guard key.count == 44, key.last == UInt8(ascii: "="), key[42] != UInt8(ascii: "="),
      let bytes = Data(base64Encoded: Data(key))
    else { return false }
    return bytes.count == 32
  }
}
