/// The format and size of a captured picture.
package struct PixelLayout: Sendable, Equatable {
  package var format: PixelFormat
  /// The width in pixels, as captured.
  package var width: Int
  /// The height in pixels, as captured.
  package var height: Int
  /// The distance between rows of the luma plane in bytes; 0 for compressed formats.
  package var bytesPerLine: Int

  /// Creates a layout, without padding between rows unless `bytesPerLine` is larger.
  package init(format: PixelFormat, width: Int, height: Int, bytesPerLine: Int = 0) {
    self.format = format
    self.width = width
    self.height = height
    self.bytesPerLine = max(bytesPerLine, format.minimumBytesPerLine(width: width))
  }

  /// The minimum bytes of the luma plane; the padding of the last row may be missing.
  package var minimumLumaBytes: Int {
    guard !format.isCompressed, height > 0 else { return 0 }
    return (height - 1) * bytesPerLine + format.minimumBytesPerLine(width: width)
  }

  /// The bytes of a frame including chroma; nil for compressed formats.
  package var frameBytes: Int? {
    switch format {
    case .mjpeg: nil
    case .yuyv, .uyvy, .grey: bytesPerLine * height
    case .nv12, .nv21: bytesPerLine * height + bytesPerLine * ((height + 1) / 2)
    case .yuv420: bytesPerLine * height + 2 * ((bytesPerLine + 1) / 2) * ((height + 1) / 2)
    }
  }
}

/// The memory layout of a captured picture. Other formats of cameras are converted to one of these.
package enum PixelFormat: String, Sendable, CaseIterable, Codable {
  /// A JPEG picture per frame; cameras may omit the Huffman tables and pad the end.
  case mjpeg = "MJPG"
  /// Packed 4:2:2, luma first.
  case yuyv = "YUYV"
  /// Packed 4:2:2, chroma first.
  case uyvy = "UYVY"
  /// Luma plane, then interleaved CbCr at half size.
  case nv12 = "NV12"
  /// Luma plane, then interleaved CrCb at half size.
  case nv21 = "NV21"
  /// Luma plane, then Cb and Cr planes at half size.
  case yuv420 = "YU12"
  /// Luma alone, 8 bits.
  case grey = "GREY"

  /// True if a frame has no fixed size.
  package var isCompressed: Bool { self == .mjpeg }

  /// Returns the minimum distance between two rows of the luma plane, in bytes; 0 for compressed formats.
  package func minimumBytesPerLine(width: Int) -> Int {
    switch self {
    case .mjpeg: 0
    case .yuyv, .uyvy: 2 * width
    case .nv12, .nv21, .yuv420, .grey: width
    }
  }
}
