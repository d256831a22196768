import WaymarkSystem

// MARK: - RM4SCC and KIX

/// Decodes the Royal Mail four-state customer code (RM4SCC) and KIX of PostNL, which share their characters. Below are the decoders of
/// Australia Post, Japan Post, Royal Mail Mailmark and Intelligent Mail.
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
    // The row of the check character is the sum of the rows of all characters, and its column the sum of their columns; both count
    // from one.
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

// MARK: - Mailmark

/// Decodes the four-state barcodes C and L of Royal Mail Mailmark ("Barcode C encoding and decoding instructions", 2015, and the same for L).
package enum Mailmark {
  /// The layout of barcode C or L.
  struct Kind {
    /// The numbers of data symbols with even parity and with odd parity, of check symbols, and of digits of the supply chain.
    let (even, odd, checks, chain): (Int, Int, Int, Int)
    /// For each symbol, the index of its group of three bars.
    let groups: [Int]

    var bars: Int { 3 * groups.count }
  }

  static let kinds = [
    Kind(
      even: 9, odd: 7, checks: 6, chain: 2,
      groups: [3, 5, 7, 11, 13, 14, 16, 17, 19, 0, 1, 2, 4, 6, 8, 9, 10, 12, 15, 18, 20, 21]),
    Kind(
      even: 11, odd: 8, checks: 7, chain: 6,
      groups: [2, 5, 7, 8, 13, 14, 15, 16, 21, 22, 23, 0, 1, 3, 4, 6, 9, 10, 11, 12, 17, 18, 19, 20, 24, 25]),
  ]

  /// Returns the text: format, version, class, supply chain, item, and a postcode with its delivery point, padded with blanks to nine
  /// characters; `nil` if the bars are not a Mailmark or have too many errors.
  package static func decode(_ bars: FourStateBars) -> String? {
    guard let kind = kinds.first(where: { $0.bars == bars.count }) else { return nil }
    var (words, unreadable): ([Int], [Int]) = ([], [])
    for (i, group) in kind.groups.enumerated() {
      var (up, down) = (0, 0)
      for state in bars.states[(3 * group)..<(3 * group + 3)] {
        (up, down) = (up * 2 + state / 2, down * 2 + state % 2)
      }
      let symbol = group.isMultiple(of: 2) ? up * 8 + down : down * 8 + up
      if let word = (i < kind.even ? evenSymbols : oddSymbols).firstIndex(of: symbol) {
        words.append(word)
      } else {
        words.append(0)
        unreadable.append(i)
      }
    }
    guard ReedSolomon.mailmark.correct(&words, checks: kind.checks, erasures: unreadable, reserve: 2) != nil else {
      return nil
    }
    var value: UInt128 = 0
    for (i, word) in words.dropLast(kind.checks).enumerated() {
      guard i >= kind.even || word < evenSymbols.count else { return nil }
      value = value * (i < kind.even ? 30 : 32) + UInt128(word)
    }
    return text(value, chain: kind.chain)
  }

  private static func text(_ value: UInt128, chain: Int) -> String? {
    var value = value
    func next(_ base: Int) -> Int {
      defer { value /= UInt128(base) }
      return Int(value % UInt128(base))
    }
    let (version, format, mailClass) = (next(4) + 1, next(5), next(15))
    let (supply, item) = (next(chain == 2 ? 100 : 1_000_000), next(100_000_000))
    guard value < 1 << 60, let postcode = postcode(Int(value)) else { return nil }
    let head = "\(format)\(version)" + String(mailClass, radix: 16, uppercase: true)
    return head + supply.digits(chain) + item.digits(8) + postcode
  }

  /// Returns the postcode and delivery point of a number; the number 0 is mail to other countries.
  private static func postcode(_ number: Int) -> String? {
    guard number > 0 else { return "XY11     " }
    var rest = number - 1
    for format in formats {
      let letters = format.map { alphabets[$0] ?? [" "] }
      let count = letters.reduce(1) { $0 * $1.count }
      if rest < count {
        var text: [Character] = []
        for alphabet in letters.reversed() {
          text.append(alphabet[rest % alphabet.count])
          rest /= alphabet.count
        }
        return String(text.reversed())
      }
      rest -= count
    }
    return nil
  }

  /// The formats of postcodes in the order of their numbers: A and L are letters, N is a digit, S a blank.
  private static let formats = ["ANANLLNLS", "AANNLLNLS", "AANNNLLNL", "AANANLLNL", "ANNLLNLSS", "ANNNLLNLS"]
  private static let alphabets: [Character: [Character]] = [
    "A": Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), "L": Array("ABDEFGHJLNPQRSTUWXYZ"), "N": Array("0123456789"),
  ]

  /// The symbols of six bits with an even number of set bits, and those with an odd number; 0 and 63 are not symbols.
  private static let evenSymbols = (1..<63).filter { $0.nonzeroBitCount.isMultiple(of: 2) }
  private static let oddSymbols = (1..<63).filter { !$0.nonzeroBitCount.isMultiple(of: 2) }
}

