package import WaymarkFrames
import WaymarkImage

/// Converts pictures of uncompressed V4L2 pixel formats that the service does not read directly: RGB, Bayer, gray of more than 8
/// bits, and the less common orders of YCbCr. The result is GREY in full range, or YU12 without padding in the limited range of
/// ITU-R BT.601, which V4L2 assumes for YU12. `Mosaic` below interpolates the colours of Bayer sensors.
package struct PlainConversion: Sendable, Equatable {
  /// The arrangement of a format in memory (linux/videodev2.h).
  enum Arrangement: Sendable, Equatable {
    /// A pixel of `pixel` bytes, with red, green and blue at these offsets.
    case rgb(pixel: Int, red: Int, green: Int, blue: Int)
    /// Red, green and blue in 5, 6 and 5 bits of a little-endian number.
    case rgb565
    /// Two pixels in four bytes: luma at the offsets `luma` and `luma + 2`, Cb at `blue`, Cr at `red`.
    case packed(luma: Int, blue: Int, red: Int)
    /// A luma plane, then chroma, interleaved or as two planes, Cb or Cr first. A sample of chroma belongs to `columns` × `rows` pixels.
    case planar(columns: Int, rows: Int, interleaved: Bool, redFirst: Bool)
    /// Luma of 8 + `shift` bits in two bytes, little-endian.
    case deepGray(shift: Int)
    /// A Bayer mosaic whose red sample is in this column and row of each 2 × 2 pixels. Samples have 8 bits or, in two little-endian
    /// bytes, 8 + `shift` bits.
    case bayer(column: Int, row: Int, shift: Int? = nil)

    /// Returns the bytes of a row of the first plane without padding.
    func rowBytes(_ width: Int) -> Int {
      switch self {
      case .rgb(let pixel, _, _, _): pixel * width
      case .packed: 4 * ((width + 1) / 2)
      case .rgb565, .deepGray: 2 * width
      case .planar: width
      case .bayer(_, _, let shift): shift == nil ? width : 2 * width
      }
    }
  }

  /// The arrangements, by V4L2 pixel format (FourCC).
  private static let arrangements: [String: Arrangement] = [
    "RGB3": .rgb(pixel: 3, red: 0, green: 1, blue: 2), "BGR3": .rgb(pixel: 3, red: 2, green: 1, blue: 0),
    "RGB4": .rgb(pixel: 4, red: 1, green: 2, blue: 3), "BX24": .rgb(pixel: 4, red: 1, green: 2, blue: 3),
    "BA24": .rgb(pixel: 4, red: 1, green: 2, blue: 3), "BGR4": .rgb(pixel: 4, red: 2, green: 1, blue: 0),
    "XR24": .rgb(pixel: 4, red: 2, green: 1, blue: 0), "AR24": .rgb(pixel: 4, red: 2, green: 1, blue: 0),
    "RGBP": .rgb565, "YVYU": .packed(luma: 0, blue: 3, red: 1), "VYUY": .packed(luma: 1, blue: 2, red: 0),
    "YV12": .planar(columns: 2, rows: 2, interleaved: false, redFirst: true),
    "422P": .planar(columns: 2, rows: 1, interleaved: false, redFirst: false),
    "NV16": .planar(columns: 2, rows: 1, interleaved: true, redFirst: false),
    "NV61": .planar(columns: 2, rows: 1, interleaved: true, redFirst: true),
    "NV24": .planar(columns: 1, rows: 1, interleaved: true, redFirst: false),
    "NV42": .planar(columns: 1, rows: 1, interleaved: true, redFirst: true),
    "Y10 ": .deepGray(shift: 2), "Y12 ": .deepGray(shift: 4), "Y16 ": .deepGray(shift: 8),
    "BA81": .bayer(column: 1, row: 1), "GBRG": .bayer(column: 0, row: 1), "GRBG": .bayer(column: 1, row: 0),
    "RGGB": .bayer(column: 0, row: 0), "BG10": .bayer(column: 1, row: 1, shift: 2),
    "GB10": .bayer(column: 0, row: 1, shift: 2), "BA10": .bayer(column: 1, row: 0, shift: 2),
    "RG10": .bayer(column: 0, row: 0, shift: 2), "BYR2": .bayer(column: 1, row: 1, shift: 8),
    "GB16": .bayer(column: 0, row: 1, shift: 8), "GR16": .bayer(column: 1, row: 0, shift: 8),
    "RG16": .bayer(column: 0, row: 0, shift: 8),
  ]

  private let arrangement: Arrangement
  private let width: Int
  private let height: Int
  /// The distance between rows of the first plane in bytes.
  private let stride: Int

  /// Creates the conversion of a V4L2 pixel format; nil if the format is not converted here, or if rows are shorter than their pixels.
  ///
  /// - Parameter bytesPerLine: the distance between rows that the driver reports; 0 if it reports none.
  package init?(fourCC: UInt32, width: Int, height: Int, bytesPerLine: Int = 0) {
    // The most significant bit marks the big-endian variant of a format.
    guard fourCC >> 31 == 0, let arrangement = Self.arrangements[PixelFormat.text(ofFourCC: fourCC)], width > 0,
      height > 0, bytesPerLine == 0 || bytesPerLine >= arrangement.rowBytes(width)
    else { return nil }
    self.arrangement = arrangement
    (self.width, self.height) = (width, height)
    stride = max(bytesPerLine, arrangement.rowBytes(width))
  }

  /// Returns the format to which pictures of a V4L2 pixel format are converted; nil if they are not converted here.
  static func result(fourCC: UInt32) -> PixelFormat? {
    PlainConversion(fourCC: fourCC, width: 1, height: 1)?.layout.format
  }

  /// The layout of converted pictures: GREY for gray, YU12 for others.
  package var layout: PixelLayout {
    if case .deepGray = arrangement { return PixelLayout(format: .grey, width: width, height: height) }
    return PixelLayout(format: .yuv420, width: width, height: height)
  }

  /// The least number of bytes of a picture. The last row may lack its padding.
  package var minimumBytes: Int {
    guard case .planar(let columns, let rows, let interleaved, _) = arrangement else {
      return stride * (height - 1) + arrangement.rowBytes(width)
    }
    let last = interleaved ? 2 * ((width + columns - 1) / columns) : (width + columns - 1) / columns
    let chromaRows = (height + rows - 1) / rows * (interleaved ? 1 : 2)
    return stride * height + chromaStride(columns, interleaved) * (chromaRows - 1) + last
  }

  /// Returns the distance between rows of chroma in bytes.
  private func chromaStride(_ columns: Int, _ interleaved: Bool) -> Int {
    (interleaved ? 2 : 1) * ((stride + columns - 1) / columns)
  }

  /// Converts a picture into `layout.frameBytes` bytes.
  ///
  /// - Returns: false, without writing, if the picture is too short.
  package func convert(_ picture: UnsafeRawBufferPointer, to output: UnsafeMutablePointer<UInt8>) -> Bool {
    guard picture.count >= minimumBytes, let base = picture.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
      return false
    }
    let (columns, rows) = ((width + 1) / 2, (height + 1) / 2)
    let blue = output + width * height
    let red = blue + columns * rows
    switch arrangement {
    case .rgb, .rgb565: convert(to: output, blue, red) { x, y in colour(base, x, y) }
    case .bayer(let column, let row, let shift):
      let mosaic = Mosaic(
        base: base, width: width, height: height, stride: stride, column: column, row: row, shift: shift)
      for y in 0..<height { for x in 0..<width { output[y &* width &+ x] = Self.limited(mosaic.luma(x, y)) } }
      chroma(to: blue, red) { x, y in mosaic.colour(x, y) }
    case .deepGray(let shift):
      for y in 0..<height {
        for x in 0..<width { output[y &* width &+ x] = Mosaic.sample(base + (y &* stride &+ 2 &* x), shift) }
      }
    case .packed(let luma, let blueAt, let redAt):
      for y in 0..<height {
        for x in 0..<width { output[y &* width &+ x] = base[y &* stride &+ 2 &* x &+ luma] }
      }
      for y in 0..<rows {
        for x in 0..<columns {
          let pair = base + (2 &* y &* stride &+ 4 &* x)
          (blue[y &* columns &+ x], red[y &* columns &+ x]) = (pair[blueAt], pair[redAt])
        }
      }
    case .planar(let across, let down, let interleaved, let redFirst):
      for y in 0..<height { (output + y &* width).update(from: base + y &* stride, count: width) }
      let distance = chromaStride(across, interleaved)
      let first = base + height &* stride
      let second = interleaved ? first + 1 : first + distance &* ((height + down - 1) / down)
      let (rowStep, columnStep) = (2 / down * distance, 2 / across * (interleaved ? 2 : 1))
      let (blues, reds) = redFirst ? (second, first) : (first, second)
      for y in 0..<rows {
        for x in 0..<columns {
          let at = y &* rowStep &+ x &* columnStep
          (blue[y &* columns &+ x], red[y &* columns &+ x]) = (blues[at], reds[at])
        }
      }
    }
    return true
  }

  private typealias Colour = (red: UInt8, green: UInt8, blue: UInt8)

  /// Returns the colour of a pixel of an RGB format.
  @inline(__always)
  private func colour(_ base: UnsafePointer<UInt8>, _ x: Int, _ y: Int) -> Colour {
    let row = base + y &* stride
    if case .rgb(let pixel, let red, let green, let blue) = arrangement {
      let at = row + pixel &* x
      return (at[red], at[green], at[blue])
    }
    let value = Int(row[2 &* x]) | Int(row[2 &* x &+ 1]) << 8
    let (red, green, blue) = (value >> 11, value >> 5 & 63, value & 31)
    return (
      UInt8(truncatingIfNeeded: red << 3 | red >> 2), UInt8(truncatingIfNeeded: green << 2 | green >> 4),
      UInt8(truncatingIfNeeded: blue << 3 | blue >> 2)
    )
  }

  /// Converts luma from the range 0 to 255 to the range 16 to 235.
  @inline(__always)
  static func limited(_ luma: UInt8) -> UInt8 { UInt8(truncatingIfNeeded: 16 &+ (UInt32(luma) &* 219 &+ 127) / 255) }

  /// Writes the luma of each pixel, and the chroma of every second pixel of every second row.
  @inline(__always)
  private func convert(
    to output: UnsafeMutablePointer<UInt8>, _ blue: UnsafeMutablePointer<UInt8>, _ red: UnsafeMutablePointer<UInt8>,
    _ colour: (Int, Int) -> Colour
  ) {
    for y in 0..<height {
      for x in 0..<width {
        let colour = colour(x, y)
        output[y &* width &+ x] = Self.limited(Luma.of(colour.red, colour.green, colour.blue))
      }
    }
    chroma(to: blue, red, colour)
  }

  /// Writes the chroma of every second pixel of every second row.
  @inline(__always)
  private func chroma(
    to blue: UnsafeMutablePointer<UInt8>, _ red: UnsafeMutablePointer<UInt8>, _ colour: (Int, Int) -> Colour
  ) {
    let columns = (width + 1) / 2
    for y in 0..<(height + 1) / 2 {
      for x in 0..<columns {
        let colour = colour(2 &* x, 2 &* y)
        let (r, g, b) = (Int(colour.red), Int(colour.green), Int(colour.blue))
        // The coefficients of BT.601 for 16 to 240, in units of 2^-16.
        blue[y &* columns &+ x] = UInt8(clamping: 128 &+ (-9714 &* r &- 19070 &* g &+ 28784 &* b &+ 32768) >> 16)
        red[y &* columns &+ x] = UInt8(clamping: 128 &+ (28784 &* r &- 24103 &* g &- 4681 &* b &+ 32768) >> 16)
      }
    }
  }
}

