/// The data of QR Code's small relatives: ISO/IEC 18004 clause 7.4, ISO/IEC 23941 clause 7.4.
struct QRText {
  /// How many bits name a mode, and how many count the characters of each, in the order numeric, alphanumeric, bytes, kanji.
  struct Widths {
    var mode: Int
    var counts: [Int]
    /// Rectangular symbols number their modes from one and have FNC1 and character sets.
    var isRectangular: Bool
  }

  static func message(_ bits: [Bool], _ widths: Widths) -> CodeMessage? {
    var reader = BitReader(bits)
    var message = CodeMessage()
    // Fewer bits than a mode and its count end the message as a terminator does.
    while reader.remaining >= widths.mode + (widths.isRectangular ? 1 : widths.counts[0]) {
      let mode = reader.read(widths.mode) ?? 0
      var kind = mode
      if widths.isRectangular {
        switch mode {
        case 0: return message
        case 1...4: kind = mode - 1
        case 5, 6:
          if message.isEmpty { message.isGS1 = mode == 5 } else { return nil }
          continue
        case 7:
          guard let eci = interpretation(&reader) else { return nil }
          message.use(eci: eci)
          continue
        default: return nil
        }
      } else {
        // The terminator is the numeric mode with a count of zero, as far as there is room.
        if mode == 0, reader.peek(min(reader.remaining, widths.counts[0])) == 0 { return message }
      }
      guard kind < widths.counts.count, widths.counts[kind] > 0, let count = reader.read(widths.counts[kind]) else {
        return nil
      }
      guard segment(kind, count, &reader, &message) else { return nil }
    }
    return message
  }

  private static let alphanumeric = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:".utf8)

  private static func segment(_ kind: Int, _ count: Int, _ reader: inout BitReader, _ message: inout CodeMessage)
    -> Bool
  {
    switch kind {
    case 0:
      var left = count
      while left > 0 {
        let digits = min(3, left)
        guard let value = reader.read([0, 4, 7, 10][digits]), value < [1, 10, 100, 1000][digits] else { return false }
        let text = String(value)
        message.append(String(repeating: "0", count: digits - text.count) + text)
        left -= digits
      }
    case 1:
      var left = count
      var letters: [UInt8] = []
      while left > 0 {
        let pair = left >= 2
        guard let value = reader.read(pair ? 11 : 6), value < (pair ? 45 * 45 : 45) else { return false }
        if pair { letters.append(alphanumeric[value / 45]) }
        letters.append(alphanumeric[value % 45])
        left -= pair ? 2 : 1
      }
      message.append(message.isGS1 ? separated(letters) : letters)
    case 2:
      for _ in 0..<count {
        guard let byte = reader.read(8) else { return false }
        message.append(UInt8(byte))
      }
    default:
      message.use(eci: 20)
      defer { message.use(eci: nil) }
      for _ in 0..<count {
        guard let value = reader.read(13) else { return false }
        let packed = (value / 0xC0) << 8 | value % 0xC0
        let code = packed + (packed < 0x1F00 ? 0x8140 : 0xC140)
        message.append(UInt8(truncatingIfNeeded: code >> 8))
        message.append(UInt8(truncatingIfNeeded: code))
      }
    }
    return true
  }

  /// Under FNC1 a percent sign stands for the separator, and two for one (ISO/IEC 18004 clause 7.4.9.2).
  private static func separated(_ letters: [UInt8]) -> [UInt8] {
    let percent = UInt8(ascii: "%")
    var result: [UInt8] = []
    var at = 0
    while at < letters.count {
      let isDouble = at + 1 < letters.count && letters[at] == percent && letters[at + 1] == percent
      result.append(letters[at] == percent && !isDouble ? 0x1D : letters[at])
      at += isDouble ? 2 : 1
    }
    return result
  }

  private static func interpretation(_ reader: inout BitReader) -> Int? {
    guard let first = reader.read(8) else { return nil }
    if first & 0x80 == 0 { return first }
    if first & 0xC0 == 0x80 { return reader.read(8).map { (first & 0x3F) << 8 | $0 } }
    return reader.read(16).map { (first & 0x1F) << 16 | $0 }
  }
}
