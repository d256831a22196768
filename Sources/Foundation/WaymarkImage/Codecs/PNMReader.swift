import WaymarkSystem

/// Reads netpbm's formats P1 to P6, plain and raw, up to 16 bits per sample (manual pages pbm(5), pgm(5), ppm(5)).
struct PNMReader {
  private let bytes: UnsafeRawBufferPointer
  private var at = 2
  let width: Int
  let height: Int
  private let kind: UInt8
  /// The sample value of white.
  private let maximum: Int

  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }

  private static func damaged(_ what: String) -> ImageError {
    ImageError(.damagedPicture, "the PNM file is damaged: \(what)", hint: "Make or copy the picture again.")
  }

  init(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
    guard bytes.count > 2 else { throw Self.damaged("it has no header") }
    self.bytes = bytes
    kind = bytes[1]
    var at = 2
    width = try Self.number(bytes, &at, "width")
    height = try Self.number(bytes, &at, "height")
    let bitmap = kind == UInt8(ascii: "1") || kind == UInt8(ascii: "4")
    maximum = bitmap ? 1 : try Self.number(bytes, &at, "largest value")
    guard width > 0, height > 0 else { throw Self.damaged("a side is 0 pixels long") }
    guard maximum > 0, maximum < 65536 else { throw Self.damaged("the largest value is not within 1 to 65535") }
    self.at = at
  }

  /// Reads a decimal number after white space and comments; at most 2³¹, so that products of sizes do not overflow.
  private static func number(
    _ bytes: UnsafeRawBufferPointer, _ at: inout Int, _ what: String
  ) throws(ImageError) -> Int {
    skipSpace(bytes, &at)
    var value = 0
    let start = at
    while at < bytes.count, (0x30...0x39).contains(bytes[at]) {
      value = value * 10 + Int(bytes[at] - 0x30)
      guard value <= 1 << 31 else { throw damaged("the \(what) is too large a number") }
      at += 1
    }
    guard at > start else { throw damaged("the \(what) is missing") }
    return value
  }

  private static func skipSpace(_ bytes: UnsafeRawBufferPointer, _ at: inout Int) {
    while at < bytes.count {
      if bytes[at] == UInt8(ascii: "#") {
        while at < bytes.count, bytes[at] != 0x0A, bytes[at] != 0x0D { at += 1 }
      } else if isSpace(bytes[at]) {
        at += 1
      } else {
        return
      }
    }
  }

  /// Decodes into `width * height` pixels.
  mutating func decode(into writer: inout PixelWriter) throws(ImageError) {
    let samples = kind == UInt8(ascii: "3") || kind == UInt8(ascii: "6") ? 3 : 1
    switch kind {
    case UInt8(ascii: "4"): try decodeBits(into: &writer)
    case UInt8(ascii: "5"), UInt8(ascii: "6"): try decodeRaw(samples: samples, into: &writer)
    default: try decodePlain(samples: samples, into: &writer)
    }
  }

  /// Decodes P4: one bit per pixel, 1 is black, rows padded to whole bytes.
  private mutating func decodeBits(into writer: inout PixelWriter) throws(ImageError) {
    at += 1  // exactly one white space
    let rowBytes = (width + 7) / 8
    guard rowBytes * height <= bytes.count - at else { throw Self.damaged("the pixels end early") }
    for y in 0..<height {
      for x in 0..<width {
        let bit = bytes[at + y * rowBytes + x / 8] >> UInt8(7 - x % 8) & 1
        let value: UInt8 = bit == 1 ? 0 : 255
        writer.put(.init(red: value, green: value, blue: value), at: y * width + x)
      }
    }
  }

  /// Decodes P5 and P6: one or two bytes per sample, big-endian.
  private mutating func decodeRaw(samples: Int, into writer: inout PixelWriter) throws(ImageError) {
    at += 1
    let size = maximum > 255 ? 2 : 1
    guard width * height * samples * size <= bytes.count - at else { throw Self.damaged("the pixels end early") }
    let maximum = maximum
    func sample(_ i: Int) -> UInt8 {
      if size == 1, maximum == 255 { return bytes[at + i] }
      let value = size == 1 ? Int(bytes[at + i]) : Int(bytes[at + 2 * i]) << 8 | Int(bytes[at + 2 * i + 1])
      return Self.scaled(value, maximum)
    }
    for i in 0..<(width * height) {
      let red = sample(samples * i)
      let (green, blue) = samples == 3 ? (sample(3 * i + 1), sample(3 * i + 2)) : (red, red)
      writer.put(.init(red: red, green: green, blue: blue), at: i)
    }
  }

  /// Decodes P1, P2 and P3: decimal numbers in ASCII; in P1, white space between them is optional.
  private mutating func decodePlain(samples: Int, into writer: inout PixelWriter) throws(ImageError) {
    var at = at
    func next() throws(ImageError) -> UInt8 {
      if kind == UInt8(ascii: "1") {
        Self.skipSpace(bytes, &at)
        guard at < bytes.count, bytes[at] == 0x30 || bytes[at] == 0x31 else { throw Self.damaged("a pixel is missing") }
        at += 1
        return bytes[at - 1] == 0x31 ? 0 : 255
      }
      return Self.scaled(try Self.number(bytes, &at, "value of a pixel"), maximum)
    }
    // A sample takes at least one character, so a file that is too short for its declared size is refused before decoding.
    guard width * height * samples <= bytes.count - at else { throw Self.damaged("the pixels end early") }
    for i in 0..<(width * height) {
      let red = try next()
      let green = samples == 3 ? try next() : red
      let blue = samples == 3 ? try next() : red
      writer.put(.init(red: red, green: green, blue: blue), at: i)
    }
  }

  private static func scaled(_ value: Int, _ maximum: Int) -> UInt8 {
    UInt8((min(value, maximum) * 255 + maximum / 2) / maximum)
  }
}
