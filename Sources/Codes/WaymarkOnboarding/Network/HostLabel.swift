// `precomposedStringWithCanonicalMapping` (NFC) lives in the full Foundation.
import Foundation

/// One label of a host name in its ASCII form.
///
/// Internationalised labels follow IDNA 2008 (RFC 5891, RFC 5892), not the wider mapping of UTS #46: letters are put
/// into lower case and NFC, and everything else that a browser would quietly map (full-width letters, ligatures,
/// Roman numerals, invisible characters) is refused. Such spellings exist to look like another name; an honest code
/// does not need them.
package enum HostLabel {
  /// The ASCII form of a label in lower case; nil when it cannot be part of a host name.
  package static func ascii(_ label: Substring) -> String? {
    guard !label.isEmpty, label.first != "-", label.last != "-" else { return nil }
    if label.utf8.allSatisfy({ $0 < 0x80 }) {
      let lower = label.lowercased()
      guard lower.utf8.count <= 63, lower.utf8.allSatisfy(isPlain) else { return nil }
      if lower.hasPrefix("xn--") { return isFaithful(lower) ? lower : nil }
      // Other labels with hyphens in third and fourth place are reserved (RFC 5891, 4.2.3.1).
      return lower.dropFirst(2).hasPrefix("--") ? nil : lower
    }
    guard label.unicodeScalars.allSatisfy(isItself) else { return nil }
    let scalars = Array(String(label).lowercased().precomposedStringWithCanonicalMapping.unicodeScalars)
    guard isAllowed(scalars), let encoded = Punycode.encode(scalars) else { return nil }
    let result = "xn--" + encoded
    return result.utf8.count <= 63 ? result : nil
  }

  /// The label as people write it, where it is internationalised.
  package static func unicode(_ ascii: String) -> String? {
    guard ascii.hasPrefix("xn--"), let scalars = Punycode.decode(ascii.dropFirst(4)) else { return nil }
    var text = ""
    text.unicodeScalars.append(contentsOf: scalars)
    return text
  }

  /// Letters, digits, hyphen, and the underscore that internal names are fond of.
  private static func isPlain(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
      || byte == UInt8(ascii: "_")
  }

  /// Returns whether a label that comes encoded is what encoding its meaning gives: anything else is two names in one.
  private static func isFaithful(_ label: String) -> Bool {
    guard let scalars = Punycode.decode(label.dropFirst(4)), scalars.contains(where: { !$0.isASCII }),
      let again = Punycode.encode(scalars), "xn--" + again == label
    else { return false }
    var text = ""
    text.unicodeScalars.append(contentsOf: scalars)
    return Array(text.lowercased().precomposedStringWithCanonicalMapping.unicodeScalars) == scalars
      && isAllowed(scalars)
  }

  /// Returns whether a character stays one of its own kind in lower case and in NFC: KELVIN SIGN becomes an ASCII letter, and
  /// OHM SIGN a Greek one.
  private static func isItself(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return true }
    let composed = String(Character(scalar)).precomposedStringWithCanonicalMapping.unicodeScalars
    return composed.elementsEqual([scalar])
      && scalar.properties.lowercaseMapping.precomposedStringWithCanonicalMapping.unicodeScalars.allSatisfy {
        !$0.isASCII
      }
  }

  /// Alphabets whose letters look like each other's. Honest names keep to one (UTS #39, 5.2: highly restrictive).
  private static func alphabet(_ scalar: Unicode.Scalar) -> Int? {
    switch scalar.value {
    case 0x61...0x7A, 0xDF...0xF6, 0xF8...0x24F, 0x250...0x2AF, 0x1E00...0x1EFF, 0x2C60...0x2C7F, 0xA722...0xA7FF: 0
    case 0x370...0x3FF, 0x1F00...0x1FFF: 1
    case 0x400...0x52F, 0x1C80...0x1C8F, 0xA640...0xA69F: 2
    case 0x530...0x58F: 3
    case 0x10A0...0x10FF, 0x1C90...0x1CBF, 0x2D00...0x2D2F: 4
    case 0x13A0...0x13FF, 0xAB70...0xABBF: 5
    case 0x2C80...0x2CFF: 6
    case 0x5D0...0x5F4: 7
    case 0x1400...0x167F: 8
    case 0xA4D0...0xA4FF: 9
    default: nil
    }
  }

  /// RFC 5891, 4.2.3 and RFC 5892, without the joiners (which only join what is already there to be read).
  private static func isAllowed(_ scalars: [Unicode.Scalar]) -> Bool {
    guard let first = scalars.first, let last = scalars.last, first != "-", last != "-" else { return false }
    if scalars.count >= 4, scalars[2] == "-", scalars[3] == "-" { return false }
    switch first.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: return false
    default: break
    }
    guard Set(scalars.compactMap(alphabet)).count <= 1 else { return false }
    for index in scalars.indices {
      let scalar = scalars[index]
      if scalar.isASCII {
        guard isPlain(UInt8(scalar.value)) else { return false }
      } else if scalar == "\u{B7}" {
        // MIDDLE DOT between two l (RFC 5892, A.3).
        guard index > 0, index + 1 < scalars.count, scalars[index - 1] == "l", scalars[index + 1] == "l" else {
          return false
        }
      } else if scalar == "\u{30FB}" {
        // KATAKANA MIDDLE DOT beside Japanese letters (RFC 5892, A.7).
        guard scalars.contains(where: isJapanese) else { return false }
      } else if !isValid(scalar) {
        return false
      }
    }
    return true
  }

  private static func isJapanese(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x3041...0x3096, 0x30A1...0x30FA, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0x20000...0x3FFFF: true
    default: false
    }
  }

  /// The derived property PVALID (RFC 5892, section 3).
  private static func isValid(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0xDF, 0x3C2, 0x6FD, 0x6FE, 0xF0B, 0x3007: return true
    case 0x640, 0x7FA, 0x302E, 0x302F, 0x3031...0x3035, 0x303B: return false
    // Old Hangul jamo (RFC 5892, 2.9).
    case 0x1100...0x11FF, 0xA960...0xA97C, 0xD7B0...0xD7FB: return false
    default: break
    }
    let properties = scalar.properties
    switch properties.generalCategory {
    case .lowercaseLetter, .otherLetter, .modifierLetter, .nonspacingMark, .spacingMark, .decimalNumber: break
    default: return false
    }
    return !properties.changesWhenNFKCCaseFolded && !properties.isDefaultIgnorableCodePoint
  }
}
