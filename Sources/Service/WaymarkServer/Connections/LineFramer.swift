package import NIOCore

/// Cuts a stream into lines at LF. Holds at most one line's worth of bytes beyond what one read brought.
package struct LineFramer {
  /// The next part of the stream.
  package enum Next {
    /// A line without its line feed.
    case line(ByteBufferView)
    /// More than `limit` bytes without a line feed; nothing behind it can be trusted.
    case tooLong
  }

  /// The longest line, without its line feed.
  package let limit: Int
  private var buffer = ByteBuffer()
  private var scanned = 0

  /// A framer with nothing in it.
  package init(limit: Int = 64 << 10) { self.limit = limit }

  /// Bytes that wait.
  package var pending: Int { buffer.readableBytes }

  /// True if bytes wait that `next` has not looked at, or that are more than a line.
  package var mayHoldLine: Bool { scanned < buffer.readableBytes || buffer.readableBytes > limit }

  /// Takes what a read brought.
  package mutating func append(_ bytes: inout ByteBuffer) {
    if buffer.readableBytes == 0 {
      buffer = bytes
    } else {
      buffer.discardReadBytes()
      buffer.writeBuffer(&bytes)
    }
  }

  /// Bytes that are not lines: as many as are there, at most `count`.
  package mutating func take(upTo count: Int) -> ByteBuffer {
    scanned = 0
    return buffer.readSlice(length: min(count, buffer.readableBytes)) ?? ByteBuffer()
  }

  /// The next whole line; `nil` when it is not complete yet.
  package mutating func next() -> Next? {
    let view = buffer.readableBytesView
    guard let end = view[view.startIndex.advanced(by: scanned)...].firstIndex(of: UInt8(ascii: "\n")) else {
      scanned = view.count
      return scanned > limit ? .tooLong : nil
    }
    let length = end - view.startIndex
    guard length <= limit else { return .tooLong }
    buffer.moveReaderIndex(forwardBy: length + 1)
    scanned = 0
    return .line(view[view.startIndex..<end])
  }
}
