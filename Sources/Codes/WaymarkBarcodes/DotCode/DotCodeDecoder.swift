import WaymarkImage

/// Decodes the dots of a DotCode symbol (AIM ISS DotCode, clause 5).
///
/// A codeword from which a dot is missing shows four dots, which fit at most five values: if more codewords are unreadable than there are
/// check codewords, these values are tried. A result is accepted by the number of dots that agree with it, not by unused check codewords.
/// `DotCodeText` below decodes the corrected codewords.
package enum DotCodeDecoder {
  /// The possible lengths of the sides of a symbol, in modules.
  static let sides = 5...200

  /// Returns the message; `nil` if there is no symbol of this size, or too few dots agree with any content.
  ///
  /// - Parameter matrix: one module for each position of the grid. Every second position can hold a dot.
  package static func decode(_ matrix: ModuleMatrix) -> CodeMessage? {
    // The upright form has an odd number of columns, so a symbol with an even number is turned.
    guard (matrix.columns + matrix.rows) % 2 == 1 else { return nil }
    let upright =
      matrix.columns % 2 == 1
      ? matrix : matrix.picked(columns: matrix.rows, rows: matrix.columns) { ($1, matrix.rows - 1 - $0) }
    guard let places = places(columns: upright.columns, rows: upright.rows) else { return nil }
    let dots = places.map { x, y in (upright[x, y] ? 1 : -1) * upright.margin(x, y) }
    return decode(dots)
  }

  /// Returns the positions of the dots in the order of their bits: down the columns, the six at the corners last; `nil` if there is
  /// no symbol of this size.
  static func places(columns: Int, rows: Int) -> [(x: Int, y: Int)]? {
    guard columns % 2 == 1, rows % 2 == 0, sides.contains(columns), sides.contains(rows) else { return nil }
    let (right, bottom) = (columns - 1, rows - 1)
    let last = [(right, bottom - 1), (0, bottom - 1), (right - 1, bottom), (1, bottom), (right, 0), (0, 0)]
    var places: [(x: Int, y: Int)] = []
    for x in 0...right {
      for y in stride(from: x % 2, through: bottom, by: 2) where !last.contains(where: { $0 == (x, y) }) {
        places.append((x, y))
      }
    }
    return places + last
  }

  /// Returns the message of dots in the order of `places`, positive for a lit dot, with a larger magnitude for a more certain one; `nil` if
  /// too few dots agree with any content.
  static func decode(_ dots: [Float]) -> CodeMessage? {
    var words = DotCodeWords(dots)?.corrected()
    if words == nil, dots.suffix(6).allSatisfy({ $0 > 0 }) {
      // All six dots at the corners may be lit to show the outline, instead of encoding data.
      words = DotCodeWords(dots.dropLast(6) + [Float](repeating: 0, count: 6))?.corrected()
    }
    return words.flatMap {
      var text = DotCodeText($0)
      return text.message()
    }
  }
}

/// Decodes the data codewords of a DotCode symbol (AIM ISS DotCode, clause 5.2).
struct DotCodeText {
  private enum CodeSet { case a, b, c, binary }

  private let words: [Int]
  private var next = 0
  /// The code set, and the one for the next `left` characters.
  private var set = CodeSet.c
  private var shift: (set: CodeSet, left: Int)?
  /// The bytes so far, each with its extended channel interpretation.
  private var content: [(byte: UInt8, eci: Int?)] = []
  private var eci: Int?
  /// The end of a macro, which no codeword carries.
  private var tail: [UInt8] = []
  /// The codewords of an unfinished binary group; then the number of an interpretation in the group, as far as it was read, and how
  /// many of its bytes are still to come.
  private var group: [Int] = []
  private var number: (value: Int, left: Int) = (0, 0)
  private var result = CodeMessage()

  init(_ words: [Int]) { self.words = words }

  /// Returns the message; `nil` if the codewords are invalid, or hold several messages divided by a separator.
  mutating func message() -> CodeMessage? {
    if words.first == 109 {
      result.isReaderProgramming = true
      next = 1
    }
    // Digits at the start mean element strings of GS1; FNC1 before them means other content.
    if next < words.count, words[next] == 107 { next += 1 } else { result.isGS1 = startsWithDigits }
    while next < words.count {
      let word = words[next]
      next += 1
      let isRead = set == .binary && shift == nil ? readBinary(word) : readCharacter(word)
      guard isRead else { return nil }
    }
    guard shift == nil, flush(), number.left == 0 else { return nil }
    for (byte, eci) in content {
      result.use(eci: eci)
      result.append(byte)
    }
    result.append(tail)
    return result
  }

  /// True if the first character after an interpretation is a pair of digits, or the short form of the identifiers 17 and 10.
  private var startsWithDigits: Bool {
    var first = next
    if first + 1 < words.count, words[first] == 108 { first += words[first + 1] < 40 ? 2 : 4 }
    return first < words.count && words[first] <= 100
  }

