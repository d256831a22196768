import CPNG
import WaymarkSystem

/// Writes pictures as PNG of 8 bits.
package enum PNGEncoder {
  /// - Parameter level: zlib's compression level, 0...9.
  package static func encode(_ image: GrayImage, level: Int = 6) throws(ImageError) -> [UInt8] {
    try image.withView { view throws(ImageError) in
      try encode(view.base, view.width, view.height, stride: view.stride, channels: 1, level)
    }
  }

  /// In colour.
  package static func encode(_ image: RGBImage, level: Int = 6) throws(ImageError) -> [UInt8] {
    try image.withBytes { bytes throws(ImageError) in
      try encode(bytes.baseAddress!, image.width, image.height, stride: 3 * image.width, channels: 3, level)
    }
  }

  private static func encode(
    _ pixels: UnsafePointer<UInt8>, _ width: Int, _ height: Int, stride: Int, channels: Int32, _ level: Int
  ) throws(ImageError) -> [UInt8] {
    var out: UnsafeMutablePointer<UInt8>?
    var size = 0
    let (status, message) = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(WM_PNG_MESSAGE)) {
      let status = wm_png_encode(
        pixels, UInt32(clamping: width), UInt32(clamping: height), stride, channels,
        Int32(clamping: min(max(0, level), 9)), &out, &size, $0.baseAddress)
      return (status, status == 0 ? "" : String(cString: $0.baseAddress!))
    }
    guard status == 0, let out else {
      throw ImageError(
        .cannotEncode, "\(width) x \(height) pixels cannot be written as PNG: \(message)",
        hint: "Use a picture with at least one pixel.")
    }
    defer { wm_png_free(out) }
    return Array(UnsafeBufferPointer(start: out, count: size))
  }
}
