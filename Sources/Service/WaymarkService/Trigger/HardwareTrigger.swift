import Glibc
import WaymarkServer
package import WaymarkSystem

/// Reports presses of a key of an input device, which arm a scan: a button beside a kiosk's screen, or a foot switch.
///
/// `KeyEventParser` below finds the presses, and `KeyName` has the names of keys.
///
/// Reads the device on its own thread. A device that is missing or was unplugged is opened again at intervals, so that it can be
/// plugged in at any time.
final class HardwareTrigger: Sendable {
  /// The seconds between two attempts to open a missing device.
  private static let retryInterval = 1.0

  private let device: String
  private let key: UInt16
  private let calls: InputSyscalls
  private let onPress: @Sendable () -> Void
  private let onProblem: @Sendable (ServiceProblem?) -> Void
  private let thread = WorkerThread(name: "wm-trigger")

  /// Starts to read a device such as `/dev/input/by-id/…-event-kbd`.
  ///
  /// - Parameters:
  ///   - key: a key's name or number; see `KeyName`.
  ///   - onPress: called on the trigger's thread for each press.
  ///   - onProblem: called once with the problem when the device cannot be read, and with nil when it can be read.
  init(
    device: String, key name: String, calls: InputSyscalls = .system,
    onPress: @escaping @Sendable () -> Void, onProblem: @escaping @Sendable (ServiceProblem?) -> Void = { _ in }
  ) throws(ServiceProblem) {
    guard let key = KeyName.code(name) else {
      throw ServiceProblem(
        code: "unknownKey", message: "There is no key \"\(name)\".",
        hint: KeyName.hint)
    }
    self.device = device
    self.key = key
    self.calls = calls
    self.onPress = onPress
    self.onProblem = onProblem
    // The thread retains this object until `stop()`.
    thread.start { [self] in run(until: $0) }
  }

  /// Stops the thread; returns after it has ended. Can be called more than once.
  func stop() { thread.stop() }

  private func run(until stop: StopSignal) {
    var isReported = false
    while true {
      let descriptor = calls.open(device)
      if descriptor >= 0 {
        onProblem(nil)
        isReported = false
        let isStopped = listen(descriptor, until: stop)
        close(descriptor)
        if isStopped { return }
      }
      if !isReported {
        isReported = true
        onProblem(problem(descriptor >= 0 ? ENODEV : -descriptor))
      }
      if calls.wait(-1, stop, Self.retryInterval) == .stopped { return }
    }
  }

  /// Reads until the device is removed or the trigger is stopped; returns true if it was stopped.
  private func listen(_ descriptor: Int32, until stop: StopSignal) -> Bool {
    var parser = KeyEventParser(key: key)
    while true {
      switch calls.wait(descriptor, stop, nil) {
      case .stopped: return true
      case .timedOut: continue
      case .ready:
        guard let bytes = calls.read(descriptor) else { return false }
        for _ in 0..<parser.presses(in: bytes) { onPress() }
      }
    }
  }

  private func problem(_ code: Int32) -> ServiceProblem {
    ServiceProblem(
      code: "trigger", message: "The trigger's device \(device) cannot be read: \(systemMessage(code)).",
      hint: code == EACCES
        ? "Let the service read it: a udev rule that gives it to the group, or the group input."
        : "Check trigger.device; names under /dev/input/by-id stay the same.")
  }
}

// MARK: - Records of the device

/// Finds presses of one key in the records of an input device (`struct input_event`, linux/input.h).
package struct KeyEventParser: Sendable {
  /// The key's code in linux/input-event-codes.h.
  package let key: UInt16
  /// The bytes of an incomplete record.
  private var pending: [UInt8] = []
  /// True after the kernel's buffer overflowed: the records up to the next synchronisation are incomplete and ignored.
  private var isDropping = false

  /// The bytes of a record: the time (two 64-bit words), type and code (16 bits each), and value (32 bits).
  package static let recordSize = 24

  private static let synchronisation: UInt16 = 0
  private static let keyType: UInt16 = 1
  private static let report: UInt16 = 0
  private static let dropped: UInt16 = 3

  package init(key: UInt16) { self.key = key }

  /// Parses bytes, which may end within a record. Returns the number of presses of the key, without the repeats of a held key.
  mutating func presses(in bytes: some Sequence<UInt8>) -> Int {
    pending += bytes
    var count = 0
    var position = 0
    while pending.count - position >= Self.recordSize {
      let type = word(at: position + 16)
      let code = word(at: position + 18)
      let isDown = word(at: position + 20) == 1 && word(at: position + 22) == 0
      position += Self.recordSize
      if type == Self.synchronisation {
        if code == Self.dropped { isDropping = true } else if code == Self.report { isDropping = false }
      } else if type == Self.keyType, code == key, isDown, !isDropping {
        count += 1
      }
    }
    pending.removeFirst(position)
    return count
  }

  /// Returns the little-endian word at an index: the kernel uses the byte order of the machine, and x86-64 and AArch64
  /// are little-endian.
  private func word(at index: Int) -> UInt16 { UInt16(pending[index]) | UInt16(pending[index + 1]) << 8 }
}

