/// Full ASCII in Code 39: pairs of a shift character and a letter (ISO/IEC 16388, annex A).
///
/// The bars do not tell whether such pairs are meant. `nil` where some shift character is not part of a pair: then the
/// text is meant as it stands. A `/` before a letter from A to O or Z and a `%` before a letter are pairs too, but a
/// text with only these and no `+` is as likely a part number or a path; it is left alone unless it also holds a pair
/// with `+`, the shift to small letters, which nobody prints before a letter by chance.
package enum Code39FullASCII {
  package static func resolve(_ text: String) -> String? {
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
