import WaymarkSystem

/// Reads Code 39 (ISO/IEC 16388), and Code 32 encoded in it. `Code39FullASCII` below decodes pairs of characters to
/// full ASCII.
enum Code39 {
  /// Returns whether a text has only the 43 characters of Code 39; any other character can only come from full ASCII.
  static func isPlain(_ text: String) -> Bool {
    text.utf8.allSatisfy(alphabet.contains)
  }

  /// Returns whether a text of four characters or more ends with the check character modulo 43 (ISO/IEC 16388, annex A).
  static func hasCheckCharacter(_ text: String) -> Bool {
    let values = text.utf8.compactMap { alphabet.firstIndex(of: $0) }
    guard values.count > 3, values.count == text.utf8.count else { return false }
    return values.dropLast().reduce(0, +) % 43 == values[values.count - 1]
  }

  /// The characters by their values from 0 to 42.
  private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-. $/+%".utf8)

  /// Decodes a line from a start to a stop character with at least three characters between them; `nil` if it has none.
  ///
  /// Three of the nine elements of a character are wide. The start character gives the widths of bars and of spaces, which ink and blur
  /// change in opposite ways.
  static func read(_ line: LinearLine) -> LinearRead? {
    let w = line.widths
    // The runs of a start character, a stop character and three others.
    guard w.count >= 49 else { return nil }
    for start in stride(from: 0, through: w.count - 49, by: 2) {
      guard let limits = Limits(start: w, at: start), line.isQuiet(before: start, 1.6 * limits.narrowBar) else {
        continue
      }
      var bytes: [UInt8] = []
      var at = start + 10
      var length = limits.length
      while at + 9 <= w.count {
        let own = w[at..<(at + 9)].reduce(0, +)
        let gap = w[at - 1] * limits.length / own
        // Perspective changes little from character to character.
        guard abs(own - length) < 0.2 * length, gap < 1.5 * limits.wideSpace, gap > 0.4 * limits.narrowSpace,
          let character = character(w, at, limits, limits.length / own)
        else { break }
        if character == asterisk {
          guard bytes.count >= 3, line.isQuiet(after: at + 8, 1.6 * limits.narrowBar) else { break }
          return LinearRead(symbology: .code39, bytes: bytes, first: start, last: at + 8)
        }
        bytes.append(character)
        length = own
        at += 10
      }
    }
    return nil
  }

  /// The widths of the elements of a Code 39, measured on its start character, in pixels.
  private struct Limits {
    var narrowBar: Double
    var narrowSpace: Double
    var wideSpace: Double
    /// The limit between narrow and wide bars; `space` is the limit for spaces.
    var bar: Double
    var space: Double
    /// The width of the whole character.
    var length: Double

    init?(start w: [Double], at i: Int) {
      narrowBar = (w[i] + w[i + 2] + w[i + 8]) / 3
      let wideBar = (w[i + 4] + w[i + 6]) / 2
      narrowSpace = (w[i + 3] + w[i + 5] + w[i + 7]) / 3
      wideSpace = w[i + 1]
      guard wideBar > 1.5 * narrowBar, wideSpace > 1.5 * narrowSpace, wideBar < 5 * narrowBar,
        wideSpace < 5 * narrowSpace
      else { return nil }
      bar = (narrowBar + wideBar) / 2
      space = (narrowSpace + wideSpace) / 2
      guard max(w[i], w[i + 2], w[i + 8]) < 0.92 * bar, min(w[i + 4], w[i + 6]) > 1.08 * bar,
        max(w[i + 3], w[i + 5], w[i + 7]) < 0.92 * space
      else { return nil }
      length = w[i..<(i + 9)].reduce(0, +)
    }
  }

  private static func character(_ w: [Double], _ at: Int, _ limits: Limits, _ scale: Double) -> UInt8? {
    var wide = 0
    for i in 0..<9 {
      let limit = i.isMultiple(of: 2) ? limits.bar : limits.space
      let width = w[at + i] * scale
      // An element close to the limit is ambiguous.
      guard abs(width - limit) > 0.08 * limit else { return nil }
      wide = wide << 1 | (width > limit ? 1 : 0)
    }
    return patterns[wide]
  }

  private static let asterisk = UInt8(ascii: "*")

