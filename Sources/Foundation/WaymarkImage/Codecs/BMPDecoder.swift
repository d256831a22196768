import WaymarkSystem

/// Decodes BMP with 1 to 32 bits per pixel, stored bottom-up or top-down, uncompressed, run-length encoded or with colour masks.
/// `BMPHeader` below reads the headers and the palette.
enum BMPDecoder {
  /// Decodes the pixels after the header into `width * height` pixels.
  static func decode(
    _ file: ByteReader, _ header: BMPHeader, into writer: inout PixelWriter
  ) throws(ImageError) {
    switch header.compression {
    case .runs8, .runs4: try decodeRuns(file, header, into: &writer)
    case .none, .fields:
      // Rows are padded to 32-bit words.
      let rowBytes = (header.width * header.depth + 31) / 32 * 4
      // Some files lack the padding of the last row.
      let needed = rowBytes * (header.height - 1) + (header.width * header.depth + 7) / 8
      guard needed <= file.count - header.offset else { throw BMPHeader.damaged("the pixels end early") }
      switch header.depth {
      case 16, 32: decodeFields(file, header, rowBytes, into: &writer)
      case 24: decodeColours(file, header, rowBytes, into: &writer)
      default: decodeNumbers(file, header, rowBytes, into: &writer)
      }
    }
  }

  /// Decodes 1 to 8 bits per pixel: palette indices, most significant bits first.
  private static func decodeNumbers(
    _ file: ByteReader, _ header: BMPHeader, _ rowBytes: Int, into writer: inout PixelWriter
  ) {
    let colours = (0..<(1 << header.depth)).map(header.colour)
    let perByte = 8 / header.depth
    let mask = (1 << header.depth) - 1
    for stored in 0..<header.height {
      let (from, to) = (header.offset + stored * rowBytes, header.row(stored) * header.width)
      for x in 0..<header.width {
        let shift = 8 - header.depth * (x % perByte + 1)
        writer.put(colours[Int(file.bytes[from + x / perByte]) >> shift & mask], at: to + x)
      }
    }
  }

  /// Decodes 24 bits per pixel: blue, green, red.
  private static func decodeColours(
    _ file: ByteReader, _ header: BMPHeader, _ rowBytes: Int, into writer: inout PixelWriter
  ) {
    for stored in 0..<header.height {
      let (from, to) = (header.offset + stored * rowBytes, header.row(stored) * header.width)
      for x in 0..<header.width {
        let at = from + 3 * x
        writer.put(.init(red: file.bytes[at + 2], green: file.bytes[at + 1], blue: file.bytes[at]), at: to + x)
      }
    }
  }

  /// A component of a pixel: the bits of a mask, scaled to 8 bits.
  private struct Field {
    let mask: UInt32
    private let shift: UInt32
    private let largest: UInt64

    init(_ mask: UInt32) {
      self.mask = mask
      shift = mask == 0 ? 0 : UInt32(mask.trailingZeroBitCount)
      largest = UInt64(mask >> shift)
    }

    func value(_ pixel: UInt32) -> UInt8 {
      guard largest > 0 else { return 0 }
      return UInt8(truncatingIfNeeded: (UInt64((pixel & mask) >> shift) * 255 + largest / 2) / largest)
    }
  }

  /// Decodes 16 and 32 bits per pixel by colour masks.
  private static func decodeFields(
    _ file: ByteReader, _ header: BMPHeader, _ rowBytes: Int, into writer: inout PixelWriter
  ) {
    let fields = header.masks.map(Field.init)
    let size = header.depth / 8
    func pixel(_ at: Int) -> UInt32 {
      size == 2
        ? UInt32(file.bytes[at]) | UInt32(file.bytes[at + 1]) << 8
        : UInt32(file.bytes[at]) | UInt32(file.bytes[at + 1]) << 8 | UInt32(file.bytes[at + 2]) << 16
          | UInt32(file.bytes[at + 3]) << 24
    }
    // Many writers set the opacity of every pixel to 0 in an opaque picture.
    var hasAlpha = false
    if fields[3].mask != 0 {
      rows: for stored in 0..<header.height {
        let from = header.offset + stored * rowBytes
        for x in 0..<header.width where pixel(from + size * x) & fields[3].mask != 0 {
          hasAlpha = true
          break rows
        }
      }
    }
    for stored in 0..<header.height {
      let (from, to) = (header.offset + stored * rowBytes, header.row(stored) * header.width)
      for x in 0..<header.width {
        let bits = pixel(from + size * x)
        writer.put(
          .init(
            red: fields[0].value(bits), green: fields[1].value(bits), blue: fields[2].value(bits),
            alpha: hasAlpha ? fields[3].value(bits) : 255), at: to + x)
      }
    }
  }

