import CJPEG
import WaymarkSystem

/// Decodes JPEG pictures one after the other and reuses libjpeg's memory. Use it from one thread at a time.
///
/// It is suitable for live frames: Motion JPEG frames without Huffman tables are decoded with the standard tables, and the pixels
/// are written directly into the caller's memory. `JPEGEncoder` and `JPEGQuality` below are for writing.
package struct JPEGDecoder: ~Copyable {
  /// The size of the result relative to the file's, by DCT scaling (fast, and well filtered).
  package enum Scale: Int32, Sendable {
    case eighth = 1
    case quarter = 2
    case half = 4
    case full = 8
  }

  /// The channels of the result.
  package enum Channels: Int32, Sendable {
    case gray = 1
    case rgb = 3
  }

  /// The sizes of the picture in the file and of the result, in pixels.
  package struct Header: Sendable, Equatable {
    package let width: Int
    package let height: Int
    /// The width of the result.
    package let scaledWidth: Int
    package let scaledHeight: Int
  }

  package struct Outcome: Sendable, Equatable {
    /// True if the data ended before the picture did; the remaining rows are mid-gray.
    package let isTruncated: Bool
    /// True if libjpeg reported another warning; parts of the picture may be wrong.
    package let isDamaged: Bool
    /// The number of rows decoded from the data.
    package let rows: Int
  }

  private let handle: OpaquePointer

  /// - Throws: `outOfMemory` if libjpeg cannot allocate its memory.
  package init() throws(ImageError) {
    guard let handle = wm_jpeg_decoder_new() else { throw Self.error(Int32(WM_JPEG_MEMORY), "") }
    self.handle = handle
  }

  deinit { wm_jpeg_decoder_free(handle) }

  /// Reads the header of a picture, calls `destination` for the memory of its pixels and decodes into it; `destination`
  /// may throw to refuse the picture.
  ///
  /// - Parameters:
  ///   - bytes: the whole file; read only during this call.
  ///   - destination: returns memory for `scaledHeight` rows, `stride` bytes apart, `capacity` bytes in all. The memory has to stay
  ///   valid until this call returns.
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

// Sendable because the value cannot be copied: no other value uses its handle.
extension JPEGDecoder: @unchecked Sendable {}

// MARK: - Encoding

/// Writes pictures as baseline JPEG.
package enum JPEGEncoder {
  /// - Parameter quality: 1...100, as libjpeg counts.
  package static func encode(_ image: GrayImage, quality: Int = JPEGQuality.standard) throws(ImageError) -> [UInt8] {
    try image.withView { view throws(ImageError) in try encode(view, quality: quality) }
  }

  /// Encodes a borrowed gray picture.
  package static func encode(_ view: ImageView, quality: Int = JPEGQuality.standard) throws(ImageError) -> [UInt8] {
    try encode(view.base, view.width, view.height, stride: view.stride, channels: 1, quality)
  }

  /// Encodes a colour picture with chroma at half the resolution (4:2:0), as cameras do.
  package static func encode(_ image: RGBImage, quality: Int = JPEGQuality.standard) throws(ImageError) -> [UInt8] {
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

/// The qualities at which JPEG files are written, 1...100 as libjpeg counts.
package enum JPEGQuality {
  /// For previews, and pictures resized for a client.
  package static let preview = 80
  /// For the pages of a PDF.
  package static let document = 82
  /// For other pictures.
  package static let standard = 85
  /// For a captured page that a client requests.
  package static let page = 88
  /// For files that a command writes.
  package static let file = 90
  /// For captured frames that are processed later.
  package static let capture = 92
  /// For pictures converted from another format.
  package static let conversion = 95
}
