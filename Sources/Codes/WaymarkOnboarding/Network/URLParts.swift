/// The parts of `scheme://authority/path?query#fragment` as written (RFC 3986, appendix B).
package struct URLParts: Sendable, Hashable {
  package let scheme: String
  package let authority: String
  package let path: String
  package let query: String?
  let fragment: String?

  /// Nil when the text does not start with a scheme and two slashes.
  package init?(_ text: String) {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let scheme = text[..<colon]
    guard let first = scheme.utf8.first, Self.isLetter(first), scheme.utf8.allSatisfy(Self.isSchemeByte) else {
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

  /// Returns whether a byte is an ASCII letter, with which a scheme begins.
  static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) }

  /// Returns whether a byte can stand in a scheme (RFC 3986, 3.1).
  static func isSchemeByte(_ byte: UInt8) -> Bool {
    isLetter(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
      || byte == UInt8(ascii: ".")
  }
}
