import WaymarkSystem

/// A host in the one form in which hosts are compared: lower case, punycode, no trailing dot, addresses in their
/// usual spelling.
package struct HostName: Sendable, Hashable {
  /// The comparable form; an IPv6 address keeps its brackets.
  package let ascii: String
  /// True if it is an address and no name.
  package let isAddress: Bool

  /// Reads a host as it stands in the authority of a URL (RFC 3986, 3.2.2), more strictly: no percent-encoding, no
  /// numbers that some resolver would take for an address.
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

  /// True for a host, alone or with a port from 1 to 65535 (`example.com`, `[2001:db8::1]:8443`), and for nothing else: no
  /// scheme, user, path or space. A name that a browser takes for a scheme whose address is a program (`javascript:80`) is
  /// refused with a port: a page that links to it would run it.
  package static func isAuthority(_ text: String) -> Bool {
    guard let colon = text.lastIndex(of: ":"), !text[colon...].contains("]") else {
      return (try? HostName(text)) != nil
    }
    let port = text[text.index(after: colon)...]
    guard (1...5).contains(port.utf8.count), port.utf8.allSatisfy({ (0x30...0x39).contains($0) }), UInt16(port) ?? 0 > 0
    else { return false }
    guard let host = try? HostName(String(text[..<colon])) else { return false }
    return !programSchemes.contains(host.ascii)
  }

  private static let programSchemes: Set<String> = ["javascript", "vbscript", "data"]

  /// The name as people write it, when that differs.
  package var unicode: String? {
    guard !isAddress, ascii.contains("xn--") else { return nil }
    return ascii.split(separator: ".").map { HostLabel.unicode(String($0)) ?? String($0) }.joined(separator: ".")
  }

  /// True if it leads to the device itself, to its own network link, or to nobody in particular: loopback, link-local,
  /// unspecified, multicast and reserved addresses (RFC 6890), also inside IPv6 addresses, and the names of loopback
  /// (RFC 6761, 6.3).
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

  /// Everything that ends a host, starts another part of a URL, is read as a dot by somebody, or is not there to see.
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

  /// Tells which labels the WHATWG URL standard ("ends in a number") hands to its IPv4 parser.
  private static func looksNumeric(_ label: Substring) -> Bool {
    if label.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return !label.isEmpty }
    guard label.hasPrefix("0x") || label.hasPrefix("0X") else { return false }
    return label.dropFirst(2).utf8.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
  }

  private static func isOctet(_ label: Substring) -> Bool {
    guard (1...3).contains(label.utf8.count), label.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return false
    }
    return label.first != "0" || label == "0" ? (Int(label) ?? 256) < 256 : false
  }
}
