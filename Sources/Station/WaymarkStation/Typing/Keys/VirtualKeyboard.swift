import CKeyboard
import Glibc
import WaymarkSystem

/// The system calls of a virtual keyboard, which tests replace.
package struct KeyboardSyscalls: Sendable {
  /// An event that the kernel sends to the keyboard, such as a change of a lamp.
  package typealias Event = (type: UInt16, code: UInt16, value: Int32)

  /// Creates the keyboard; returns a descriptor, or minus errno.
  package var open: @Sendable (_ path: String, _ name: String, _ lastKey: UInt16) -> Int32
  /// Writes an event; returns 0, or minus errno.
  package var emit: @Sendable (_ descriptor: Int32, _ type: UInt16, _ code: UInt16, _ value: Int32) -> Int32
  /// Reads the next event that was sent to the keyboard, or `nil`.
  package var read: @Sendable (_ descriptor: Int32) -> Event?
  /// Removes the keyboard.
  package var close: @Sendable (_ descriptor: Int32) -> Void

  package static let system = KeyboardSyscalls(
    open: { path, name, lastKey in ckeyboard_open(path, name, lastKey) },
    emit: { descriptor, type, code, value in ckeyboard_emit(descriptor, type, code, value) },
    read: { descriptor in
      var event = ckeyboard_event()
      return ckeyboard_read(descriptor, &event) > 0 ? (event.type, event.code, event.value) : nil
    },
    close: { descriptor in Glibc.close(descriptor) })
}

/// A keyboard of the kernel's `uinput`, which types into the focused program on the console, under X11 and under Wayland.
///
/// Keys do not stay pressed: `deinit` releases all keys, and the kernel does so if the process dies.
package final class VirtualKeyboard {
  /// The name that programs see.
  package static let name = "Waymark Scanner"

  private let calls: KeyboardSyscalls
  private let descriptor: Int32
  private var pressed: [UInt16] = []
  private var isCapsLockLit = false

  /// Event types and codes from linux/input-event-codes.h.
  private static let synchronisation: UInt16 = 0
  private static let key: UInt16 = 1
  private static let lamp: UInt16 = 0x11
  private static let capsLock: UInt16 = 1

  /// Creates the keyboard.
  ///
  /// - Throws: `noKeyboard` if the device at `path` cannot be opened, or cannot create one.
  package init(path: String, calls: KeyboardSyscalls = .system) throws(TypingError) {
    self.calls = calls
    descriptor = calls.open(path, Self.name, KeyboardLayout.lastKey)
    guard descriptor >= 0 else { throw Self.problem(path, -descriptor) }
  }

  deinit {
    releaseAll()
    calls.close(descriptor)
  }

  /// True if the lamp of Caps Lock is lit, so that programs swap the case of letters.
  var capsLock: Bool {
    while let event = calls.read(descriptor) {
      if event.type == Self.lamp, event.code == Self.capsLock { isCapsLockLit = event.value != 0 }
    }
    return isCapsLockLit
  }

  /// Sends transitions, each followed by SYN_REPORT.
  ///
  /// - Throws: `keyboardLost`, after releasing the pressed keys if possible.
  package func send(_ transitions: [KeyTransition]) throws(TypingError) {
    for transition in transitions {
      // Recorded before the key goes down, because extra key-ups are harmless.
      if transition.isDown { pressed.append(transition.key) }
      var code = calls.emit(descriptor, Self.key, transition.key, transition.isDown ? 1 : 0)
      if code == 0 { code = calls.emit(descriptor, Self.synchronisation, 0, 0) }
      guard code == 0 else {
        releaseAll()
        throw TypingError(
          .keyboardLost, "The virtual keyboard disappeared during typing: \(String(cString: strerror(-code))).",
          hint: "A part of the code may have been typed: check the field, and scan again.")
      }
      if !transition.isDown { pressed.removeAll { $0 == transition.key } }
    }
  }

  /// Releases all pressed keys.
  func releaseAll() {
    for key in pressed.reversed() {
      _ = calls.emit(descriptor, Self.key, key, 0)
      _ = calls.emit(descriptor, Self.synchronisation, 0, 0)
    }
    pressed = []
  }

  private static func problem(_ path: String, _ code: Int32) -> TypingError {
    let hint =
      switch code {
      case ENOENT, ENODEV: "Load the kernel's module: modprobe uinput. In a container, hand \(path) in."
      case EACCES, EPERM:
        "Run it as waymark-type.service, whose group the udev rule gives \(path) to, or as root."
      default: "Check \(path)."
      }
    return TypingError(
      .noKeyboard, "\(path) cannot make a virtual keyboard: \(String(cString: strerror(code))).", hint: hint)
  }
}
