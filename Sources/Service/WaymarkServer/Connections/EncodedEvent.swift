import NIOCore
import WaymarkProtocol

/// An event as bytes: encoded once for all, and once more without its secrets where it has some.
package struct EncodedEvent {
  /// Its name, for subscriptions.
  let name: String
  /// Its counter.
  let seq: Int
  /// Newer ones of the same key replace it in an outbox.
  let key: String?
  private let full: ByteBuffer
  private let redacted: ByteBuffer?

  init(name: String, seq: Int, key: String?, full: ByteBuffer, redacted: ByteBuffer?) {
    self.name = name
    self.seq = seq
    self.key = key
    self.full = full
    self.redacted = redacted
  }

  /// Bytes that it holds.
  var size: Int { full.readableBytes + (redacted?.readableBytes ?? 0) }

  /// The line for a role.
  func bytes(for role: Role) -> ByteBuffer { role == .operator ? full : redacted ?? full }
}
