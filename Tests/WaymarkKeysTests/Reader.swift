import CKeyboard
import Glibc
import Synchronization
import Testing

@testable import WaymarkStation

/// A program that reads a keyboard as those of X11 and Wayland do: keys through the keymap, dead keys through X11's Compose
/// table. It knows nothing of how Waymark finds its keys, but that libxkbcommon's word is final.
final class Reader {
  private let context: OpaquePointer
  private let keymap: OpaquePointer
  private let state: OpaquePointer
  private let table: OpaquePointer?
  private let compose: OpaquePointer?
  private(set) var text = ""
  /// The text of Ctrl+Shift+U so far.
  private var digits: String?

  /// - Parameters:
  ///   - capsLock: whether Caps Lock was pressed before.
  ///   - locale: the locale whose Compose table composes.
  init(_ name: KeyboardLayout.Name, capsLock: Bool = false, locale: String = "en_US.UTF-8") throws {
    context = try #require(xkb_context_new(XKB_CONTEXT_NO_ENVIRONMENT_NAMES))
    var names = xkb_rule_names(
      rules: "evdev".kept, model: name.model.isEmpty ? "pc105".kept : name.model.kept, layout: name.layout.kept,
      variant: name.variant.kept, options: name.options.kept)
    keymap = try #require(xkb_keymap_new_from_names(context, &names, XKB_KEYMAP_COMPILE_NO_FLAGS))
    state = try #require(xkb_state_new(keymap))
    table = xkb_compose_table_new_from_locale(context, locale, XKB_COMPOSE_COMPILE_NO_FLAGS)
    compose = table.flatMap { xkb_compose_state_new($0, XKB_COMPOSE_STATE_NO_FLAGS) }
    if capsLock {
      xkb_state_update_key(state, 66, XKB_KEY_DOWN)
      xkb_state_update_key(state, 66, XKB_KEY_UP)
    }
  }

  /// True if dead keys can be read: the Compose tables come with Debian's libx11-data.
  var composes: Bool { compose != nil }

  func take(_ transitions: [KeyTransition]) {
    for transition in transitions {
      let code = UInt32(transition.key) + 8
      if transition.isDown { press(code) }
      xkb_state_update_key(state, code, transition.isDown ? XKB_KEY_DOWN : XKB_KEY_UP)
    }
  }

  private func press(_ code: UInt32) {
    let symbol = xkb_state_key_get_one_sym(state, code)
    let controls = xkb_state_mod_name_is_active(state, "Control", XKB_STATE_MODS_EFFECTIVE) > 0
    if controls, symbol == 0x55 || symbol == 0x75 {
      digits = ""
      return
    }
    if let sofar = digits {
      guard symbol == 0x20 else {
        digits = sofar + character(symbol)
        return
      }
      digits = nil
      text += UInt32(sofar, radix: 16).flatMap(Unicode.Scalar.init).map(String.init) ?? "?"
      return
    }
    guard !controls else {
      text += String(Unicode.Scalar(UInt8(xkb_keysym_to_utf32(symbol) & 0x1F)))
      return
    }
    guard let compose else {
      text += character(symbol)
      return
    }
    xkb_compose_state_feed(compose, symbol)
    switch xkb_compose_state_get_status(compose) {
    case XKB_COMPOSE_COMPOSING: break
    case XKB_COMPOSE_COMPOSED:
      var buffer = [CChar](repeating: 0, count: 64)
      xkb_compose_state_get_utf8(compose, &buffer, 64)
      text += buffer.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
      xkb_compose_state_reset(compose)
    case XKB_COMPOSE_CANCELLED:
      text += "?"
      xkb_compose_state_reset(compose)
    default: text += character(symbol)
    }
  }

  private func character(_ symbol: xkb_keysym_t) -> String {
    switch symbol {
    case 0xFF0D: "\n"
    case 0xFF09: "\t"
    case 0xFE20: "\u{B}"
    default: Unicode.Scalar(xkb_keysym_to_utf32(symbol)).map { $0.value == 0 ? "" : String($0) } ?? ""
    }
  }

  deinit {
    if let compose { xkb_compose_state_unref(compose) }
    if let table { xkb_compose_table_unref(table) }
    xkb_state_unref(state)
    xkb_keymap_unref(keymap)
    xkb_context_unref(context)
  }
}

extension String {
  /// A C string that stays, for the few that a test makes.
  fileprivate var kept: UnsafePointer<CChar>? { UnsafePointer(strdup(self)) }
}

/// A kernel of the test's own: what was written, and failures on demand.
final class Kernel: Sendable {
  struct State {
    var transitions: [KeyTransition] = []
    var times: [Double] = []
    var reports = 0
    var open = 0
    var opened = 0
    var events: [KeyboardSyscalls.Event] = []
    /// Writes until the keyboard is gone.
    var lasts = Int.max
    var refusal: Int32 = 0
    var time = 100.0
  }

  let state = Mutex(State())

  var calls: KeyboardSyscalls {
    KeyboardSyscalls(
      open: { [self] _, _, _ in
        state.withLock { state in
          guard state.refusal == 0 else { return -state.refusal }
          state.open += 1
          state.opened += 1
          return 7
        }
      },
      emit: { [self] _, type, code, value in
        state.withLock { state in
          guard state.lasts > 0 else { return -ENODEV }
          state.lasts -= 1
          if type == 1 {
            state.transitions.append(KeyTransition(code, isDown: value == 1))
            state.times.append(state.time)
          } else {
            state.reports += 1
          }
          return 0
        }
      },
      read: { [self] _ in state.withLock { $0.events.isEmpty ? nil : $0.events.removeFirst() } },
      close: { [self] _ in state.withLock { $0.open -= 1 } })
  }

  var pace: KeystrokeTyper.Timing {
    KeystrokeTyper.Timing(
      now: { [self] in state.withLock { $0.time } }, wait: { [self] seconds in state.withLock { $0.time += seconds } })
  }

  /// The keys that are down after all that was written.
  var pressed: Set<UInt16> {
    state.withLock { state in
      state.transitions.reduce(into: []) { keys, transition in
        if transition.isDown { keys.insert(transition.key) } else { keys.remove(transition.key) }
      }
    }
  }
}
