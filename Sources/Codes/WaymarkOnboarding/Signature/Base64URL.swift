/// Base64 in the alphabet for URLs, without padding (RFC 7515, section 2).
package enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  private static let values: [UInt8] = {
    var table = [UInt8](repeating: 0xFF, count: 256)
    for (value, byte) in alphabet.enumerated() { table[Int(byte)] = UInt8(value) }
    return table
  }()

  /// The text for those bytes.
  package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    var output: [UInt8] = []
    var buffer: UInt32 = 0
    var bits = 0
    for byte in bytes {
      buffer = (buffer << 8 | UInt32(byte)) & 0xFFFF
      bits += 8
      while bits >= 6 {
        bits -= 6
        output.append(alphabet[Int(buffer >> UInt32(bits)) & 63])
      }
    }
    if bits > 0 { output.append(alphabet[Int(buffer << UInt32(6 - bits)) & 63]) }
    return String(decoding: output, as: UTF8.self)
  }

  /// The bytes behind the text; nil for any other character, padding included, and for spare bits that are not zero:
  /// one value has one spelling.
  package static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
    var output: [UInt8] = []
    var buffer: UInt32 = 0
    var bits = 0
    for byte in text {
      let value = values[Int(byte)]
      guard value < 64 else { return nil }
      buffer = (buffer << 6 | UInt32(value)) & 0xFFFF
      bits += 6
      if bits >= 8 {
        bits -= 8
        output.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
      }
    }
    // Six spare bits would be a character that stands for nothing.
    guard bits < 6, buffer & ((1 << UInt32(bits)) - 1) == 0 else { return nil }
    return output
  }

  /// The bytes behind the text, as for bytes.
  package static func decode(_ text: String) -> [UInt8]? { decode(text.utf8) }
}
