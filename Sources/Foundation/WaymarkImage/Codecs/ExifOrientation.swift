/// Finds the EXIF orientation in a picture file: APP1 of a JPEG, `eXIf` of a PNG, `EXIF` of a WebP.
enum ExifOrientation {
  /// `.upright` where there is none, or none that makes sense.
  static func find(in bytes: UnsafeRawBufferPointer, format: PictureFormat) -> Orientation {
    let file = ByteReader(bytes)
    let value: Int? =
      switch format {
      case .jpeg: inJPEG(file)
      case .png: inPNG(file)
      case .webp: inWebP(file)
      case .bmp, .gif, .pnm: nil
      }
    return value.flatMap(Orientation.init(rawValue:)) ?? .upright
  }

  private static func inJPEG(_ file: ByteReader) -> Int? {
    var at = 2
    while let lead = file.byte(at), lead == 0xFF, let marker = file.byte(at + 1) {
      if marker == 0xFF {  // fill byte, T.81 B.1.1.2
        at += 1
        continue
      }
      if marker == 0xDA || marker == 0xD9 { return nil }  // the picture itself begins, or all ends
      guard let length = file.uint16(at + 2, littleEndian: false), length >= 2 else { return nil }
      if marker == 0xE1, file.hasPrefix("Exif\0\0", at: at + 4), length >= 8,
        let tiff = file.slice(at + 10, length - 8), let found = inTIFF(tiff)
      {
        return found
      }
      at += 2 + length
    }
    return nil
  }

  private static func inPNG(_ file: ByteReader) -> Int? {
    var at = 8
    while let length = file.uint32(at, littleEndian: false), length <= file.count {
      if file.hasPrefix("eXIf", at: at + 4) { return file.slice(at + 8, length).flatMap(inTIFF) }
      if file.hasPrefix("IEND", at: at + 4) { return nil }
      at += 12 + length
    }
    return nil
  }

  private static func inWebP(_ file: ByteReader) -> Int? {
    var at = 12
    while let length = file.uint32(at + 4, littleEndian: true), length <= file.count {
      if file.hasPrefix("EXIF", at: at), var tiff = file.slice(at + 8, length) {
        // Some writers put JPEG's prefix before it.
        if tiff.hasPrefix("Exif\0\0"), let rest = tiff.slice(6, tiff.count - 6) { tiff = rest }
        return inTIFF(tiff)
      }
      at += 8 + length + (length & 1)
    }
    return nil
  }

  /// Tag 0x0112 of the first directory (TIFF 6.0, section 2).
  private static func inTIFF(_ tiff: ByteReader) -> Int? {
    let little = tiff.hasPrefix("II")
    guard little || tiff.hasPrefix("MM"), tiff.uint16(2, littleEndian: little) == 42,
      let directory = tiff.uint32(4, littleEndian: little),
      let entries = tiff.uint16(directory, littleEndian: little)
    else { return nil }
    for i in 0..<entries {
      let entry = directory + 2 + 12 * i
      guard let tag = tiff.uint16(entry, littleEndian: little) else { return nil }
      if tag == 0x0112 {
        switch tiff.uint16(entry + 2, littleEndian: little) {
        case 3: return tiff.uint16(entry + 8, littleEndian: little)  // SHORT
        case 4: return tiff.uint32(entry + 8, littleEndian: little)  // LONG, which some writers use
        default: return nil
        }
      }
    }
    return nil
  }
}
