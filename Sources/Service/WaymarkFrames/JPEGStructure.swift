import Glibc

/// Walks over the markers of a JPEG (ITU-T T.81, Annex B) without decoding it.
package enum JPEGStructure {
  /// How a walk ended.
  package enum End: Sendable, Equatable {
    /// Behind the EOI, at this place.
    case whole(Int)
    /// The bytes end before the picture does.
    case short
    /// The character at this place cannot stand there.
    case broken(at: Int)
    /// `visit` had seen enough.
    case left
  }

  /// Where the first picture in `bytes` ends: behind its EOI. nil when it has no beginning or no end.
  package static func pictureEnd(_ bytes: UnsafeRawBufferPointer) -> Int? {
    guard case .whole(let end) = walk(bytes, { _, _ in true }) else { return nil }
    return end
  }

  /// The position of a walk over a picture that is not complete: it goes on there, so that each byte is looked at once
  /// however small the pieces are in which it comes.
  package struct Progress: Sendable, Equatable {
    /// Where the next marker stands, or is to be looked for.
    package fileprivate(set) var position = 0
    /// How far the entropy-coded data behind the marker at `position` was searched for its end.
    fileprivate var searched: Int?

    /// The beginning of a picture.
    package init() {}
  }

  /// The segments up to the EOI, each with its marker's second byte and its place, marker included; of a scan (SOS) the
  /// entropy-coded data too. `visit` returns false to end early.
  package static func walk(_ bytes: UnsafeRawBufferPointer, _ visit: (UInt8, Range<Int>) -> Bool) -> End {
    var progress = Progress()
    return walk(bytes, resuming: &progress, visit)
  }

  /// The same, going on where an earlier walk over the same bytes found them too short.
  static func walk(
    _ bytes: UnsafeRawBufferPointer, resuming progress: inout Progress, _ visit: (UInt8, Range<Int>) -> Bool
  ) -> End {
    guard bytes.count >= 2 else { return .short }
    var position = progress.position
    defer { progress.position = position }
    if position == 0 {
      guard bytes[0] == 0xFF, bytes[1] == 0xD8 else { return .broken(at: 0) }
      guard visit(0xD8, 0..<2) else { return .left }
      position = 2
    }
    while position + 1 < bytes.count {
      guard bytes[position] == 0xFF else { return .broken(at: position) }
      let marker = bytes[position + 1]
      switch marker {
      case 0xFF:
        // Any number of fill bytes may precede a marker.
        position += 1
      case 0xD9:
        return visit(marker, position..<position + 2) ? .whole(position + 2) : .left
      case 0xD0...0xD7, 0x01:
        // Markers that stand alone.
        guard visit(marker, position..<position + 2) else { return .left }
        position += 2
      case 0x00, 0xD8:
        return .broken(at: position)
      default:
        guard position + 3 < bytes.count else { return .short }
        let length = Int(bytes[position + 2]) << 8 | Int(bytes[position + 3])
        guard length >= 2 else { return .broken(at: position) }
        var end = position + 2 + length
        guard end <= bytes.count else { return .short }
        if marker == 0xDA {
          var searched = progress.searched ?? end
          guard let next = entropyEnd(bytes, from: &searched) else {
            progress.searched = searched
            return .short
          }
          progress.searched = nil
          end = next
        }
        guard visit(marker, position..<end) else { return .left }
        position = end
      }
    }
    return .short
  }

  /// The first marker behind entropy-coded data that is neither a stuffed byte nor a restart; without one `position` says
  /// from where on more bytes may show it.
  private static func entropyEnd(_ bytes: UnsafeRawBufferPointer, from position: inout Int) -> Int? {
    guard let base = bytes.baseAddress else { return nil }
    while position + 1 < bytes.count {
      guard let found = memchr(base + position, 0xFF, bytes.count - position - 1) else {
        position = bytes.count - 1
        return nil
      }
      let at = base.distance(to: UnsafeRawPointer(found))
      let next = bytes[at + 1]
      if next != 0x00 && next != 0xFF && !(0xD0...0xD7).contains(next) { return at }
      position = next == 0xFF ? at + 1 : at + 2
    }
    return nil
  }
}
