/// From the modules of an Aztec Code symbol to its message: ISO/IEC 24778.
package enum AztecDecoder {
  /// The contents of the mode message around the bull's eye (clause 7.2.3).
  package struct Mode: Hashable {
    var isCompact: Bool
    var layers: Int
    /// Codewords of data.
    var data: Int
    var isReaderProgramming = false

    /// Modules along a side, reference grid included.
    package var side: Int {
      if isCompact { return 11 + 4 * layers }
      let plain = 14 + 4 * layers
      return plain + 1 + 2 * ((plain / 2 - 1) / 15)
    }

    var bits: Int { ((isCompact ? 88 : 112) + 16 * layers) * layers }
    /// Bits of a codeword (table 3).
    var width: Int { layers <= 2 ? 6 : layers <= 8 ? 8 : layers <= 22 ? 10 : 12 }
    var words: Int { bits / width }
  }

  /// The mode from the bits of its message, clockwise from the upper left; `nil` where it does not hold.
  package static func mode(_ bits: [Bool], isCompact: Bool) -> Mode? {
    var reader = BitReader(bits)
    var words = (0..<(isCompact ? 7 : 10)).compactMap { _ in reader.read(4) }
    // One word may be wrong for certain, two are a guess in the compact form.
    guard ReedSolomon.fourBits.correct(&words, checks: isCompact ? 5 : 6, reserve: 1) != nil else { return nil }
    let value = words.prefix(isCompact ? 2 : 4).reduce(0) { $0 << 4 | $1 }
    var mode =
      isCompact
      ? Mode(isCompact: true, layers: value >> 6 + 1, data: value & 63 + 1)
      : Mode(isCompact: false, layers: value >> 11 + 1, data: value & 2047 + 1)
    let flag = isCompact ? 32 : 1024
    // No symbol holds so many: the highest bit says that the symbol configures a reader (clause 9).
    if mode.data > mode.words, mode.data > flag {
      mode.data -= flag
      mode.isReaderProgramming = true
    }
    return mode.data < mode.words ? mode : nil
  }

  /// The number of a rune (annex A): a mode message alone, every second bit inverted.
  package static func rune(_ bits: [Bool]) -> Int? {
    var reader = BitReader(bits)
    var words = (0..<7).compactMap { _ in reader.read(4).map { $0 ^ 0b1010 } }
    guard words.count == 7, ReedSolomon.fourBits.correct(&words, checks: 5, reserve: 1) != nil else { return nil }
    return words[0] << 4 | words[1]
  }

  /// Reads the message.
  ///
  /// - Parameter matrix: all modules of the upright symbol.
  package static func decode(_ mode: Mode, _ matrix: ModuleMatrix) -> CodeMessage? {
    guard matrix.columns == mode.side, matrix.rows == mode.side else { return nil }
    let places = layers(mode)
    guard places.count == mode.bits else { return nil }
    // The bits that do not fill a codeword stand first.
    let first = mode.bits % mode.width
    var words: [Int] = []
    var doubt: [Float] = []
    for start in stride(from: first, to: places.count, by: mode.width) {
      let own = places[start..<(start + mode.width)]
      words.append(own.reduce(0) { $0 << 1 | (matrix.dark[$1] ? 1 : 0) })
      if !matrix.margins.isEmpty { doubt.append(1 - own.reduce(1) { min($0, matrix.margins[$1]) }) }
    }
    let code: ReedSolomon =
      switch mode.width {
      case 6: .sixBits
      case 8: .dataMatrix
      case 10: .tenBits
      default: .twelveBits
      }
    let checks = mode.words - mode.data
    let all = 1 << mode.width - 1
    // Codewords of one tone do not occur in data.
    let erasures = words.prefix(mode.data).indices.filter { words[$0] == 0 || words[$0] == all }
    guard
      code.correct(&words, checks: checks, doubt: [], reserve: 1)
        || code.correct(&words, checks: checks, doubt: doubt, erasures: erasures, reserve: 1)
    else { return nil }
    var data: [Bool] = []
    for word in words.prefix(mode.data) {
      guard word != 0, word != all else { return nil }
      // A codeword whose first bits are alike ends with a bit that is not data.
      let isStuffed = word == 1 || word == all - 1
      for i in stride(from: mode.width - 1, through: isStuffed ? 1 : 0, by: -1) { data.append(word >> i & 1 == 1) }
    }
    var text = AztecText(data)
    var message = text.message()
    message.isReaderProgramming = mode.isReaderProgramming
    return message
  }

  /// Where the bits of all layers lie among the modules, row by row: from the outermost inwards, each two modules thick, from the upper left corner down along the
  /// left side and on counterclockwise (clause 7.3.1).
  private static func layers(_ mode: Mode) -> [Int] {
    // Without the reference grid, lines of which cross every sixteenth module from the middle, coordinates are dense.
    let dense = (mode.isCompact ? 11 : 14) + 4 * mode.layers
    let center = dense / 2
    func place(_ i: Int) -> Int {
      if mode.isCompact { return i - center }
      if i >= center {
        let offset = i - center
        return offset + offset / 15 + 1
      }
      let offset = center - i - 1
      return -(offset + offset / 15 + 1)
    }
    let (modules, half) = (mode.side, mode.side / 2)
    var bits: [Int] = []
    bits.reserveCapacity(mode.bits)
    for layer in 0..<mode.layers {
      let first = 2 * layer
      let last = dense - 1 - first
      let length = last - first - 1
      for side in 0..<4 {
        for j in 0..<length {
          for k in 0..<2 {
            let (x, y) =
              switch side {
              case 0: (first + k, first + j)
              case 1: (first + j, last - k)
              case 2: (last - k, last - j)
              default: (last - j, first + k)
              }
            bits.append((place(y) + half) * modules + place(x) + half)
          }
        }
      }
    }
    return bits
  }
}