  /// Decodes run-length encoded pixels of 4 or 8 bits. Skipped pixels have the first colour; pixels outside the picture are ignored.
  private static func decodeRuns(
    _ file: ByteReader, _ header: BMPHeader, into writer: inout PixelWriter
  ) throws(ImageError) {
    let colours = (0..<256).map(header.colour)
    let isWide = header.compression == .runs8
    writer.fill(colours[0], count: header.width * header.height)
    var at = header.offset
    var (x, y) = (0, 0)
    func byte(_ at: Int) throws(ImageError) -> Int {
      guard let byte = file.byte(at) else { throw BMPHeader.damaged("the pixels end early") }
      return Int(byte)
    }
    func put(_ number: Int) {
      if x < header.width, y < header.height { writer.put(colours[number], at: header.row(y) * header.width + x) }
      x += 1
    }
    while y < header.height {
      // Some writers omit the end marker; an incomplete row is an error.
      if at == file.count, x == 0 || (x >= header.width && y == header.height - 1) { return }
      let (count, value) = (try byte(at), try byte(at + 1))
      at += 2
      if count > 0 {
        for i in 0..<count { put(isWide ? value : i % 2 == 0 ? value >> 4 : value & 15) }
        continue
      }
      switch value {
      case 0: (x, y) = (0, y + 1)
      case 1: return
      case 2:
        x += try byte(at)
        y += try byte(at + 1)
        at += 2
      default:
        // Literal pixels, padded to 16-bit words.
        for i in 0..<value {
          let two = try byte(at + (isWide ? i : i / 2))
          put(isWide ? two : i % 2 == 0 ? two >> 4 : two & 15)
        }
        let bytes = isWide ? value : (value + 1) / 2
        at += bytes + bytes % 2
      }
    }
  }
}

// MARK: - Headers

/// The headers of a BMP file: the file header of 14 bytes, one of the seven bitmap headers (OS/2: 12, 16 or 64 bytes, Windows: 40 to 124
/// bytes), colour masks and the palette. From Microsoft's "Bitmap Header Types" and IBM's "Bitmap File Format".
struct BMPHeader {
  /// The compression of the pixels: none, run lengths of 8-bit or 4-bit palette indices, or bit fields given by masks.
  enum Compression: Equatable {
    case none
    case runs8
    case runs4
    case fields
  }

  let width: Int
  let height: Int
  /// True if the first row in the file is the top row.
  let isTopDown: Bool
  /// Bits per pixel: 1, 2, 4, 8, 16, 24 or 32.
  let depth: Int
  let compression: Compression
  /// The masks of red, green, blue and alpha for 16 and 32 bits per pixel; an alpha mask of 0 means opaque.
  let masks: [UInt32]
  /// The palette for 1 to 8 bits per pixel.
  let palette: [PixelWriter.Pixel]
  /// The offset of the pixels in the file, in bytes.
  let offset: Int

  static func damaged(_ what: String) -> ImageError {
    ImageError(.damagedPicture, "the BMP is damaged: \(what)", hint: "Make or copy the picture again.")
  }

  /// Returns whether `size`, in bytes, is the size of a bitmap header.
  static func isHeaderSize(_ size: Int) -> Bool { size == 12 || (16...124).contains(size) }

  init(_ file: ByteReader) throws(ImageError) {
    guard let declared = file.uint32(10, littleEndian: true), let size = file.uint32(14, littleEndian: true),
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
    // These are the values of Windows. OS/2's header of 64 bytes uses 3 and 4 for two encodings that are refused as well.
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
    // The masks are at offset 40 of a header of 52 bytes or more, and follow a header of 40 bytes.
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
      offset = declared >= behind && declared <= file.count ? declared : behind
      return
    }
    let entry = isOld ? 3 : 4
    let most = 1 << depth
    let wanted = isOld || long(46) == 0 ? most : min(long(46), most)
    // Some writers declare more colours than they write: the declared offset of the pixels decides.
    let room = declared > behind && declared <= file.count ? (declared - behind) / entry : wanted
    palette = (0..<min(wanted, room)).map { i -> PixelWriter.Pixel in
      let at = behind + entry * i
      return PixelWriter.Pixel(
        red: file.byte(at + 2) ?? 0, green: file.byte(at + 1) ?? 0, blue: file.byte(at) ?? 0)
    }
    offset = declared > behind && declared <= file.count ? declared : min(file.count, behind + entry * palette.count)
  }

  private static func unsupported(_ what: String) -> ImageError {
    ImageError(
      .unsupportedVariant, "this kind of BMP is not supported: \(what)",
      hint: "Save it as a BMP of 24 bits a pixel, or as PNG.")
  }

  /// Returns a colour of the palette; black if the index is outside the palette.
  func colour(_ number: Int) -> PixelWriter.Pixel { number < palette.count ? palette[number] : .black }

  /// Returns the row of the picture, from the top, for a row index in the file.
  func row(_ stored: Int) -> Int { isTopDown ? stored : height - 1 - stored }
}
