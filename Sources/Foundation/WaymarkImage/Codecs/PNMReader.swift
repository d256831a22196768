import WaymarkSystem

/// Netpbm's P1 to P6, plain and raw, up to 16 bits a sample (the manual pages pbm(5), pgm(5), ppm(5)).
struct PNMReader {
  private let bytes: UnsafeRawBufferPointer
  private var at = 2
  let width: Int
  let height: Int
  private let kind: UInt8
  /// The value of white.
  private let maximum: Int

  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }

  private static func damaged(_ what: String) -> ImageError {
    ImageError(.damagedPicture, "the PNM file is damaged: \(what)", hint: "Make or copy the picture again.")
  }

  /// Reads the header.
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

  /// A decimal number after white space and comments; at most 2³¹ so that sizes can be multiplied.
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

  private var isColour: Bool { kind == UInt8(ascii: "3") || kind == UInt8(ascii: "6") }

  /// Decodes into `width * height` bytes of gray, or three times as many of colour.
  mutating func decode(channels: Int, into out: UnsafeMutablePointer<UInt8>) throws(ImageError) {
    let samples = isColour ? 3 : 1
    switch kind {
    case UInt8(ascii: "4"): try decodeBits(channels: channels, into: out)
    case UInt8(ascii: "5"), UInt8(ascii: "6"): try decodeRaw(samples: samples, channels: channels, into: out)
    default: try decodePlain(samples: samples, channels: channels, into: out)
    }
  }

  private func store(
    _ red: UInt8, _ green: UInt8, _ blue: UInt8, at index: Int, channels: Int, into out: UnsafeMutablePointer<UInt8>
  ) {
    if channels == 3 {
      out[3 * index] = red
      out[3 * index + 1] = green
      out[3 * index + 2] = blue
    } else {
      out[index] = isColour ? Luma.of(red, green, blue) : red
    }
  }

  /// P4: a bit a pixel, 1 is black, rows padded to whole bytes.
  private mutating func decodeBits(channels: Int, into out: UnsafeMutablePointer<UInt8>) throws(ImageError) {
    at += 1  // exactly one white space
    let rowBytes = (width + 7) / 8
    guard rowBytes * height <= bytes.count - at else { throw Self.damaged("the pixels end early") }
    for y in 0..<height {
      for x in 0..<width {
        let bit = bytes[at + y * rowBytes + x / 8] >> UInt8(7 - x % 8) & 1
        let value: UInt8 = bit == 1 ? 0 : 255
        store(value, value, value, at: y * width + x, channels: channels, into: out)
      }
    }
  }

  /// P5, P6: one or two bytes a sample, the higher one first.
  private mutating func decodeRaw(
    samples: Int, channels: Int, into out: UnsafeMutablePointer<UInt8>
  ) throws(ImageError) {
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
      if samples == 3 {
        store(sample(3 * i), sample(3 * i + 1), sample(3 * i + 2), at: i, channels: channels, into: out)
      } else {
        let value = sample(i)
        store(value, value, value, at: i, channels: channels, into: out)
      }
    }
  }

  /// P1, P2, P3: numbers in ASCII; those of P1 need no space between.
  private mutating func decodePlain(
    samples: Int, channels: Int, into out: UnsafeMutablePointer<UInt8>
  ) throws(ImageError) {
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
    // A pixel takes at least one character: a short file that claims many is turned away before the work.
    guard width * height * samples <= bytes.count - at else { throw Self.damaged("the pixels end early") }
    for i in 0..<(width * height) {
      let red = try next()
      let green = samples == 3 ? try next() : red
      let blue = samples == 3 ? try next() : red
      store(red, green, blue, at: i, channels: channels, into: out)
    }
  }

  private static func scaled(_ value: Int, _ maximum: Int) -> UInt8 {
    UInt8((min(value, maximum) * 255 + maximum / 2) / maximum)
  }
}