/// The characters of an Aztec Code message (ISO/IEC 24778 clause 7.1, table 2).
struct AztecText {
  private enum Mode { case upper, lower, mixed, punctuation, digit }

  private var reader: BitReader
  private var result = CodeMessage()
  /// The mode of the next character.
  private var mode = Mode.upper
  /// The mode in which a shift was begun: the one after the character, or the bytes, that it is for.
  private var former: Mode?

  init(_ bits: [Bool]) { reader = BitReader(bits) }

  mutating func message() -> CodeMessage {
    // A latch to mixed and back says that this is a part of a structured append (clause 8).
    let isPart = reader.peek(10) == 29 << 5 | 29
    while step() {}
    if isPart { readPart() }
    return result
  }

  /// Reads one character or what changes the mode; `false` at the end.
  private mutating func step() -> Bool {
    guard let value = reader.read(mode == .digit ? 4 : 5) else { return false }
    switch (mode, value) {
    case (.punctuation, 0):
      guard flag() else { return false }
      endShift()
    case (.punctuation, 31): latch(.upper)
    case (.punctuation, 2): add("\r\n")
    case (.punctuation, 3): add(". ")
    case (.punctuation, 4): add(", ")
    case (.punctuation, 5): add(": ")
    case (.punctuation, _): add(Self.punctuation[value])
    case (_, 0): shift(.punctuation)
    case (_, 1): add(0x20)
    case (.digit, 14): latch(.upper)
    case (.digit, 15): shift(.upper)
    case (.digit, _): add(value < 12 ? 0x30 + UInt8(value - 2) : value == 12 ? 0x2C : 0x2E)
    // After the bytes the mode is the one that was shifted to, where they stand behind a shift (clause 7.1.2).
    case (_, 31):
      former = nil
      return binary()
    case (.upper, 28), (.mixed, 28): latch(.lower)
    case (.lower, 28): shift(.upper)
    case (.upper, 29), (.lower, 29): latch(.mixed)
    case (.mixed, 29): latch(.upper)
    case (.upper, 30), (.lower, 30): latch(.digit)
    case (.mixed, 30): latch(.punctuation)
    case (.upper, _): add(0x41 + UInt8(value - 2))
    case (.lower, _): add(0x61 + UInt8(value - 2))
    case (.mixed, _): add(Self.mixed[value])
    }
    return true
  }

  private mutating func add(_ byte: UInt8) {
    result.append(byte)
    endShift()
  }

  private mutating func add(_ pair: String) {
    result.append(pair)
    endShift()
  }

  /// A shift is for one character: the mode before it holds again.
  private mutating func endShift() {
    if let former { mode = former }
    former = nil
  }

  private mutating func latch(_ other: Mode) {
    mode = other
    former = nil
  }

  /// One character of another mode. A shift inside a shift ends in the inner one's mode (clause 7.1.2).
  private mutating func shift(_ other: Mode) {
    former = mode
    mode = other
  }

  private mutating func binary() -> Bool {
    guard var count = reader.read(5) else { return false }
    if count == 0 {
      guard let long = reader.read(11) else { return false }
      count = long + 31
    }
    for _ in 0..<count {
      guard let byte = reader.read(8) else { return false }
      result.append(UInt8(byte))
    }
    return true
  }

  /// FLG(n): FNC1, or a character set.
  private mutating func flag() -> Bool {
    guard let digits = reader.read(3), digits < 7 else { return false }
    if digits == 0 {
      if result.isEmpty { result.isGS1 = true } else { result.append(0x1D) }
      return true
    }
    var eci = 0
    for _ in 0..<digits {
      guard let digit = reader.read(4), (2...11).contains(digit) else { return false }
      eci = eci * 10 + digit - 2
    }
    result.use(eci: eci)
    return true
  }

  /// An optional name between blanks, then the number of this part and how many there are, as letters from A.
  private mutating func readPart() {
    var bytes = result.bytes[...]
    var name: [Int] = []
    if bytes.first == 0x20 {
      guard let end = bytes.dropFirst().firstIndex(of: 0x20) else { return }
      name = bytes[1..<end].map(Int.init)
      bytes = bytes[(end + 1)...]
    }
    guard bytes.count >= 2, let index = bytes.first, let count = bytes.dropFirst().first,
      (0x41...0x5A).contains(index), (0x42...0x5A).contains(count), index <= count
    else { return }
    var rest = CodeMessage()
    rest.isGS1 = result.isGS1
    var skipped = result.bytes.count - bytes.count + 2
    for segment in result.segments {
      if let eci = segment.eci { rest.use(eci: eci) }
      rest.append(segment.bytes.dropFirst(skipped))
      skipped = max(0, skipped - segment.bytes.count)
    }
    rest.part = CodeMessage.Fragment(index: Int(index) - 0x41, count: Int(count) - 0x40, identifier: name)
    result = rest
  }

  private static let mixed: [UInt8] =
    [0, 0x20] + Array(1...13) + Array(27...31) + Array("@\\^_`|~".utf8) + [0x7F, 0, 0, 0, 0]

  private static let punctuation: [UInt8] =
    [0, 0x0D, 0, 0, 0, 0] + Array("!\"#$%&'()*+,-./:;<=>?[]{}".utf8) + [0]
}
