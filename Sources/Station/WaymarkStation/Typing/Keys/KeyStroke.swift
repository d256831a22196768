/// Keys that are held while another one is pressed.
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

  /// One by one, in the order in which they are pressed.
  var each: [KeyModifiers] {
    [.shift, .level3, .level5, .control, .alt, .meta].filter(contains)
  }

  /// As people write them, such as `Shift+AltGr`.
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

/// One key pressed and released, others held meanwhile.
package struct KeyStroke: Hashable, Sendable {
  /// The key: a code of linux/input-event-codes.h.
  package var key: UInt16
  /// The modifiers that are held.
  package var modifiers: KeyModifiers

  package init(_ key: UInt16, _ modifiers: KeyModifiers = []) {
    self.key = key
    self.modifiers = modifiers
  }
}

/// A key goes down or up.
package struct KeyTransition: Hashable, Sendable {
  package var key: UInt16
  package var isDown: Bool

  package init(_ key: UInt16, isDown: Bool) {
    self.key = key
    self.isDown = isDown
  }
}