// MARK: - Intelligent Mail

/// Decodes an Intelligent Mail barcode (USPS-B-3200): a tracking code of 20 digits, and a ZIP code of 0, 5, 9 or 11 digits.
package enum IntelligentMail {
  static let bars = 65

  /// Returns the digits of the tracking code and the ZIP code; `nil` if a character or the check is wrong.
  package static func decode(_ bars: FourStateBars) -> String? {
    guard bars.count == self.bars else { return nil }
    var characters = [Int](repeating: 0, count: 10)
    for (i, place) in places.enumerated() {
      // The first 65 positions are the descenders of the bars, the rest are their ascenders.
      let isSet = place <= Self.bars ? bars.states[place - 1] & 1 : bars.states[place - 1 - Self.bars] >> 1
      characters[i / 13] |= isSet << (i % 13)
    }
    // A character has five or two bits set, or the inverse if its bit of the check is set.
    var (words, check): ([Int], Int) = ([], 0)
    for (i, character) in characters.enumerated() {
      let isInverted = character.nonzeroBitCount > 5
      guard let word = codewords[isInverted ? character ^ 0x1FFF : character] else { return nil }
      words.append(word)
      if isInverted { check |= 1 << i }
    }
    if words[0] >= 659 {
      words[0] -= 659
      check |= 1 << 10
    }
    guard words[0] < 659, words[9].isMultiple(of: 2) else { return nil }
    words[9] /= 2
    var value: UInt128 = 0
    for word in words.dropLast() { value = value * 1365 + UInt128(word) }
    value = value * 636 + UInt128(words[9])
    guard value >> 102 == 0, remainder(value) == check else { return nil }
    return text(value)
  }

  private static func text(_ value: UInt128) -> String? {
    var value = value
    var digits: [UInt128] = []
    for place in 0..<20 {
      let base: UInt128 = place == 18 ? 5 : 10
      digits.append(value % base)
      value /= base
    }
    var text = String(decoding: digits.reversed().map { UInt8($0) + 0x30 }, as: UTF8.self)
    guard value > 0 else { return text }
    value -= 1
    for (length, count) in [(5, 100_000), (9, 1_000_000_000), (11, 100_000_000_000)] as [(Int, UInt128)] {
      if value < count {
        text += String(value).zeroPadded(to: length)
        return text
      }
      value -= count
    }
    return nil
  }

  /// Returns the cyclic redundancy check of eleven bits for the 102 bits of a value (appendix B).
  private static func remainder(_ value: UInt128) -> Int {
    var check = 0x7FF
    for bit in (0..<102).reversed() {
      let isSet = (check >> 10 & 1 == 1) != (value >> UInt128(bit) & 1 == 1)
      check = (check << 1 & 0x7FF) ^ (isSet ? 0x735 : 0)
    }
    return check
  }

  /// The codeword of each character (appendix D): first the characters with five of 13 bits set, then those with two. In both
  /// groups the reversed bits of a character come next after it, and characters equal to their reverse come last.
  private static let codewords: [Int: Int] = {
    var words: [Int: Int] = [:]
    var first = 0
    for (bits, count) in [(5, 1287), (2, 78)] {
      var (low, high) = (first, first + count - 1)
      for character in 0..<(1 << 13) where character.nonzeroBitCount == bits {
        var reverse = 0
        for bit in 0..<13 where character >> bit & 1 == 1 { reverse |= 1 << (12 - bit) }
        if reverse == character {
          words[character] = high
          high -= 1
        } else if reverse > character {
          words[character] = low
          words[reverse] = low + 1
          low += 2
        }
      }
      first += count
    }
    return words
  }()

  /// The place of each bit of the characters in the bars, the lowest bit of the first character first (table IV of appendix D): 1 to 65
  /// for descenders, 66 to 130 for ascenders.
  private static let places = [
    67, 6, 78, 16, 86, 95, 34, 40, 45, 113, 117, 121, 62, 87, 18, 104, 41, 76, 57, 119, 115, 72, 97, 2, 127, 26, 105,
    35, 122, 52, 114, 7, 24, 82, 68, 63, 94, 44, 77, 112, 70, 100, 39, 30, 107, 15, 125, 85, 10, 65, 54, 88, 20, 106,
    46, 66, 8, 116, 29, 61, 99, 80, 90, 37, 123, 51, 25, 84, 129, 56, 4, 109, 96, 28, 36, 47, 11, 71, 33, 102, 21, 9,
    17, 49, 124, 79, 64, 91, 42, 69, 53, 60, 14, 1, 27, 103, 126, 75, 89, 50, 120, 19, 32, 110, 92, 111, 130, 59, 31,
    12, 81, 43, 55, 5, 74, 22, 101, 128, 58, 118, 48, 108, 38, 98, 93, 23, 83, 13, 73, 3,
  ]
}
