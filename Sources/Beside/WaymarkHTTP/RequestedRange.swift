/// The part of a file that a `Range` header asks for (RFC 9110, section 14).
package enum RequestedRange: Equatable, Sendable {
  /// Everything: no header, another unit than bytes, several parts at once, or words that say nothing.
  case whole
  case part(Range<Int>)
  /// It begins behind the end of the file.
  case outside

  /// - Parameters:
  ///   - field: the header's value.
  ///   - size: the file's size, in bytes.
  package init(_ field: String?, size: Int) {
    guard let match = field?.wholeMatch(of: /(?i)bytes= *([0-9]{0,18})-([0-9]{0,18}) */) else {
      self = .whole
      return
    }
    switch (Int(match.1), Int(match.2)) {
    case (nil, nil): self = .whole
    case (nil, let last?): self = last == 0 || size == 0 ? .outside : .part(max(0, size - last)..<size)
    case (let first?, nil): self = first < size ? .part(first..<size) : .outside
    case (let first?, let last?):
      if last < first { self = .whole } else { self = first < size ? .part(first..<min(last + 1, size)) : .outside }
    }
  }
}
