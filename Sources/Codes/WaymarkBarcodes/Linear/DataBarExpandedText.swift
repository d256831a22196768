import WaymarkSystem

/// Decodes the characters of a GS1 DataBar Expanded symbol (ISO/IEC 24724, 7.2.5).
enum DataBarExpandedText {
  /// Returns the element strings encoded by characters of twelve bits: identifiers and values, with FNC1 as ASCII 29 where a
  /// separator is needed; `nil` if the bits are invalid.
  static func decode(_ characters: [Int]) -> String? {
    var bits = Bits(characters)
    // The first bit is set if a 2-D component is printed above the symbol; that component is not read here.
    guard bits.take(1) != nil else { return nil }
    if bits.starts(with: "1") {
      // Method 1: a GTIN with its first digit, and other element strings.
      guard bits.skip(1 + 2), let first = bits.take(4), first < 10, let item = bits.item(first: first) else {
        return nil
      }
      return bits.general(after: item)
    }
    if bits.starts(with: "00") {
      guard bits.skip(2 + 2) else { return nil }
      return bits.general(after: "")
    }
    if bits.starts(with: "0100") || bits.starts(with: "0101") {
      let isMetric = bits.starts(with: "0100")
      guard bits.skip(4), let item = bits.item(first: 9), let weight = bits.take(15) else { return nil }
      if isMetric { return item + "3103" + weight.digits(6) }
      return item + (weight < 10_000 ? "3202" + weight.digits(6) : "3203" + (weight - 10_000).digits(6))
    }
    if bits.starts(with: "01100") || bits.starts(with: "01101") {
      let hasCurrency = bits.starts(with: "01101")
      guard bits.skip(5 + 2), let item = bits.item(first: 9), let decimals = bits.take(2) else { return nil }
      guard hasCurrency else { return bits.general(after: item + "392\(decimals)") }
      guard let currency = bits.take(10), currency < 1000 else { return nil }
      return bits.general(after: item + "393\(decimals)" + currency.digits(3))
    }
    guard bits.starts(with: "0111"), bits.skip(4), let kind = bits.take(3), let item = bits.item(first: 9),
      let weight = bits.take(20), let date = bits.take(16)
    else { return nil }
    return weighed(item, kind: kind, weight: weight, date: date)
  }

  /// Methods 0111000 to 0111111: a weight, the first digit of which is the position of the decimal point, and an optional date.
  private static func weighed(_ item: String, kind: Int, weight: Int, date: Int) -> String? {
    guard weight < 1_000_000 else { return nil }
    let measure = (kind.isMultiple(of: 2) ? "310" : "320") + "\(weight / 100_000)" + (weight % 100_000).digits(6)
    // The value for no date: the number of days in a century of twelve months of 32 days.
    if date == 38_400 { return item + measure }
    let (year, month, day) = (date / 384, date / 32 % 12 + 1, date % 32)
    guard year < 100 else { return nil }
    return item + measure + ["11", "13", "15", "17"][kind / 2] + year.digits(2) + month.digits(2) + day.digits(2)
  }

  /// The bits of a symbol, from the first to the last.
  private struct Bits {
    private var bits: [Bool] = []
    private var at = 0

    init(_ characters: [Int]) {
      for value in characters { for bit in (0..<12).reversed() { bits.append(value >> bit & 1 != 0) } }
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

    /// Reads a GTIN: its first digit, twelve digits in four groups of ten bits; the check digit is computed.
    mutating func item(first: Int) -> String? {
      var text = "\(first)"
      for _ in 0..<4 {
        guard let three = take(10), three < 1000 else { return nil }
        text += three.digits(3)
      }
      return "01" + text + GTIN.checkDigit(for: text)
    }

    private enum Mode {
      case numeric, alphanumeric, iso646
    }

    /// Reads the general purpose field, to the end of the symbol (7.2.5.5).
    mutating func general(after head: String) -> String? {
      var text = head
      var mode = Mode.numeric
      while left > 0 {
        let next: (text: String, mode: Mode)?
        switch mode {
        case .numeric: next = numeric()
        case .alphanumeric, .iso646: next = letters(mode)
        }
        guard let next else { break }
        text += next.text
        // FNC1 implies a change to numeric mode. Some encoders add a latch of three zeros, which looks like the start of a latch
        // to letters; an identifier of digits follows.
        if mode != .numeric, next.mode == .numeric, next.text == "\u{1D}", starts(with: "0000") {
          var (plain, latched) = (self, self)
          latched.at += 3
          let rest = [plain.general(after: ""), latched.general(after: "")].compactMap { $0 }
          return (rest.first { GS1Element.parse($0) != nil } ?? rest.first).map { text + $0 }
        }
        mode = next.mode
      }
      // The remaining bits are the start of a latch, which pads the last character.
      guard left < 7, peek(min(left, 5)).map({ $0 == 0b00100 >> (5 - min(left, 5)) || $0 == 0 }) ?? true else {
        return nil
      }
      while text.hasSuffix("\u{1D}") { text.removeLast() }
      return text.isEmpty ? nil : text
    }

    /// Reads two digits or FNC1 in seven bits; at the end one digit in four bits.
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

    /// Reads a character of the alphanumeric or the ISO/IEC 646 set.
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
}
