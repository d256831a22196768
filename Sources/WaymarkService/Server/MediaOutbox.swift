import NIOCore

/// What waits on a media connection: answers in order, and at most one live picture.
struct MediaOutbox {
  private var replies: [ByteBuffer] = []
  private var live: ByteBuffer?

  /// Whether nothing waits.
  var isIdle: Bool { replies.isEmpty && live == nil }

  mutating func push(reply bytes: ByteBuffer) { replies.append(bytes) }

  mutating func push(live bytes: ByteBuffer) { live = bytes }

  mutating func pop() -> ByteBuffer? {
    if !replies.isEmpty { return replies.removeFirst() }
    defer { live = nil }
    return live
  }
}
