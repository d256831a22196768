package import WaymarkImage
package import WaymarkSystem

/// Decodes the compressed pictures of a source in another process, so that a picture that compromises the decoder
/// cannot reach anything else. Not thread-safe. The file also has its request (`DecodeRequest`), its result
/// (`DecodeOutcome`), and the reduction for previews (`FramePreview`).
package protocol FrameDecoder: AnyObject {
  /// Starts the process for the first picture, without waiting until it is ready.
  func prepare()

  /// Decodes the luma of a Motion JPEG picture.
  ///
  /// - Parameters:
  ///   - picture: the bytes from the SOI; bytes after the EOI are ignored.
  ///   - stop: ends the wait for the other process when raised.
  ///   - use: receives the pixels, in the size of `order`, which are valid during the call. Not called after a failure. The other
  ///   process may change the pixels, so copy them before use.
  func gray(
    _ picture: UnsafeRawBufferPointer, _ order: DecodeRequest, stop: StopSignal?, use: (ImageView) -> Void
  ) -> DecodeOutcome

  /// Encodes a Motion JPEG picture as an upright JPEG file of the size of `order`; nil if it cannot be decoded.
  func preview(
    _ picture: UnsafeRawBufferPointer, _ order: DecodeRequest, orientation: Orientation, quality: Int
  ) -> [UInt8]?
}

/// Creates a decoder for the calling thread; returns nil to decode pictures in this process.
package typealias MakeFrameDecoder = @Sendable () -> (any FrameDecoder)?

/// The expected size of a compressed picture, and the scale at which to decode it.
package struct DecodeRequest: Sendable, Equatable {
  /// The width in the picture's header, in pixels; a picture of another size is damaged.
  package let width: Int
  /// The height in the picture's header, in pixels.
  package let height: Int
  /// The size of the result relative to the picture.
  package let scale: JPEGDecoder.Scale

  package init(width: Int, height: Int, scale: JPEGDecoder.Scale = .full) {
    self.width = width
    self.height = height
    self.scale = scale
  }

  /// The width of the result in pixels, rounded up as libjpeg does.
  package var scaledWidth: Int { (width * Int(scale.rawValue) + 7) / 8 }
  /// The height of the result in pixels, rounded up as libjpeg does.
  package var scaledHeight: Int { (height * Int(scale.rawValue) + 7) / 8 }

  /// Throws `damagedPicture` if the picture's header has another size.
  package func check(_ header: JPEGDecoder.Header) throws(ImageError) {
    guard header.width == width, header.height == height, header.scaledWidth == scaledWidth,
      header.scaledHeight == scaledHeight
    else {
      throw ImageError(.damagedPicture, "the frame does not have its declared size", hint: "Take another.")
    }
  }
}

/// The result of decoding a compressed picture.
package enum DecodeOutcome: Sendable, Equatable {
  /// The picture was decoded without warnings.
  case clean
  /// The picture was decoded with warnings, for example because of a worn cable, or a camera whose pictures all cause them.
  case damagedButDecoded
  /// The picture is damaged and must not be used.
  case damaged
  /// The picture was lost because the decoder failed or is pausing after a failure.
  case lost
}

/// Reduces Motion JPEG pictures for the preview.
package enum FramePreview {
  /// Encodes a picture as an upright JPEG file of the size of `order`.
  ///
  /// - Throws: `ImageError` if the picture is damaged or not of the ordered size, or cannot be encoded.
  package static func make(
    _ picture: UnsafeRawBufferPointer, _ order: DecodeRequest, orientation: Orientation, quality: Int,
    with decoder: inout JPEGDecoder
  ) throws(ImageError) -> [UInt8] {
    var target: PixelBuffer?
    _ = try decoder.decode(picture, channels: .rgb, scale: order.scale) { header throws(ImageError) in
      try order.check(header)
      let buffer = PixelBuffer(capacity: 3 * header.scaledWidth * header.scaledHeight)
      target = buffer
      return (buffer.bytes, 3 * header.scaledWidth, buffer.capacity)
    }
    guard let target else { return [] }
    let image = RGBImage(width: order.scaledWidth, height: order.scaledHeight, buffer: target)
    return try JPEGEncoder.encode(image.oriented(orientation), quality: quality)
  }
}
