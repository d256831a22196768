import WaymarkSystem

/// A URL with an authority (RFC 3986), taken apart strictly. The host is kept even when it is refused, so that the
/// refusal can be told.
package struct WebAddress: Sendable, Hashable {
  /// In lower case.
  package let scheme: String
  /// The host, or why there is none to speak of.
  package let host: Result<HostName, HostError>
  /// Between the two slashes and the path, as written.
  let authority: String
  /// The port, if one is written.
  package let port: UInt16?
  /// From the first slash to `?` or `#`, as written.
  package let path: String
  /// Between `?` and `#`, as written; nil when there is no `?`.
  package let query: String?
  /// Behind `#`, as written; nil when there is no `#`.
  let fragment: String?

  /// Takes a URL apart; nil when the text is no `scheme://…`.
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

  /// Host and port of an authority without user information.
  package static func split(_ authority: String) -> (Result<HostName, HostError>, UInt16?) {
    var name = authority
    var port: UInt16?
    if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
      let digits = authority[authority.index(after: colon)...]
      name = String(authority[..<colon])
      // A name with two colons is not a host with a port; `HostName` says so.
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

  /// The path's segments, percent-decoded; nil when one does not decode.
  package var segments: [String]? {
    var result: [String] = []
    for piece in path.utf8.split(separator: UInt8(ascii: "/")) {
      guard let segment = PercentCoding.decode(piece) else { return nil }
      result.append(segment)
    }
    return result
  }

  /// All that the address says, as names and texts.
  var content: JSONValue {
    .array([.string("\(scheme)://\(authority)")] + contentWithoutHost)
  }

  /// The same without scheme and authority.
  var contentWithoutHost: [JSONValue] {
    let items = queryItems.map { JSONValue.object($0.map { .init($0.name, .string($0.value)) }) }
    return [.string(path), .string(fragment ?? ""), items ?? .string(query ?? "")]
  }

  /// The query's items, percent-decoded; nil when one does not decode.
  var queryItems: [(name: String, value: String)]? { PercentCoding.items(query ?? "") }
}

/// A port in decimal digits.
package enum Port {
  /// 1 to 65535, without sign or leading zeros.
  package static func parse(_ text: some StringProtocol) -> UInt16? {
    guard (1...5).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), text.first != "0"
    else { return nil }
    return UInt16(text)
  }
}
