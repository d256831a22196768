/// Converts text to the form that a person sees and that programs compare.
enum VisibleText {
  /// The text in compatibility form (NFKC), as browsers map hosts (UTS #46), without control, format and other invisible characters.
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
