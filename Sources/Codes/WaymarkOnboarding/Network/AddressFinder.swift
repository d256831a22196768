import FoundationEssentials
import WaymarkSystem

/// Finds every address in a payload, of any scheme and in any encoding, so that their hosts can be checked.
///
/// A text is an address if some program would follow it (RFC 3986, 4.2; WHATWG URL standard, 4.4): `scheme://…`, `//…`, and the schemes
/// in `slashless` with any number of slashes or backslashes. Addresses are also found inside other text, percent-encoded up to eight
/// times, and in JSON inside a string. Before the search, invisible characters are removed, and characters that browsers map to ASCII are
/// mapped.
struct AddressFinder {
  private static let hostNames = ["host", "hostname", "server", "url", "uri", "endpoint"]
  /// The schemes that browsers follow without slashes.
  private static let slashless: Set<String> = ["http", "https", "ws", "wss", "ftp"]
  private static let schemes = ["https", "http", "wss", "ws"]
  /// The largest number of addresses in one text. A payload with a text that has more is refused.
  private static let maximumInText = 64
  private static let maximumEncodings = 8
  private static let maximumNesting = 4

  private let rules: Payload.AddressRules
  private let policy: OnboardingPolicy
  /// The addresses in the order of the payload.
  private(set) var endpoints: [Payload.Endpoint] = []

  /// Finds the addresses in the member names and strings of a JSON value.
  init(in tree: JSONValue, _ rules: Payload.AddressRules, policy: OnboardingPolicy) {
    self.rules = rules
    self.policy = policy
    walk(tree, name: "text", nesting: 0)
  }

  private mutating func walk(_ value: JSONValue, name: String, nesting: Int) {
    switch value {
    case .object(let members):
      for member in members {
        look(at: member.name, name: "a name", nesting: nesting)
        walk(member.value, name: member.name, nesting: nesting)
      }
    case .array(let elements):
      for element in elements { walk(element, name: name, nesting: nesting) }
    case .string(let text):
      let plain = name.split(separator: ".").last.map { $0.lowercased() } ?? ""
      if rules.skippedNames.contains(plain) { return }
      let count = endpoints.count
      look(at: text, name: name, nesting: nesting)
      if rules.readsBareHosts, endpoints.count == count, Self.hostNames.contains(where: plain.hasSuffix) {
        lookForBareHost(text, name: name)
      }
    case .number, .bool, .null: break
    }
  }

  /// Scans a text, its percent-decoded parts, and the JSON that it may contain.
  private mutating func look(at text: String, name: String, nesting: Int, decodings: Int = 0) {
    if text.utf8.contains(where: { $0 == UInt8(ascii: ":") || $0 == 0x2F || $0 == 0x5C || $0 >= 0x80 }) {
      scan(text, name: name)
    }
    if let first = text.utf8.first(where: { $0 > 0x20 }), first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
      nesting < Self.maximumNesting, let value = try? JSONParser.parse(text)
    {
      walk(value, name: name, nesting: nesting + 1)
    }
    guard text.utf8.contains(UInt8(ascii: "%")) else { return }
    // Programs decode the items behind ? and # one by one.
    let end = text.utf8.firstIndex { $0 == 0x3F || $0 == 0x23 } ?? text.endIndex
    let items = text[end...].utf8.split { $0 == 0x26 || $0 == 0x3D || $0 == 0x3F || $0 == 0x23 }
    for part in [text[..<end]] + items.map(Substring.init) {
      guard let decoded = PercentCoding.decodedOnce(String(part)) else { continue }
      guard decodings < Self.maximumEncodings else { return fail(name, "an address that is encoded many times") }
      look(at: decoded, name: name, nesting: nesting, decodings: decodings + 1)
    }
  }

  private mutating func scan(_ text: String, name: String) {
    scanTokens(text, name: name)
    // Browsers remove tabs and line ends anywhere in an address, so the lines are joined. A line that begins with an address is kept
    // apart from the line before.
    let isBreak = { (byte: UInt8) in byte == 0x09 || byte == 0x0A || byte == 0x0D }
    guard text.utf8.contains(where: isBreak) else { return }
    var joined: [UInt8] = []
    for line in text.utf8.split(whereSeparator: isBreak) {
      if Self.schemes.contains(where: { line.starts(with: "\($0)://".utf8) }) { joined.append(0x20) }
      joined += line
    }
    scanTokens(String(decoding: joined, as: UTF8.self), name: name)
  }

