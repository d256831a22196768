import WaymarkSystem

/// Makes text of a stranger safe to show: whatever could move the cursor, reorder the line or hide itself is spelt out.
public enum DisplayText {
  /// The text with control, bidirectional, invisible and unassigned characters written as `\u{…}`, a backslash
  /// doubled, and everything after `limit` characters cut off with an ellipsis.
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

  /// True when every character shows as itself in its place: no control, bidirectional, invisible or unassigned ones. Names that
  /// people are shown must be so.
  package static func isPlain(_ text: String) -> Bool { text.unicodeScalars.allSatisfy(isSafe) }

  /// Text of several lines, in which nothing acts on a terminal but line feeds and tabs. For what was put together of
  /// parts that should have been escaped one by one; backslashes stay as they are.
  package static func lines(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { !isSafe($0) && $0 != "\n" && $0 != "\t" }) else { return text }
    return text.unicodeScalars.reduce(into: "") { result, scalar in
      if isSafe(scalar) || scalar == "\n" || scalar == "\t" {
        result.unicodeScalars.append(scalar)
      } else {
        result += "\\u{\(String(scalar.value, radix: 16))}"
      }
    }
  }

  /// JSON in which what does not show as itself is spelt as an escape (RFC 8259, section 7): the same value.
  package static func json(_ text: some StringProtocol) -> String {
    guard text.unicodeScalars.contains(where: { !isSafe($0) }) else { return String(text) }
    return text.unicodeScalars.reduce(into: "") { result, scalar in
      if isSafe(scalar) {
        result.unicodeScalars.append(scalar)
      } else {
        for unit in String(Character(scalar)).utf16 {
          result += "\\u" + unit.digits(4, radix: 16)
        }
      }
    }
  }

  /// Returns whether a scalar shows as itself, in its place. Format characters (Cf) hold the bidirectional controls, the
  /// zero-width ones and the tags; default-ignorable ones vanish.
  private static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value >= 0x20 && scalar.value != 0x7F }
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: return false
    case .spaceSeparator: return scalar == "\u{3000}"
    default: return !scalar.properties.isDefaultIgnorableCodePoint
    }
  }
}
