/// How a captured picture lies in memory. Everything a camera delivers that is not listed is converted by libv4l2.
package enum PixelFormat: String, Sendable, CaseIterable, Codable {
  /// A JPEG picture a frame; cameras may leave out the Huffman tables and pad the end.
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

  /// The shortest distance between two rows of the luma plane, in bytes.
  func minimumBytesPerLine(width: Int) -> Int {
    switch self {
    case .mjpeg: 0
    case .yuyv, .uyvy: 2 * width
    case .nv12, .nv21, .yuv420, .grey: width
    }
  }
}

/// The form and size of a captured picture.
package struct PixelLayout: Sendable, Equatable {
  /// How the pixels lie.
  package var format: PixelFormat
  /// Width in pixels, as captured.
  package var width: Int
  /// Height in pixels, as captured.
  package var height: Int
  /// Distance between rows of the luma plane in bytes; 0 for compressed forms.
  package var bytesPerLine: Int

  /// A layout; rows lie without gaps unless `bytesPerLine` says more.
  package init(format: PixelFormat, width: Int, height: Int, bytesPerLine: Int = 0) {
    self.format = format
    self.width = width
    self.height = height
    self.bytesPerLine = max(bytesPerLine, format.minimumBytesPerLine(width: width))
  }

  /// How many bytes the luma plane needs at least; the last row may end early.
  package var minimumLumaBytes: Int {
    guard !format.isCompressed, height > 0 else { return 0 }
    return (height - 1) * bytesPerLine + format.minimumBytesPerLine(width: width)
  }

  /// How many bytes a whole frame has, chroma included; nil for compressed forms.
  package var frameBytes: Int? {
    switch format {
    case .mjpeg: nil
    case .yuyv, .uyvy, .grey: bytesPerLine * height
    case .nv12, .nv21: bytesPerLine * height + bytesPerLine * ((height + 1) / 2)
    case .yuv420: bytesPerLine * height + 2 * ((bytesPerLine + 1) / 2) * ((height + 1) / 2)
    }
  }
}
