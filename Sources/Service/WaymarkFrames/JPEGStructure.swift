import Glibc
package import WaymarkImage

/// Parses the marker segments of a JPEG (ITU-T T.81, Annex B) without decoding it. `MJPEGToJPEG` below makes complete
/// JPEG files from frames of Motion JPEG.
package enum JPEGStructure {
  package enum End: Sendable, Equatable {
    /// The picture is complete; its EOI ends at this offset.
    case whole(Int)
    /// The bytes end before the EOI.
    case short
    /// The byte at this offset is invalid.
    case broken(at: Int)
    /// `visit` returned false.
    case left
  }

  /// Returns the offset after the EOI of the picture at the beginning of `bytes`; nil if there is no picture, or it has no EOI.
  package static func pictureEnd(_ bytes: UnsafeRawBufferPointer) -> Int? {
    guard case .whole(let end) = walk(bytes, { _, _ in true }) else { return nil }
    return end
  }

  /// The state of a walk over an incomplete picture. The next walk continues from it, so that each byte is read once.
  package struct Progress: Sendable, Equatable {
    /// The offset at which the next marker is expected.
    package fileprivate(set) var position = 0
    /// The offset up to which the entropy-coded data of the segment at `position` was searched for its end; nil outside such data.
    fileprivate var searched: Int?

    package init() {}
  }

  /// Walks over the segments up to the EOI.
  ///
  /// - Parameter visit: receives the second byte of each marker, and the range of its segment. The range includes the marker and,
  ///   after SOS, the entropy-coded data. Returns false to end the walk.
  package static func walk(_ bytes: UnsafeRawBufferPointer, _ visit: (UInt8, Range<Int>) -> Bool) -> End {
    var progress = Progress()
    return walk(bytes, resuming: &progress, visit)
  }

  /// Continues an earlier walk over the same bytes, to which more may have been appended.
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
        // Markers without a length.
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

  /// Returns the offset of the marker that ends entropy-coded data; stuffed bytes and restart markers do not end it.
  ///
  /// - Returns: nil if the bytes end before the marker; `position` is then the offset from which to search when more bytes arrive.
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

extension JPEGStructure {
  /// Returns the size in pixels in a picture's frame header (SOF, T.81 B.2.2); nil without such a header, or if a side is 0.
  package static func pictureSize(_ bytes: UnsafeRawBufferPointer) -> (width: Int, height: Int)? {
    var size: (width: Int, height: Int)?
    _ = walk(bytes) { marker, range in
      // SOF0 to SOF15, except DHT (C4), JPG (C8) and DAC (CC).
      guard (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker), range.count >= 9 else { return true }
      let at = range.lowerBound
      size = (
        width: Int(bytes[at + 7]) << 8 | Int(bytes[at + 8]), height: Int(bytes[at + 5]) << 8 | Int(bytes[at + 6])
      )
      return false
    }
    return size.flatMap { $0.width > 0 && $0.height > 0 ? $0 : nil }
  }
}

// MARK: - Conversion to files

/// Converts a Motion JPEG frame to a JPEG file: adds the orientation, and the Huffman tables that cameras omit (the AVI1
/// convention).
package enum MJPEGToJPEG {
  /// Returns a complete JPEG file.
  ///
  /// - Parameter orientation: the orientation, which is written as an EXIF tag unless it is upright.
  package static func complete(_ picture: UnsafeRawBufferPointer, orientation: Orientation) -> [UInt8] {
    var hasTables = false
    var tablesGo = 2
    _ = JPEGStructure.walk(picture) { marker, range in
      if marker == 0xC4 { hasTables = true }
      if marker == 0xDA { tablesGo = range.lowerBound }
      return marker != 0xC4 && marker != 0xDA
    }
    guard picture.count > 2, orientation != .upright || !hasTables else { return Array(picture) }
    var file: [UInt8] = []
    file.reserveCapacity(picture.count + 500)
    file += picture[..<2]
    if orientation != .upright { file += exif(orientation) }
    if hasTables {
      file += picture[2...]
    } else {
      file += picture[2..<tablesGo]
      file += [0xFF, 0xC4, UInt8((standardTables.count + 2) >> 8), UInt8((standardTables.count + 2) & 0xFF)]
      file += standardTables
      file += picture[tablesGo...]
    }
    return file
  }

  /// Returns an APP1 segment with one EXIF tag, Orientation (CIPA DC-008, 4.5.4 and 4.6.4).
  private static func exif(_ orientation: Orientation) -> [UInt8] {
    [0xFF, 0xE1, 0x00, 0x22] + Array("Exif\0\0MM".utf8) + [
      0x00, 0x2A, 0x00, 0x00, 0x00, 0x08, 0x00, 0x01,
      0x01, 0x12, 0x00, 0x03, 0x00, 0x00, 0x00, 0x01, 0x00, UInt8(orientation.rawValue), 0x00, 0x00,
      0x00, 0x00, 0x00, 0x00,
    ]
  }

  /// The typical Huffman tables of ITU-T T.81, Annex K.3.3, in the format of a DHT segment.
  private static let standardTables: [UInt8] = [
    // DC luma (table K.3).
    0x00, 0x00, 0x01, 0x05, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x0B,
    // AC luma (table K.5).
    0x10, 0x00, 0x02, 0x01, 0x03, 0x03, 0x02, 0x04, 0x03, 0x05, 0x05, 0x04, 0x04, 0x00, 0x00, 0x01, 0x7D, 0x01,
    0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61, 0x07, 0x22, 0x71, 0x14,
    0x32, 0x81, 0x91, 0xA1, 0x08, 0x23, 0x42, 0xB1, 0xC1, 0x15, 0x52, 0xD1, 0xF0, 0x24, 0x33, 0x62, 0x72, 0x82,
    0x09, 0x0A, 0x16, 0x17, 0x18, 0x19, 0x1A, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2A, 0x34, 0x35, 0x36, 0x37, 0x38,
    0x39, 0x3A, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4A, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5A,
    0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6A, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7A, 0x83, 0x84,
    0x85, 0x86, 0x87, 0x88, 0x89, 0x8A, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9A, 0xA2, 0xA3, 0xA4,
    0xA5, 0xA6, 0xA7, 0xA8, 0xA9, 0xAA, 0xB2, 0xB3, 0xB4, 0xB5, 0xB6, 0xB7, 0xB8, 0xB9, 0xBA, 0xC2, 0xC3, 0xC4,
    0xC5, 0xC6, 0xC7, 0xC8, 0xC9, 0xCA, 0xD2, 0xD3, 0xD4, 0xD5, 0xD6, 0xD7, 0xD8, 0xD9, 0xDA, 0xE1, 0xE2, 0xE3,
    0xE4, 0xE5, 0xE6, 0xE7, 0xE8, 0xE9, 0xEA, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF8, 0xF9, 0xFA,
    // DC chroma (table K.4).
    0x01, 0x00, 0x03, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x0B,
    // AC chroma (table K.6).
    0x11, 0x00, 0x02, 0x01, 0x02, 0x04, 0x04, 0x03, 0x04, 0x07, 0x05, 0x04, 0x04, 0x00, 0x01, 0x02, 0x77, 0x00,
    0x01, 0x02, 0x03, 0x11, 0x04, 0x05, 0x21, 0x31, 0x06, 0x12, 0x41, 0x51, 0x07, 0x61, 0x71, 0x13, 0x22, 0x32,
    0x81, 0x08, 0x14, 0x42, 0x91, 0xA1, 0xB1, 0xC1, 0x09, 0x23, 0x33, 0x52, 0xF0, 0x15, 0x62, 0x72, 0xD1, 0x0A,
    0x16, 0x24, 0x34, 0xE1, 0x25, 0xF1, 0x17, 0x18, 0x19, 0x1A, 0x26, 0x27, 0x28, 0x29, 0x2A, 0x35, 0x36, 0x37,
    0x38, 0x39, 0x3A, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4A, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59,
    0x5A, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6A, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7A, 0x82,
    0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8A, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9A, 0xA2,
    0xA3, 0xA4, 0xA5, 0xA6, 0xA7, 0xA8, 0xA9, 0xAA, 0xB2, 0xB3, 0xB4, 0xB5, 0xB6, 0xB7, 0xB8, 0xB9, 0xBA, 0xC2,
    0xC3, 0xC4, 0xC5, 0xC6, 0xC7, 0xC8, 0xC9, 0xCA, 0xD2, 0xD3, 0xD4, 0xD5, 0xD6, 0xD7, 0xD8, 0xD9, 0xDA, 0xE2,
    0xE3, 0xE4, 0xE5, 0xE6, 0xE7, 0xE8, 0xE9, 0xEA, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF8, 0xF9, 0xFA,
  ]
}
