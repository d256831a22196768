import WaymarkFrames
import WaymarkImage

/// Makes colours of uncompressed pictures, for those who watch; lanes never need it.
enum ColourConversion {
  /// Red, green and blue of a captured picture, of which every `factor`-th pixel of every `factor`-th row is taken.
  ///
  /// - Returns: nil when `bytes` is too short or the form is compressed.
  static func rgb(_ bytes: UnsafeRawBufferPointer, layout: PixelLayout, factor: Int = 1) -> RGBImage? {
    guard let frameBytes = layout.frameBytes, bytes.count >= frameBytes,
      let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    else { return nil }
    let (width, height) = (layout.width / factor, layout.height / factor)
    return RGBImage(width: width, height: height) { output in
      for y in 0..<height {
        for x in 0..<width {
          let (luma, blue, red) = sample(base, layout, x * factor, y * factor)
          let at = 3 * (y * width + x)
          // ITU-R BT.601 with the limited range that V4L2 assumes for YCbCr, in 1/1024.
          let scaled = 1192 * (luma - 16)
          output[at] = clamp(scaled + 1634 * (red - 128))
          output[at + 1] = clamp(scaled - 401 * (blue - 128) - 833 * (red - 128))
          output[at + 2] = clamp(scaled + 2066 * (blue - 128))
        }
      }
    }
  }

  /// Y, Cb and Cr of a pixel.
  @inline(__always)
  private static func sample(
    _ base: UnsafePointer<UInt8>, _ layout: PixelLayout, _ x: Int, _ y: Int
  ) -> (Int, Int, Int) {
    let stride = layout.bytesPerLine
    let row = base + y * stride
    switch layout.format {
    case .mjpeg: return (16, 128, 128)
    case .grey: return (16 + Int(row[x]) * 219 / 255, 128, 128)
    case .yuyv:
      let pair = row + (x & ~1) * 2
      return (Int(row[2 * x]), Int(pair[1]), Int(pair[3]))
    case .uyvy:
      let pair = row + (x & ~1) * 2
      return (Int(row[2 * x + 1]), Int(pair[0]), Int(pair[2]))
    case .nv12, .nv21:
      let pair = base + layout.height * stride + (y / 2) * stride + (x & ~1)
      return layout.format == .nv12
        ? (Int(row[x]), Int(pair[0]), Int(pair[1])) : (Int(row[x]), Int(pair[1]), Int(pair[0]))
    case .yuv420:
      let half = (stride + 1) / 2
      let blue = base + layout.height * stride + (y / 2) * half + x / 2
      return (Int(row[x]), Int(blue[0]), Int(blue[half * ((layout.height + 1) / 2)]))
    }
  }

  private static func clamp(_ scaled: Int) -> UInt8 { UInt8(min(max((scaled + 512) >> 10, 0), 255)) }
}
