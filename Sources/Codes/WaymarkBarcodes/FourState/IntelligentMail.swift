import WaymarkSystem

/// Decodes an Intelligent Mail barcode (USPS-B-3200): a tracking code of 20 digits, and a ZIP code of 0, 5, 9 or 11 digits.
package enum IntelligentMail {
  static let bars = 65

  /// Returns the digits of the tracking code and the ZIP code; `nil` if a character or the check is wrong.
  package static func decode(_ bars: FourStateBars) -> String? {
    guard bars.count == self.bars else { return nil }
    var characters = [Int](repeating: 0, count: 10)
    for (i, place) in places.enumerated() {
      // The first 65 places are the descenders of the bars, the others their ascenders.
      let isSet = place <= Self.bars ? bars.states[place - 1] & 1 : bars.states[place - 1 - Self.bars] >> 1
      characters[i / 13] |= isSet << (i % 13)
    }
    // A character has five or two bits set; it is inverted if its bit of the check is set.
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

  /// The codeword of each character (appendix D): first characters with five of 13 bits set, then those with two. In both groups a
  /// character is followed by its bits in reverse order, and characters that are equal to their reverse come last.
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
