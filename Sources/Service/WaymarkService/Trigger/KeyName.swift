/// Names of keys, as linux/input-event-codes.h has them.
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

  /// The code of a key: its name with or without `KEY_`, in any case, or its number.
  package static func code(_ name: String) -> UInt16? {
    // Ten keys are named by digits; other numbers are codes.
    let plain = name.lowercased().filter { $0 != "_" && $0 != "-" && $0 != " " }
    let bare = plain.hasPrefix("key") ? String(plain.dropFirst(3)) : plain
    if let code = codes[bare] { return code }
    guard let code = UInt16(plain), (1...0x2FF).contains(code) else { return nil }
    return code
  }

  /// Every name, for hints.
  package static var all: [String] { codes.keys.sorted() }
}
