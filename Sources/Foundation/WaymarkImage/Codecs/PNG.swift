import CPNG
import WaymarkSystem

/// Decodes PNG of every colour type and depth, interlaced or not; 16 bits are reduced to 8. `PNGEncoder` below writes
/// PNG.
enum PNGDecoder {
  /// Reads width and height from IHDR, which must be the first chunk (ISO/IEC 15948, 5.6).
  static func size(of bytes: UnsafeRawBufferPointer) throws(ImageError) -> (width: Int, height: Int) {
    let file = ByteReader(bytes)
    guard file.hasPrefix("IHDR", at: 12), let width = file.uint32(16, littleEndian: false),
      let height = file.uint32(20, littleEndian: false)
    else { throw error("it has no header") }
    guard width > 0, height > 0, width <= 0x7FFF_FFFF, height <= 0x7FFF_FFFF else {
      throw error("its size is invalid")
    }
    return (width, height)
  }

  /// Decodes into `channels * width * height` bytes.
  ///
  /// - Returns: true if the background is visible through transparent pixels.
  static func decode(
    _ bytes: UnsafeRawBufferPointer, width: Int, height: Int, channels: Int, over background: PictureBackground,
    into out: UnsafeMutablePointer<UInt8>
  ) throws(ImageError) -> Bool {
    var isTransparent: CInt = 0
    let (status, message) = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(WM_PNG_MESSAGE)) {
      let status = wm_png_decode(
        bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count, Int32(channels), UInt32(width),
        UInt32(height), background.rawValue, &isTransparent, out, $0.baseAddress)
      return (Int(status), status == 0 ? "" : String(cString: $0.baseAddress!))
    }
    switch status {
    case WM_PNG_OK: return isTransparent != 0
    case WM_PNG_MEMORY:
      throw ImageError(
        .outOfMemory, "there is no memory to decode the PNG", hint: "Close other programs or scale it down.")
    default: throw error(message)
    }
  }

  private static func error(_ what: String) -> ImageError {
    ImageError(.damagedPicture, "the PNG is damaged: \(what)", hint: "Make or copy the picture again.")
  }
}

/// Encodes pictures as PNG with 8 bits per channel.
package enum PNGEncoder {
  /// zlib's default compromise between size and time.
  private static let compressionLevel: Int32 = 6

  package static func encode<Image: BytePicture>(_ image: Image) throws(ImageError) -> [UInt8] {
    let (width, height) = (image.width, image.height)
    var out: UnsafeMutablePointer<UInt8>?
    var size = 0
    let (status, message) = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(WM_PNG_MESSAGE)) {
      let status = wm_png_encode(
        image.buffer.bytes, UInt32(clamping: width), UInt32(clamping: height), Image.channels * width,
        Int32(Image.channels), compressionLevel, &out, &size, $0.baseAddress)
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
