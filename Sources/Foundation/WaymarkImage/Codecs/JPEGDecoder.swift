import CJPEG
import WaymarkSystem

/// Decodes JPEG pictures one after the other, reusing libjpeg's memory; one thread at a time.
///
/// Made for live frames too: Motion JPEG frames without Huffman tables decode with the standard ones, and the pixels go
/// straight into memory that the caller owns.
package struct JPEGDecoder: ~Copyable {
  /// The size of the result in relation to the file's, by leaving out frequencies (cheap, and it filters well).
  package enum Scale: Int32, Sendable {
    case eighth = 1
    case quarter = 2
    case half = 4
    case full = 8
  }

  /// The values handed out for each pixel.
  package enum Channels: Int32, Sendable {
    case gray = 1
    case rgb = 3
  }

  /// Sizes in pixels.
  package struct Header: Sendable, Equatable {
    package let width: Int
    package let height: Int
    /// Of the result.
    package let scaledWidth: Int
    package let scaledHeight: Int
  }

  /// How a decoding went.
  package struct Outcome: Sendable, Equatable {
    /// The data ended before the picture did; the rest is mid-gray.
    package let isTruncated: Bool
    /// Something else was odd; the picture may have patches.
    package let isDamaged: Bool
    /// Rows that came out of the data.
    package let rows: Int
  }

  private let handle: OpaquePointer

  /// - Throws: `outOfMemory`.
  package init() throws(ImageError) {
    guard let handle = wm_jpeg_decoder_new() else { throw Self.error(Int32(WM_JPEG_MEMORY), "") }
    self.handle = handle
  }

  deinit { wm_jpeg_decoder_free(handle) }

  /// Reads the header of a picture and then lets `body` say where its pixels should go; `body` may refuse it by throwing.
  ///
  /// - Parameters:
  ///   - bytes: the whole file; read only during this call.
  ///   - destination: returns memory for `scaledHeight` rows, `stride` bytes apart, `capacity` bytes in all. It has to
  ///     stay valid until this call returns.
  package mutating func decode(
    _ bytes: UnsafeRawBufferPointer, channels: Channels = .gray, scale: Scale = .full,
    into destination: (Header) throws(ImageError) -> (base: UnsafeMutablePointer<UInt8>, stride: Int, capacity: Int)
  ) throws(ImageError) -> Outcome {
    var raw = wm_jpeg_header()
    let data = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    try check(wm_jpeg_read_header(handle, data, bytes.count, channels.rawValue, scale.rawValue, &raw))
    let header = Header(
      width: Int(raw.width), height: Int(raw.height),
      scaledWidth: Int(raw.scaled_width), scaledHeight: Int(raw.scaled_height))
    let (base, stride, capacity) = try destination(header)
    var result = wm_jpeg_result()
    try check(wm_jpeg_read(handle, base, stride, capacity, &result))
    return Outcome(
      isTruncated: result.truncated != 0, isDamaged: result.warnings > 0, rows: Int(result.rows))
  }

  private func check(_ status: Int32) throws(ImageError) {
    guard status == Int32(WM_JPEG_OK) else {
      throw Self.error(status, String(cString: wm_jpeg_message(handle)))
    }
  }

  private static func error(_ status: Int32, _ detail: String) -> ImageError {
    switch Int(status) {
    case WM_JPEG_UNSUPPORTED:
      ImageError(
        .unsupportedVariant, "this kind of JPEG is not supported: \(detail)",
        hint: "Save it as a baseline or progressive JPEG of 8 bits, or as PNG.")
    case WM_JPEG_MEMORY:
      ImageError(.outOfMemory, "there is no memory to decode the JPEG", hint: "Close other programs or scale it down.")
    case WM_JPEG_SCANS:
      ImageError(
        .damagedPicture, "the JPEG would take too long to decode: \(detail)",
        hint: "It may be crafted to do so. If it is yours, save it again.")
    case WM_JPEG_SIZE:
      ImageError(.damagedPicture, "the JPEG does not fit its buffer: \(detail)", hint: "Decode it again.")
    default:
      ImageError(.damagedPicture, "the JPEG is damaged: \(detail)", hint: "Take or copy the picture again.")
    }
  }
}

// The handle belongs to this value alone, which cannot be copied: whoever holds it is the only one to call libjpeg on it.
extension JPEGDecoder: @unchecked Sendable {}
