import NIOCore

/// What waits on a media connection: answers in order, and at most one live picture.
struct MediaOutbox {
  private var replies = Outbox(limit: .max)
  private var live: ByteBuffer?

  /// Whether nothing waits.
  var isIdle: Bool { replies.isEmpty && live == nil }

  /// Bytes of answers that wait. A live picture takes the place of the one before it and counts for nothing.
  var byteCount: Int { replies.byteCount }

  mutating func push(reply bytes: ByteBuffer) { replies.push(reply: bytes) }

  mutating func push(live bytes: ByteBuffer) { live = bytes }

  mutating func pop() -> ByteBuffer? {
    if let reply = replies.pop() { return reply.bytes }
    defer { live = nil }
    return live
  }
}
