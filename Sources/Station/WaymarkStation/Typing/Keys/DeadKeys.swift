import Foundation

/// The effect of dead keys on the letter after them, as far as X11's Compose tables (en_US.UTF-8, which the other locales of UTF-8
/// take over) and those of the toolkits agree: an accent is put on a letter, or stands alone before a space.
enum DeadKeys {
  /// The combining mark of each dead key, by its keysym (xkbcommon-keysyms.h).
  static let marks: [UInt32: Unicode.Scalar] = [
    0xFE50: "\u{300}", 0xFE51: "\u{301}", 0xFE52: "\u{302}", 0xFE53: "\u{303}", 0xFE54: "\u{304}", 0xFE55: "\u{306}",
    0xFE56: "\u{307}", 0xFE57: "\u{308}", 0xFE58: "\u{30A}", 0xFE59: "\u{30B}", 0xFE5A: "\u{30C}", 0xFE5B: "\u{327}",
    0xFE5C: "\u{328}",
  ]

  /// The mark whose dead key, followed by a space, gives a character.
  static let spacing: [Unicode.Scalar: Unicode.Scalar] = [
    "`": "\u{300}", "'": "\u{301}", "^": "\u{302}", "~": "\u{303}", "\u{AF}": "\u{304}", "\u{2D8}": "\u{306}",
    "\u{2D9}": "\u{307}", "\"": "\u{308}", "\u{B0}": "\u{30A}", "\u{2DD}": "\u{30B}", "\u{2C7}": "\u{30C}",
    "\u{B8}": "\u{327}", "\u{2DB}": "\u{328}",
  ]

  /// The mark whose dead key, pressed twice, gives a character.
  static let doubled: [Unicode.Scalar: Unicode.Scalar] = ["\u{B4}": "\u{301}", "\u{A8}": "\u{308}"]

  /// A letter and the one mark on it, which together are the character; nil for whatever is put together otherwise.
  static func parts(of scalar: Unicode.Scalar) -> (base: Unicode.Scalar, mark: Unicode.Scalar)? {
    guard scalar.value >= 0xC0 else { return nil }
    let parts = Array(String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars)
    guard parts.count == 2, parts[0].properties.isAlphabetic else { return nil }
    // A few marks are stored as one letter and come back as another (the Kelvin sign); those cannot be typed so.
    guard
      String(String.UnicodeScalarView(parts)).precomposedStringWithCanonicalMapping.unicodeScalars.elementsEqual([
        scalar
      ])
    else { return nil }
    return (parts[0], parts[1])
  }
}
