import CKeyboard
import Foundation
import WaymarkSystem

/// Finds the keys of characters with libxkbcommon. X11, Wayland and (through console-setup) the console use its tables. Below are
/// the reader of its keymaps, the effect of dead keys, and `KeySequencer`, which presses the modifiers.
package struct KeyboardLayout: Sendable {
  /// The name of a layout in terms of `setxkbmap`; empty parts are xkeyboard-config's defaults.
  package struct Name: Hashable, Sendable {
    package var layout: String
    package var variant = ""
    package var model = ""
    package var options = ""

    /// The layout and its variant, such as `de(nodeadkeys)`.
    package var text: String { variant.isEmpty ? layout : "\(layout)(\(variant))" }
  }

  /// The keystrokes that produce characters.
  struct Table: Sendable {
    var direct: [Unicode.Scalar: KeyStroke] = [:]
    /// The keystroke of each dead key, by its combining mark.
    var dead: [Unicode.Scalar: KeyStroke] = [:]
  }

  package let name: Name
  /// The key code of each modifier.
  let modifierKeys: [KeyModifiers: UInt16]
  /// The key of Caps Lock, if the layout has one.
  let capsLockKey: UInt16?
  private let plain: Table
  private let locked: Table

  /// The highest key code of the virtual keyboard.
  static let lastKey: UInt16 = 248
  /// The key codes of the main block without Enter and Tab, which are typed by name. The keypad is excluded, because Num Lock
  /// changes it.
  private static let characterKeys: [UInt16] =
    Array(2...13) + Array(16...27) + Array(30...41) + Array(43...53) + [57, 86, 89, 124]
  /// The key code of xkeyboard-config's key for the third level, which real keyboards do not have.
  private static let imaginary: UInt16 = 84
  private static let shiftKey: UInt16 = 42
  private static let controlKey: UInt16 = 29
  private static let altKey: UInt16 = 56
  private static let metaKey: UInt16 = 125
  /// The offset of X's key codes from the kernel's.
  private static let offset: UInt32 = 8

  /// Loads a layout of the system.
  ///
  /// - Throws: `unknownLayout` if the system has no such layout or variant.
  package init(_ name: Name) throws(TypingError) {
    self.name = name
    let unknown = TypingError(
      .unknownLayout, "There is no keyboard layout \(name.text).",
      hint: "Name one of `localectl list-x11-keymap-layouts` and a variant of it; the package xkb-data brings them.")
    guard !name.layout.isEmpty, let context = xkb_context_new(XKB_CONTEXT_NO_ENVIRONMENT_NAMES) else { throw unknown }
    defer { xkb_context_unref(context) }
    // The thrown error suffices without libxkbcommon's log.
    xkb_context_set_log_level(context, XKB_LOG_LEVEL_CRITICAL)
    guard let keymap = Self.keymap(context, name) else { throw unknown }
    defer { xkb_keymap_unref(keymap) }
    let reader = KeymapReader(keymap: keymap, offset: Self.offset)
    var modifiers: [KeyModifiers: UInt16] = [
      .shift: Self.shiftKey, .control: Self.controlKey, .alt: Self.altKey, .meta: Self.metaKey,
    ]
    // The right Alt key (100) is tried first, as it is AltGr on most keyboards.
    let candidates = [100] + (1...127).filter { $0 != Self.imaginary && $0 != 100 }
    modifiers[.level3] = candidates.first { reader.symbol($0) == KeymapReader.level3Shift }
    modifiers[.level5] = candidates.first { reader.symbol($0) == KeymapReader.level5Shift }
    modifierKeys = modifiers
    capsLockKey = candidates.first { reader.symbol($0) == KeymapReader.capsLock }
    plain = reader.table(Self.characterKeys, modifiers, isLocked: false)
    locked = reader.table(Self.characterKeys, modifiers, isLocked: true)
  }

  private static func keymap(_ context: OpaquePointer, _ name: Name) -> OpaquePointer? {
    "evdev".withCString { rules in
      (name.model.isEmpty ? "pc105" : name.model).withCString { model in
        name.layout.withCString { layout in
          name.variant.withCString { variant in
            name.options.withCString { options in
              var names = xkb_rule_names(
                rules: rules, model: model, layout: layout, variant: variant, options: options)
              return xkb_keymap_new_from_names(context, &names, XKB_KEYMAP_COMPILE_NO_FLAGS)
            }
          }
        }
      }
    }
  }

  /// Returns the strokes for a character; nil if the layout does not have the character.
  ///
  /// - Parameters:
  ///   - capsLock: true if Caps Lock is on, which swaps the case of letters.
  ///   - deadKeys: true if accents may be composed of a dead key and a letter.
  package func strokes(for scalar: Unicode.Scalar, capsLock: Bool = false, deadKeys: Bool = true) -> [KeyStroke]? {
    let table = capsLock ? locked : plain
    if let stroke = table.direct[scalar] { return [stroke] }
    guard deadKeys, !DeadKeys.disputed.contains(scalar), !isGreek || DeadKeys.isComposedInGreek(scalar) else {
      return nil
    }
    if let mark = DeadKeys.spacing[scalar], let dead = table.dead[mark], let space = table.direct[" "] {
      return [dead, space]
    }
    if let mark = DeadKeys.doubled[scalar], let dead = table.dead[mark] { return [dead, dead] }
    guard let (base, mark) = DeadKeys.parts(of: scalar), let dead = table.dead[mark], let stroke = table.direct[base]
    else { return nil }
    return [dead, stroke]
  }

  /// True if the layout has Greek letters and no Latin letters, as in sessions of the locale el_GR.
  private var isGreek: Bool { plain.direct["\u{3B1}"] != nil && plain.direct["a"] == nil }

  /// The characters that one keystroke produces.
  package var characters: Set<Unicode.Scalar> { Set(plain.direct.keys) }
}

