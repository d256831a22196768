import WaymarkSystem

/// Decodes the bits of the 2-D component of a GS1 composite symbol (ISO/IEC 24723, clause 5).
enum CompositeText {
  /// Returns the message of a component; `nil` if the bits are not element strings.
  static func message(_ bits: [Bool]) -> CodeMessage? {
    guard let text = decode(bits), GS1Element.parse(text) != nil else { return nil }
    var message = CodeMessage()
    message.append(text)
    message.isGS1 = true
    message.isComponent = true
    return message
  }

  /// Returns the bits in the codewords of a CC-A (annex F): 69 in each group of seven codewords, and 10n − 1 in a last group of
  /// n; `nil` if the codewords are invalid.
  static func bits(_ words: [Int]) -> [Bool]? {
    var bits: [Bool] = []
    for start in stride(from: 0, to: words.count, by: 7) {
      let group = words[start..<min(words.count, start + 7)]
      let count = group.count == 7 ? 69 : 10 * group.count - 1
      guard group.allSatisfy((0..<928).contains) else { return nil }
      let value = group.reduce(UInt128(0)) { $0 * 928 + UInt128($1) }
      guard value >> count == 0 else { return nil }
      bits += (0..<count).reversed().map { value >> $0 & 1 == 1 }
    }
    return bits
  }

  /// Returns the element strings, with ASCII 29 where a separator is needed; `nil` if the bits are invalid.
  private static func decode(_ bits: [Bool]) -> String? {
    var bits = GS1Bits(bits)
    if bits.starts(with: "0") { return bits.skip(1) ? bits.general(after: "") : nil }
    if bits.starts(with: "10") { return bits.skip(2) ? lot(&bits) : nil }
    return bits.skip(2) ? own(&bits) : nil
  }

  /// Reads method 10: a date of production or expiry, a lot number, and other element strings.
  private static func lot(_ bits: inout GS1Bits) -> String? {
    var date = ""
    if bits.starts(with: "11") {
      guard bits.skip(2) else { return nil }
    } else {
      guard let value = bits.take(16), value < 100 * 384, let kind = bits.take(1) else { return nil }
      date =
        (kind == 1 ? "17" : "11") + (value / 384).digits(2) + (value / 32 % 12 + 1).digits(2) + (value % 32).digits(2)
    }
    guard let rest = bits.field() else { return nil }
    // A separator at the start replaces the lot number after a date.
    if !date.isEmpty, rest.isEmpty || rest.hasPrefix(separator) { return trimmed(date + rest.dropFirst()) }
    return trimmed(date + "10" + rest)
  }

  /// Reads method 11: company internal information (identifier 90) that begins with up to three digits and a letter.
  private static func own(_ bits: inout GS1Bits) -> String? {
    guard let way = bits.choice(), let next = bits.choice(), let short = bits.take(5) else { return nil }
    let number: Int
    let letter: String
    if short < 31 {
      guard let index = bits.take(4) else { return nil }
      (number, letter) = (short, String(Array("BDHIJKLNPQRSTVWZ")[index]))
    } else {
      guard let long = bits.take(10), long < 1000, let index = bits.take(5), index < 26 else { return nil }
      (number, letter) = (long, String(UnicodeScalar(UInt8(65 + index))))
    }
    var text = "90" + (number == 0 ? "" : "\(number)") + letter
    if way == 2 {
      guard let letters = letters(&bits) else { return nil }
      text += letters
    } else {
      guard let rest = bits.field(way == 0 ? .alphanumeric : .numeric) else { return nil }
      text += rest
    }
    // The identifier of the next element string is implied.
    if next > 0 {
      guard let end = text.firstIndex(of: "\u{1D}") else { return nil }
      text.insert(contentsOf: next == 1 ? "21" : "8004", at: text.index(after: end))
    }
    return trimmed(text)
  }

  /// Reads letters of five bits and digits of six, up to a separator, after which the general purpose field follows.
  private static func letters(_ bits: inout GS1Bits) -> String? {
    var text = ""
    while let value = bits.take(5) {
      switch value {
      case 0..<26: text += String(UnicodeScalar(UInt8(65 + value)))
      case 31: return bits.field().map { text + separator + $0 }
      default:
        guard let bit = bits.take(1), case let digit = value << 1 | bit, digit < 62 else { return nil }
        text += "\(digit - 52)"
      }
    }
    return text
  }

  private static let separator = "\u{1D}"

  private static func trimmed(_ text: String) -> String {
    var text = text
    while text.hasSuffix(separator) { text.removeLast() }
    return text
  }
}

extension GS1Bits {
  /// Reads a choice of three: 0, 10 or 11.
  fileprivate mutating func choice() -> Int? {
    guard let first = take(1) else { return nil }
    return first == 0 ? 0 : take(1).map { 1 + $0 }
  }
}
