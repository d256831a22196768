// MARK: - RM4SCC and KIX

/// Decodes the Royal Mail four-state customer code (RM4SCC) and KIX of PostNL, which share their characters. `AustraliaPost` and
/// `JapanPost` below decode the codes of these services.
package enum RoyalMail {
  /// The numbers of characters that are read; fewer characters would be found in any bars.
  private static let (customerLengths, kixLengths) = (5...22, 7...18)
  /// The numbers of bars: start, characters with the check character, and stop; a KIX has characters only.
  static let counts = customerLengths.map { 4 * ($0 + 1) + 2 }
  static let kixCounts = kixLengths.map { 4 * $0 }

  /// Returns the text of an RM4SCC without its check character; `nil` if the check is wrong.
  package static func customer(_ bars: FourStateBars) -> String? {
    guard counts.contains(bars.count), bars.states.first == 2, bars.states.last == 3,
      let values = values(bars, from: 1, to: bars.count - 1), let check = values.last
    else { return nil }
    // The rows of all characters add up to the row of the check, and so do the columns; both count from one.
    let data = values.dropLast()
    var (row, column) = (5, 5)
    for value in data { (row, column) = (row + value / 6 + 1, column + value % 6 + 1) }
    guard check == row % 6 * 6 + column % 6 else { return nil }
    return text(data)
  }

  /// Returns the text of a KIX; `nil` unless it is a postcode of four digits and two letters, a house number, and optionally X with an
  /// addition, because the code has no check.
  package static func kix(_ bars: FourStateBars) -> String? {
    guard kixCounts.contains(bars.count), let values = values(bars, from: 0, to: bars.count) else { return nil }
    guard values[0] > 0, values[..<4].allSatisfy({ $0 < 10 }), values[4] > 9, values[5] > 9 else { return nil }
    let house = values[6...].prefix { $0 < 10 }
    guard (1...5).contains(house.count), values[6] > 0 else { return nil }
    let addition = values.dropFirst(6 + house.count)
    let hasAddition = addition.first == 33 && (2...7).contains(addition.count)
    return addition.isEmpty || hasAddition ? text(values) : nil
  }

  private static func values(_ bars: FourStateBars, from first: Int, to end: Int) -> [Int]? {
    let groups = bars.groups(of: 4, from: first, to: end)
    let values = groups.compactMap { characters.firstIndex(of: $0) }
    return values.count == groups.count ? values : nil
  }

  private static func text(_ values: some Sequence<Int>) -> String {
    String(values.map { alphabet[$0] })
  }

  private static let alphabet: [Character] = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")
  /// The bars of the characters by value, digits first: two of four bars ascend, and two descend.
  private static let characters = FourStateBars.patterns(
    """
    TTFF TDAF TDFA DTAF DTFA DDAA TADF TFTF TFDA DATF DADA DFTA TAFD TFAD TFFT DAAD DAFT DFAT ATDF ADTF ADDA FTTF FTDA \
    FDTA ATFD ADAD ADFT FTAD FTFT FDAT AADD AFTD AFDT FATD FADT FFTT
    """)
}

// MARK: - Australia Post

/// Decodes the four-state barcodes of Australia Post ("Customer Barcoding Technical Specifications").
package enum AustraliaPost {
  static let counts = [37, 52, 67]

  /// The numbers of bars of each format control code.
  private static let formats = ["11": 37, "45": 37, "87": 37, "92": 37, "59": 52, "62": 67]

  /// Returns the text: the format control code, the eight digits of the delivery point identifier, and the customer information undecoded,
  /// a digit per bar: 0 for full, 1 for ascending, 2 for descending, 3 for tracker. The symbol does not say by which table it is encoded.
  /// `nil` if the bars are not a symbol of this service or have too many errors.
  package static func decode(_ bars: FourStateBars) -> String? {
    guard counts.contains(bars.count), bars.states.prefix(2) == [2, 0], bars.states.suffix(2) == [2, 0] else {
      return nil
    }
    // A bar has the number n in the standard, and 3 − n in `FourStateBars`.
    var words = bars.groups(of: 3, from: 2, to: bars.count - 2).map { 63 - $0 }
    guard ReedSolomon.sixBits.correct(&words, checks: 4, reserve: 2) != nil else { return nil }
    var states: [Int] = []
    for word in words { for shift in [4, 2, 0] { states.append(3 - (word >> shift & 3)) } }
    let pairs = FourStateBars(states: states).groups(of: 2, from: 0, to: 20)
    let digits = pairs.compactMap { digitPatterns.firstIndex(of: $0) }
    let number = digits.map(String.init).joined()
    guard number.count == 10, formats[String(number.prefix(2))] == bars.count else { return nil }
    let customer = states[20..<(bars.count - 16)].map { 3 - $0 }
    // The shortest format has a single bar there, a filler.
    if customer.count == 1 { return customer == [3] ? number : nil }
    return number + customer.map(String.init).joined()
  }

  /// The two bars of each digit (table N).
  private static let digitPatterns = FourStateBars.patterns("FF FA FD AF AA AD DF DA DD TF")
}

// MARK: - Japan Post

/// Decodes the customer barcode of Japan Post: a postcode of seven digits and the numbers and letters of the address.
package enum JapanPost {
  static let bars = 67

  /// Returns the postcode and the address; `nil` if the check or the form is wrong.
  package static func decode(_ bars: FourStateBars) -> String? {
    guard bars.count == self.bars, bars.states.prefix(2) == [3, 1], bars.states.suffix(2) == [1, 3] else { return nil }
    let values = bars.groups(of: 3, from: 2, to: bars.count - 2).compactMap { patterns.firstIndex(of: $0) }
    guard values.count == 21, values.reduce(0, +).isMultiple(of: 19) else { return nil }
    var (text, letters): ([UInt8], Int?) = ([], nil)
    var content = values.dropLast()
    while content.last == filler { content.removeLast() }
    for value in content {
      switch value {
      case ..<10:
        let letter = letters.map { UInt8($0 + value) + 0x41 }
        guard letter.map({ $0 <= 0x5A }) ?? true else { return nil }
        text.append(letter ?? UInt8(value) + 0x30)
        letters = nil
      case 10 where letters == nil: text.append(0x2D)
      // Three characters select ten letters each for the digit after them.
      case 11...13 where letters == nil: letters = 10 * (value - 11)
      default: return nil
      }
    }
    guard letters == nil, text.count >= 7, text.prefix(7).allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return String(decoding: text, as: UTF8.self)
  }

  private static let filler = 14
  /// The three bars of the digits, the hyphen, and the eight control characters, by value.
  private static let patterns = FourStateBars.patterns(
    "FTT FFT FDA DFA FAD FTF DAF AFD ADF TFF TFT DAT DTA ADT TDA ATD TAD TTF FFF")
}
