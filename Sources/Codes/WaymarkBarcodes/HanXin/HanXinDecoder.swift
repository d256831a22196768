import WaymarkSystem

/// Decodes the modules of a Han Xin Code symbol (ISO/IEC 20830). `HanXinText` below decodes its data codewords.
enum HanXinDecoder {
  /// The function information of a symbol.
  struct Information: Equatable {
    var version: Int
    /// The level of error correction, from 0.
    var level: Int
    var mask: Int
  }

  /// The number of bits of the function information, and of check codewords of four bits in it.
  private static let (bits, checks) = (28, 4)
  /// The distance, in the sequence of the blocks, of codewords that are neighbours in the symbol. It spreads local damage over
  /// several blocks.
  private static let spread = 13

  /// Returns the message of a symbol; `nil` if its size is not the size in its function information, or a block has too many
  /// errors.
  static func decode(_ matrix: ModuleMatrix) -> CodeMessage? {
    guard matrix.columns == matrix.rows, let information = information(matrix),
      HanXinLayout.side(information.version) == matrix.columns
    else { return nil }
    return decode(matrix, HanXinLayout(information.version), information)
  }

  /// Returns the function information: from the more certain module of each pair in the two copies, or else from one copy; `nil` if
  /// it is invalid.
  static func information(_ matrix: ModuleMatrix) -> Information? {
    let copies = HanXinLayout.information(matrix.columns).map { places in
      places.map { (matrix[$0.x, $0.y] ? 1 : -1) * matrix.margin($0.x, $0.y) }
    }
    let both = zip(copies[0], copies[1]).map { $0 + $1 }
    return ([both] + copies).lazy.compactMap(information).first
  }

  private static func information(_ bits: [Float]) -> Information? {
    var reader = BitReader(bits.map { $0 > 0 })
    var words = (0..<(Self.bits / 4)).map { _ in reader.read(4) ?? 0 }
    guard ReedSolomon.fourBits.correct(&words, checks: checks) != nil else { return nil }
    let version = words[0] << 4 + words[1] - 20
    return HanXinLayout.versions.contains(version)
      ? Information(version: version, level: words[2] >> 2, mask: words[2] & 3) : nil
  }

  static func decode(_ matrix: ModuleMatrix, _ layout: HanXinLayout, _ information: Information) -> CodeMessage? {
    let side = layout.side
    let count = layout.data.count / 8
    var (words, doubt) = ([Int](repeating: 0, count: count), [Float](repeating: 0, count: count))
    for (i, place) in layout.data.prefix(8 * count).enumerated() {
      let (y, x) = place.quotientAndRemainder(dividingBy: side)
      let isDark = matrix[x, y] != HanXinLayout.changes(information.mask, x, y)
      words[i / 8] = words[i / 8] << 1 | (isDark ? 1 : 0)
      doubt[i / 8] = max(doubt[i / 8], 1 - matrix.margin(x, y))
    }
    // The symbol has every thirteenth codeword of the sequence of the blocks in turn.
    let order = (0..<spread).flatMap { stride(from: $0, to: count, by: spread) }
    var (inOrder, doubts) = (words, doubt)
    for (from, to) in order.enumerated() { (inOrder[to], doubts[to]) = (words[from], doubt[from]) }
    var data: [Int] = []
    var at = 0
    for blocks in HanXinVersion.all[layout.version - 1].levels[information.level] {
      for _ in 0..<blocks.count {
        let end = at + blocks.data + blocks.checks
        guard end <= count else { return nil }
        var block = Array(inOrder[at..<end])
        guard
          ReedSolomon.hanXin.correct(
            &block, checks: blocks.checks, doubt: Array(doubts[at..<end]), reserve: blocks.checks < 10 ? 2 : 4)
        else { return nil }
        data += block.prefix(blocks.data)
        at = end
      }
    }
    var text = HanXinText(data)
    return text.message()
  }
}

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
