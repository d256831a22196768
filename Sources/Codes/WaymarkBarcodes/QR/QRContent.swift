import WaymarkSystem

/// Decodes the data bits of a QR code (ISO/IEC 18004 clause 7.4).
enum QRContent {
  /// - Returns: the message; `nil` if the bits violate the standard.
  static func message(_ data: [Int], version: Int) -> CodeMessage? {
    var bits = BitReader(data, width: 8)
    var message = CodeMessage()
    var hasFNC1 = false
    // The index of the width of the character count: versions up to 9, 26, 40 (table 3).
    let size = version < 10 ? 0 : version < 27 ? 1 : 2
    while bits.remaining >= 4, let mode = bits.read(4), mode != 0 {
      switch mode {
      case 1:
        guard let count = bits.read([10, 12, 14][size]), let run = numeric(&bits, count) else { return nil }
        message.append(run)
      case 2:
        guard let count = bits.read([9, 11, 13][size]), let run = alphanumeric(&bits, count, fnc1: hasFNC1)
        else { return nil }
        message.append(run)
      case 3:
        guard message.part == nil, let index = bits.read(4), let last = bits.read(4), let parity = bits.read(8)
        else { return nil }
        // Some encoders use an index beyond the number of parts; that number is then unreliable.
        message.part = CodeMessage.Fragment(
          index: index, count: index <= last ? last + 1 : nil, identifier: parity.digits(1))
      case 4:
        guard let count = bits.read([8, 16, 16][size]), count * 8 <= bits.remaining else { return nil }
        message.append((0..<count).map { _ in UInt8(truncatingIfNeeded: bits.read(8) ?? 0) })
      case 5:
        hasFNC1 = true
        if message.isEmpty { message.isGS1 = true }
      case 7:
        guard let number = designator(&bits) else { return nil }
        message.use(eci: number)
      case 8:
        guard let count = bits.read([8, 10, 12][size]), let run = kanji(&bits, count) else { return nil }
        message.append(run)
      case 9:
        // FNC1 in second position: the application indicator precedes the data.
        guard let indicator = applicationIndicator(&bits) else { return nil }
        hasFNC1 = true
        message.append(indicator)
      case 13:
        // Chinese characters, GB/T 18284: a subset indicator and a character count.
        guard bits.read(4) == 1, let count = bits.read([8, 10, 12][size]),
          let run = doubleBytes(&bits, count, row: 0x60, split: 0xA00, low: 0xA1A1, high: 0xA6A1)
        else { return nil }
        message.append(CodeMessage.segment(run, eci: 29))
      default: return nil
      }
    }
    return message
  }

  static func numeric(_ bits: inout BitReader, _ count: Int) -> [UInt8]? {
    guard count * 10 / 3 <= bits.remaining else { return nil }
    var digits: [UInt8] = []
    var rest = count
    while rest > 0 {
      let n = min(3, rest)
      guard var value = bits.read([0, 4, 7, 10][n]), value < [1, 10, 100, 1000][n] else { return nil }
      var group = [UInt8](repeating: 0x30, count: n)
      for i in (0..<n).reversed() {
        group[i] = 0x30 + UInt8(value % 10)
        value /= 10
      }
      digits += group
      rest -= n
    }
    return digits
  }

  private static let letters = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:".utf8)

  static func alphanumeric(_ bits: inout BitReader, _ count: Int, fnc1: Bool) -> [UInt8]? {
    guard count * 11 / 2 <= bits.remaining else { return nil }
    var text: [UInt8] = []
    for _ in 0..<(count / 2) {
      guard let pair = bits.read(11), pair < 45 * 45 else { return nil }
      text += [letters[pair / 45], letters[pair % 45]]
    }
    if count % 2 == 1 {
      guard let one = bits.read(6), one < 45 else { return nil }
      text.append(letters[one])
    }
    guard fnc1 else { return text }
    // A percent sign encodes the separator, two of them encode a percent sign (clause 7.4.8.2).
    var result: [UInt8] = []
    var i = 0
    while i < text.count {
      let isDoubled = i + 1 < text.count && text[i] == 0x25 && text[i + 1] == 0x25
      result.append(text[i] == 0x25 && !isDoubled ? 0x1D : text[i])
      i += isDoubled ? 2 : 1
    }
    return result
  }

  /// Reads the application indicator after FNC1 in second position: two digits, or a letter, encoded as its ASCII code
  /// plus 100 (clause 7.4.8.3); `nil` for any other number.
  static func applicationIndicator(_ bits: inout BitReader) -> String? {
    switch bits.read(8) {
    case let number? where number < 100: number < 10 ? "0\(number)" : "\(number)"
    case let letter? where (165...190).contains(letter) || (197...222).contains(letter):
      String(UnicodeScalar(UInt8(letter - 100)))
    default: nil
    }
  }

  /// Reads the number of an extended channel interpretation: one to three bytes (table 4); `nil` if the first byte is invalid
  /// or bits are missing.
  static func designator(_ bits: inout BitReader) -> Int? {
    guard let first = bits.read(8) else { return nil }
    if first & 0x80 == 0 { return first }
    if first & 0xC0 == 0x80 { return bits.read(8).map { (first & 0x3F) << 8 | $0 } }
    guard first & 0xE0 == 0xC0 else { return nil }
    return bits.read(16).map { (first & 0x1F) << 16 | $0 }
  }

  /// Reads the characters of a kanji segment, in Shift_JIS.
  static func kanji(_ bits: inout BitReader, _ count: Int) -> CodeMessage? {
    doubleBytes(&bits, count, row: 0xC0, split: 0x1F00, low: 0x8140, high: 0xC140).map {
      CodeMessage.segment($0, eci: CodeMessage.shiftJIS)
    }
  }

  /// Reads double-byte characters of thirteen bits each (clause 7.4.6).
  ///
  /// - Parameters:
  ///   - row: the number of second bytes per first byte.
  ///   - split: the unpacked offset from which `high` is added instead of `low`.
  private static func doubleBytes(
    _ bits: inout BitReader, _ count: Int, row: Int, split: Int, low: Int, high: Int
  ) -> [UInt8]? {
    guard count * 13 <= bits.remaining else { return nil }
    var bytes: [UInt8] = []
    for _ in 0..<count {
      guard let packed = bits.read(13) else { return nil }
      let offset = (packed / row) << 8 | packed % row
      let word = offset + (offset < split ? low : high)
      bytes += [UInt8(truncatingIfNeeded: word >> 8), UInt8(truncatingIfNeeded: word)]
    }
    return bytes
  }
}
