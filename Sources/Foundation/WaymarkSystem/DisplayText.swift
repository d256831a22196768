/// Makes untrusted text safe to show: characters that move the cursor, reorder the line or are invisible are escaped.
public enum DisplayText {
  /// Returns the text with control, bidirectional, invisible and unassigned characters written as `\u{…}`, backslashes
  /// doubled, and an ellipsis in place of everything after `limit` characters.
  public static func escaped(_ text: String, limit: Int = .max) -> String {
    var result = ""
    for (count, scalar) in text.unicodeScalars.enumerated() {
      if count == limit {
        result += "…"
        break
      }
      switch scalar {
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      default:
        if isSafe(scalar) {
          result.unicodeScalars.append(scalar)
        } else {
          result += "\\u{\(String(scalar.value, radix: 16))}"
        }
      }
    }
    return result
  }

  /// True if a text has no control, bidirectional, invisible or unassigned characters, as required of names shown to people.
  package static func isPlain(_ text: String) -> Bool { text.unicodeScalars.allSatisfy(isSafe) }

  /// Returns a text of several lines with every unsafe character except line feeds and tabs escaped. Backslashes are not
  /// escaped.
  package static func lines(_ text: String) -> String {
    spelled(text, keeping: { isSafe($0) || $0 == "\n" || $0 == "\t" }) { "\\u{\(String($0.value, radix: 16))}" }
  }

  /// Returns the same JSON text with unsafe characters written as escapes (RFC 8259, section 7).
  package static func json(_ text: some StringProtocol) -> String {
    spelled(text, keeping: isSafe) { scalar in
      String(Character(scalar)).utf16.map { "\\u" + $0.digits(4, radix: 16) }.joined()
    }
  }

  private static func spelled(
    _ text: some StringProtocol, keeping isKept: (Unicode.Scalar) -> Bool, _ escape: (Unicode.Scalar) -> String
  ) -> String {
    guard text.unicodeScalars.contains(where: { !isKept($0) }) else { return String(text) }
    return text.unicodeScalars.reduce(into: "") { result, scalar in
      if isKept(scalar) { result.unicodeScalars.append(scalar) } else { result += escape(scalar) }
    }
  }

  /// True if a scalar is visible and does not affect its neighbours. Format characters (Cf) include the bidirectional
  /// controls, the zero-width characters and the tags.
  private static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value >= 0x20 && scalar.value != 0x7F }
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: return false
    case .spaceSeparator: return scalar == "\u{3000}"
    default: return !scalar.properties.isDefaultIgnorableCodePoint
    }
  }
}