  private mutating func add(_ byte: Int) { content.append((UInt8(truncatingIfNeeded: byte), eci)) }

  private mutating func add(pair: Int) {
    add(48 + pair / 10)
    add(48 + pair % 10)
  }

  private mutating func readCharacter(_ word: Int) -> Bool {
    let current = shift?.set ?? set
    if let open = shift { shift = open.left > 1 ? (open.set, open.left - 1) : nil }
    switch (current, word) {
    case (_, 107): add(29)
    case (_, 108): return readInterpretation()
    case (_, 110), (_, 111):
      guard let character = take() else { return false }
      guard let byte = word == 110 ? Self.setA(character) : Self.setB(character) else { return false }
      add(byte + 128)
    case (_, 112): set = .binary
    case (.a, 0...95): add(Self.setA(word) ?? 0)
    case (.a, 96...101): shift = (.b, word - 95)
    case (.a, 102): set = .b
    case (.b, 97...100) where content.isEmpty && shift == nil && set == .b: return readMacro(word)
    case (.b, 96):
      add(13)
      add(10)
    case (.b, 0...100): add(Self.setB(word) ?? 0)
    case (.b, 101): shift = (.a, 1)
    case (.b, 102): set = .a
    case (.a, 103...105), (.b, 103...105): shift = (.c, word - 101)
    case (.a, 106), (.b, 106): set = .c
    case (.c, 0...99): add(pair: word)
    case (.c, 100):
      add(pair: 17)
      for _ in 0..<3 {
        guard let pair = take(), pair < 100 else { return false }
        add(pair: pair)
      }
      add(pair: 10)
    case (.c, 101): set = .a
    case (.c, 102...105): shift = (.b, word - 101)
    case (.c, 106): set = .b
    default: return false
    }
    return true
  }

  private mutating func take() -> Int? {
    guard next < words.count else { return nil }
    next += 1
    return words[next - 1]
  }

  private static func setA(_ word: Int) -> Int? { word < 64 ? word + 32 : word < 96 ? word - 64 : nil }

  private static func setB(_ word: Int) -> Int? {
    word < 96 ? word + 32 : (97...100).contains(word) ? [9, 28, 29, 30][word - 97] : nil
  }

  /// Adds the head of a message in the syntax of ISO/IEC 15434, which a codeword abbreviates, and keeps the end of the message for
  /// `tail`.
  private mutating func readMacro(_ word: Int) -> Bool {
    for byte in "[)>\u{1E}".utf8 { add(Int(byte)) }
    if word < 100 { for byte in "\(["05", "06", "12"][word - 97])\u{1D}".utf8 { add(Int(byte)) } }
    tail = word < 100 ? [30, 4] : [4]
    return true
  }

  /// Reads the number of an extended channel interpretation after FNC2. FNC2 at the end declares a part of a structured append: the
  /// last two characters are its index and the number of parts.
  private mutating func readInterpretation() -> Bool {
    guard let first = take() else { return readPart() }
    if first < 40 {
      eci = first
    } else {
      guard let second = take(), let third = take() else { return false }
      eci = (first - 40) * 12_769 + second * 113 + third + 40
    }
    return true
  }

  private mutating func readPart() -> Bool {
    func value(_ byte: UInt8) -> Int? {
      switch byte {
      case 0x31...0x39: Int(byte) - 0x30
      case 0x41...0x5A: Int(byte) - 0x41 + 10
      default: nil
      }
    }
    guard content.count > 2, let count = value(content.removeLast().byte), let index = value(content.removeLast().byte),
      count > 1, index <= count
    else { return false }
    result.part = CodeMessage.Fragment(index: index - 1, count: count, identifier: "")
    return true
  }

  private mutating func readBinary(_ word: Int) -> Bool {
    if word < 103 {
      group.append(word)
      return group.count < 6 || flush()
    }
    guard flush() else { return false }
    switch word {
    case 103...108: shift = (.c, word - 101)
    case 109: set = .a
    case 110: set = .b
    case 111: set = .c
    default: return false
    }
    return true
  }

  /// Converts the open binary group from base 103 to base 259; the result has one value less than the group has codewords.
  private mutating func flush() -> Bool {
    guard !group.isEmpty else { return true }
    var rest = group.reduce(0) { $0 * 103 + $1 }
    var values: [Int] = []
    for _ in 1..<group.count {
      values.insert(rest % 259, at: 0)
      rest /= 259
    }
    group = []
    guard rest == 0 else { return false }
    for value in values {
      if number.left > 0 {
        guard value < 256 else { return false }
        number = (number.value << 8 | value, number.left - 1)
        if number.left == 0 { eci = number.value }
      } else if value >= 256 {
        number = (0, value - 255)
      } else {
        add(value)
      }
    }
    return true
  }
}
