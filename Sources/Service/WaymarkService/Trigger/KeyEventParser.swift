/// Finds presses of one key in the records of an input device (`struct input_event`, linux/input.h).
package struct KeyEventParser: Sendable {
  /// The key's code, linux/input-event-codes.h.
  package let key: UInt16
  /// The bytes of a record so far.
  private var pending: [UInt8] = []
  /// The kernel's buffer overflowed: everything up to the next report is in pieces.
  private var isDropping = false

  /// Time (two words of 64 bits), type and code (16 bits each), value (32 bits).
  package static let recordSize = 24

  private static let synchronisation: UInt16 = 0
  private static let keyType: UInt16 = 1
  private static let report: UInt16 = 0
  private static let dropped: UInt16 = 3

  /// A parser for that key.
  package init(key: UInt16) { self.key = key }

  /// Takes bytes as they come; returns how many times the key went down. Repeats of a held key do not count.
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

  /// In the machine's order of bytes, as the kernel writes it; x86-64 and AArch64 are little-endian.
  private func word(at index: Int) -> UInt16 { UInt16(pending[index]) | UInt16(pending[index + 1]) << 8 }
}
