package import WaymarkSystem

/// The reason why a code cannot be typed.
package typealias TypingError = Problem<TypingErrorCode>

package enum TypingErrorCode: String, ProblemCode {
  /// The system has no such keyboard layout.
  case unknownLayout
  /// The layout has no key for a character.
  case charactersNotOnLayout
  /// The code has a control character that the configuration refuses.
  case controlCharacter
  /// The code holds a secret.
  case secretPayload
  /// The configuration excludes the symbology.
  case notTyped
  /// A prefix, suffix or separator has an unclosed brace or an unknown key, such as `{Entr}`.
  case badKeys
  /// The pattern of a substitution is not a supported regular expression.
  case badSubstitution
  /// A substitution takes too many steps on the code.
  case substitutionTooSlow
  /// The code, or the result of a substitution, has more than `longest` bytes.
  case tooLong
  /// The kernel cannot create a keyboard, by default with `/dev/uinput`.
  case noKeyboard
  /// The keyboard disappeared; a part of the code may have been typed.
  case keyboardLost
  /// The program ended while it typed; a part of the code was typed.
  case interrupted
}

extension Problem where Kind == TypingErrorCode {
  /// The largest number of bytes that are typed for a code. The largest codes contain seven thousand.
  static var longest: Int { 32_768 }

  /// The error of a code, or of the result of a substitution, with more than `longest` bytes.
  static var tooLong: Self {
    Self(
      .tooLong, "The code is longer than any field takes.", hint: "Shorten it by a substitution (type.substitutions).")
  }
}
