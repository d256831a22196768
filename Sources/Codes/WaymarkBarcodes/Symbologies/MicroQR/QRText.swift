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
    var hasFNC1 = false
    // Fewer bits than a mode and its count end the message as a terminator does.
    while reader.remaining >= widths.mode + (widths.isRectangular ? 1 : widths.counts[0]) {
      let mode = reader.read(widths.mode) ?? 0
      var kind = mode
      if widths.isRectangular {
        switch mode {
        case 0: return message
        case 1...4: kind = mode - 1
        case 5, 6:
          guard message.isEmpty, !hasFNC1 else { return nil }
          hasFNC1 = true
          message.isGS1 = mode == 5
          if mode == 6 {
            guard let indicator = QRContent.applicationIndicator(&reader) else { return nil }
            message.append(indicator)
          }
          continue
        case 7:
          guard let eci = QRContent.designator(&reader) else { return nil }
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
      guard segment(kind, count, &reader, &message, hasFNC1: hasFNC1) else { return nil }
    }
    return message
  }

  private static func segment(
    _ kind: Int, _ count: Int, _ reader: inout BitReader, _ message: inout CodeMessage, hasFNC1: Bool
  ) -> Bool {
    switch kind {
    case 0:
      guard let digits = QRContent.numeric(&reader, count) else { return false }
      message.append(digits)
    case 1:
      guard let letters = QRContent.alphanumeric(&reader, count, fnc1: hasFNC1) else { return false }
      message.append(letters)
    case 2:
      guard count * 8 <= reader.remaining else { return false }
      for _ in 0..<count { message.append(UInt8(truncatingIfNeeded: reader.read(8) ?? 0)) }
    default:
      guard let run = QRContent.kanji(&reader, count) else { return false }
      message.append(run)
    }
    return true
  }
}
