import WaymarkSystem

/// The path of a URL as a server would act on it.
package enum URLPath {
  /// The path with percent-encoding decoded and dot segments removed (RFC 3986, 5.2.4 and 6.2.2); nil when programs
  /// would read it in different ways: an encoded slash, something encoded twice, a backslash, parameters on a dot
  /// segment, an empty segment beside one.
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
        // The part before the first slash is not a segment.
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
