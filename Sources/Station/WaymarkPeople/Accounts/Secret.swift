/// A text that must be shown to nobody: a passcode, a password, the content of an activation code.
///
/// It has no coding, and says nothing of itself where it is printed, described or mirrored, so that no log that takes a value
/// which holds one takes the text along.
package struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The text itself.
  package let text: String

  /// Keeps a text.
  package init(_ text: String) { self.text = text }

  /// True if there is nothing to keep.
  package var isEmpty: Bool { text.isEmpty }
  /// The placeholder for a secret.
  package var description: String { "[secret]" }
  /// The placeholder for a secret.
  package var debugDescription: String { "[secret]" }
  /// No children: a mirror is how values get into dumps.
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}
