import CWebP
public import WaymarkSystem

/// A decoded picture with the metadata of its file.
public struct DecodedPicture<Image: Sendable>: Sendable {
  /// The upright picture.
  public let image: Image
  /// The format of the file.
  public let format: PictureFormat
  /// How the file's pixels had to be turned; already done.
  public let orientation: Orientation
  /// The file ended before the picture did (JPEG only); what was missing is mid-gray.
  public let isTruncated: Bool
  /// Some of it is transparent, so that the decoder's background shows.
  public let isTransparent: Bool
}

/// Reads picture files by their contents, whatever they are called.
///
/// JPEG (baseline, progressive, gray, CMYK), PNG (every colour type and depth), WebP, BMP, GIF (the first picture) and PNM
/// (P1 to P6). The EXIF orientation is applied, transparency lies over ``background``.
public struct PictureDecoder: Sendable {
  /// Pictures of more pixels are refused before memory is taken for them.
  public var pixelLimit: Int

  /// The background under transparent parts; white by default.
  public var background = PictureBackground.white

  /// 100 megapixels.
  public static let defaultPixelLimit = 100_000_000

  /// A decoder that takes at most `pixelLimit` pixels.
  public init(pixelLimit: Int = PictureDecoder.defaultPixelLimit) {
    // Far beyond what fits into memory, and far from where sizes in bytes would overflow.
    self.pixelLimit = min(max(1, pixelLimit), 1 << 40)
  }

  /// The picture in gray, by ITU-R BT.601 where the file has colour.
  public func gray(_ file: [UInt8]) throws(ImageError) -> DecodedPicture<GrayImage> {
    try file.withUnsafeBufferPointer { bytes throws(ImageError) in try gray(UnsafeRawBufferPointer(bytes)) }
  }

  /// The picture in colour.
  public func rgb(_ file: [UInt8]) throws(ImageError) -> DecodedPicture<RGBImage> {
    try file.withUnsafeBufferPointer { bytes throws(ImageError) in try rgb(UnsafeRawBufferPointer(bytes)) }
  }

  package func gray(_ file: UnsafeRawBufferPointer) throws(ImageError) -> DecodedPicture<GrayImage> {
    let stored = try pixels(file, channels: 1)
    let image = GrayImage(width: stored.width, height: stored.height, buffer: stored.buffer)
    return DecodedPicture(
      image: image.oriented(stored.orientation), format: stored.format, orientation: stored.orientation,
      isTruncated: stored.isTruncated, isTransparent: stored.isTransparent)
  }

  package func rgb(_ file: UnsafeRawBufferPointer) throws(ImageError) -> DecodedPicture<RGBImage> {
    let stored = try pixels(file, channels: 3)
    let image = RGBImage(width: stored.width, height: stored.height, buffer: stored.buffer)
    return DecodedPicture(
      image: image.oriented(stored.orientation), format: stored.format, orientation: stored.orientation,
      isTruncated: stored.isTruncated, isTransparent: stored.isTransparent)
  }

  /// Pixels as they lie in the file.
  private struct Stored {
    let buffer: PixelBuffer
    let width: Int
    let height: Int
    let format: PictureFormat
    let orientation: Orientation
    var isTruncated = false
    var isTransparent = false
  }

  private func pixels(_ file: UnsafeRawBufferPointer, channels: Int) throws(ImageError) -> Stored {
    let format = try PictureFormat.detect(file)
    let orientation = ExifOrientation.find(in: file, format: format)
    func stored(
      _ width: Int, _ height: Int, _ buffer: PixelBuffer, isTruncated: Bool = false, isTransparent: Bool = false
    ) -> Stored {
      Stored(
        buffer: buffer, width: width, height: height, format: format, orientation: orientation,
        isTruncated: isTruncated, isTransparent: isTransparent)
    }

    switch format {
    case .jpeg:
      var decoder = try JPEGDecoder()
      var size = (width: 0, height: 0)
      var buffer: PixelBuffer?
      let kind: JPEGDecoder.Channels = channels == 3 ? .rgb : .gray
      let outcome = try decoder.decode(file, channels: kind) { header throws(ImageError) in
        size = (header.width, header.height)
        let memory = try room(for: header.width, header.height, channels)
        buffer = memory
        return (memory.bytes, header.width * channels, memory.capacity)
      }
      return stored(size.width, size.height, buffer!, isTruncated: outcome.isTruncated)
    case .png:
      let (width, height) = try PNGDecoder.size(of: file)
      let buffer = try room(for: width, height, channels)
      let isTransparent = try PNGDecoder.decode(
        file, width: width, height: height, channels: channels, over: background, into: buffer.bytes)
      return stored(width, height, buffer, isTransparent: isTransparent)
    case .webp:
      let features = try WebPDecoder.features(of: file)
      _ = try checked(Int(features.width), Int(features.height))
      if features.has_animation != 0, let still = WebPDecoder.firstFrame(of: file) {
        return try still.withUnsafeBufferPointer { bytes throws(ImageError) in
          let raw = UnsafeRawBufferPointer(bytes)
          let made = try webP(raw, try WebPDecoder.features(of: raw), channels)
          return stored(made.width, made.height, made.buffer, isTransparent: made.isTransparent)
        }
      }
      let made = try webP(file, features, channels)
      return stored(made.width, made.height, made.buffer, isTransparent: made.isTransparent)
    case .bmp:
      let header = try BMPHeader(ByteReader(file))
      let buffer = try room(for: header.width, header.height, channels)
      var writer = PixelWriter(buffer.bytes, channels: channels, over: background)
      try BMPDecoder.decode(ByteReader(file), header, into: &writer)
      return stored(header.width, header.height, buffer, isTransparent: writer.isTransparent)
    case .gif:
      let decoder = try GIFDecoder(ByteReader(file))
      let buffer = try room(for: decoder.width, decoder.height, channels)
      var writer = PixelWriter(buffer.bytes, channels: channels, over: background)
      try decoder.decode(into: &writer)
      return stored(decoder.width, decoder.height, buffer, isTransparent: writer.isTransparent)
    case .pnm:
      var reader = try PNMReader(file)
      let buffer = try room(for: reader.width, reader.height, channels)
      try reader.decode(channels: channels, into: buffer.bytes)
      return stored(reader.width, reader.height, buffer)
    }
  }

  private func webP(
    _ file: UnsafeRawBufferPointer, _ features: WebPBitstreamFeatures, _ channels: Int
  ) throws(ImageError) -> (buffer: PixelBuffer, width: Int, height: Int, isTransparent: Bool) {
    let (width, height) = (Int(features.width), Int(features.height))
    let buffer = try room(for: width, height, channels)
    let isTransparent = try WebPDecoder.decode(
      file, features: features, channels: channels, over: background, into: buffer.bytes)
    return (buffer, width, height, isTransparent)
  }

  private func checked(_ width: Int, _ height: Int) throws(ImageError) -> Int {
    let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
    guard !overflow, pixels <= pixelLimit else {
      throw ImageError(
        .tooManyPixels, "the picture has \(width) x \(height) pixels, more than the limit of \(pixelLimit)",
        hint: "Scale it down, or raise the limit (--max-pixels).")
    }
    return pixels
  }

  /// Memory for a picture, once its size is known to be within the limit.
  private func room(for width: Int, _ height: Int, _ channels: Int) throws(ImageError) -> PixelBuffer {
    PixelBuffer(capacity: try checked(width, height) * channels)
  }
}
