package import NIOCore

/// Splits a byte stream into lines at LF. At most one incomplete line is kept between reads if `next` is called until it returns nil.
package struct LineFramer {
  /// The next part of the stream.
  package enum Next {
    /// A line without its line feed.
    case line(ByteBufferView)
    /// More than `limit` bytes without a line feed; the rest of the stream cannot be interpreted.
    case tooLong
  }

  /// The maximum bytes of a line, without its line feed.
  package let limit: Int
  private var buffer = ByteBuffer()
  private var scanned = 0

  /// Creates an empty framer.
  package init(limit: Int = 64 << 10) { self.limit = limit }

  package var pending: Int { buffer.readableBytes }

  /// True if there are bytes that `next()` has not scanned, or more bytes than the limit of a line.
  package var mayHoldLine: Bool { scanned < buffer.readableBytes || buffer.readableBytes > limit }

  /// Appends received bytes. If no other bytes are pending, keeps their buffer itself, without a copy.
  package mutating func append(_ bytes: inout ByteBuffer) {
    if buffer.readableBytes == 0 {
      buffer = bytes
    } else {
      buffer.discardReadBytes()
      buffer.writeBuffer(&bytes)
    }
  }

  /// Removes and returns up to `count` bytes that are not lines.
  package mutating func take(upTo count: Int) -> ByteBuffer {
    scanned = 0
    return buffer.readSlice(length: min(count, buffer.readableBytes)) ?? ByteBuffer()
  }

  /// Removes and returns the next line; `nil` if it is not complete yet.
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
