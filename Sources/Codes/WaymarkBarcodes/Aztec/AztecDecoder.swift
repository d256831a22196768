// MARK: - Modules

/// Decodes the modules of an Aztec Code symbol: ISO/IEC 24778. The file also decodes the characters of a message
/// (`AztecText`), and finds the orientation of a symbol (`AztecOrientation`).
package enum AztecDecoder {
  /// The content of the mode message around the bull's eye (clause 7.2.3).
  package struct Mode: Hashable {
    var isCompact: Bool
    var layers: Int
    /// The number of data codewords.
    var data: Int
    var isReaderProgramming = false

    /// The number of modules per side, with the reference grid.
    package var side: Int {
      if isCompact { return 11 + 4 * layers }
      let plain = 14 + 4 * layers
      return plain + 1 + 2 * ((plain / 2 - 1) / 15)
    }

    var bits: Int { ((isCompact ? 88 : 112) + 16 * layers) * layers }
    /// The number of bits of a codeword (table 3).
    var width: Int { layers <= 2 ? 6 : layers <= 8 ? 8 : layers <= 22 ? 10 : 12 }
    var words: Int { bits / width }
  }

  /// The numbers of modules per side that runes, compact and full symbols have, in ascending order.
  static var sides: [Int] {
    let compact = (1...4).map { Mode(isCompact: true, layers: $0, data: 0).side }
    let full = (1...32).map { Mode(isCompact: false, layers: $0, data: 0).side }
    return Set([11] + compact + full).sorted()
  }

  /// Returns the mode from the bits of the mode message, clockwise from the upper left; `nil` if they are invalid.
  package static func mode(_ bits: [Bool], isCompact: Bool) -> Mode? {
    var reader = BitReader(bits)
    var words = (0..<(isCompact ? 7 : 10)).compactMap { _ in reader.read(4) }
    // One wrong word is corrected. In the compact form, correcting two would be a guess.
    guard ReedSolomon.fourBits.correct(&words, checks: isCompact ? 5 : 6, reserve: 1) != nil else { return nil }
    let value = words.prefix(isCompact ? 2 : 4).reduce(0) { $0 << 4 | $1 }
    var mode =
      isCompact
      ? Mode(isCompact: true, layers: value >> 6 + 1, data: value & 63 + 1)
      : Mode(isCompact: false, layers: value >> 11 + 1, data: value & 2047 + 1)
    let flag = isCompact ? 32 : 1024
    // No symbol has so many codewords: the most significant bit declares that the symbol configures a reader (clause 9).
    if mode.data > mode.words, mode.data > flag {
      mode.data -= flag
      mode.isReaderProgramming = true
    }
    return mode.data < mode.words ? mode : nil
  }

  /// Returns the number of a rune (annex A), a mode message alone, with every second bit inverted; `nil` if the bits have too many
  /// errors.
  package static func rune(_ bits: [Bool]) -> Int? {
    var reader = BitReader(bits)
    var words = (0..<7).compactMap { _ in reader.read(4).map { $0 ^ 0b1010 } }
    guard words.count == 7, ReedSolomon.fourBits.correct(&words, checks: 5, reserve: 1) != nil else { return nil }
    return words[0] << 4 | words[1]
  }

  /// Returns the message; `nil` if the symbol has another size than `mode` or too many errors.
  ///
  /// - Parameter matrix: the modules of the upright symbol.
  package static func decode(_ mode: Mode, _ matrix: ModuleMatrix) -> CodeMessage? {
    guard matrix.columns == mode.side, matrix.rows == mode.side else { return nil }
    let places = layers(mode)
    guard places.count == mode.bits else { return nil }
    // The bits that do not fill a codeword are first.
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
    // Codewords of equal bits do not occur in data: they are erasures.
    let erasures = words.prefix(mode.data).indices.filter { words[$0] == 0 || words[$0] == all }
    guard
      code.correct(&words, checks: checks, doubt: [], reserve: 1)
        || code.correct(&words, checks: checks, doubt: doubt, erasures: erasures, reserve: 1)
    else { return nil }
    var data: [Bool] = []
    for word in words.prefix(mode.data) {
      guard word != 0, word != all else { return nil }
      // A codeword whose bits are equal except for the last ends with a stuffed bit.
      let isStuffed = word == 1 || word == all - 1
      for i in stride(from: mode.width - 1, through: isStuffed ? 1 : 0, by: -1) { data.append(word >> i & 1 == 1) }
    }
    var text = AztecText(data)
    var message = text.message()
    message.isReaderProgramming = mode.isReaderProgramming
    return message
  }

  /// Returns the matrix indices of the bits of all layers in the order of their bits. The layers, two modules thick, go from the
  /// outside inwards; in each, the bits begin at the upper left corner, go down the left side and on counterclockwise (clause
  /// 7.3.1).
  private static func layers(_ mode: Mode) -> [Int] {
    // Coordinates without the reference grid, whose lines are every sixteenth module from the centre, have no gaps.
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

// MARK: - Text

/// Decodes the characters of an Aztec Code message (ISO/IEC 24778 clause 7.1, table 2).
struct AztecText {
  private enum Mode { case upper, lower, mixed, punctuation, digit }

  private var reader: BitReader
  private var result = CodeMessage()
  /// The mode of the next character.
  private var mode = Mode.upper
  /// The mode to restore after the character that a shift applies to; `nil` if no shift is pending.
  private var former: Mode?

  init(_ bits: [Bool]) { reader = BitReader(bits) }

  mutating func message() -> CodeMessage {
    // A latch to mixed mode and back at the start declares a part of a structured append (clause 8).
    let isPart = reader.peek(10) == 29 << 5 | 29
    while step() {}
    if isPart { readPart() }
    return result
  }

  /// Reads one character or mode change; `false` at the end.
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
    // A binary shift within another shift cancels the return to the mode before: the mode of the outer shift stays (clause 7.1.2).
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

  /// Restores the mode before a shift, which is for one character.
  private mutating func endShift() {
    if let former { mode = former }
    former = nil
  }

  private mutating func latch(_ other: Mode) {
    mode = other
    former = nil
  }

  /// Changes the mode for one character. After a shift within a shift, the mode of the outer shift stays (clause 7.1.2).
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

  /// Reads FLG(n): FNC1, or a character set; returns false if it is invalid.
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

  /// Reads the header of a structured append: an optional name between blanks, then the index and the number of parts as letters from A.
  private mutating func readPart() {
    var bytes = result.bytes[...]
    var name = ""
    if bytes.first == 0x20 {
      guard let end = bytes.dropFirst().firstIndex(of: 0x20) else { return }
      name = String(String.UnicodeScalarView(bytes[1..<end].map { Unicode.Scalar($0) }))
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

// MARK: - Orientation

/// One of the eight orientations of a square.
package struct AztecOrientation {
  var quarters: Int
  package var mirrored: Bool

  /// Returns the position in the picture of a module of the upright symbol, both relative to the centre.
  package func apply(_ x: Int, _ y: Int) -> (Int, Int) {
    var (u, v) = mirrored ? (y, x) : (x, y)
    for _ in 0..<quarters { (u, v) = (-v, u) }
    return (u, v)
  }

  /// Returns the orientation of the symbol from the marks in the corners of the ring around the bull's eye (clause 7.2.2), and the number
  /// of wrong modules of the twelve; `nil` if three or more are wrong.
  package static func find(_ matrix: ModuleMatrix, _ radius: Int) -> (AztecOrientation, wrong: Int)? {
    let r = radius
    let marks: [(Int, Int, Bool)] = [
      (-r, -r, true), (1 - r, -r, true), (-r, 1 - r, true),
      (r, -r, true), (r, 1 - r, true), (r - 1, -r, false),
      (r, r, false), (r, r - 1, true), (r - 1, r, false),
      (-r, r, false), (1 - r, r, false), (-r, r - 1, false),
    ]
    var best: (AztecOrientation, Int)?
    for mirrored in [false, true] {
      for quarters in 0..<4 {
        let turn = AztecOrientation(quarters: quarters, mirrored: mirrored)
        let wrong = marks.count { mark in
          let (u, v) = turn.apply(mark.0, mark.1)
          return matrix[u + r, v + r] != mark.2
        }
        if wrong < best?.1 ?? 3 { best = (turn, wrong) }
      }
    }
    return best
  }
}