/// The system calls that the trigger uses, so that tests can use a pipe in place of the device.
package struct InputSyscalls: Sendable {
  /// Opens a device for non-blocking reads; returns a descriptor, or the negative errno.
  package var open: @Sendable (String) -> Int32
  /// Waits until the device is readable, the thread has to stop, or `seconds` have passed.
  package var wait: @Sendable (_ device: Int32, _ stop: StopSignal, _ seconds: Double?) -> StopSignal.Wake
  /// Reads the available bytes; nil if the device was removed.
  package var read: @Sendable (Int32) -> [UInt8]?

  package static let system = InputSyscalls(
    open: { path in
      let descriptor = Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
      return descriptor >= 0 ? descriptor : -errno
    },
    wait: { device, stop, seconds in stop.wait(for: device, seconds: seconds) },
    read: { descriptor in
      var buffer = [UInt8](repeating: 0, count: 64 * KeyEventParser.recordSize)
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count > 0 { return Array(buffer[..<count]) }
      // read(2) fails with ENODEV after the device was unplugged, and returns 0 at the end of a pipe.
      return count < 0 && (errno == EAGAIN || errno == EINTR) ? [] : nil
    })
}

// MARK: - Names of keys

/// The names of keys in linux/input-event-codes.h.
package enum KeyName {
  private static let codes: [String: UInt16] = {
    var codes: [String: UInt16] = [
      "esc": 1, "minus": 12, "equal": 13, "backspace": 14, "tab": 15, "enter": 28, "leftctrl": 29, "leftshift": 42,
      "rightshift": 54, "leftalt": 56, "space": 57, "capslock": 58, "scrolllock": 70, "kpenter": 96, "rightctrl": 97,
      "sysrq": 99, "rightalt": 100, "home": 102, "up": 103, "pageup": 104, "left": 105, "right": 106, "end": 107,
      "down": 108, "pagedown": 109, "insert": 110, "delete": 111, "mute": 113, "volumedown": 114, "volumeup": 115,
      "power": 116, "pause": 119, "stop": 128, "help": 138, "menu": 139, "wakeup": 143, "prog1": 148, "prog2": 149,
      "nextsong": 163, "playpause": 164, "previoussong": 165, "prog3": 202, "prog4": 203, "camera": 212,
      "search": 217, "select": 0x161, "zoom": 0x174, "ok": 0x160, "btn0": 0x100, "btn1": 0x101, "btn2": 0x102,
      "btnleft": 0x110, "btnright": 0x111, "btnmiddle": 0x112, "btntrigger": 0x120, "btnsouth": 0x130,
      "btneast": 0x131, "btnstart": 0x13B, "btntriggerhappy1": 0x2C0, "camerafocus": 0x210,
    ]
    for (start, letters) in [(2, "1234567890"), (16, "qwertyuiop"), (30, "asdfghjkl"), (44, "zxcvbnm")] {
      for (offset, letter) in letters.enumerated() { codes[String(letter)] = UInt16(start + offset) }
    }
    for number in 1...10 { codes["f\(number)"] = UInt16(58 + number) }
    codes["f11"] = 87
    codes["f12"] = 88
    for number in 13...24 { codes["f\(number)"] = UInt16(170 + number) }
    return codes
  }()

  /// Returns the code of a key, given its name with or without `KEY_`, in any case, or its number; nil for an unknown key.
  package static func code(_ name: String) -> UInt16? {
    // The names of ten keys are digits; all other numbers are codes.
    let plain = name.lowercased().filter { $0 != "_" && $0 != "-" && $0 != " " }
    let bare = plain.hasPrefix("key") ? String(plain.dropFirst(3)) : plain
    if let code = codes[bare] { return code }
    guard let code = UInt16(plain), (1...0x2FF).contains(code) else { return nil }
    return code
  }

  package static var all: [String] { codes.keys.sorted() }

  /// A hint that lists the keys.
  static var hint: String {
    "trigger.key is one of \(all.joined(separator: ", ")), or a number of linux/input-event-codes.h."
  }
}
