import WaymarkSystem

/// The headers of a BMP file: the file header of 14 bytes, one of the seven headers of bitmaps behind it (OS/2's of 12, 16 and 64 bytes,
/// Windows' of 40 to 124), masks, and the palette. From Microsoft's "Bitmap Header Types" and IBM's "Bitmap File Format".
struct BMPHeader {
  /// How the pixels are kept.
  enum Compression: Equatable {
    case none
    case runs8
    case runs4
    case fields
  }

  let width: Int
  let height: Int
  /// The first row in the file is the topmost one.
  let isTopDown: Bool
  /// Bits a pixel: 1, 2, 4, 8, 16, 24, 32.
  let depth: Int
  let compression: Compression
  /// The masks of red, green, blue and alpha, of 16 and 32 bits a pixel; alpha 0: opaque.
  let masks: [UInt32]
  /// The colours of 1 to 8 bits a pixel.
  let palette: [PixelWriter.Pixel]
  /// Where the pixels begin.
  let offset: Int

  static func damaged(_ what: String) -> ImageError {
    ImageError(.damagedPicture, "the BMP is damaged: \(what)", hint: "Make or copy the picture again.")
  }

  /// True for the sizes that the header of a bitmap has.
  static func isHeaderSize(_ size: Int) -> Bool { size == 12 || (16...124).contains(size) }

  init(_ file: ByteReader) throws(ImageError) {
    guard let told = file.uint32(10, littleEndian: true), let size = file.uint32(14, littleEndian: true),
      Self.isHeaderSize(size), file.count >= 14 + size
    else { throw Self.damaged("it has no header") }
    func long(_ at: Int) -> Int { at + 4 <= 14 + size ? file.uint32(at, littleEndian: true) ?? 0 : 0 }
    func short(_ at: Int) -> Int { file.uint16(at, littleEndian: true) ?? 0 }
    let isOld = size == 12
    let rows = isOld ? short(20) : Int(Int32(truncatingIfNeeded: long(22)))
    (width, height) = (isOld ? short(18) : Int(Int32(truncatingIfNeeded: long(18))), abs(rows))
    isTopDown = rows < 0
    depth = isOld ? short(24) : short(28)
    guard width > 0, height > 0 else { throw Self.damaged("its size is invalid") }
    guard [1, 2, 4, 8, 16, 24, 32].contains(depth) else {
      throw Self.unsupported("\(depth) bits a pixel")
    }
    // OS/2's long header numbers other compressions from 3 on.
    let method = isOld ? 0 : long(30)
    switch (method, depth) {
    case (0, _): compression = .none
    case (1, 8): compression = .runs8
    case (2, 4): compression = .runs4
    case (3, 16), (3, 32), (6, 16), (6, 32): compression = .fields
    case (4, _): throw Self.unsupported("a JPEG within")
    case (5, _): throw Self.unsupported("a PNG within")
    default: throw Self.unsupported("compression \(method) of \(depth) bits a pixel")
    }
    // Masks are the end of a header of 52 bytes or more, and stand behind a shorter one.
    var behind = 14 + size
    if compression == .fields {
      let count = method == 6 || size >= 56 ? 4 : 3
      var found: [UInt32] = []
      for i in 0..<count {
        guard let mask = file.uint32(54 + 4 * i, littleEndian: true) else {
          throw Self.damaged("its masks are missing")
        }
        found.append(UInt32(truncatingIfNeeded: mask))
      }
      masks = count == 3 ? found + [0] : found
      behind = max(behind, size >= 52 ? behind : 54 + 4 * count)
    } else {
      masks = depth == 16 ? [0x7C00, 0x3E0, 0x1F, 0] : [0xFF0000, 0xFF00, 0xFF, 0]
    }
    guard depth <= 8 else {
      palette = []
      offset = told >= behind && told <= file.count ? told : behind
      return
    }
    let entry = isOld ? 3 : 4
    let most = 1 << depth
    let wanted = isOld || long(46) == 0 ? most : min(long(46), most)
    // Some writers tell more colours than they wrote: the pixels begin where they say.
    let room = told > behind && told <= file.count ? (told - behind) / entry : wanted
    palette = (0..<min(wanted, room)).map { i -> PixelWriter.Pixel in
      let at = behind + entry * i
      return PixelWriter.Pixel(
        red: file.byte(at + 2) ?? 0, green: file.byte(at + 1) ?? 0, blue: file.byte(at) ?? 0)
    }
    offset = told > behind && told <= file.count ? told : min(file.count, behind + entry * palette.count)
  }

  private static func unsupported(_ what: String) -> ImageError {
    ImageError(
      .unsupportedVariant, "this kind of BMP is not supported: \(what)",
      hint: "Save it as a BMP of 24 bits a pixel, or as PNG.")
  }

  /// The colour of a number; black where the palette is too short for it.
  func colour(_ number: Int) -> PixelWriter.Pixel { number < palette.count ? palette[number] : .black }

  /// The row of the picture that the row of that number in the file is.
  func row(_ stored: Int) -> Int { isTopDown ? stored : height - 1 - stored }
}