  private mutating func scanTokens(_ text: String, name: String) {
    var progress = Progress()
    for token in Self.tokens(of: text) {
      // A program that drops white space would append this part to the preceding host: https://mobile.example.com .evil.test
      if progress.endsInHost, let first = token.utf8.first, ".@:%\\".utf8.contains(first) {
        return fail(name, "an address with white space in it")
      }
      scan(token: token, name: name, &progress)
      guard progress.left >= 0 else { return fail(name, "more than \(Self.maximumInText) addresses in one text") }
      progress.isFirst = false
    }
  }

  /// The state of the search in a text.
  private struct Progress {
    /// The number of addresses that may still be found.
    var left = AddressFinder.maximumInText
    /// True for the first part of the text.
    var isFirst = true
    /// True if the previous part ended with the host of an address.
    var endsInHost = false
  }

  /// Returns the parts of a text between white space and the brackets that surround addresses in prose.
  private static func tokens(of text: String) -> [String] {
    if text.utf8.allSatisfy({ $0 < 0x80 }) {
      return text.utf8.split { $0 == 0x20 || (0x09...0x0D).contains($0) || $0 == 0x3C || $0 == 0x3E }
        .map { String(Substring($0)) }
    }
    return text.unicodeScalars.split { $0.properties.isWhitespace || $0 == "<" || $0 == ">" }
      .map { String(String.UnicodeScalarView($0)) }.filter { !VisibleText.of($0).isEmpty }
  }

  /// Scans a text without white space.
  private mutating func scan(token: String, name: String, _ progress: inout Progress) {
    let visible = VisibleText.of(token)
    let bytes = Array(visible.utf8)
    let isSlash = { (index: Int) in index < bytes.count && (bytes[index] == 0x2F || bytes[index] == 0x5C) }
    // The index in `bytes` of the first `?` or `#` behind an address.
    var query: Int?
    progress.endsInHost = false
    for index in bytes.indices {
      var scheme = ""
      var start = index
      if bytes[index] == UInt8(ascii: ":") {
        scheme = Self.scheme(before: index, in: bytes)
        start = index + 1
        guard isSlash(start) && isSlash(start + 1) || Self.slashless.contains(scheme) else { continue }
      } else if isSlash(index), isSlash(index + 1), index == 0 || Self.opens(bytes[index - 1]) {
        scheme = ""
      } else {
        continue
      }
      let begin = start
      let isWeb = Self.slashless.contains(scheme)
      // Browsers skip any number of slashes after a web scheme or without a scheme. After any other scheme, the third slash ends an
      // empty authority.
      let most = scheme.isEmpty || isWeb ? Int.max : 2
      while isSlash(start), start - begin < most { start += 1 }
      var end = bytes[start...].firstIndex { $0 == 0x2F || $0 == 0x3F || $0 == 0x23 } ?? bytes.count
      guard start < end else {
        if isWeb, begin < start { fail(name, "the host is empty") }
        continue
      }
      progress.left -= 1
      guard progress.left >= 0 else { return }
      let isInQuery = query.map { $0 < index } ?? false
      if isInQuery { end = bytes[start..<end].firstIndex(of: 0x26) ?? end }
      end = Self.endOfListed(bytes, start, end)
      if query == nil { query = bytes[end...].firstIndex { $0 == 0x3F || $0 == 0x23 } }
      let authority = Self.trimmed(bytes[start..<end], isLast: end == bytes.count)
      if scheme.isEmpty, bytes[index] != UInt8(ascii: ":"),
        Self.isOther(authority, bytes, progress.isFirst && index == 0)
      {
        continue
      }
      // Encoded items of a query are scanned after decoding.
      if isInQuery, authority.contains(UInt8(ascii: "%")), !authority.contains(UInt8(ascii: "@")) { continue }
      progress.endsInHost = end == bytes.count
      // An authority that `token` does not contain literally is disguised by invisible or mapped characters.
      let isPlain = visible == token || token.utf8.firstRange(of: bytes[begin..<authority.endIndex]) != nil
      if isWeb, !bytes[begin..<start].elementsEqual("//".utf8) {
        fail(name, "an address that programs read in different ways")
      } else {
        add(String(decoding: authority, as: UTF8.self), scheme, isPlain: isPlain, name: name)
      }
    }
  }

  /// Returns the end of an authority. If another web address follows without white space, this is the separator between them:
  /// `https://a.example,https://b.example`.
  private static func endOfListed(_ bytes: [UInt8], _ start: Int, _ end: Int) -> Int {
    guard end + 1 < bytes.count, bytes[end] == 0x2F, bytes[end + 1] == 0x2F, bytes[end - 1] == UInt8(ascii: ":"),
      let sign = bytes[start..<end].lastIndex(where: { ",;|".utf8.contains($0) }), sign > start,
      schemes.contains(String(decoding: bytes[(sign + 1)..<(end - 1)], as: UTF8.self).lowercased())
    else { return end }
    return sign
  }

