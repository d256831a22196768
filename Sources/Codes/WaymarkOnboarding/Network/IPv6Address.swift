/// An IPv6 address, read and written without asking the system.
package struct IPv6Address: Sendable, Hashable, CustomStringConvertible {
  /// The eight groups, in the order they are written.
  package let groups: [UInt16]

  /// RFC 4291, 2.2; a zone is refused. Nil when the text is not such an address.
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
