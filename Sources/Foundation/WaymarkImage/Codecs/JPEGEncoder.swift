import CJPEG
import WaymarkSystem

/// Writes pictures as baseline JPEG.
package enum JPEGEncoder {
  /// - Parameter quality: 1...100, as libjpeg counts.
  package static func encode(_ image: GrayImage, quality: Int = 85) throws(ImageError) -> [UInt8] {
    try image.withView { view throws(ImageError) in try encode(view, quality: quality) }
  }

  /// A borrowed picture, gray.
  package static func encode(_ view: ImageView, quality: Int = 85) throws(ImageError) -> [UInt8] {
    try encode(view.base, view.width, view.height, stride: view.stride, channels: 1, quality)
  }

  /// Colour at half the resolution of brightness (4:2:0), as cameras do.
  package static func encode(_ image: RGBImage, quality: Int = 85) throws(ImageError) -> [UInt8] {
    try image.withBytes { bytes throws(ImageError) in
      try encode(bytes.baseAddress!, image.width, image.height, stride: 3 * image.width, channels: 3, quality)
    }
  }

  private static func encode(
    _ pixels: UnsafePointer<UInt8>, _ width: Int, _ height: Int, stride: Int, channels: Int32, _ quality: Int
  ) throws(ImageError) -> [UInt8] {
    var out: UnsafeMutablePointer<UInt8>?
    var size = 0
    let (status, message) = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 200) {
      let status = wm_jpeg_encode(
        pixels, UInt32(clamping: width), UInt32(clamping: height), stride, channels,
        Int32(clamping: min(max(1, quality), 100)), 1, &out, &size, $0.baseAddress)
      return (status, status == 0 ? "" : String(cString: $0.baseAddress!))
    }
    guard status == 0, let out else {
      throw ImageError(
        .cannotEncode, "\(width) x \(height) pixels cannot be written as JPEG: \(message)",
        hint: "Use a picture of 1 to 65500 pixels a side.")
    }
    defer { wm_jpeg_free(out) }
    return Array(UnsafeBufferPointer(start: out, count: size))
  }
}
