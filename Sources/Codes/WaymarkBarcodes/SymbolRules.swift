import Glibc

/// The evidence that a read must show before it is trusted, where the symbology itself checks little.
enum SymbolRules {
  /// Returns whether the content can be right at all: its length, its check digit.
  static func isPlausible(_ symbol: Symbol) -> Bool {
    let text = symbol.text
    switch symbol.symbology {
    case .qr, .sq, .code128, .code93, .code39, .upcE, .dataBarExpanded, .dataMatrix, .aztec, .pdf417, .microPDF417,
      .microQR, .rMQR, .maxiCode:
      return true
    case .code32, .telepen: return true
    // Fields of other codes.
    case .ean2, .ean5: return false
    // A digit or two are in any bars.
    case .standard2of5: return text.count >= 4
    case .pharmacode: return true
    case .ean13, .ean8, .upcA: return GTIN.hasValidCheckDigit(text)
    case .dataBar, .dataBarLimited:
      return GTIN.hasValidCheckDigit(text.hasPrefix("01") && text.count == 16 ? String(text.dropFirst(2)) : text)
    // Start and stop characters count; fewer than three digits come out of any stripes.
    case .codabar: return text.count >= 5
    // Any even part of an ITF is one too, so short ones are parts.
    case .itf: return text.count >= 6 && text.count.isMultiple(of: 2)
    }
  }

  /// How many scan lines must agree in one pass, or in several together.
  static func lines(for symbol: Symbol) -> (inOnePass: Int, together: Int) {
    let length = symbol.text.utf8.count
    switch symbol.symbology {
    case .qr, .sq, .dataMatrix, .aztec, .pdf417, .microPDF417, .microQR, .rMQR, .maxiCode: return (1, 1)
    // The library's own measure for EAN at full density.
    case .ean13, .ean8, .upcA: return (4, 3)
    // No check digit is printed; it hides in the parity of six digits.
    case .upcE: return (10, 10)
    // A checksum modulo 79 or 89.
    case .dataBar, .dataBarLimited: return (4, 4)
    // Its pieces are found one by one and may be put together from two rows or two codes.
    case .dataBarExpanded: return (8, 8)
    // A check character modulo 103.
    case .code128: return length > 2 ? (2, 2) : (8, 8)
    // Two check characters modulo 47.
    case .code93: return (2, 2)
    // Only the parity of each character: the fewer there are, the more lines.
    case .code39: return length < 3 ? (14, 14) : length < 6 ? (6, 5) : length < 10 ? (3, 3) : (2, 2)
    case .codabar: return (4, 4)
    case .itf: return (10, 14)
    case .standard2of5, .pharmacode: return (8, 10)
    // A check byte modulo 127 and the parity of each.
    case .telepen: return (2, 2)
    case .code32, .ean2, .ean5: return (2, 2)
    }
  }

  /// By how much a code that was fitted to bars must be more likely than every other one, as a natural logarithm: the more
  /// was tried, the better is the best of what chance fits. Neighbours of a place or a width are not tries of their own.
  static func lead(whereTried tried: Int) -> Double { 3 + log(max(1, Double(tried) / 100)) }

  /// Returns whether its symbology has a check that rarely holds by accident.
  static func isChecked(_ symbol: Symbol) -> Bool {
    switch symbol.symbology {
    case .ean13, .ean8, .upcA, .code93, .dataBar, .dataBarExpanded, .dataBarLimited: true
    case .code128: symbol.text.utf8.count > 3
    default: false
    }
  }

  /// Which of two readings of the same bars is the accident: the one with less structure.
  static func strength(_ symbology: Symbology) -> Int {
    switch symbology {
    case .itf, .codabar, .standard2of5, .pharmacode: 0
    case .upcE, .code39: 1
    default: 2
    }
  }
}
