import CWebP
public import WaymarkSystem

/// A decoded picture with the metadata of its file. Created by `PictureDecoder` below.
public struct DecodedPicture<Image: Sendable>: Sendable {
  /// The upright picture.
  public let image: Image
  /// The format of the file.
  public let format: PictureFormat
  /// The orientation of the file's pixels, which is already applied to `image`.
  public let orientation: Orientation
  /// True if the file ended before the picture did (JPEG only); missing pixels are mid-gray.
  public let isTruncated: Bool
  /// True if parts of the picture are transparent, so that `background` is visible.
  public let isTransparent: Bool
  /// The colour behind transparent parts.
  public let background: PictureBackground
}

/// Decodes picture files of any supported format, detected by their contents.
///
/// JPEG (baseline, progressive, gray, CMYK), PNG (every colour type and depth), WebP, BMP, GIF (the first picture) and PNM
/// (P1 to P6). The EXIF orientation is applied; transparent pixels are blended with ``background``.
public struct PictureDecoder: Sendable {
  /// The largest number of pixels of a picture. A larger picture is refused before memory is allocated.
  public var pixelLimit: Int

  /// The colour behind transparent parts. With nil, the default, it is white, or black if the picture has more than twice as much
  /// contrast on black.
  public var background: PictureBackground?

  /// The default limit: 100 megapixels.
  public static let defaultPixelLimit = 100_000_000

  /// Creates a decoder for pictures of at most `pixelLimit` pixels.
  public init(pixelLimit: Int = PictureDecoder.defaultPixelLimit) {
    // This upper bound exceeds any memory, and below it sizes in bytes do not overflow.
    self.pixelLimit = min(max(1, pixelLimit), 1 << 40)
  }

  /// Decodes a picture in gray; colours are converted by ITU-R BT.601.
  public func gray(_ file: [UInt8]) throws(ImageError) -> DecodedPicture<GrayImage> {
    try file.withUnsafeBufferPointer { bytes throws(ImageError) in try gray(UnsafeRawBufferPointer(bytes)) }
  }

  /// Decodes a picture in colour.
  public func rgb(_ file: [UInt8]) throws(ImageError) -> DecodedPicture<RGBImage> {
    try file.withUnsafeBufferPointer { bytes throws(ImageError) in try rgb(UnsafeRawBufferPointer(bytes)) }
  }

  package func gray(_ file: UnsafeRawBufferPointer) throws(ImageError) -> DecodedPicture<GrayImage> {
    try picture(file)
  }

  package func rgb(_ file: UnsafeRawBufferPointer) throws(ImageError) -> DecodedPicture<RGBImage> { try picture(file) }

  private func picture<Image: BytePicture>(_ file: UnsafeRawBufferPointer) throws(ImageError) -> DecodedPicture<Image> {
    var ground = background ?? .white
    var stored = try pixels(file, channels: Image.channels, over: ground)
    if background == nil, stored.isTransparent {
      let onWhite = stored.contrast(channels: Image.channels)
      // Only one picture is in memory at a time, so if white turns out better, it is decoded again.
      stored.buffer = PixelBuffer(capacity: 0)
      stored = try pixels(file, channels: Image.channels, over: .black)
      ground = .black
      if stored.contrast(channels: Image.channels) <= 2 * onWhite {
        stored.buffer = PixelBuffer(capacity: 0)
        stored = try pixels(file, channels: Image.channels, over: .white)
        ground = .white
      }
    }
    let image = Image(width: stored.width, height: stored.height, buffer: stored.buffer)
    return DecodedPicture(
      image: image.upright(from: stored.orientation), format: stored.format, orientation: stored.orientation,
      isTruncated: stored.isTruncated, isTransparent: stored.isTransparent, background: ground)
  }

  /// Decoded pixels in the orientation of the file.
  private struct Stored {
    var buffer: PixelBuffer
    let width: Int
    let height: Int
    let format: PictureFormat
    let orientation: Orientation
    var isTruncated = false
    var isTransparent = false

    /// Returns the standard deviation of the luma, in gray levels.
    func contrast(channels: Int) -> Double {
      let (count, bytes) = (width * height, buffer.bytes)
      var (sum, squares) = (0, 0)
      for index in 0..<count {
        let pixel = bytes + channels &* index
        let luma = Int(channels == 1 ? pixel[0] : Luma.of(pixel[0], pixel[1], pixel[2]))
        sum &+= luma
        squares &+= luma &* luma
      }
      let mean = Double(sum) / Double(count)
      return max(0, Double(squares) / Double(count) - mean * mean).squareRoot()
    }
  }

  private func pixels(
    _ file: UnsafeRawBufferPointer, channels: Int, over background: PictureBackground
  ) throws(ImageError) -> Stored {
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
          let made = try webP(raw, try WebPDecoder.features(of: raw), channels, background)
          return stored(made.width, made.height, made.buffer, isTransparent: made.isTransparent)
        }
      }
      let made = try webP(file, features, channels, background)
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
      var writer = PixelWriter(buffer.bytes, channels: channels, over: background)
      try reader.decode(into: &writer)
      return stored(reader.width, reader.height, buffer)
    }
  }

  private func webP(
    _ file: UnsafeRawBufferPointer, _ features: WebPBitstreamFeatures, _ channels: Int,
    _ background: PictureBackground
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

  /// Allocates memory for a picture after checking its size against the limit.
  private func room(for width: Int, _ height: Int, _ channels: Int) throws(ImageError) -> PixelBuffer {
    PixelBuffer(capacity: try checked(width, height) * channels)
  }
}
