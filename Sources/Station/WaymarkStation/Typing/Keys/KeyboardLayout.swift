import CKeyboard
import WaymarkSystem

/// Which keys give which characters, as libxkbcommon has it: the tables by which X11, Wayland and (through console-setup) the
/// console read a keyboard.
package struct KeyboardLayout: Sendable {
  /// The name of a layout in the terms of `setxkbmap`; an empty part is xkeyboard-config's default.
  package struct Name: Hashable, Sendable {
    package var layout: String
    package var variant: String
    package var model: String
    package var options: String

    package init(layout: String, variant: String = "", model: String = "", options: String = "") {
      self.layout = layout
      self.variant = variant
      self.model = model
      self.options = options
    }

    /// As people write it: `de(nodeadkeys)`.
    package var text: String { variant.isEmpty ? layout : "\(layout)(\(variant))" }
  }

  /// The characters of each level of a key.
  struct Table: Sendable {
    var direct: [Unicode.Scalar: KeyStroke] = [:]
    /// By the combining mark that a dead key stands for.
    var dead: [Unicode.Scalar: KeyStroke] = [:]
  }

  /// Which layout this is.
  package let name: Name
  /// The keys that hold levels and controls.
  let modifierKeys: [KeyModifiers: UInt16]
  /// The key of Caps Lock, where the layout has one.
  let capsLockKey: UInt16?
  private let plain: Table
  private let locked: Table

  /// The highest key that is ever pressed.
  static let lastKey: UInt16 = 248
  /// Keys that carry characters: those of the main block. The keypad is left alone, since Num Lock changes it, and Enter, Tab
  /// and the like are typed by name.
  private static let characterKeys: [UInt16] =
    Array(2...13) + Array(16...27) + Array(30...41) + Array(43...53) + [57, 86, 89, 124]
  /// The key of xkeyboard-config that no keyboard has, and that stands for the third level.
  private static let imaginary: UInt16 = 84
  private static let shiftKey: UInt16 = 42
  private static let controlKey: UInt16 = 29
  private static let altKey: UInt16 = 56
  private static let metaKey: UInt16 = 125
  /// The offset of X's key codes from the kernel's.
  private static let offset: UInt32 = 8

  /// A layout that the system knows.
  ///
  /// - Throws: `unknownLayout`.
  package init(_ name: Name) throws(TypingError) {
    self.name = name
    let unknown = TypingError(
      .unknownLayout, "There is no keyboard layout \(name.text).",
      hint: "Name one of `localectl list-x11-keymap-layouts` and a variant of it; the package xkb-data brings them.")
    guard !name.layout.isEmpty, let context = xkb_context_new(XKB_CONTEXT_NO_ENVIRONMENT_NAMES) else { throw unknown }
    defer { xkb_context_unref(context) }
    // The error tells once that a name is wrong.
    xkb_context_set_log_level(context, XKB_LOG_LEVEL_CRITICAL)
    guard let keymap = Self.keymap(context, name) else { throw unknown }
    defer { xkb_keymap_unref(keymap) }
    let reader = KeymapReader(keymap: keymap, offset: Self.offset)
    var modifiers: [KeyModifiers: UInt16] = [
      .shift: Self.shiftKey, .control: Self.controlKey, .alt: Self.altKey, .meta: Self.metaKey,
    ]
    // The right Alt first: that is where a person expects it.
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

  /// The strokes that give a character; nil where the layout has none.
  ///
  /// - Parameters:
  ///   - capsLock: whether Caps Lock is on, which swaps the case of letters.
  ///   - deadKeys: whether an accent may be put together from a dead key and a letter.
  package func strokes(for scalar: Unicode.Scalar, capsLock: Bool = false, deadKeys: Bool = true) -> [KeyStroke]? {
    let table = capsLock ? locked : plain
    if let stroke = table.direct[scalar] { return [stroke] }
    guard deadKeys else { return nil }
    if let mark = DeadKeys.spacing[scalar], let dead = table.dead[mark], let space = table.direct[" "] {
      return [dead, space]
    }
    if let mark = DeadKeys.doubled[scalar], let dead = table.dead[mark] { return [dead, dead] }
    guard let (base, mark) = DeadKeys.parts(of: scalar), let dead = table.dead[mark], let stroke = table.direct[base]
    else { return nil }
    return [dead, stroke]
  }

  /// Every character that has a key of its own.
  package var characters: Set<Unicode.Scalar> { Set(plain.direct.keys) }
}

/// Reads the characters of the keys of a keymap.
private struct KeymapReader {
  let keymap: OpaquePointer
  let offset: UInt32

  static let level3Shift: xkb_keysym_t = 0xFE03
  static let level5Shift: xkb_keysym_t = 0xFE11
  static let capsLock: xkb_keysym_t = 0xFFE5

  /// The symbol of a key with nothing held.
  func symbol(_ key: UInt16) -> xkb_keysym_t {
    guard let state = xkb_state_new(keymap) else { return 0 }
    defer { xkb_state_unref(state) }
    return xkb_state_key_get_one_sym(state, UInt32(key) + offset)
  }

  /// Finds the characters of all keys with the fewest modifiers, by holding them: whoever reads the keyboard does the same.
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

  /// Returns the effect of the held keys on the state; nil when holding them changes the layout or nothing.
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
