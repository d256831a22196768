/// A camera of this computer, as an address names it behind its scheme: `NAME?width=1280&height=720&rate=30&format=MJPG`, every
/// part of which may be missing.
package struct LocalCamera: Sendable, Equatable {
  /// Its name; nil for the usual one.
  private(set) var name: String?
  /// The size and rate that it is asked for; nil: as it is.
  private(set) var width: Int?
  private(set) var height: Int?
  private(set) var rate: Int?
  /// True if it is to send Motion JPEG, as it comes, in place of plain pictures.
  private(set) var isMotionJPEG = false

  /// Reads what follows the scheme.
  ///
  /// - Parameter text: the name, with percent signs for what may not stand in an address, and the parameters.
  /// - Returns: nil for parameters that there are not, that occur twice, or whose values are out of range.
  init?(_ text: Substring) {
    let written = text.prefix { $0 != "?" }
    guard !written.hasPrefix("//"), let name = Self.decoded(written) else { return nil }
    self.name = name.isEmpty ? nil : name
    for parameter in text.dropFirst(written.count + 1).split(separator: "&") {
      let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts == ["format", "MJPG"], !isMotionJPEG {
        isMotionJPEG = true
        continue
      }
      guard parts.count == 2, let value = Int(parts[1]), value > 0 else { return nil }
      switch parts[0] {
      case "width" where width == nil && value <= 16384: width = value
      case "height" where height == nil && value <= 16384: height = value
      case "rate" where rate == nil && value <= 1000: rate = value
      default: return nil
      }
    }
  }

  /// The text of percent-encoded bytes (RFC 3986, section 2.1); nil where they are malformed, or not text of one line.
  private static func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == 0x25 else {
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(2)
      guard digits.count == 2, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }
}
