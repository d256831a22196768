/// A text that must not be shown or logged: a passcode, a password, the content of an activation code.
///
/// The type is not `Codable`, and its descriptions and its mirror hide the text, so that logging a value that contains a secret
/// does not reveal it.
package struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package let text: String

  package init(_ text: String) { self.text = text }

  package var isEmpty: Bool { text.isEmpty }
  package var description: String { "[secret]" }
  package var debugDescription: String { "[secret]" }
  /// A mirror without children, because `dump` reads it.
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}
