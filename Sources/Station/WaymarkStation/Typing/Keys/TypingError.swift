package import WaymarkSystem

/// Why something was not typed.
package typealias TypingError = Problem<TypingErrorCode>

/// The codes of `TypingError`.
package enum TypingErrorCode: String, ProblemCode {
  /// The system has no such keyboard layout.
  case unknownLayout
  /// The layout has no key for a character, and no other way is configured.
  case charactersNotOnLayout
  /// A control character, which nothing in the configuration allows.
  case controlCharacter
  /// An onboarding payload, with a secret in it.
  case secretPayload
  /// The configuration says that such codes are not typed.
  case notTyped
  /// A text of keys, such as `{Enter}`, that is not understood.
  case badKeys
  /// A substitution that is not a valid regular expression.
  case badSubstitution
  /// A substitution that would take too long on this code.
  case substitutionTooSlow
  /// More than any field would take.
  case tooLong
  /// No keyboard can be made of `/dev/uinput`.
  case noKeyboard
  /// The keyboard went away while it typed; a part of the code may have been typed.
  case keyboardLost
  /// The program ended while it typed; a part of the code was typed.
  case interrupted
}

extension Problem where Kind == TypingErrorCode {
  /// Bytes that are typed for one code at most: the largest codes hold seven thousand.
  static var longest: Int { 32_768 }

  /// A code, or what a substitution made of it, that is longer than that.
  static var tooLong: Self {
    Self(
      .tooLong, "The code is longer than any field takes.", hint: "Shorten it by a substitution (type.substitutions).")
  }
}
