import WaymarkSystem

/// The notation of prefixes and suffixes: text with keys in braces, such as `{Tab}` or `{Shift+Tab}`; `{{` is a brace. The
/// modifiers and the keys are below.
package struct KeyText: Hashable, Sendable {
  package enum Piece: Hashable, Sendable {
    case text(String)
    case key(KeyStroke)
    /// Ctrl and the key of a character, as terminals read control characters.
    case control(Unicode.Scalar)
  }

  package var pieces: [Piece]

  package init(pieces: [Piece] = []) { self.pieces = pieces }

  /// Parses a text in this notation.
  ///
  /// - Throws: `badKeys` if a brace is not closed, or the text in braces is not the name of a key.
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

  /// The key codes by the names that are used in braces, without F1 to F12.
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

  /// Returns the key that produces a control character, or `nil`.
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

/// Keys that are held while another is pressed.
package struct KeyModifiers: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let shift = Self(rawValue: 1)
  /// AltGr, on layouts that have a third level.
  static let level3 = Self(rawValue: 2)
  /// The fifth level of layouts such as Neo.
  static let level5 = Self(rawValue: 4)
  package static let control = Self(rawValue: 8)
  static let alt = Self(rawValue: 16)
  package static let meta = Self(rawValue: 32)

  /// The modifiers in the order in which they are pressed.
  var each: [KeyModifiers] {
    [.shift, .level3, .level5, .control, .alt, .meta].filter(contains)
  }

  /// The names of the keys, such as `Shift` and `AltGr`.
  package var names: [String] {
    each.map { one in
      switch one {
      case .shift: "Shift"
      case .level3: "AltGr"
      case .level5: "Level5"
      case .control: "Ctrl"
      case .alt: "Alt"
      default: "Meta"
      }
    }
  }
}

/// A key that is pressed and released with modifiers.
package struct KeyStroke: Hashable, Sendable {
  /// The key code, from linux/input-event-codes.h.
  package var key: UInt16
  package var modifiers: KeyModifiers

  package init(_ key: UInt16, _ modifiers: KeyModifiers = []) {
    self.key = key
    self.modifiers = modifiers
  }
}

/// A key that goes down or up.
package struct KeyTransition: Hashable, Sendable {
  package var key: UInt16
  package var isDown: Bool

  package init(_ key: UInt16, isDown: Bool) {
    self.key = key
    self.isDown = isDown
  }
}
