import WaymarkSystem

/// Decodes the data codewords of a Han Xin Code symbol (ISO/IEC 20830, clause 5.4).
struct HanXinText {
  private var bits: BitReader
  /// The bytes so far, each with its extended channel interpretation.
  private var content: [(byte: UInt8, eci: Int?)] = []
  private var eci: Int?
  /// True if a mode of Chinese characters occurred without an extended channel interpretation.
  private var isChinese = false
  private var result = CodeMessage()

  init(_ words: [Int]) { bits = BitReader(words, width: 8) }

  /// Returns the message; `nil` if the codewords are invalid or empty.
  mutating func message() -> CodeMessage? {
    reading: while let mode = bits.read(4) {
      let isRead: Bool
      switch mode {
      case 0: break reading
      case 1: isRead = readDigits()
      case 2: isRead = readText()
      case 3: isRead = readBytes()
      case 4: isRead = readRegions(first: 1)
      case 5: isRead = readRegions(first: 2)
      case 6: isRead = readDoubleBytes()
      case 7: isRead = readFourBytes()
      case 8:
        eci = QRContent.designator(&bits)
        isRead = eci != nil
      // Element strings of GS1 begin and end with codes of eight bits.
      case 14:
        isRead = bits.read(4) == 1 && content.isEmpty
        result.isGS1 = isRead
      case 15: isRead = bits.read(4) == 15
      default: isRead = false
      }
      guard isRead else { return nil }
    }
    guard !content.isEmpty else { return nil }
    // GB 18030 is the standard's character set; many encoders write UTF-8 as bytes.
    let plain = content.filter { $0.eci == nil }.map(\.byte)
    let standard = isChinese || String(validating: plain, as: UTF8.self) == nil ? Self.gb18030 : nil
    for (byte, eci) in content {
      result.use(eci: eci ?? standard)
      result.append(byte)
    }
    return result
  }

  /// The extended channel interpretation of GB 18030.
  private static let gb18030 = 32

  private mutating func add(_ byte: Int) { content.append((UInt8(truncatingIfNeeded: byte), eci)) }

  /// Reads groups of three digits, up to a terminator with the number of digits in the last group.
  private mutating func readDigits() -> Bool {
    var group: Int?
    while let value = bits.read(10) {
      let digits = value > 1000 ? value - 1020 : 3
      guard (1...3).contains(digits), value <= 1000 || value > 1020 else { return false }
      if let open = group {
        guard open < [0, 10, 100, 1000][digits] else { return false }
        let shown = [0, open / 100, open / 10 % 10, open % 10].suffix(digits)
        for digit in shown { add(0x30 + digit) }
      }
      if value > 1000 { return true }
      if value == 1000 { add(0x1D) }
      group = value < 1000 ? value : nil
    }
    return false
  }

  /// Reads letters and digits, and after a shift other characters of ASCII.
  private mutating func readText() -> Bool {
    var isShifted = false
    while let value = bits.read(6) {
      switch value {
      case 63: return true
      case 62: isShifted.toggle()
      default: add(Int((isShifted ? Self.others : Self.letters)[value]))
      }
    }
    return false
  }

  private static let letters = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
  private static let others = [UInt8](0x00...0x7F).filter { byte in
    let isLetter = byte.isASCIILetter || (0x30...0x39).contains(byte)
    return !isLetter && !(0x1C...0x1F).contains(byte)
  }

  private mutating func readBytes() -> Bool {
    guard let count = bits.read(13), 8 * count <= bits.remaining else { return false }
    for _ in 0..<count { add(bits.read(8) ?? 0) }
    return true
  }

  private mutating func add(double first: Int, _ second: Int) {
    if eci == nil { isChinese = true }
    add(first)
    add(second)
  }

  /// Reads characters of the two common regions of GB 18030; codes change from one region to the other.
  private mutating func readRegions(first: Int) -> Bool {
    var region = first
    while let value = bits.read(12) {
      let (row, cell) = value.quotientAndRemainder(dividingBy: 94)
      switch (region, value) {
      case (_, 4095): return true
      case (_, 4094): region = 3 - region
      case (1, ..<0xEB0): add(double: 0xB0 + row, 0xA1 + cell)
      case (1, ..<0xFCA): add(double: 0xA1 + row - 40, 0xA1 + cell)
      case (1, ..<0xFEA): add(double: 0xA8, 0xA1 + value - 0xFCA)
      case (2, ..<3008): add(double: 0xD8 + row, 0xA1 + cell)
      default: return false
      }
    }
    return false
  }

  private mutating func readDoubleBytes() -> Bool {
    while let value = bits.read(15) {
      if value == 32_767 { return true }
      let (row, cell) = value.quotientAndRemainder(dividingBy: 190)
      guard row < 126 else { return false }
      add(double: 0x81 + row, cell < 63 ? 0x40 + cell : 0x41 + cell)
    }
    return false
  }

  private mutating func readFourBytes() -> Bool {
    guard let value = bits.read(21), value < 126 * 12_600 else { return false }
    add(double: 0x81 + value / 12_600, 0x30 + value / 1260 % 10)
    add(double: 0x81 + value / 10 % 126, 0x30 + value % 10)
    return true
  }
}
