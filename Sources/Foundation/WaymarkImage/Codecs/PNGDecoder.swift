import CPNG
import WaymarkSystem

/// PNG of every colour type and depth, interlaced or not; 16 bits cut to 8.
enum PNGDecoder {
  /// Width and height from IHDR, which has to be the first chunk (ISO/IEC 15948, 5.6).
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

  /// Decodes into `width * height` bytes of gray, or three times as many of colour.
  ///
  /// - Returns: whether the background shows.
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
