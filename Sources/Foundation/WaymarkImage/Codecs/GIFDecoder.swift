import WaymarkSystem

/// Decodes the first picture of a GIF (87a or 89a) on its canvas; the rest of the canvas and transparent pixels show the
/// background. Follows CompuServe's "Graphics Interchange Format", version 89a. `GIFCodes` and `GIFStrings` below decompress the
/// pixels.
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
  /// The number of bits of a palette index.
  private let codeSize: Int
  private let file: ByteReader
  /// The offset of the pixel data blocks in the file, in bytes.
  private let offset: Int

  private static func damaged(_ what: String) -> ImageError {
    ImageError(.damagedPicture, "the GIF is damaged: \(what)", hint: "Make or copy the picture again.")
  }

  /// Reads the headers up to the pixels of the first picture.
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
        // A graphic control extension: flags, delay, transparent colour.
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
    // Some writers declare a canvas of size 0, or of the size of another picture.
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

  /// Reads the palette at `at`; empty if the flags declare none.
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

  /// Returns the row indices in the order in which an interlaced picture stores them (appendix E).
  private static func interlaced(_ height: Int) -> [Int] {
    [(0, 8), (4, 8), (2, 4), (1, 2)].flatMap { Array(stride(from: $0.0, to: height, by: $0.1)) }
  }
}

// MARK: - LZW

/// Reads the LZW codes of a GIF: least significant bit first, in blocks of up to 255 bytes.
struct GIFCodes {
  private let file: ByteReader
  private var at: Int
  /// The remaining bytes of the block.
  private var left = 0
  private var buffer = 0
  private var held = 0

  init(_ file: ByteReader, at: Int) {
    self.file = file
    self.at = at
  }

  /// Returns the next code; `nil` at the end.
  mutating func next(bits: Int) -> Int? {
    while held < bits {
      if left == 0 {
        guard let count = file.byte(at), count > 0 else { return nil }
        left = Int(count)
        at += 1
      }
      guard let byte = file.byte(at) else { return nil }
      buffer |= Int(byte) << held
      held += 8
      at += 1
      left -= 1
    }
    defer {
      buffer >>= bits
      held -= bits
    }
    return buffer & ((1 << bits) - 1)
  }
}

/// The code table of GIF's variant of LZW (appendix F): at most 4096 strings of pixels, each an earlier string extended by one pixel.
struct GIFStrings {
  /// The effect of a code on the table.
  enum Outcome {
    /// The code produced `pixels`.
    case pixels
    /// The code cleared the table.
    case nothing
    case end
    case invalid
  }

  private static let limit = 4096
  private let codeSize: Int
  private let clearCode: Int
  /// For each code: the code of the string without its last pixel, the last pixel, the length.
  private var prefixes = [UInt16](repeating: 0, count: limit)
  private var lasts = [UInt8](repeating: 0, count: limit)
  private var lengths = [UInt16](repeating: 0, count: limit)
  private var count: Int
  private var previous: Int?
  /// The number of bits of the next code.
  private(set) var bits: Int
  /// The palette indices that the last code produced.
  private(set) var pixels: [UInt8] = []

  init(codeSize: Int) {
    self.codeSize = codeSize
    clearCode = 1 << codeSize
    for value in 0..<clearCode { (lasts[value], lengths[value]) = (UInt8(value), 1) }
    count = clearCode + 2
    bits = codeSize + 1
  }

  mutating func handle(_ code: Int) -> Outcome {
    if code == clearCode {
      (count, bits, previous) = (clearCode + 2, codeSize + 1, nil)
      return .nothing
    }
    if code == clearCode + 1 { return .end }
    guard let previous else {
      guard code < clearCode else { return .invalid }
      expand(code)
      self.previous = code
      return .pixels
    }
    // The code may be equal to the number of codes: it then stands for the string about to be added, whose last pixel equals its
    // first.
    guard code < count || (code == count && count < Self.limit) else { return .invalid }
    expand(code < count ? code : previous)
    let first = pixels[0]
    if code == count { pixels.append(first) }
    if count < Self.limit {
      (prefixes[count], lasts[count], lengths[count]) = (UInt16(previous), first, lengths[previous] &+ 1)
      count += 1
      if count == 1 << bits, bits < 12 { bits += 1 }
    }
    self.previous = code
    return .pixels
  }

  /// Expands a code into `pixels`, from the last pixel to the first.
  private mutating func expand(_ code: Int) {
    let length = Int(lengths[code])
    if pixels.count > length {
      pixels.removeLast(pixels.count - length)
    } else {
      pixels.append(contentsOf: repeatElement(0, count: length - pixels.count))
    }
    var code = code
    for place in stride(from: length - 1, through: 0, by: -1) {
      pixels[place] = lasts[code]
      code = Int(prefixes[code])
    }
  }
}
