import WaymarkSystem

/// The first picture of a GIF, 87a or 89a, on its canvas: what it leaves free, and its transparent colour, show the background. From
/// CompuServe's "Graphics Interchange Format", version 89a.
struct GIFDecoder {
  let width: Int
  let height: Int
  /// The frame within the canvas, in pixels.
  private let left: Int
  private let top: Int
  private let frameWidth: Int
  private let frameHeight: Int
  private let isInterlaced: Bool
  private let palette: [PixelWriter.Pixel]
  /// Bits of a number of a colour.
  private let codeSize: Int
  private let file: ByteReader
  /// Where the blocks of pixels begin.
  private let offset: Int

  private static func damaged(_ what: String) -> ImageError {
    ImageError(.damagedPicture, "the GIF is damaged: \(what)", hint: "Make or copy the picture again.")
  }

  /// Reads up to the pixels of the first picture.
  init(_ file: ByteReader) throws(ImageError) {
    func byte(_ at: Int) throws(ImageError) -> Int {
      guard let byte = file.byte(at) else { throw Self.damaged("it ends before its first picture") }
      return Int(byte)
    }
    func short(_ at: Int) throws(ImageError) -> Int {
      guard let value = file.uint16(at, littleEndian: true) else {
        throw Self.damaged("it ends before its first picture")
      }
      return value
    }
    let screen = (width: try short(6), height: try short(8))
    var at = 13
    var colours = try Self.palette(file, flags: try byte(10), &at)
    var clear: Int?
    extensions: while true {
      switch try byte(at) {
      case 0x21:
        // Of a graphic control extension: flags, the delay, the transparent colour.
        if try byte(at + 1) == 0xF9, try byte(at + 2) >= 4 {
          clear = try byte(at + 3) & 1 == 1 ? try byte(at + 6) : nil
        }
        at += 2
        while case let count = try byte(at), count > 0 { at += 1 + count }
        at += 1
      case 0x2C: break extensions
      default: throw Self.damaged("it holds no picture")
      }
    }
    (left, top, frameWidth, frameHeight) = (
      try short(at + 1), try short(at + 3), try short(at + 5), try short(at + 7)
    )
    guard frameWidth > 0, frameHeight > 0 else { throw Self.damaged("a side is 0 pixels long") }
    // Some writers leave the size of the canvas at 0, or at what another picture had.
    width = max(screen.width, left + frameWidth)
    height = max(screen.height, top + frameHeight)
    let flags = try byte(at + 9)
    isInterlaced = flags & 0x40 != 0
    at += 10
    if flags & 0x80 != 0 { colours = try Self.palette(file, flags: flags, &at) }
    colours += Array(repeating: .black, count: 256 - colours.count)
    if let clear { colours[clear] = .clear }
    palette = colours
    codeSize = try byte(at)
    guard (1...8).contains(codeSize) else { throw Self.damaged("its codes have \(codeSize) bits") }
    (self.file, offset) = (file, at + 1)
  }

  /// The palette at `at`, if the flags tell of one.
  private static func palette(
    _ file: ByteReader, flags: Int, _ at: inout Int
  ) throws(ImageError) -> [PixelWriter.Pixel] {
    guard flags & 0x80 != 0 else { return [] }
    let count = 2 << (flags & 7)
    guard file.count - at >= 3 * count else { throw damaged("its palette ends early") }
    defer { at += 3 * count }
    let bytes = file.bytes
    return (0..<count).map { i in
      PixelWriter.Pixel(red: bytes[at + 3 * i], green: bytes[at + 3 * i + 1], blue: bytes[at + 3 * i + 2])
    }
  }

  /// Decodes into `width * height` pixels.
  func decode(into writer: inout PixelWriter) throws(ImageError) {
    if (frameWidth, frameHeight) != (width, height) { writer.fill(.clear, count: width * height) }
    let rows = isInterlaced ? Self.interlaced(frameHeight) : Array(0..<frameHeight)
    var place = (row: 0, column: 0)
    var strings = GIFStrings(codeSize: codeSize)
    var source = GIFCodes(file, at: offset)
    while place.row < rows.count {
      guard let code = source.next(bits: strings.bits) else { throw Self.damaged("the pixels end early") }
      switch strings.handle(code) {
      case .nothing: continue
      case .end: throw Self.damaged("the pixels end early")
      case .invalid: throw Self.damaged("its pixels contradict themselves")
      case .pixels:
        for number in strings.pixels {
          guard place.row < rows.count else { return }
          writer.put(palette[Int(number)], at: (top + rows[place.row]) * width + left + place.column)
          place.column += 1
          if place.column == frameWidth { place = (place.row + 1, 0) }
        }
      }
    }
  }

  /// The rows in the order of an interlaced picture: every eighth, those between, and so on (appendix E).
  private static func interlaced(_ height: Int) -> [Int] {
    [(0, 8), (4, 8), (2, 4), (1, 2)].flatMap { Array(stride(from: $0.0, to: height, by: $0.1)) }
  }
}
