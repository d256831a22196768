import WaymarkSystem

/// Types codes on a virtual keyboard at a steady pace, one after the other. Use it from one thread at a time. `TypingPlanner` below
/// finds the keys of a code.
package final class KeystrokeTyper {
  /// The number of keys and the time that a code took.
  package struct Report: Hashable, Sendable {
    /// The number of typed keys, modifiers not included.
    package var strokes: Int
    /// The seconds that typing took.
    package var elapsed: Double
  }

  /// The clock and the wait, which tests replace.
  package struct Timing: Sendable {
    package var now: @Sendable () -> Double
    package var wait: @Sendable (_ seconds: Double) -> Void
  }

  private var planner: TypingPlanner
  private var interval: Double
  private let path: String
  private let calls: KeyboardSyscalls
  private let pace: Timing
  private var keyboard: VirtualKeyboard?
  /// The time in seconds from which programs read the keyboard.
  private var settled = 0.0

  /// Seconds until a desktop reads a new keyboard.
  package static let settling = 0.7

  /// - Parameter rate: keys a second. A faster rate would lose keys: for each program that reads a keyboard, the kernel keeps 64
  ///   events, about eight keys, and drops more.
  package init(
    planner: TypingPlanner, rate: Double, path: String, calls: KeyboardSyscalls = .system, pace: Timing
  ) {
    self.planner = planner
    interval = 1 / rate
    self.path = path
    self.calls = calls
    self.pace = pace
  }

  /// Applies a new planner and rate from the next code on; the keyboard stays.
  package func use(_ planner: TypingPlanner, rate: Double) {
    self.planner = planner
    interval = 1 / rate
  }

  /// Creates the keyboard, so that programs have found it before the first code.
  ///
  /// - Throws: `noKeyboard` if it cannot be created.
  @discardableResult package func attach() throws(TypingError) -> VirtualKeyboard {
    if let keyboard { return keyboard }
    let fresh = try VirtualKeyboard(path: path, calls: calls)
    settled = pace.now() + Self.settling
    keyboard = fresh
    return fresh
  }

  /// Types pieces of text.
  ///
  /// - Parameter isInterrupted: called before every key; returns true to release all keys and end typing.
  /// - Throws: `charactersNotOnLayout` before the first key; `noKeyboard` if the keyboard cannot be created; `keyboardLost` if it
  ///   disappears; `interrupted` if `isInterrupted` returned true.
  package func type(
    _ pieces: [KeyText.Piece], isInterrupted: () -> Bool = { false }
  ) throws(TypingError) -> Report {
    let keyboard = try attach()
    let left = settled - pace.now()
    if left > 0 { pace.wait(left) }
    let strokes = try planner.strokes(for: pieces, capsLock: keyboard.capsLock)
    let start = pace.now()
    var next = start
    var sequencer = KeySequencer(layout: planner.layout)
    do throws(TypingError) {
      for stroke in strokes {
        guard !isInterrupted() else {
          keyboard.releaseAll()
          throw TypingError(
            .interrupted, "The program was stopped while it typed.", hint: "Check the field, and scan again.")
        }
        let now = pace.now()
        if next > now { pace.wait(next - now) }
        // The keys do not come faster after a delay, because programs lose keys that come too fast.
        next = max(next, now) + interval
        try keyboard.send(sequencer.transitions(for: stroke))
      }
      try keyboard.send(sequencer.release())
    } catch {
      // The next code creates a new keyboard.
      if error.code == .keyboardLost { self.keyboard = nil }
      throw error
    }
    return Report(strokes: strokes.count, elapsed: pace.now() - start)
  }
}

/// Finds the keys for pieces of text. A code is typed as a whole or not at all.
package struct TypingPlanner: Sendable {
  /// How characters without a key are handled.
  package enum Missing: String, CaseIterable, Sendable {
    /// The code is refused.
    case refuse
    /// Ctrl+Shift+U, the code point and a space, which GTK and IBus support.
    case ctrlShiftU
  }

  package var layout: KeyboardLayout
  package var missing = Missing.refuse
  /// True if accents may be composed of dead keys.
  package var deadKeys = true

  /// Returns the strokes for pieces of text.
  ///
  /// - Throws: `charactersNotOnLayout`, which names the first eight characters that the layout cannot type and
  ///   `missing` does not replace.
  package func strokes(for pieces: [KeyText.Piece], capsLock: Bool = false) throws(TypingError) -> [KeyStroke] {
    guard capsLock else { return try plan(pieces, capsLock: false) }
    do throws(TypingError) {
      return try plan(pieces, capsLock: true)
    } catch {
      // A few letters, such as ß and µ, need Caps Lock off.
      guard let key = layout.capsLockKey else { throw error }
      return [KeyStroke(key)] + (try plan(pieces, capsLock: false)) + [KeyStroke(key)]
    }
  }

  private func plan(_ pieces: [KeyText.Piece], capsLock: Bool) throws(TypingError) -> [KeyStroke] {
    var strokes: [KeyStroke] = []
    var absent: [Unicode.Scalar] = []
    for piece in pieces {
      switch piece {
      case .key(let stroke): strokes.append(stroke)
      case .control(let scalar):
        if let found = layout.strokes(for: scalar, deadKeys: false) {
          strokes += found.map { KeyStroke($0.key, $0.modifiers.union(.control)) }
        } else {
          absent.append(scalar)
        }
      case .text(let text):
        for scalar in text.unicodeScalars {
          if let found = layout.strokes(for: scalar, capsLock: capsLock, deadKeys: deadKeys)
            ?? codePoint(scalar, capsLock: capsLock)
          {
            strokes += found
          } else if !absent.contains(scalar) {
            absent.append(scalar)
          }
        }
      }
    }
    guard absent.isEmpty else {
      let names = absent.prefix(8).map(\.codePoint).joined(separator: ", ")
      throw TypingError(
        .charactersNotOnLayout,
        "The layout \(layout.name.text) has no key for \(names)\(absent.count > 8 ? " and others" : "").",
        hint:
          "Choose another type.layout, replace the characters by type.substitutions, or set type.unicode: ctrlShiftU "
          + "where the programs understand that.")
    }
    return strokes
  }

  /// Returns Ctrl+Shift+U, the digits of the code point and a space; nil if that is not configured, or not on the layout.
  private func codePoint(_ scalar: Unicode.Scalar, capsLock: Bool) -> [KeyStroke]? {
    guard missing == .ctrlShiftU, let letter = layout.strokes(for: "u", deadKeys: false)?.first,
      letter.modifiers.isEmpty
    else { return nil }
    var strokes = [KeyStroke(letter.key, [.control, .shift])]
    for digit in (String(scalar.value, radix: 16) + " ").unicodeScalars {
      guard let found = layout.strokes(for: digit, capsLock: capsLock, deadKeys: false) else { return nil }
      strokes += found
    }
    return strokes
  }
}
