extension JSONValue {
  /// The value as compact JSON: no spaces, members in their order.
  package var compactText: String {
    switch self {
    case .object(let members):
      "{" + members.map { Self.quoted($0.name) + ":" + $0.value.compactText }.joined(separator: ",") + "}"
    case .array(let elements): "[" + elements.map(\.compactText).joined(separator: ",") + "]"
    case .string(let text): Self.quoted(text)
    case .number(let text): text
    case .bool(let flag): flag ? "true" : "false"
    case .null: "null"
    }
  }

  /// A string literal of JSON (RFC 8259, section 7): only what must be escaped is.
  package static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case "\u{0}"..<"\u{20}", "\u{7F}":
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
