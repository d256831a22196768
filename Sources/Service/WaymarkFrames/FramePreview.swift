package import WaymarkImage
import WaymarkSystem

/// Scales a Motion JPEG picture down for the preview.
package enum FramePreview {
  /// A JPEG file of the size that `order` tells, turned upright.
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
