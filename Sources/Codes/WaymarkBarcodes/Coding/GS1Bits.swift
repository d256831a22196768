import WaymarkSystem

/// Reads the bits of a GS1 DataBar Expanded or of a 2-D component: numbers, GTINs, and the general purpose field (ISO/IEC 24724,
/// 7.2.5.5).
struct GS1Bits {
  private let bits: [Bool]
  private var at = 0

  init(_ bits: [Bool]) { self.bits = bits }

  /// Creates a reader of codewords of `width` bits each.
  init(_ words: [Int], width: Int) {
    bits = words.flatMap { word in (0..<width).map { word >> (width - 1 - $0) & 1 == 1 } }
  }

  private var left: Int { bits.count - at }

  func starts(with pattern: String) -> Bool {
    left >= pattern.count && zip(pattern, bits[at...]).allSatisfy { ($0 == "1") == $1 }
  }

  mutating func skip(_ count: Int) -> Bool { take(count) != nil }

  mutating func take(_ count: Int) -> Int? {
    guard let value = peek(count) else { return nil }
    at += count
    return value
  }

  private func peek(_ count: Int) -> Int? {
    guard left >= count else { return nil }
    return bits[at..<(at + count)].reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
  }

  /// Reads a GTIN and returns its element string, with identifier 01: `first` is its first digit, the next twelve digits are in
  /// four groups of ten bits, and the check digit is computed.
  mutating func item(first: Int) -> String? {
    var text = "\(first)"
    for _ in 0..<4 {
      guard let three = take(10), three < 1000 else { return nil }
      text += three.digits(3)
    }
    return "01" + text + GTIN.checkDigit(for: text)
  }

  enum Mode {
    case numeric, alphanumeric, iso646
  }

  /// The largest number of separators after which a field is read both with and without a redundant latch. Each such separator
  /// doubles the work.
  private static let latches = 4

  /// Reads the general purpose field to the end of the symbol, and returns `head` and the field without separators at its end;
  /// `nil` if the bits are invalid or the result is empty.
  mutating func general(after head: String) -> String? {
    guard var text = field().map({ head + $0 }) else { return nil }
    while text.hasSuffix("\u{1D}") { text.removeLast() }
    return text.isEmpty ? nil : text
  }

  /// Reads the general purpose field to the end of the symbol, with the separators at its end; `nil` if the bits are invalid.
  ///
  /// - Parameters:
  ///   - first: the mode in which the field begins.
  ///   - latches: the number of further separators after which the field is read in two ways.
  mutating func field(_ first: Mode = .numeric, latches: Int = latches) -> String? {
    var text = ""
    var mode = first
    while left > 0 {
      let next: (text: String, mode: Mode)?
      switch mode {
      case .numeric: next = numeric()
      case .alphanumeric, .iso646: next = letters(mode)
      }
      guard let next else { break }
      text += next.text
      // FNC1 implies a change to numeric mode. Some encoders nevertheless add a latch to numeric mode: three zeros, which look like
      // the start of a latch to letters. An identifier of digits follows.
      if mode != .numeric, next.mode == .numeric, next.text == "\u{1D}", latches > 0, starts(with: "0000") {
        var (plain, latched) = (self, self)
        latched.at += 3
        let rest = [plain.field(latches: latches - 1), latched.field(latches: latches - 1)].compactMap { $0 }
        return (rest.first { GS1Element.parse($0) != nil } ?? rest.first).map { text + $0 }
      }
      mode = next.mode
    }
    // The remaining bits are the start of a latch, which pads the last character.
    guard left < 7, peek(min(left, 5)).map({ $0 == 0b00100 >> (5 - min(left, 5)) || $0 == 0 }) ?? true else {
      return nil
    }
    return text
  }

  /// Reads two digits or FNC1 in seven bits, at the end of the symbol one digit in four bits, or a latch; `nil` for invalid
  /// bits.
  private mutating func numeric() -> (String, Mode)? {
    if starts(with: "0000") {
      at += 4
      return ("", .alphanumeric)
    }
    guard left >= 7 else {
      guard left >= 4, let digit = take(4), (1...10).contains(digit) else { return nil }
      at = bits.count
      return ("\(digit - 1)", .numeric)
    }
    guard let value = take(7), value >= 8 else { return nil }
    let pair = [(value - 8) / 11, (value - 8) % 11]
    return (pair.map { $0 == 10 ? "\u{1D}" : "\($0)" }.joined(), .numeric)
  }

  /// Reads a character of the alphanumeric or the ISO/IEC 646 set, or a latch; `nil` for invalid bits.
  private mutating func letters(_ mode: Mode) -> (String, Mode)? {
    if starts(with: "000") {
      at += 3
      return ("", .numeric)
    }
    if starts(with: "00100") {
      at += 5
      return ("", mode == .alphanumeric ? .iso646 : .alphanumeric)
    }
    if let value = peek(5), (5...15).contains(value) {
      at += 5
      return value == 15 ? ("\u{1D}", .numeric) : ("\(value - 5)", mode)
    }
    if mode == .alphanumeric {
      guard let value = peek(6), (32...62).contains(value) else { return nil }
      at += 6
      return value < 58 ? (Self.scalar(value + 33), mode) : (String(Array("*,-./")[value - 58]), mode)
    }
    if let value = peek(7), (64...115).contains(value) {
      at += 7
      return (Self.scalar(value < 90 ? value + 1 : value + 7), mode)
    }
    guard let value = peek(8), (232...252).contains(value) else { return nil }
    at += 8
    return (String(Array("!\"%&'()*+,-./:;<=>?_ ")[value - 232]), mode)
  }

  private static func scalar(_ value: Int) -> String { String(UnicodeScalar(UInt8(value))) }
}
