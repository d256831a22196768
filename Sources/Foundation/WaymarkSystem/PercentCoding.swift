/// Percent-encoding of addresses (RFC 3986, section 2.1), and the queries that are made of it.
package enum PercentCoding {
  /// The text behind the encoding; nil when a `%` is not followed by two digits or the result is not UTF-8.
  package static func decode(_ text: some Sequence<UInt8>) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else { return nil }
      bytes.append(high << 4 | low)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// The text with every proper escape decoded once and all else kept, as lenient programs read it; nil if it holds no escape.
  package static func decodedOnce(_ text: String) -> String? {
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, let high = digit(bytes[index + 1]),
        let low = digit(bytes[index + 2])
      {
        result.append(high << 4 | low)
        index += 3
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return result.count == bytes.count ? nil : String(decoding: result, as: UTF8.self)
  }

  /// More items than this are not a query but an attempt to keep somebody busy.
  private static let maximumItems = 256

  /// The items of a query; a `+` stays one, for it is one in codes. Nil when something does not decode.
  package static func items(_ query: String) -> [(name: String, value: String)]? {
    var result: [(name: String, value: String)] = []
    // Split by bytes: a combining character behind a separator must not hide it.
    for piece in query.utf8.split(separator: UInt8(ascii: "&")) {
      guard result.count < maximumItems else { return nil }
      let halves = piece.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = decode(halves[0]), let value = halves.count > 1 ? decode(halves[1]) : "" else { return nil }
      result.append((name, value))
    }
    return result
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}
