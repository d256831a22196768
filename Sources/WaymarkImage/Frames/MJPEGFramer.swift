/// Cuts a stream of bytes into JPEG pictures. What stands between pictures (the headers of a multipart stream, padding) is
/// passed over; a picture that is cut off by the next one's beginning is damaged.
package struct MJPEGFramer: Sendable {
  /// What the stream holds next.
  package enum Item: Sendable, Equatable {
    /// A whole picture at this place in the stream's buffer.
    case picture(Range<Int>)
    /// The beginning of a picture that does not go on as one; ends here.
    case damaged(end: Int)
    /// So much is of no use; then more bytes are needed.
    case more(unused: Int)
  }

  /// Looks at what has come so far, from its beginning.
  package static func next(in bytes: UnsafeRawBufferPointer) -> Item {
    guard let start = beginning(in: bytes, from: 0) else {
      // The last byte may be the first half of a beginning.
      return .more(unused: max(0, bytes.count - 2))
    }
    let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
    switch JPEGStructure.walk(rest, { _, _ in true }) {
    case .whole(let length): return .picture(start..<start + length)
    case .broken(let at): return .damaged(end: start + max(at, 2))
    case .short, .left: return .more(unused: start)
    }
  }

  /// Where the next picture begins: SOI and the first byte of another marker.
  private static func beginning(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    var position = start
    while position + 2 < bytes.count {
      if bytes[position] == 0xFF, bytes[position + 1] == 0xD8, bytes[position + 2] == 0xFF { return position }
      position += 1
    }
    return nil
  }
}
