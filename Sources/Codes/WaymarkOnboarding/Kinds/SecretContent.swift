import FoundationEssentials
import WaymarkSystem

/// Recognizes secrets in a text of any kind by its structure: user information in an address, a value whose name sounds like a
/// secret, a scheme whose addresses are secrets, a signed token, or a key.
package enum SecretContent {
  /// Schemes whose addresses are secrets, each with the characters that must follow the colon: one-time passwords, activation of a
  /// SIM or an authenticator, pairing, access to networks.
  private static let schemes: [String: String] = [
    "otpauth": "//", "otpauth-migration": "//", "lpa": "1$", "fido": "/", "x-hm": "//", "ss": "//", "ssr": "//",
    "ssconf": "//", "vmess": "//", "vless": "//", "trojan": "//", "hysteria": "//", "hysteria2": "//", "hy2": "//",
    "tuic": "//", "wireguard": "//", "wg": "//",
  ]
  /// The beginnings of private keys in the formats of age, PuTTY and OpenSSH.
  private static let keyMarks = ["AGE-SECRET-KEY-1", "PuTTY-User-Key-File-", "b3BlbnNzaC1rZXktdjE"]
  /// The prefixes of the API keys of web services.
  private static let servicePrefixes = [
    "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "sk_live_", "rk_live_", "sk-proj-", "sk-ant-",
    "AKIA", "AIza",
  ]
  private static let maximumDepth = 4

  /// Returns whether a text holds a secret.
  package static func isIn(_ text: String) -> Bool { isIn(text, depth: 0) }

  private static func isIn(_ text: String, depth: Int) -> Bool {
    let lines = text.split(whereSeparator: \.isNewline).map { VisibleText.of(String($0)) }
    let text = lines.joined(separator: " ")
    if text.contains("-----BEGIN"), text.contains("PRIVATE KEY") { return true }
    if keyMarks.contains(where: { text.contains($0) }) || hasSecretScheme(text) || hasUserInformation(text)
      || isKey(text)
      || isActivationCode(text) || hasSecretElement(text)
    {
      return true
    }
    let first = text.utf8.first { $0 > 0x20 }
    let isObject = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    let value = isObject ? try? JSONParser.parse(text) : nil
    if value == nil, lines.contains(where: hasSecretParameter) { return true }
    if text.utf8.split(whereSeparator: { $0 <= 0x20 || "=&?#\"',;".utf8.contains($0) }).contains(where: isToken) {
      return true
    }
    // A text that can still be percent-decoded at this depth is treated as a secret.
    guard depth < maximumDepth else { return PercentCoding.decodedOnce(text) != nil }
    if let decoded = PercentCoding.decodedOnce(text), isIn(decoded, depth: depth + 1) { return true }
    return value.map { isIn($0, depth: depth + 1) } ?? false
  }

  private static func isIn(_ value: JSONValue, depth: Int) -> Bool {
    switch value {
    case .object(let members):
      isCredential(value)
        || members.contains { member in
          PayloadField.looksSecret(member.name) && !isEmpty(member.value) || isIn(member.value, depth: depth)
        }
    case .array(let elements): elements.contains { isIn($0, depth: depth) }
    case .string(let text): isIn(text, depth: depth)
    case .number, .bool, .null: false
    }
  }

  /// Returns whether an object is a private or symmetric key (RFC 7517), or a proof of possession (ESP provisioning).
  private static func isCredential(_ object: JSONValue) -> Bool {
    if object["kty"] != nil, object["d"] ?? object["k"] != nil { return true }
    guard let proof = object["pop"]?.scalarText, !proof.isEmpty else { return false }
    return object["transport"] != nil || object["ver"] != nil
  }

  /// Returns whether the value of a member with a secret's name contains no secret: it is empty, null or a Boolean.
  private static func isEmpty(_ value: JSONValue) -> Bool {
    if case .bool = value { return true }
    return value == .null || value.string?.isEmpty ?? value.array?.isEmpty ?? value.members?.isEmpty ?? false
  }

  private static func hasSecretScheme(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return bytes.indices.contains { colon in
      guard bytes[colon] == UInt8(ascii: ":") else { return false }
      let before = bytes[max(0, colon - 20)..<colon].reversed().prefix(while: URLParts.isSchemeByte).reversed()
      let scheme = String(decoding: before, as: UTF8.self).lowercased()
      let rest = bytes[(colon + 1)...].drop { $0 == 0x20 }
      if let start = schemes[scheme] { return rest.starts(with: start.utf8) }
      // `MT:` begins a setup code of Matter, in base 38.
      let code = rest.prefix { $0.isASCIIDigit || (0x41...0x5A).contains($0) || $0 == 0x2D || $0 == 0x2E }
      return scheme == "mt" && code.count >= 19
    }
  }

  /// Returns whether an address contains user information before an `@`: `https://anna:pass@example.com`,
  /// `sip:anna:pass@example.com`.
  private static func hasUserInformation(_ text: String) -> Bool {
    let bytes = Array(text.utf8.map { $0 == 0x5C ? 0x2F : $0 })
    func names(_ start: Int) -> Bool {
      bytes[start...].prefix { $0 > 0x20 && $0 != 0x2F && $0 != 0x3F && $0 != 0x23 }.contains(UInt8(ascii: "@"))
    }
    if bytes.indices.dropLast().contains(where: { index in
      guard bytes[index] == 0x2F, bytes[index + 1] == 0x2F else { return false }
      // Two slashes behind a letter or digit are an empty path segment, not the beginning of an authority.
      let opens = index == 0 || !bytes[index - 1].isASCIILetter && !bytes[index - 1].isASCIIDigit
      return opens && names(index + 2)
    }) {
      return true
    }
    let lower = text.lowercased()
    return ["sip:", "sips:"].contains { scheme in
      guard lower.hasPrefix(scheme), let at = lower.firstIndex(of: "@") else { return false }
      return lower[..<at].dropFirst(scheme.count).contains(":")
    }
  }

  /// Returns whether a parameter or a line has a value whose name sounds like a secret: `#access_token=…`, `PrivateKey = …`,
  /// `password: …`, `"password":"…"`.
  private static func hasSecretParameter(_ line: String) -> Bool {
    line.split(whereSeparator: { "?&#;,|{}<>".contains($0) }).contains { piece in
      guard let sign = piece.firstIndex(where: { $0 == "=" || $0 == ":" }) else { return false }
      let quotes: Set<Character> = [" ", "\"", "'"]
      let name = piece[..<sign].filter { $0 != "\"" && $0 != "'" }.split(separator: " ").joined(separator: " ")
      let value = piece[piece.index(after: sign)...].drop(while: quotes.contains)
      guard !value.isEmpty else { return false }
      return piece[sign] == "=" ? PayloadField.looksSecret(name) : isSecretLine(name, value)
    }
  }

  /// Returns whether a name and a value separated by a colon are a secret rather than a sentence such as "Code: see the label".
  private static func isSecretLine(_ name: String, _ value: Substring) -> Bool {
    let isWord = !value.contains(" ")
    if ["pin", "puk"].contains(name.lowercased()) {
      return value.count >= 4 && value.utf8.allSatisfy { $0.isASCIIDigit }
    }
    guard let last = name.split(separator: " ").last.map(String.init), PayloadField.looksSecret(last) else {
      return false
    }
    let folded = last.lowercased()
    if folded.contains("cookie") { return value.contains("=") }
    // These names are also everyday words, so their value is a secret only if it looks generated.
    if ["token", "bearer", "signature", "assertion", "credential"].contains(where: folded.contains) {
      return isWord && (value.count >= 8 || value.contains(where: \.isNumber))
    }
    if last.count <= 4 { return isWord && ["pwd", "psk", "otp"].contains(name.lowercased()) }
    return isWord || !name.contains(" ")
  }

  /// Returns whether a text contains an XML element with a value and a name that sounds like a secret, or a `<key>` of a property
  /// list whose content sounds like a secret.
  private static func hasSecretElement(_ text: String) -> Bool {
    text.split(separator: "<").contains { element in
      guard let end = element.firstIndex(of: ">") else { return false }
      let (name, value) = (element[..<end], element[element.index(after: end)...])
      guard !name.hasPrefix("/"), value.contains(where: { $0 != " " }) else { return false }
      let word = name == "key" ? value : name
      return word.count > 4 && !word.contains(" ") && PayloadField.looksSecret(String(word))
    }
  }

  /// Returns whether a word is a signed token or the API key of a web service.
  private static func isToken(_ word: Substring.UTF8View) -> Bool {
    guard word.count >= 20 else { return false }
    let text = String(Substring(word))
    return word.count > 40 && CompactJWS.isLikely(text) || servicePrefixes.contains(where: { text.hasPrefix($0) })
  }

  /// Returns whether a text is the activation code of a SIM without its scheme (GSMA SGP.22, section 4.1).
  private static func isActivationCode(_ text: String) -> Bool {
    let parts = text.split(separator: "$", omittingEmptySubsequences: false)
    return parts.count >= 3 && parts[0] == "1" && parts[1].contains(".") && !text.contains(" ")
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
