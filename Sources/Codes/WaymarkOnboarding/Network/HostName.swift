package import WaymarkSystem

/// A host in canonical form, for comparisons: in lower case and Punycode, without a trailing dot, an IP address in its canonical
/// spelling. The file also has the errors of host names, and `IPv6Address`.
package struct HostName: Sendable, Hashable {
  /// The canonical form; an IPv6 address keeps its brackets.
  package let ascii: String
  /// True for an IP address, false for a name.
  package let isAddress: Bool

  /// Parses the host in the authority of a URL (RFC 3986, 3.2.2). Percent-encoding is refused although the standard allows it, and
  /// so are numbers that some resolvers would read as an IPv4 address.
  package init(_ text: String) throws(HostError) {
    guard !text.isEmpty else { throw HostError("the host is empty") }
    if let bad = text.unicodeScalars.first(where: Self.isForbidden) {
      throw HostError("\"\(DisplayText.escaped(String(Character(bad))))\" cannot stand in a host")
    }
    if text.hasPrefix("[") {
      guard text.hasSuffix("]"), let address = IPv6Address(text.dropFirst().dropLast()) else {
        throw HostError("this is not an IPv6 address")
      }
      self.ascii = "[\(address)]"
      self.isAddress = true
      return
    }
    guard !text.contains("["), !text.contains("]"), !text.contains(":") else {
      throw HostError("an IPv6 address stands in brackets, and nothing else does")
    }
    var labels = text.split(separator: ".", omittingEmptySubsequences: false)
    if labels.last == "" { labels.removeLast() }
    guard !labels.isEmpty else { throw HostError("the host is empty") }
    if Self.looksNumeric(labels[labels.count - 1]) {
      guard labels.count == 4, labels.allSatisfy(Self.isOctet) else {
        throw HostError("a number that some programs take for an address")
      }
      self.ascii = labels.joined(separator: ".")
      self.isAddress = true
      return
    }
    var names: [String] = []
    for label in labels {
      guard let name = HostLabel.ascii(label) else {
        throw HostError("\"\(DisplayText.escaped(String(label), limit: 80))\" cannot be part of a host name")
      }
      names.append(name)
    }
    let joined = names.joined(separator: ".")
    guard joined.utf8.count <= 253 else { throw HostError("the host name is too long") }
    self.ascii = joined
    self.isAddress = false
  }

  /// Returns whether a text is a host, alone or with a port from 1 to 65535 (`example.com`, `[2001:db8::1]:8443`), without scheme, user,
  /// path or space. The names in `programSchemes` are refused with a port: browsers read `javascript:80` as a scheme with code to run.
  package static func isAuthority(_ text: String) -> Bool {
    guard let colon = text.lastIndex(of: ":"), !text[colon...].contains("]") else {
      return (try? HostName(text)) != nil
    }
    let port = text[text.index(after: colon)...]
    guard (1...5).contains(port.utf8.count), port.utf8.allSatisfy(\.isASCIIDigit), UInt16(port) ?? 0 > 0
    else { return false }
    guard let host = try? HostName(String(text[..<colon])) else { return false }
    return !programSchemes.contains(host.ascii)
  }

  private static let programSchemes: Set<String> = ["javascript", "vbscript", "data"]

  /// The name in Unicode; nil for an address and for a name without internationalised labels.
  package var unicode: String? {
    guard !isAddress, ascii.contains("xn--") else { return nil }
    return ascii.split(separator: ".").map { HostLabel.unicode(String($0)) ?? String($0) }.joined(separator: ".")
  }

  /// True for the device itself and its own network link: loopback, link-local, unspecified, multicast and reserved addresses (RFC
  /// 6890), the same IPv4 addresses embedded in IPv6 addresses, and the names of loopback (RFC 6761, 6.3).
  var isLocal: Bool {
    if ascii.hasPrefix("[") {
      guard let address = IPv6Address(ascii.dropFirst().dropLast()) else { return true }
      let groups = address.groups
      if groups[0] & 0xFFC0 == 0xFE80 || groups[0] >= 0xFF00 { return true }
      let embedded = { (high: UInt16, low: UInt16) in
        Self.isLocal([UInt8(high >> 8), UInt8(high & 0xFF), UInt8(low >> 8), UInt8(low & 0xFF)])
      }
      // ::, ::1, IPv4-compatible and IPv4-mapped addresses; NAT64; 6to4.
      if groups[..<5].allSatisfy({ $0 == 0 }), groups[5] == 0 || groups[5] == 0xFFFF {
        return embedded(groups[6], groups[7])
      }
      if groups[..<6].elementsEqual([0x64, 0xFF9B, 0, 0, 0, 0]) { return embedded(groups[6], groups[7]) }
      return groups[0] == 0x2002 && embedded(groups[1], groups[2])
    }
    if isAddress { return Self.isLocal(ascii.split(separator: ".").compactMap { UInt8($0) }) }
    return ascii == "localhost" || ascii.hasSuffix(".localhost")
      || ["localhost.localdomain", "localhost4", "localhost6", "ip6-localhost", "ip6-loopback"].contains(ascii)
  }

  private static func isLocal(_ octets: [UInt8]) -> Bool {
    guard octets.count == 4 else { return true }
    switch octets[0] {
    case 0, 127, 224...255: return true
    case 169: return octets[1] == 254
    default: return false
    }
  }

  /// Returns whether a scalar must not occur in a host, because it ends the host, begins another part of a URL, is read as a dot by
  /// some programs, or is invisible.
  private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "@", "/", "\\", "?", "#", "%", "*", "<", ">", "^", "|", "`", "\"", "'", "{", "}", ",", ";", "&", "=", "+",
      "$", "!", "(", ")", "~", "\u{3002}", "\u{FF0E}", "\u{FF61}", "\u{2024}", "\u{FE52}":
      return true
    default:
      switch scalar.properties.generalCategory {
      case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
        .spaceSeparator:
        return true
      default: return scalar.properties.isDefaultIgnorableCodePoint
      }
    }
  }

  /// Returns whether browsers parse a host whose last label is this label as an IPv4 address (WHATWG URL standard, "ends in a
  /// number").
  private static func looksNumeric(_ label: Substring) -> Bool {
    if label.utf8.allSatisfy(\.isASCIIDigit) { return !label.isEmpty }
    guard label.hasPrefix("0x") || label.hasPrefix("0X") else { return false }
    return label.dropFirst(2).utf8.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
  }

  private static func isOctet(_ label: Substring) -> Bool {
    guard (1...3).contains(label.utf8.count), label.utf8.allSatisfy(\.isASCIIDigit) else {
      return false
    }
    return label.first != "0" || label == "0" ? (Int(label) ?? 256) < 256 : false
  }
}

