import WaymarkSystem

/// Text with keys in braces, such as `{Tab}` or `{Shift+Tab}`; `{{` is a brace. What prefixes and suffixes are written in.
package struct KeyText: Hashable, Sendable {
  /// A piece of it.
  package enum Piece: Hashable, Sendable {
    case text(String)
    case key(KeyStroke)
    /// Ctrl and the key of a character, by which terminals take control characters.
    case control(Unicode.Scalar)
  }

  /// Its pieces, in order.
  package var pieces: [Piece]

  /// Nothing.
  package init() { pieces = [] }

  /// A text as people write it.
  ///
  /// - Throws: `badKeys`.
  package init(_ text: String) throws(TypingError) {
    pieces = []
    var plain = ""
    var rest = Substring(text)
    while let character = rest.popFirst() {
      guard character == "{" else {
        plain.append(character)
        continue
      }
      if rest.first == "{" {
        rest.removeFirst()
        plain.append("{")
        continue
      }
      guard let end = rest.firstIndex(of: "}") else {
        throw Self.problem("In \"\(text)\" a brace is not closed.")
      }
      let name = String(rest[..<end])
      rest = rest[rest.index(after: end)...]
      guard let stroke = Self.stroke(name) else { throw Self.problem("There is no key \"\(name)\".") }
      if !plain.isEmpty { pieces.append(.text(plain)) }
      plain = ""
      pieces.append(.key(stroke))
    }
    if !plain.isEmpty { pieces.append(.text(plain)) }
  }

  private static func problem(_ message: String) -> TypingError {
    TypingError(
      .badKeys, message,
      hint:
        "Keys are \(names.keys.sorted().joined(separator: ", ")), F1 to F12, also as Shift+Tab; a brace itself is {{.")
  }

  /// Keys that have no character, and those whose character is a control.
  private static let names: [String: UInt16] = [
    "Enter": 28, "KeypadEnter": 96, "Tab": 15, "Escape": 1, "Backspace": 14, "Space": 57, "Insert": 110, "Delete": 111,
    "Home": 102, "End": 107, "PageUp": 104, "PageDown": 109, "Up": 103, "Down": 108, "Left": 105, "Right": 106,
  ]

  private static let codes: [String: UInt16] = {
    var codes = Dictionary(uniqueKeysWithValues: names.map { ($0.key.lowercased(), $0.value) })
    codes["esc"] = 1
    codes["return"] = 28
    for number in 1...10 { codes["f\(number)"] = UInt16(58 + number) }
    codes["f11"] = 87
    codes["f12"] = 88
    return codes
  }()

  private static func stroke(_ name: String) -> KeyStroke? {
    var parts = name.lowercased().split(separator: "+", omittingEmptySubsequences: false).map(String.init)
    guard let last = parts.popLast(), let key = codes[last] else { return nil }
    var modifiers: KeyModifiers = []
    for part in parts {
      switch part {
      case "shift": modifiers.insert(.shift)
      case "ctrl", "control": modifiers.insert(.control)
      case "alt": modifiers.insert(.alt)
      default: return nil
      }
    }
    return KeyStroke(key, modifiers)
  }

  /// The key that a control character stands for; nil where none does.
  static func key(for scalar: Unicode.Scalar) -> KeyStroke? {
    switch scalar.value {
    case 0x08: KeyStroke(14)
    case 0x09: KeyStroke(15)
    case 0x0A, 0x0D: KeyStroke(28)
    case 0x1B: KeyStroke(1)
    case 0x7F: KeyStroke(111)
    default: nil
    }
  }
}
