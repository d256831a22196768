package import WaymarkImage
package import WaymarkSystem

/// Decodes the compressed pictures of a source outside of this process, where what they do to a decoder reaches nothing else. One
/// thread at a time.
package protocol FrameDecoder: AnyObject {
  /// Starts what the first picture will need; does not wait for it.
  func prepare()

  /// Luma of a Motion JPEG picture.
  ///
  /// - Parameters:
  ///   - picture: from its SOI on; what stands behind its EOI is skipped.
  ///   - order: the size that it has, and that is wanted.
  ///   - stop: gives up when raised.
  ///   - use: receives the pixels, of exactly the size that `order` tells, for the length of the call; not called unless there are
  ///     any. They may change meanwhile, so that they are to be copied before anybody draws conclusions from them.
  func gray(
    _ picture: UnsafeRawBufferPointer, _ order: DecodeRequest, stop: StopSignal?, use: (ImageView) -> Void
  ) -> DecodeOutcome

  /// A Motion JPEG picture as a JPEG file of the size that `order` tells, turned upright; nil when nothing can be made of it.
  func preview(
    _ picture: UnsafeRawBufferPointer, _ order: DecodeRequest, orientation: Orientation, quality: Int
  ) -> [UInt8]?
}

/// Makes a decoder for the thread that calls it; nil where pictures are decoded in this process.
package typealias MakeFrameDecoder = @Sendable () -> (any FrameDecoder)?

/// The size of a compressed picture, and the scale to decode it to.
package struct DecodeRequest: Sendable, Equatable {
  /// The width that its header tells, in pixels; a picture of another size counts as damaged.
  package let width: Int
  /// The height that its header tells, in pixels.
  package let height: Int
  /// The size of the result in relation to it.
  package let scale: JPEGDecoder.Scale

  /// An order.
  package init(width: Int, height: Int, scale: JPEGDecoder.Scale = .full) {
    self.width = width
    self.height = height
    self.scale = scale
  }

  /// Width of the result, in pixels: libjpeg rounds up.
  package var scaledWidth: Int { (width * Int(scale.rawValue) + 7) / 8 }
  /// Height of the result, in pixels.
  package var scaledHeight: Int { (height * Int(scale.rawValue) + 7) / 8 }

  /// Refuses a picture that is of another size.
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
  /// It was decoded without fault.
  case clean
  /// It was decoded, but the decoder found something odd.
  case damagedButDecoded
  /// It is damaged; nothing should be read from it.
  case damaged
  /// It was lost with what was to decode it, or while there was nothing that could.
  case lost
}
