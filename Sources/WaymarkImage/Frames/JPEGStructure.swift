import Glibc

/// Walks over the markers of a JPEG (ITU-T T.81, Annex B) without decoding it.
package enum JPEGStructure {
  /// How a walk ended.
  package enum End: Sendable, Equatable {
    /// Behind the EOI, at this place.
    case whole(Int)
    /// The bytes end before the picture does.
    case short
    /// What stands at this place cannot stand there.
    case broken(at: Int)
    /// `visit` had seen enough.
    case left
  }

  /// Where the first picture in `bytes` ends: behind its EOI. nil when it has no beginning or no end.
  package static func pictureEnd(_ bytes: UnsafeRawBufferPointer) -> Int? {
    guard case .whole(let end) = walk(bytes, { _, _ in true }) else { return nil }
    return end
  }

  /// The segments up to the EOI, each with its marker's second byte and its place, marker included; of a scan (SOS) the
  /// entropy-coded data too. `visit` returns false to end early.
  package static func walk(_ bytes: UnsafeRawBufferPointer, _ visit: (UInt8, Range<Int>) -> Bool) -> End {
    guard bytes.count >= 2 else { return .short }
    guard bytes[0] == 0xFF, bytes[1] == 0xD8 else { return .broken(at: 0) }
    guard visit(0xD8, 0..<2) else { return .left }
    var position = 2
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
          guard let next = entropyEnd(bytes, from: end) else { return .short }
          end = next
        }
        guard visit(marker, position..<end) else { return .left }
        position = end
      }
    }
    return .short
  }

  /// The first marker behind entropy-coded data that is neither a stuffed byte nor a restart.
  private static func entropyEnd(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    guard let base = bytes.baseAddress else { return nil }
    var position = start
    while position + 1 < bytes.count, let found = memchr(base + position, 0xFF, bytes.count - position - 1) {
      let at = base.distance(to: UnsafeRawPointer(found))
      let next = bytes[at + 1]
      if next != 0x00 && next != 0xFF && !(0xD0...0xD7).contains(next) { return at }
      position = next == 0xFF ? at + 1 : at + 2
    }
    return nil
  }
}
