package import WaymarkSystem

/// Why a code cannot be typed.
package typealias TypingError = Problem<TypingErrorCode>

/// The codes of `TypingError`.
package enum TypingErrorCode: String, ProblemCode {
  /// The system has no such keyboard layout.
  case unknownLayout
  /// The layout has no key for a character.
  case charactersNotOnLayout
  /// A control character that the configuration refuses.
  case controlCharacter
  /// A code with a secret.
  case secretPayload
  /// The configuration excludes the symbology.
  case notTyped
  /// An invalid text of keys, such as `{Entr}`.
  case badKeys
  /// A substitution that is not a supported regular expression.
  case badSubstitution
  /// A substitution that takes too many steps on a code.
  case substitutionTooSlow
  /// A code that is too long.
  case tooLong
  /// `/dev/uinput` cannot make a keyboard.
  case noKeyboard
  /// The keyboard disappeared; a part of the code may have been typed.
  case keyboardLost
  /// The program ended while it typed; a part of the code was typed.
  case interrupted
}

extension Problem where Kind == TypingErrorCode {
  /// The largest number of bytes that are typed for a code; the largest codes hold seven thousand.
  static var longest: Int { 32_768 }

  /// A code, or the result of a substitution, is longer than `longest`.
  static var tooLong: Self {
    Self(
      .tooLong, "The code is longer than any field takes.", hint: "Shorten it by a substitution (type.substitutions).")
  }
}