/// Reads the characters of the keys of a keymap.
private struct KeymapReader {
  let keymap: OpaquePointer
  let offset: UInt32

  static let level3Shift: xkb_keysym_t = 0xFE03
  static let level5Shift: xkb_keysym_t = 0xFE11
  static let capsLock: xkb_keysym_t = 0xFFE5

  /// The keysym of a key without modifiers.
  func symbol(_ key: UInt16) -> xkb_keysym_t {
    guard let state = xkb_state_new(keymap) else { return 0 }
    defer { xkb_state_unref(state) }
    return xkb_state_key_get_one_sym(state, UInt32(key) + offset)
  }

  /// Finds the keystroke with the fewest modifiers for each character, by simulating all keys.
  func table(_ keys: [UInt16], _ modifierKeys: [KeyModifiers: UInt16], isLocked: Bool) -> KeyboardLayout.Table {
    var table = KeyboardLayout.Table()
    let combinations: [KeyModifiers] = [
      [], .shift, .level3, [.shift, .level3], .level5, [.shift, .level5], [.level3, .level5],
    ]
    let lock = xkb_keymap_mod_get_index(keymap, "Lock")
    let lockMask: UInt32 = isLocked && lock < 32 ? 1 << lock : 0
    for modifiers in combinations {
      guard modifiers.each.allSatisfy({ modifierKeys[$0] != nil }), let mask = mask(modifiers, modifierKeys),
        let state = xkb_state_new(keymap)
      else { continue }
      defer { xkb_state_unref(state) }
      _ = xkb_state_update_mask(state, mask, 0, lockMask, 0, 0, 0)
      for key in keys {
        let symbol = xkb_state_key_get_one_sym(state, UInt32(key) + offset)
        let stroke = KeyStroke(key, modifiers)
        if let mark = DeadKeys.marks[symbol] {
          if table.dead[mark] == nil { table.dead[mark] = stroke }
        } else if let scalar = Unicode.Scalar(xkb_keysym_to_utf32(symbol)), scalar.value >= 0x20, scalar.value != 0x7F,
          table.direct[scalar] == nil
        {
          table.direct[scalar] = stroke
        }
      }
    }
    return table
  }

  /// Returns the xkb modifiers that are active while the keys of `modifiers` are held; nil if the keys change the layout group or
  /// have no effect.
  private func mask(_ modifiers: KeyModifiers, _ keys: [KeyModifiers: UInt16]) -> UInt32? {
    guard let state = xkb_state_new(keymap) else { return nil }
    defer { xkb_state_unref(state) }
    for one in modifiers.each {
      guard let key = keys[one] else { return nil }
      xkb_state_update_key(state, UInt32(key) + offset, XKB_KEY_DOWN)
    }
    guard xkb_state_serialize_layout(state, XKB_STATE_LAYOUT_EFFECTIVE) == 0 else { return nil }
    let mask = xkb_state_serialize_mods(state, XKB_STATE_MODS_DEPRESSED)
    return mask != 0 || modifiers.isEmpty ? mask : nil
  }
}

