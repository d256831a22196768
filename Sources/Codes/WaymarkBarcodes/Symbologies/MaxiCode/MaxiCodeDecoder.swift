import WaymarkSystem

/// From the modules of a MaxiCode symbol to its message: ISO/IEC 16023.
package enum MaxiCodeDecoder {
  /// Reads the message.
  ///
  /// - Parameter matrix: one module a place of `MaxiCodePlacement`.
  package static func decode(_ matrix: ModuleMatrix) -> CodeMessage? {
    guard matrix.dark.count == MaxiCodePlacement.numbers.count else { return nil }
    var words = [Int](repeating: 0, count: 144)
    var sure = [Float](repeating: 1, count: matrix.margins.isEmpty ? 0 : 144)
    for (place, number) in MaxiCodePlacement.numbers.enumerated() where number >= 0 {
      let word = Int(number) / 6
      if matrix.dark[place] { words[word] |= 32 >> (Int(number) % 6) }
      if !sure.isEmpty { sure[word] = min(sure[word], matrix.margins[place]) }
    }
    var primary = Array(words[0..<20])
    guard ReedSolomon.sixBits.correct(&primary, checks: 10, reserve: 2) != nil else { return nil }
    let mode = primary[0] & 15
    guard (2...6).contains(mode) else { return nil }
    // Mode 5 has more error correction for the secondary message (clause 4.10).
    let checks = mode == 5 ? 56 : 40
    var secondary = [Int](repeating: 0, count: 124 - checks)
    for half in 0...1 {
      let places = Array(stride(from: 20 + half, to: 144, by: 2))
      var block = places.map { words[$0] }
      guard
        ReedSolomon.sixBits.correct(
          &block, checks: checks / 2, doubt: sure.isEmpty ? [] : places.map { 1 - sure[$0] }, reserve: 2)
      else { return nil }
      for i in 0..<((124 - checks) / 2) { secondary[2 * i + half] = block[i] }
    }
    var text = MaxiCodeText(mode <= 3 ? secondary : Array(primary[1..<10]) + secondary)
    var message = text.message()
    message.isReaderProgramming = mode == 6
    if mode <= 3 { message = postal(primary, mode: mode, message) }
    return message
  }

  /// The structured carrier message stands before the secondary one, or, where that begins as a message of transport data
  /// does (ISO/IEC 15434), after its header (annex B).
  private static func postal(_ primary: [Int], mode: Int, _ secondary: CodeMessage) -> CodeMessage {
    func bits(_ places: [Int]) -> Int {
      places.reduce(0) { $0 << 1 | (primary[($1 - 1) / 6] >> (5 - ($1 - 1) % 6) & 1) }
    }
    let country = bits([53, 54, 43, 44, 45, 46, 47, 48, 37, 38])
    let service = bits([55, 56, 57, 58, 59, 60, 49, 50, 51, 52])
    var code = ""
    if mode == 2 {
      let length = bits([39, 40, 41, 42, 31, 32])
      let number = bits([
        33, 34, 35, 36, 25, 26, 27, 28, 29, 30, 19, 20, 21, 22, 23, 24, 13, 14, 15, 16, 17, 18, 7, 8, 9, 10, 11, 12, 1,
        2,
      ])
      code = number.digits(min(9, length))
    } else {
      for group in [
        [39, 40, 41, 42, 31, 32], [33, 34, 35, 36, 25, 26], [27, 28, 29, 30, 19, 20], [21, 22, 23, 24, 13, 14],
        [15, 16, 17, 18, 7, 8], [9, 10, 11, 12, 1, 2],
      ] {
        let value = bits(group)
        code +=
          value < 27 && value > 0
          ? String(UnicodeScalar(UInt8(0x40 + value))) : String(UnicodeScalar(UInt8(value & 63)))
      }
    }
    let head = code + "\u{1D}" + country.digits(3) + "\u{1D}" + service.digits(3) + "\u{1D}"
    var message = CodeMessage()
    message.part = secondary.part
    message.use(eci: MaxiCodeText.plain)
    let start = Array("[)>\u{1E}01\u{1D}".utf8)
    // The header, the year that follows it, then the carrier message.
    var header = secondary.bytes.starts(with: start) ? min(start.count + 2, secondary.bytes.count) : 0
    message.append(secondary.bytes.prefix(header))
    message.append(head)
    for segment in secondary.segments {
      message.use(eci: segment.eci)
      message.append(segment.bytes.dropFirst(header))
      header = max(0, header - segment.bytes.count)
    }
    return message
  }
}

