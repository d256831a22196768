import Glibc

/// Takes the luma out of uncompressed pictures. The inner loops are written so that the compiler vectorises them.
package enum LumaConversion {
  /// Writes the luma of a picture, rows without gaps.
  ///
  /// - Parameters:
  ///   - bytes: the picture; at least `layout.minimumLumaBytes` of it.
  ///   - output: memory for `layout.width * layout.height` bytes.
  /// - Returns: false when `bytes` is too short or the form is compressed; nothing is written then.
  package static func extract(
    _ bytes: UnsafeRawBufferPointer, layout: PixelLayout, to output: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    guard layout.width > 0, layout.height > 0, bytes.count >= layout.minimumLumaBytes,
      let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    else { return false }
    switch layout.format {
    case .mjpeg: return false
    case .grey, .nv12, .nv21, .yuv420:
      if layout.bytesPerLine == layout.width {
        output.update(from: base, count: layout.width * layout.height)
      } else {
        for y in 0..<layout.height {
          (output + y * layout.width).update(from: base + y * layout.bytesPerLine, count: layout.width)
        }
      }
    case .yuyv: everySecond(base, layout: layout, to: output)
    case .uyvy: everySecond(base + 1, layout: layout, to: output)
    }
    return true
  }

  private static func everySecond(
    _ base: UnsafePointer<UInt8>, layout: PixelLayout, to output: UnsafeMutablePointer<UInt8>
  ) {
    for y in 0..<layout.height {
      let source = base + y &* layout.bytesPerLine
      let target = output + y &* layout.width
      for x in 0..<layout.width { target[x] = source[2 &* x] }
    }
  }
}