// MARK: - Errors

/// The error of a host that is invalid.
package typealias HostError = Problem<HostErrorCode>

/// The codes of `HostError`.
package enum HostErrorCode: String, ProblemCode {
  /// The host is invalid, so it cannot be compared with the hosts of a policy.
  case badHost
}

extension Problem where Kind == HostErrorCode {
  init(_ message: String) {
    self.init(.badHost, message, hint: "Write the host as a name or an address, with a port behind a colon at most.")
  }
}

// MARK: - IPv6

/// An IPv6 address, compared by its value.
package struct IPv6Address: Sendable, Hashable, CustomStringConvertible {
  /// The eight groups of 16 bits, most significant first.
  package let groups: [UInt16]

  /// Parses an address (RFC 4291, 2.2) without a zone; returns nil for other texts.
  package init?(_ text: some StringProtocol) {
    guard text.utf8.count <= 45, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    let halves = text.split(separator: "::", omittingEmptySubsequences: false)
    guard halves.count <= 2 else { return nil }
    var parts: [[UInt16]] = []
    for (index, half) in halves.enumerated() {
      guard let groups = Self.groups(half, isLast: index == halves.count - 1) else { return nil }
      parts.append(groups)
    }
    if parts.count == 1 {
      guard parts[0].count == 8 else { return nil }
      groups = parts[0]
    } else {
      let zeros = 8 - parts[0].count - parts[1].count
      guard zeros >= 1 else { return nil }
      groups = parts[0] + Array(repeating: 0, count: zeros) + parts[1]
    }
  }

  private static func groups(_ text: some StringProtocol, isLast: Bool) -> [UInt16]? {
    if text.isEmpty { return [] }
    let pieces = text.split(separator: ":", omittingEmptySubsequences: false)
    var result: [UInt16] = []
    for (index, piece) in pieces.enumerated() {
      if isLast, index == pieces.count - 1, piece.contains(".") {
        let octets = piece.split(separator: ".", omittingEmptySubsequences: false)
        let values = octets.compactMap { $0.count <= 3 && $0.allSatisfy(\.isNumber) ? UInt8($0) : nil }
        guard octets.count == 4, values.count == 4 else { return nil }
        result.append(UInt16(values[0]) << 8 | UInt16(values[1]))
        result.append(UInt16(values[2]) << 8 | UInt16(values[3]))
      } else {
        guard (1...4).contains(piece.utf8.count), piece.allSatisfy(\.isHexDigit), let value = UInt16(piece, radix: 16)
        else { return nil }
        result.append(value)
      }
    }
    return result
  }

  /// The canonical text (RFC 5952): lower case, no leading zeros, the longest run of zeros shortened.
  package var description: String {
    var best = 0..<0
    var start = 0
    while start < 8 {
      var end = start
      while end < 8, groups[end] == 0 { end += 1 }
      if end - start > max(best.count, 1) { best = start..<end }
      start = max(end, start + 1)
    }
    let text = { (slice: ArraySlice<UInt16>) in slice.map { String($0, radix: 16) }.joined(separator: ":") }
    return best.isEmpty ? text(groups[...]) : text(groups[..<best.lowerBound]) + "::" + text(groups[best.upperBound...])
  }
}