/// The characters of a MaxiCode message: ISO/IEC 16023 annex A, tables A.1 to A.5.
private struct MaxiCodeText {
  private let words: [Int]
  private var next = 0
  private var result = CodeMessage()

  /// The character set where the symbol names none: ISO/IEC 8859-1 (clause 4.4.1).
  static let plain = 3

  init(_ words: [Int]) { self.words = words }

  mutating func message() -> CodeMessage {
    result.use(eci: Self.plain)
    var set = 0
    // The set for so many characters, after which the former one holds again.
    var shift: (set: Int, left: Int)?
    if words.first == 33, words.count > 1, words[1] != 33 {
      // A pad at the start marks a part of a structured append.
      let value = words[1]
      let count = value & 7 + 1
      if value >> 3 < count, count > 1 {
        result.part = CodeMessage.Fragment(index: value >> 3, count: count, identifier: [])
      }
      next = result.part == nil ? 0 : 2
    }
    while next < words.count {
      let word = words[next]
      next += 1
      let current = shift?.set ?? set
      if let open = shift { shift = open.left > 1 ? (open.set, open.left - 1) : nil }
      if word == 27 {
        guard interpretation() else { return result }
        continue
      }
      if word == 31 {
        guard next + 5 <= words.count else { return result }
        let value = words[next..<(next + 5)].reduce(0) { $0 << 6 | $1 }
        result.append(value.digits(9))
        next += 5
        continue
      }
      switch (current, word) {
      case (0, 33), (1, 33): continue
      case (0, 63): set = 1
      case (1, 63): set = 0
      case (0, 59): shift = (1, 1)
      case (1, 59): shift = (0, 1)
      case (1, 56): shift = (0, 2)
      case (1, 57): shift = (0, 3)
      case (_, 60), (_, 61), (_, 62):
        let other = word - 58
        if current == other { set = other } else { shift = (other, 1) }
      case (2...4, 58): set = 0
      case (2...4, 63): set = 1
      default: if let byte = Self.character(word, current) { result.append(byte) }
      }
    }
    return result
  }

  private mutating func interpretation() -> Bool {
    guard next < words.count else { return false }
    let first = words[next]
    let more = first & 0b100000 == 0 ? 0 : first & 0b010000 == 0 ? 1 : first & 0b001000 == 0 ? 2 : 3
    guard next + more < words.count else { return false }
    let mask = [0b11111, 0b1111, 0b111, 0b11][more]
    let eci = words[(next + 1)..<(next + 1 + more)].reduce(first & mask) { $0 << 6 | $1 }
    next += 1 + more
    result.use(eci: eci)
    return true
  }

  private static func character(_ word: Int, _ set: Int) -> UInt8? {
    let tables: [[Int]] = [a, b, c, d, e]
    guard tables.indices.contains(set), tables[set].indices.contains(word), tables[set][word] >= 0 else { return nil }
    return UInt8(tables[set][word])
  }

  private static let a: [Int] =
    [13] + Array(65...90) + [-1, 28, 29, 30, -1, 32, -1] + Array(34...58) + [-1, -1, -1, -1, -1]
  private static let b: [Int] =
    [96] + Array(97...122) + [
      -1, 28, 29, 30, -1, 123, -1, 125, 126, 127, 59, 60, 61, 62, 63, 91, 92, 93, 94, 95, 32, 44, 46, 47, 58, 64, 33,
      124, -1, -1, -1, -1, -1, -1, -1, -1,
    ]
  private static let c: [Int] =
    Array(192...218) + [
      -1, 28, 29, 30, -1, 219, 220, 221, 222, 223, 170, 172, 177, 178, 179, 181, 185, 186, 188, 189, 190, 128, 129, 130,
      131, 132, 133, 134, 135, 136, 137, -1, 32, -1, -1, -1, -1,
    ]
  private static let d: [Int] =
    Array(224...250) + [
      -1, 28, 29, 30, -1, 251, 252, 253, 254, 255, 161, 168, 171, 175, 176, 180, 183, 184, 187, 191, 138, 139, 140, 141,
      142, 143, 144, 145, 146, 147, 148, -1, 32, -1, -1, -1, -1,
    ]
  private static let e: [Int] =
    Array(0...26) + [
      -1, -1, -1, 27, -1, 28, 29, 30, 31, 159, 160, 162, 163, 164, 165, 166, 167, 169, 173, 174, 182, 149, 150, 151,
      152, 153, 154, 155, 156, 157, 158, -1, 32, -1, -1, -1, -1,
    ]
}
