package import WaymarkImage

/// The kind of source that a frame comes from.
package enum FrameOrigin: String, Sendable, Hashable, CaseIterable {
  /// A camera of this device.
  case camera
  /// A stream of pictures: a file, a pipe, or standard input.
  case stream
  /// A folder of pictures, or a single one, played as frames.
  case folder
}

/// One captured picture: luma, ready to be read by any number of lanes at once.
///
/// A value that shares its pooled memory; the memory returns to its pool when the last copy is gone.
package struct Frame: Sendable {
  /// Counts the frames of this run of the program, from 1; keeps rising when a source is reopened or changed.
  package var sequence: UInt64
  /// When it was captured: seconds of CLOCK_MONOTONIC.
  package let captured: Double
  /// The kind of source that it comes from.
  package let origin: FrameOrigin
  /// Width in pixels, after rotation.
  package let width: Int
  /// Height in pixels, after rotation.
  package let height: Int
  /// The luma, after rotation and mirroring; of size 0×0 when nobody wanted luma (`FrameDemand`).
  package let image: GrayImage
  /// The picture as it came from the source; kept only while somebody watches.
  package let encoded: EncodedPicture?

  /// A frame of `image`.
  package init(
    origin: FrameOrigin, sequence: UInt64, captured: Double, image: GrayImage, encoded: EncodedPicture? = nil
  ) {
    self.origin = origin
    self.sequence = sequence
    self.captured = captured
    self.width = image.width
    self.height = image.height
    self.image = image
    self.encoded = encoded
  }

  /// A frame whose luma nobody wanted.
  package init(origin: FrameOrigin, sequence: UInt64, captured: Double, encoded: EncodedPicture) {
    self.origin = origin
    self.sequence = sequence
    self.captured = captured
    (width, height) = encoded.transform.size(width: encoded.layout.width, height: encoded.layout.height)
    image = Self.noLuma
    self.encoded = encoded
  }

  private static let noLuma = GrayImage(width: 0, height: 0, value: 0)

  /// True if lanes can read it.
  package var hasLuma: Bool { image.width > 0 }
}

/// The bytes of a captured picture as the source delivered them, in sensor orientation.
package struct EncodedPicture: Sendable {
  /// Form and size as captured, before rotation.
  package let layout: PixelLayout
  /// The transform by which it stands upright.
  package let transform: FrameTransform
  /// How many bytes are valid.
  package let count: Int
  private let buffer: PixelBuffer

  /// Bytes that will not be written again while this value lives.
  package init(layout: PixelLayout, transform: FrameTransform, count: Int, buffer: PixelBuffer) {
    precondition(count <= buffer.capacity)
    self.layout = layout
    self.transform = transform
    self.count = count
    self.buffer = buffer
  }

  /// Lends the bytes for the length of a call.
  package func withBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    try withExtendedLifetime(buffer) { () throws(E) -> R in
      try body(UnsafeRawBufferPointer(start: buffer.bytes, count: count))
    }
  }
}
