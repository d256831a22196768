/// Cuts a stream of bytes into JPEG pictures. What stands between pictures (the headers of a multipart stream, padding) is
/// skipped; a picture that is cut off by the next one's beginning is damaged.
///
/// It remembers how far it came, so that the work is linear in the bytes however few come at a time.
package struct MJPEGFramer: Sendable {
  /// The next part of the stream.
  package enum Item: Sendable, Equatable {
    /// A whole picture at this place in the stream's buffer.
    case picture(Range<Int>)
    /// The beginning of a picture that does not go on as one; ends here.
    case damaged(end: Int)
    /// So much is of no use; then more bytes are needed.
    case more(unused: Int)
  }

  /// How far the picture that the bytes begin with was walked over; nil while none has begun.
  package private(set) var progress: JPEGStructure.Progress?

  /// A framer at the beginning of a stream.
  package init() {}

  /// Looks at what has come so far and was not used up.
  ///
  /// After `more` the next call wants the same bytes without the unused ones, and with what has come since.
  package mutating func next(in bytes: UnsafeRawBufferPointer) -> Item {
    let start: Int
    if progress != nil {
      start = 0
    } else if let found = Self.beginning(in: bytes) {
      start = found
    } else {
      // The last bytes may be the first part of a beginning.
      return .more(unused: max(0, bytes.count - 2))
    }
    var walked = progress ?? JPEGStructure.Progress()
    progress = nil
    let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
    switch JPEGStructure.walk(rest, resuming: &walked, { _, _ in true }) {
    case .whole(let length): return .picture(start..<start + length)
    case .broken(let at): return .damaged(end: start + max(at, 2))
    case .short, .left:
      progress = walked
      return .more(unused: start)
    }
  }

  /// Where the next picture begins: SOI and the first byte of another marker.
  private static func beginning(in bytes: UnsafeRawBufferPointer) -> Int? {
    var position = 0
    while position + 2 < bytes.count {
      if bytes[position] == 0xFF, bytes[position + 1] == 0xD8, bytes[position + 2] == 0xFF { return position }
      position += 1
    }
    return nil
  }
}
