/// The orientation of the stored pixels relative to the upright picture: EXIF tag 0x0112, values 1 to 8 (CIPA DC-008,
/// "Orientation"). A case is named after the operation that makes the picture upright. `ExifOrientation` below finds the
/// orientation in picture files.
public enum Orientation: Int, Sendable, CaseIterable {
  /// The stored pixels are upright.
  case upright = 1
  /// Mirror left and right.
  case mirror = 2
  /// Rotate by 180°.
  case turn180 = 3
  /// Mirror top and bottom.
  case flip = 4
  /// Exchange rows and columns (mirror over the main diagonal).
  case transpose = 5
  /// Rotate by 90° clockwise.
  case turn90 = 6
  /// Mirror over the other diagonal.
  case transverse = 7
  /// Rotate by 90° counter-clockwise.
  case turn270 = 8

  /// Creates the orientation from a number of clockwise quarter turns; negative numbers are counter-clockwise.
  public init(quarterTurns: Int) {
    self =
      switch ((quarterTurns % 4) + 4) % 4 {
      case 1: .turn90
      case 2: .turn180
      case 3: .turn270
      default: .upright
      }
  }

  /// True if width and height are exchanged.
  public var swapsSides: Bool { rawValue >= 5 }

  /// Returns how to read the source while the destination is written row by row. The results are the index of the first pixel, the
  /// step to the next pixel of a row and the step to the next row, in pixels of a source of `width` × `height`.
  private func steps(width w: Int, height h: Int) -> (start: Int, column: Int, row: Int) {
    switch self {
    case .upright: (0, 1, w)
    case .mirror: (w - 1, -1, w)
    case .turn180: (w * h - 1, -1, -w)
    case .flip: ((h - 1) * w, 1, -w)
    case .transpose: (0, w, 1)
    case .turn90: ((h - 1) * w, -w, 1)
    case .transverse: (w * h - 1, -w, -1)
    case .turn270: (w - 1, w, -1)
    }
  }

  /// Writes the upright picture. `source` and `destination` have no gaps between rows and do not overlap.
  ///
  /// - Parameter channels: the number of bytes per pixel.
  package func apply(
    _ source: UnsafePointer<UInt8>, width: Int, height: Int, channels: Int,
    to destination: UnsafeMutablePointer<UInt8>
  ) {
    guard width > 0, height > 0 else { return }
    let (start, column, row) = steps(width: width, height: height)
    let columns = swapsSides ? height : width
    let rows = swapsSides ? width : height
    // The pixels are copied in tiles; otherwise a quarter turn would load a new cache line for every pixel.
    let tile = 32
    for top in stride(from: 0, to: rows, by: tile) {
      for left in stride(from: 0, to: columns, by: tile) {
        for y in top..<min(rows, top + tile) {
          var from = start + y * row + left * column
          for x in left..<min(columns, left + tile) {
            let to = y &* columns &+ x
            if channels == 1 {
              destination[to] = source[from]
            } else {
              for c in 0..<channels { destination[to &* channels &+ c] = source[from &* channels &+ c] }
            }
            from &+= column
          }
        }
      }
    }
  }
}

// MARK: - Pictures

extension BytePicture {
  /// Returns the upright picture. If it is upright already, the result shares its pixels.
  func upright(from orientation: Orientation) -> Self {
    guard orientation != .upright else { return self }
    let turned = PixelBuffer(capacity: Self.channels * width * height)
    orientation.apply(buffer.bytes, width: width, height: height, channels: Self.channels, to: turned.bytes)
    return orientation.swapsSides
      ? Self(width: height, height: width, buffer: turned) : Self(width: width, height: height, buffer: turned)
  }
}

extension GrayImage {
  /// Returns the upright picture. If it is upright already, the result shares its pixels.
  public func oriented(_ orientation: Orientation) -> GrayImage { upright(from: orientation) }
}

extension RGBImage {
  /// Returns the upright picture. If it is upright already, the result shares its pixels.
  public func oriented(_ orientation: Orientation) -> RGBImage { upright(from: orientation) }
}

// MARK: - EXIF

/// Finds the EXIF orientation in a picture file: APP1 of a JPEG, `eXIf` of a PNG, `EXIF` of a WebP.
enum ExifOrientation {
  /// Returns the orientation of a file's pixels; `.upright` if the file declares no valid orientation.
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
      if marker == 0xDA || marker == 0xD9 { return nil }  // start of scan or end of image
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
        // Some writers add JPEG's prefix.
        if tiff.hasPrefix("Exif\0\0"), let rest = tiff.slice(6, tiff.count - 6) { tiff = rest }
        return inTIFF(tiff)
      }
      at += 8 + length + (length & 1)
    }
    return nil
  }

  /// Returns the value of tag 0x0112 in the first directory (TIFF 6.0, section 2).
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