/// The samples of a Bayer sensor, each of one colour.
private struct Mosaic {
  let base: UnsafePointer<UInt8>
  let width: Int
  let height: Int
  let stride: Int
  /// The column and row of red in each 2 × 2 pixels.
  let column: Int
  let row: Int
  /// The number of bits beyond eight in samples of two bytes; nil for samples of one byte.
  let shift: Int?

  /// Returns the upper eight bits of a sample in two bytes.
  @inline(__always)
  static func sample(_ bytes: UnsafePointer<UInt8>, _ shift: Int) -> UInt8 {
    UInt8(clamping: (Int(bytes[0]) | Int(bytes[1]) << 8) >> shift)
  }

  /// Returns the sample at (x, y). Coordinates outside of the picture are mirrored at its border, which keeps the colour.
  @inline(__always)
  func at(_ x: Int, _ y: Int) -> Int {
    let x = x < 0 ? min(-x, width - 1) : x >= width ? max(0, 2 * width - 2 - x) : x
    let y = y < 0 ? min(-y, height - 1) : y >= height ? max(0, 2 * height - 2 - y) : y
    if let shift { return Int(Self.sample(base + (y &* stride &+ 2 &* x), shift)) }
    return Int(base[y &* stride &+ x])
  }

  /// Returns the luma at a pixel: the mean of its 3 × 3 neighbourhood with the weights 1, 2, 1 in both directions. At every
  /// pixel, green then has half of the weight, and red and blue have a quarter each.
  @inline(__always)
  func luma(_ x: Int, _ y: Int) -> UInt8 {
    let above = at(x - 1, y - 1) &+ 2 &* at(x, y - 1) &+ at(x + 1, y - 1)
    let middle = at(x - 1, y) &+ 2 &* at(x, y) &+ at(x + 1, y)
    let below = at(x - 1, y + 1) &+ 2 &* at(x, y + 1) &+ at(x + 1, y + 1)
    return UInt8(truncatingIfNeeded: (above &+ 2 &* middle &+ below &+ 8) >> 4)
  }

  /// Returns the colour of the 2 × 2 pixels whose top left pixel is (x, y), both even.
  @inline(__always)
  func colour(_ x: Int, _ y: Int) -> (red: UInt8, green: UInt8, blue: UInt8) {
    let green = (at(x + 1 - column, y + row) + at(x + column, y + 1 - row) + 1) / 2
    return (
      UInt8(truncatingIfNeeded: at(x + column, y + row)), UInt8(truncatingIfNeeded: green),
      UInt8(truncatingIfNeeded: at(x + 1 - column, y + 1 - row))
    )
  }
}
