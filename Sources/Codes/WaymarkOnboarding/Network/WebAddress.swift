import WaymarkSystem

/// A URL with an authority (RFC 3986), parsed strictly. The file also has the parts of a URL as written (`URLParts`),
/// its port and path (`Port`, `URLPath`), and the rules for schemes of links (`LinkScheme`).
package struct WebAddress: Sendable, Hashable {
  /// The scheme in lower case.
  package let scheme: String
  /// The host, or the error if it is invalid.
  package let host: Result<HostName, HostError>
  /// The text between the two slashes and the path, as written.
  let authority: String
  /// The port; nil if none is written.
  package let port: UInt16?
  /// The path, from its first slash to `?` or `#`, as written.
  package let path: String
  /// The query between `?` and `#`, as written; nil if there is no `?`.
  package let query: String?
  /// The fragment behind `#`, as written; nil if there is no `#`.
  let fragment: String?

  /// Parses a URL; returns nil for a text that does not begin with `scheme://`.
  package init?(_ text: String) {
    guard let parts = URLParts(text) else { return nil }
    self.scheme = parts.scheme
    self.path = parts.path
    self.query = parts.query
    self.fragment = parts.fragment
    self.authority = parts.authority
    let scalars = text.unicodeScalars
    if scalars.contains(where: { $0.properties.isWhitespace || $0.properties.generalCategory == .control }) {
      self.host = .failure(.init("the address contains a space or control character"))
      self.port = nil
    } else if parts.authority.utf8.contains(UInt8(ascii: "@")) {
      self.host = .failure(.init("the address contains a user name, which hides where it leads"))
      self.port = nil
    } else if text.utf8.contains(UInt8(ascii: "\\")) {
      self.host = .failure(.init("the address contains a backslash, which programs read in different ways"))
      self.port = nil
    } else {
      (self.host, self.port) = Self.split(parts.authority)
    }
  }

  /// True for http and https.
  var isWeb: Bool { Self.isWeb(scheme) }

  /// Returns whether a scheme, in lower case, is http or https.
  static func isWeb(_ scheme: String) -> Bool { scheme == "https" || scheme == "http" }

  /// Returns whether a text is a host, or a web address without user, query or fragment whose path segments have at most 24
  /// characters and two digits. Longer segments, or segments with more digits, may be keys.
  static func isBarePlace(_ text: String) -> Bool {
    guard let address = WebAddress(text) else {
      if case .success = split(text).0 { return true }
      return false
    }
    guard address.isWeb, case .success = address.host, address.query == nil, address.fragment == nil else {
      return false
    }
    return address.path.utf8.split(separator: UInt8(ascii: "/")).allSatisfy { segment in
      let digits = segment.count { $0.isASCIIDigit }
      return segment.count <= 24 && digits <= 2
        && segment.allSatisfy {
          $0.isASCIILetter || (0x2D...0x2E).contains($0) || $0 == 0x5F || $0.isASCIIDigit
        }
    }
  }

  /// Splits an authority without user information into host and port; the port is nil if the authority has none.
  package static func split(_ authority: String) -> (Result<HostName, HostError>, UInt16?) {
    if authority.contains("://") { return (.failure(.init("it is an address, where the host alone belongs")), nil) }
    var name = authority
    var port: UInt16?
    if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
      let digits = authority[authority.index(after: colon)...]
      name = String(authority[..<colon])
      // With two colons and without brackets, the whole authority is the name, which `HostName` refuses.
      if !name.contains(":") || name.hasPrefix("[") {
        guard let number = Port.parse(digits) else {
          return (.failure(.init("the port is not a number from 1 to 65535")), nil)
        }
        port = number
      } else {
        name = authority
      }
    }
    do {
      return (.success(try HostName(name)), port)
    } catch {
      return (.failure(error), nil)
    }
  }

  /// The path's segments, percent-decoded; nil if a segment cannot be decoded.
  package var segments: [String]? {
    var result: [String] = []
    for piece in path.utf8.split(separator: UInt8(ascii: "/")) {
      guard let segment = PercentCoding.decode(piece) else { return nil }
      result.append(segment)
    }
    return result
  }

  /// The parts of the address as a JSON value, in which further addresses are searched.
  var content: JSONValue {
    .array([.string("\(scheme)://\(authority)")] + contentWithoutHost)
  }

  /// The elements of `content` without scheme and authority.
  var contentWithoutHost: [JSONValue] {
    let items = queryItems.map { JSONValue.object($0.map { .init($0.name, .string($0.value)) }) }
    return [.string(path), .string(fragment ?? ""), items ?? .string(query ?? "")]
  }

  /// The query's items, percent-decoded; nil if an item cannot be decoded.
  var queryItems: [(name: String, value: String)]? { PercentCoding.items(query ?? "") }
}

// MARK: - Parts of URLs

/// A port in decimal digits.
package enum Port {
  /// Parses a number from 1 to 65535 without sign or leading zeros; returns nil for other texts.
  package static func parse(_ text: some StringProtocol) -> UInt16? {
    guard (1...5).contains(text.utf8.count), text.utf8.allSatisfy({ $0.isASCIIDigit }), text.first != "0"
    else { return nil }
    return UInt16(text)
  }
}