  /// Returns whether two slashes without a scheme do not begin an address. This is so in base64, and if the authority is not at the
  /// beginning of the text and has neither a dot, a colon nor a character beyond ASCII.
  private static func isOther(_ authority: ArraySlice<UInt8>, _ bytes: [UInt8], _ isBeginning: Bool) -> Bool {
    if bytes.allSatisfy(isBase64), bytes.contains(UInt8(ascii: "+")) || bytes.contains(UInt8(ascii: "=")) {
      return true
    }
    return !isBeginning && !authority.contains { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ":") || $0 >= 0x80 }
  }

  private mutating func add(_ authority: String, _ scheme: String, isPlain: Bool, name: String) {
    var (host, port) = WebAddress.split(authority)
    if case .success(let found) = host {
      if !isPlain { host = .failure(.init("the address holds characters that are not seen or stand for others")) }
      // After an app's own scheme, the authority may be an action of the app rather than a host: com.example.pump://start.
      let isAction =
        port == nil && !found.isAddress && !found.ascii.contains(".") && found.unicode == nil && !found.isLocal
      if isAction, isPlain, policy.isAppScheme(scheme) { return }
    } else if authority.utf8.contains(UInt8(ascii: "@")) {
      host = .failure(.init("the address contains a user name, which hides where it leads"))
    } else if authority.utf8.count > 300 {
      host = .failure(.init("the host name is too long"))
    }
    endpoints.append(
      Payload.Endpoint(name: DisplayText.escaped(name, limit: 60), scheme: scheme, host: host, port: port))
  }

  private mutating func fail(_ name: String, _ problem: String) {
    endpoints.append(
      Payload.Endpoint(name: DisplayText.escaped(name, limit: 60), scheme: "", host: .failure(.init(problem))))
  }

  /// Looks for a host without a scheme in the value of a member whose key ends in one of `hostNames`.
  private mutating func lookForBareHost(_ text: String, name: String) {
    let tokens = Self.tokens(
      of: String(decoding: text.utf8.filter { $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }, as: UTF8.self))
    guard tokens.count == 1, let token = tokens.first else { return }
    let visible = VisibleText.of(token)
    let end = visible.utf8.firstIndex { $0 == 0x2F || $0 == 0x3F || $0 == 0x23 || $0 == 0x5C } ?? visible.endIndex
    let authority = String(visible[..<end])
    guard !authority.isEmpty,
      visible.utf8.contains(where: { $0 == 0x2E || $0 == 0x3A || $0 >= 0x80 })
        || authority.lowercased() == "localhost"
    else { return }
    // An address of another scheme without an authority, such as urn:… or app:/path, names no host.
    if let colon = authority.utf8.firstIndex(of: UInt8(ascii: ":")), !authority.hasPrefix("["),
      authority.utf8[colon...].dropFirst().first.map({ !$0.isASCIIDigit }) ?? (end < visible.endIndex),
      !authority.utf8.contains(UInt8(ascii: "@")) || authority.lowercased().hasPrefix("mailto:")
    {
      return
    }
    add(authority, "", isPlain: visible == token, name: name)
  }

  /// Returns the longest scheme that ends before an index, in lower case; empty without a scheme.
  private static func scheme(before index: Int, in bytes: [UInt8]) -> String {
    var start = index
    while start > 0, index - start < 64, URLParts.isSchemeByte(bytes[start - 1]) { start -= 1 }
    let run = bytes[start..<index].drop { !$0.isASCIILetter }
    return String(decoding: run, as: UTF8.self).lowercased()
  }

  /// Returns whether two slashes may begin an address after `byte`: the byte must not belong to a path, a word or base64.
  private static func opens(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "=") || !isBase64(byte) && !"\\:.-_~".utf8.contains(byte)
  }

  private static func isBase64(_ byte: UInt8) -> Bool {
    byte.isASCIILetter || byte.isASCIIDigit || "+/=".utf8.contains(byte)
  }

  /// Returns an authority without the punctuation of the sentence around it, if the authority ends the text (`isLast`).
  private static func trimmed(_ bytes: ArraySlice<UInt8>, isLast: Bool) -> ArraySlice<UInt8> {
    guard isLast else { return bytes }
    let isBracketed = bytes.contains(UInt8(ascii: "["))
    let end = bytes.lastIndex { !")}\"',;!.".utf8.contains($0) && ($0 != UInt8(ascii: "]") || isBracketed) }
    return end.map { bytes[...$0] } ?? bytes
  }
}
