import Glibc

/// Walks over the markers of a JPEG (ITU-T T.81, Annex B) without decoding it.
package enum JPEGStructure {
  /// Where the first picture in `bytes` ends: behind its EOI. nil when it has no beginning or no end.
  package static func pictureEnd(_ bytes: UnsafeRawBufferPointer) -> Int? {
    var end: Int?
    walk(bytes) { marker, range in
      if marker == 0xD9 { end = range.upperBound }
      return true
    }
    return end
  }

  /// The segments up to the EOI, each with its marker's second byte and its place, marker included; of a scan (SOS) the
  /// entropy-coded data too. `visit` returns false to end early.
  package static func walk(_ bytes: UnsafeRawBufferPointer, _ visit: (UInt8, Range<Int>) -> Bool) {
    guard bytes.count >= 4, bytes[0] == 0xFF, bytes[1] == 0xD8 else { return }
    guard visit(0xD8, 0..<2) else { return }
    var position = 2
    while position + 1 < bytes.count {
      guard bytes[position] == 0xFF else { return }
      let marker = bytes[position + 1]
      // Any number of fill bytes may precede a marker.
      if marker == 0xFF {
        position += 1
        continue
      }
      if marker == 0xD9 {
        _ = visit(marker, position..<position + 2)
        return
      }
      // Markers that stand alone.
      if (0xD0...0xD7).contains(marker) || marker == 0x01 {
        guard visit(marker, position..<position + 2) else { return }
        position += 2
        continue
      }
      guard position + 3 < bytes.count else { return }
      let length = Int(bytes[position + 2]) << 8 | Int(bytes[position + 3])
      var end = position + 2 + length
      guard length >= 2, end <= bytes.count else { return }
      if marker == 0xDA {
        guard let next = entropyEnd(bytes, from: end) else { return }
        end = next
      }
      guard visit(marker, position..<end) else { return }
      position = end
    }
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