/// The parts of `scheme://authority/path?query#fragment` as written (RFC 3986, appendix B).
package struct URLParts: Sendable, Hashable {
  package let scheme: String
  package let authority: String
  package let path: String
  package let query: String?
  let fragment: String?

  /// Parses a URL; returns nil if the text does not begin with a scheme and two slashes.
  package init?(_ text: String) {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let scheme = text[..<colon]
    guard let first = scheme.utf8.first, first.isASCIILetter, scheme.utf8.allSatisfy(Self.isSchemeByte) else {
      return nil
    }
    var rest = text[text.index(after: colon)...]
    guard rest.hasPrefix("//") else { return nil }
    rest = rest.dropFirst(2)
    let end = rest.utf8.firstIndex { $0 == 0x2F || $0 == 0x3F || $0 == 0x23 } ?? rest.endIndex
    self.scheme = scheme.lowercased()
    authority = String(rest[..<end])
    rest = rest[end...]
    if let hash = rest.utf8.firstIndex(of: UInt8(ascii: "#")) {
      fragment = String(rest[rest.utf8.index(after: hash)...])
      rest = rest[..<hash]
    } else {
      fragment = nil
    }
    if let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) {
      query = String(rest[rest.utf8.index(after: mark)...])
      rest = rest[..<mark]
    } else {
      query = nil
    }
    path = String(rest)
  }

  /// Returns whether a byte may occur in a scheme (RFC 3986, 3.1).
  static func isSchemeByte(_ byte: UInt8) -> Bool {
    byte.isASCIILetter || byte.isASCIIDigit || "+-.".utf8.contains(byte)
  }
}

/// Resolves the path of a URL as a server would.
package enum URLPath {
  /// Returns a path with percent-encoding decoded and dot segments removed (RFC 3986, 5.2.4 and 6.2.2). Returns nil if programs
  /// would read the path in different ways, because it contains an encoded slash, a doubly encoded character, a backslash,
  /// parameters on a dot segment (`..;`), or both dot segments and empty segments.
  package static func resolved(_ path: String) -> String? {
    guard !path.isEmpty else { return "" }
    var result: [String] = []
    var hasDots = false
    var hasGaps = false
    let pieces = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    for (index, piece) in pieces.enumerated() {
      guard let segment = PercentCoding.decode(piece), isPlain(segment) else { return nil }
      let isLast = index == pieces.count - 1
      switch segment {
      case ".", "..":
        hasDots = true
        // The piece before the first slash is not a segment, so `..` does not remove it.
        if segment == "..", result.count > 1 { result.removeLast() }
        if isLast { result.append("") }
      default:
        if segment.hasPrefix(".;") || segment.hasPrefix("..;") { return nil }
        if segment.isEmpty, index > 0, !isLast { hasGaps = true }
        result.append(segment)
      }
    }
    return hasDots && hasGaps ? nil : result.joined(separator: "/")
  }

  private static func isPlain(_ segment: String) -> Bool {
    let bytes = Array(segment.utf8)
    return !bytes.indices.contains { index in
      let byte = bytes[index]
      if byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") || byte < 0x20 || byte == 0x7F { return true }
      guard byte == UInt8(ascii: "%"), index + 2 < bytes.count else { return false }
      return PercentCoding.decode(bytes[index...(index + 2)]) != nil || bytes[index + 1] >= 0x38
    }
  }
}

// MARK: - Schemes

/// Rules for the schemes of links.
enum LinkScheme {
  /// Schemes whose links run code, read files, open other apps, or start a call or a login. Policies cannot allow them for
  /// onboarding links.
  private static let dangerous: Set<String> = [
    "about", "blob", "cid", "chrome", "content", "data", "facetime", "file", "filesystem", "ftp", "ftps", "http",
    "https",
    "imap", "intent", "jar", "javascript", "jdbc", "ldap", "ldaps", "livescript", "magnet", "mailto", "market", "mhtml",
    "mocha", "ms-appinstaller", "nfs", "rdp", "resource", "rtsp", "sftp", "sip", "sips", "sms", "smsto", "smb", "ssh",
    "svn+ssh", "git+ssh", "steam", "tel", "telnet", "vbscript", "view-source", "vnc", "webcal", "ws", "wss",
    "x-apple.systempreferences",
  ]

  /// Returns whether a scheme, in lower case, must never be accepted as an app's own scheme.
  static func isDangerous(_ scheme: String) -> Bool {
    dangerous.contains(scheme) || scheme.hasPrefix("ms-") || scheme.hasPrefix("search-ms")
  }

  /// Returns whether an address within a payload may have this scheme (in lower case): a web scheme, a scheme that is not
  /// dangerous, or none (empty).
  static func mayBeFollowed(_ scheme: String) -> Bool {
    ["", "https", "http", "wss", "ws"].contains(scheme) || !isDangerous(scheme)
  }

  /// Returns whether a scheme looks as if an app had registered it for itself: a domain name in reverse order (RFC 8252, section
  /// 7.1). Registered schemes have no dot, except `iris.…`, `soap.…`, `xmlrpc.…` and `z39.50…`, which are excluded.
  static func isPrivateUse(_ scheme: String) -> Bool {
    let labels = scheme.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard labels.count >= 2, labels.allSatisfy({ !$0.isEmpty }), !isDangerous(scheme) else { return false }
    return !["iris", "soap", "xmlrpc", "z39"].contains(String(labels[0]) ?? "")
  }

  /// Returns whether a text has the form of a scheme (RFC 3986, 3.1).
  static func isScheme(_ text: String) -> Bool { URLParts("\(text)://") != nil }
}