  /// The characters by their nine-bit patterns: 1 for a wide element, the first element as the most significant bit.
  private static let patterns: [Int: UInt8] = {
    let codes = [
      0x034, 0x121, 0x061, 0x160, 0x031, 0x130, 0x070, 0x025, 0x124, 0x064, 0x109, 0x049, 0x148, 0x019, 0x118, 0x058,
      0x00D, 0x10C, 0x04C, 0x01C, 0x103, 0x043, 0x142, 0x013, 0x112, 0x052, 0x007, 0x106, 0x046, 0x016, 0x181, 0x0C1,
      0x1C0, 0x091, 0x190, 0x0D0, 0x085, 0x184, 0x0C4, 0x0A8, 0x0A2, 0x08A, 0x02A, 0x094,
    ]
    return Dictionary(uniqueKeysWithValues: zip(codes, alphabet + [asterisk]))
  }()

  /// Returns the Italian pharmacode in a Code 39 of six characters: "A" and nine digits with the check digit at the end. The
  /// characters are base 32 with an alphabet without vowels. `nil` if the characters or the check digit are wrong.
  static func code32(_ code39: String) -> String? {
    let values = code39.compactMap { base32.firstIndex(of: $0) }
    guard values.count == 6, code39.count == 6 else { return nil }
    let number = values.reduce(0) { 32 * $0 + $1 }
    guard number < 1_000_000_000 else { return nil }
    let padded = number.digits(9)
    let digits = padded.compactMap(\.wholeNumberValue)
    let sum = digits.dropLast().enumerated().reduce(0) { sum, digit in
      let value = digit.offset.isMultiple(of: 2) ? digit.element : 2 * digit.element
      return sum + value / 10 + value % 10
    }
    return sum % 10 == digits[8] ? "A" + padded : nil
  }

  /// Returns the six characters of Code 39 that encode an Italian pharmacode, given as the number that its nine digits form.
  static func code32(_ number: Int) -> String {
    String((0..<6).reversed().map { base32[number >> (5 * $0) & 31] })
  }

  private static let base32 = Array("0123456789BCDFGHJKLMNPQRSTUVWXYZ")
}

// MARK: - Full ASCII

/// Decodes full ASCII in Code 39: pairs of a shift character and a letter (ISO/IEC 16388, annex A).
///
/// A Code 39 does not declare full ASCII. The result is `nil`, so that the text stays plain, if a shift character is not part of a pair,
/// and for HIBC, which begins with + and ends with the check character modulo 43 (ANSI/HIBC 2). A `/` before a letter from A to O or Z, and
/// a `$` or `%` before a letter, are pairs too, but a text with only these may as well be a part number or a path: the result is `nil`
/// unless the text also contains a pair with `+`, the shift to small letters, which rarely precedes a letter in plain text.
package enum Code39FullASCII {
  /// Returns the text of full ASCII; `nil` if `text` stays plain.
  package static func resolve(_ text: String) -> String? {
    guard !(text.hasPrefix("+") && Code39.hasCheckCharacter(text)) else { return nil }
    var result = ""
    var small = false
    var characters = text.utf8.makeIterator()
    while let c = characters.next() {
      guard let page = Page(rawValue: c) else {
        result.unicodeScalars.append(Unicode.Scalar(c))
        continue
      }
      guard let letter = characters.next(), let value = page.value(of: letter) else { return nil }
      small = small || page == .small
      result.unicodeScalars.append(Unicode.Scalar(value))
    }
    return small ? result : nil
  }

  private enum Page: UInt8 {
    case control = 0x24  // $
    case percent = 0x25  // %
    case small = 0x2B  // +
    case slash = 0x2F  // /

    func value(of letter: UInt8) -> UInt8? {
      guard (0x41...0x5A).contains(letter) else { return nil }
      let n = letter - 0x41
      switch self {
      case .control: return n + 1
      case .small: return n + 0x61
      case .slash:
        if n < 15 { return n + 0x21 }
        return n == 25 ? 0x3A : nil
      case .percent:
        switch n {
        case 0...4: return n + 0x1B
        case 5...9: return n - 5 + 0x3B
        case 10...14: return n - 10 + 0x5B
        case 15...19: return n - 15 + 0x7B
        case 20: return 0
        case 21: return 0x40
        case 22: return 0x60
        default: return 0x7F
        }
      }
    }
  }
}
