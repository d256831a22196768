import WaymarkSystem

/// BMP of 1 to 32 bits a pixel, from the bottom or from the top, with runs or with masks.
enum BMPDecoder {
  /// Decodes what lies behind the header into `width * height` pixels.
  static func decode(
    _ file: ByteReader, _ header: BMPHeader, into writer: inout PixelWriter
  ) throws(ImageError) {
    switch header.compression {
    case .runs8, .runs4: try decodeRuns(file, header, into: &writer)
    case .none, .fields:
      // Rows of whole 32-bit words.
      let rowBytes = (header.width * header.depth + 31) / 32 * 4
      // The padding of the last row is missing in some files.
      let needed = rowBytes * (header.height - 1) + (header.width * header.depth + 7) / 8
      guard needed <= file.count - header.offset else { throw BMPHeader.damaged("the pixels end early") }
      switch header.depth {
      case 16, 32: decodeFields(file, header, rowBytes, into: &writer)
      case 24: decodeColours(file, header, rowBytes, into: &writer)
      default: decodeNumbers(file, header, rowBytes, into: &writer)
      }
    }
  }

  /// 1 to 8 bits a pixel: numbers of colours, the highest bits first.
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

  /// 24 bits a pixel: blue, green, red.
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

  /// A part of a pixel: its bits, made 8 bits.
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

  /// 16 and 32 bits a pixel, by masks.
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
    // Many writers leave the opacity of every pixel at 0 and mean an opaque picture.
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

  /// Runs of 4 or 8 bits a pixel. What they leave out has the first colour; what they put beside the picture is not drawn.
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
      // Some writers leave out the mark of the end; a row that is not whole is damage.
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
        // Literal pixels, in whole 16-bit words.
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