/// The effect of dead keys on the following letter, as far as X11's Compose tables of all locales and the toolkits' tables agree:
/// an accent on a letter, or alone before a space. The locale of the session in which Waymark types is unknown.
enum DeadKeys {
  /// The combining mark of each dead key, by its keysym (xkbcommon-keysyms.h).
  static let marks: [UInt32: Unicode.Scalar] = [
    0xFE50: "\u{300}", 0xFE51: "\u{301}", 0xFE52: "\u{302}", 0xFE53: "\u{303}", 0xFE54: "\u{304}", 0xFE55: "\u{306}",
    0xFE56: "\u{307}", 0xFE57: "\u{308}", 0xFE58: "\u{30A}", 0xFE59: "\u{30B}", 0xFE5A: "\u{30C}", 0xFE5B: "\u{327}",
    0xFE5C: "\u{328}",
  ]

  /// The combining mark by character: the mark's dead key, followed by a space, produces the character.
  static let spacing: [Unicode.Scalar: Unicode.Scalar] = [
    "`": "\u{300}", "'": "\u{301}", "^": "\u{302}", "~": "\u{303}", "\u{AF}": "\u{304}", "\u{2D8}": "\u{306}",
    "\u{2D9}": "\u{307}", "\"": "\u{308}", "\u{B0}": "\u{30A}", "\u{2DD}": "\u{30B}", "\u{2C7}": "\u{30C}",
    "\u{B8}": "\u{327}", "\u{2DB}": "\u{328}",
  ]

  /// The combining mark by character: the mark's dead key, pressed twice, produces the character.
  static let doubled: [Unicode.Scalar: Unicode.Scalar] = ["\u{B4}": "\u{301}", "\u{A8}": "\u{308}"]

  /// The characters whose keys compose another character in some locale: pt_BR, pt_PT and GTK's module for cedillas (ç), cs_CZ (ů),
  /// fi_FI (the accents alone), sr_RS (Cyrillic letters with a double grave accent).
  static let disputed = Set("\u{106}\u{107}\u{1D3}\u{1D4}'\"\u{B0}ӒӓӤӥӦӧӬӭӰӱӲӳ".unicodeScalars)

  /// Returns whether the Compose table of el_GR.UTF-8, which does not include the table of en_US.UTF-8, composes a character as
  /// well. This is so for Greek letters, the grave accent and the diaeresis, but not for the acute accent, which becomes the tonos.
  static func isComposedInGreek(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "`" || scalar == "\u{A8}" || (0x370...0x3CE).contains(scalar.value)
      || (0x1F00...0x1FFF).contains(scalar.value)
  }

  /// Decomposes a character into a letter and one mark; nil if that is impossible.
  static func parts(of scalar: Unicode.Scalar) -> (base: Unicode.Scalar, mark: Unicode.Scalar)? {
    guard scalar.value >= 0xC0 else { return nil }
    let parts = Array(String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars)
    guard parts.count == 2, parts[0].properties.isAlphabetic else { return nil }
    // A few characters decompose to a canonical equivalent that composes differently, such as the Kelvin sign.
    guard
      String(String.UnicodeScalarView(parts)).precomposedStringWithCanonicalMapping.unicodeScalars.elementsEqual([
        scalar
      ])
    else { return nil }
    return (parts[0], parts[1])
  }
}

/// Turns strokes into transitions, and holds a modifier over consecutive strokes, which halves the events of a word in capitals.
package struct KeySequencer: Sendable {
  private let keys: [KeyModifiers: UInt16]
  private var held: KeyModifiers = []

  package init(layout: KeyboardLayout) { keys = layout.modifierKeys }

  /// Returns the transitions for the next stroke: changes of modifiers, then key-down and key-up.
  mutating func transitions(for stroke: KeyStroke) -> [KeyTransition] {
    let steps = change(to: stroke.modifiers)
    return steps + [KeyTransition(stroke.key, isDown: true), KeyTransition(stroke.key, isDown: false)]
  }

  /// Returns the transitions that release the held modifiers.
  package mutating func release() -> [KeyTransition] { change(to: []) }

  private mutating func change(to wanted: KeyModifiers) -> [KeyTransition] {
    let up = held.subtracting(wanted).each.reversed().compactMap { keys[$0].map { KeyTransition($0, isDown: false) } }
    let down = wanted.subtracting(held).each.compactMap { keys[$0].map { KeyTransition($0, isDown: true) } }
    held = wanted
    return up + down
  }
}
