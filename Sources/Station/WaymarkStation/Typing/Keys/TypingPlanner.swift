import WaymarkSystem

/// Finds the keys for what is to be typed. Either all of it can be typed or none is: half a code is worse than none.
package struct TypingPlanner: Sendable {
  /// The treatment of characters that the layout has no key for.
  package enum Missing: String, CaseIterable, Sendable {
    /// The code is refused.
    case refuse
    /// Ctrl+Shift+U, the code point and a space, which GTK and IBus take.
    case ctrlShiftU
  }

  package var layout: KeyboardLayout
  package var missing = Missing.refuse
  /// True if accents may be put together from dead keys.
  package var deadKeys = true

  package init(layout: KeyboardLayout, missing: Missing = .refuse, deadKeys: Bool = true) {
    self.layout = layout
    self.missing = missing
    self.deadKeys = deadKeys
  }

  /// The strokes for what is to be typed.
  ///
  /// - Parameter capsLock: whether Caps Lock is on.
  /// - Throws: `charactersNotOnLayout`, which names them.
  package func strokes(for pieces: [KeyText.Piece], capsLock: Bool = false) throws(TypingError) -> [KeyStroke] {
    guard capsLock else { return try plan(pieces, capsLock: false) }
    do throws(TypingError) {
      return try plan(pieces, capsLock: true)
    } catch {
      // A few letters, such as ß and µ, are out of reach then: off with it for a moment.
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

  /// Ctrl+Shift+U and the digits, where that is wanted and the layout has them.
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
