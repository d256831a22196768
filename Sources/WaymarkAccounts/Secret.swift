/// A text that must be shown to nobody: a passcode, a password, the content of an activation code.
///
/// It has no coding, and says nothing of itself where it is printed, described or mirrored, so that no log that takes a value
/// which holds one takes the text along.
package struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The text itself.
  package let text: String

  /// Keeps a text.
  package init(_ text: String) { self.text = text }

  /// Whether there is nothing to keep.
  package var isEmpty: Bool { text.isEmpty }
  /// What stands where a secret would.
  package var description: String { "[secret]" }
  /// What stands where a secret would.
  package var debugDescription: String { "[secret]" }
  /// No children: a mirror is how values get into dumps.
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}
