import CUnicode
@_spi(_Unicode) import Swift

/// Converts text to the form that a person sees and that programs compare. The extension of `String` below has the normalization forms
/// that this requires.
enum VisibleText {
  /// Returns a text in compatibility form (NFKC), as browsers map hosts (UTS #46), without control, format and other invisible characters.
  static func of(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 < 0x7F && $0 >= 0x20 }) { return text }
    var visible = String.UnicodeScalarView()
    for scalar in text.unicodeScalars where !isHidden(scalar) { visible.append(scalar) }
    return String(visible).compatiblyComposed
  }

  /// Returns a name in the form in which programs compare names without regard to case.
  static func folded(_ name: String) -> String { of(name).lowercased() }

  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    let properties = scalar.properties
    return properties.generalCategory == .control || properties.generalCategory == .format
      || properties.isDefaultIgnorableCodePoint
  }
}

/// Normalization forms of Unicode (UAX #15).
///
/// Uses the tables of the Swift library and the compatibility decompositions of `CUnicode`. Foundation's `precomposedString…` would need
/// the data of ICU, and composes characters beyond U+FFFF wrongly, as if they had sixteen bits.
extension String {
  /// The canonical composition, NFC.
  var canonicallyComposed: String {
    if utf8.allSatisfy({ $0 < 0x80 }) { return self }
    var composed = String.UnicodeScalarView()
    composed.append(contentsOf: _nfc)
    return String(composed)
  }

  /// The compatibility composition, NFKC.
  var compatiblyComposed: String {
    if utf8.allSatisfy({ $0 < 0x80 }) { return self }
    var decomposed = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      var count = 0
      if let targets = wm_compatibility_decomposition(scalar.value, &count) {
        for target in UnsafeBufferPointer(start: targets, count: count) {
          decomposed.append(Unicode.Scalar(target) ?? scalar)
        }
      } else {
        decomposed.append(scalar)
      }
    }
    return String(decomposed).canonicallyComposed
  }
}
