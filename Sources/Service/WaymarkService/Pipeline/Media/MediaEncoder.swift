package import WaymarkFrames
import WaymarkImage
import WaymarkSystem

/// Makes JPEG files of frames. The camera's own pass through where they are not much larger than wanted; all else is
/// decoded, made smaller and encoded. One thread.
package struct MediaEncoder: ~Copyable {
  private var decoder: JPEGDecoder?
  private let outOfProcess: (any FrameDecoder)?
  private let quality: Int

  /// - Parameter outOfProcess: what decodes compressed pictures; nil: they are decoded here.
  package init(quality: Int = 80, outOfProcess: (any FrameDecoder)? = nil) {
    self.quality = quality
    self.outOfProcess = outOfProcess
    decoder = try? JPEGDecoder()
  }

  /// A JPEG of a frame.
  ///
  /// - Parameter wanted: the width that is enough, in pixels; nil: as captured.
  /// - Returns: nil when nothing can be made of it.
  package mutating func encode(_ frame: Frame, wanted: Int?) -> MediaPicture? {
    guard let encoded = frame.encoded else {
      let factor = Self.factor(from: frame.width, to: wanted)
      let small = factor == 1 ? frame.image : frame.image.withView { $0.shrunk(by: factor) }
      guard let bytes = try? JPEGEncoder.encode(small, quality: quality) else { return nil }
      return picture(frame, width: small.width, height: small.height, bytes: bytes)
    }
    // A wanted size is counted as seen, the layout as captured.
    let layout = encoded.layout
    let seen = encoded.transform.size(width: layout.width, height: layout.height)
    let factor = Self.factor(from: seen.width, to: wanted)
    if layout.format == .mjpeg, factor == 1 {
      let bytes = encoded.withBytes { MJPEGToJPEG.complete($0, orientation: encoded.transform.orientation) }
      return picture(frame, width: seen.width, height: seen.height, bytes: bytes)
    }
    if layout.format == .mjpeg { return reduced(frame, encoded, factor: factor) }
    guard let colours = encoded.withBytes({ ColourConversion.rgb($0, layout: layout, factor: factor) }),
      let bytes = try? JPEGEncoder.encode(colours.oriented(encoded.transform.orientation), quality: quality)
    else { return nil }
    let size = encoded.transform.size(width: colours.width, height: colours.height)
    return picture(frame, width: size.width, height: size.height, bytes: bytes)
  }

  /// A Motion JPEG frame made smaller.
  private mutating func reduced(_ frame: Frame, _ encoded: EncodedPicture, factor: Int) -> MediaPicture? {
    let scale: JPEGDecoder.Scale = factor >= 8 ? .eighth : factor >= 4 ? .quarter : .half
    let (orientation, quality) = (encoded.transform.orientation, quality)
    let agreed = encoded.layout.width * encoded.layout.height
    let made = encoded.withBytes { bytes -> (order: DecodeRequest, bytes: [UInt8])? in
      // A header of a few bytes could ask for gigabytes.
      guard let size = JPEGStructure.pictureSize(bytes), size.width * size.height <= agreed else { return nil }
      let order = DecodeRequest(width: size.width, height: size.height, scale: scale)
      let file =
        if let outOfProcess {
          outOfProcess.preview(bytes, order, orientation: orientation, quality: quality)
        } else {
          try? preview(bytes, order, orientation)
        }
      return file.map { (order, $0) }
    }
    guard let made else { return nil }
    let size = encoded.transform.size(width: made.order.scaledWidth, height: made.order.scaledHeight)
    return picture(frame, width: size.width, height: size.height, bytes: made.bytes)
  }

  private mutating func preview(
    _ bytes: UnsafeRawBufferPointer, _ order: DecodeRequest, _ orientation: Orientation
  ) throws(ImageError) -> [UInt8] {
    if decoder == nil { decoder = try JPEGDecoder() }
    return try FramePreview.make(bytes, order, orientation: orientation, quality: quality, with: &decoder!)
  }

  private func picture(_ frame: Frame, width: Int, height: Int, bytes: [UInt8]) -> MediaPicture {
    MediaPicture(
      sequence: frame.sequence, captured: frame.captured, frameWidth: frame.width, frameHeight: frame.height,
      width: width, height: height, bytes: bytes)
  }

  /// By how much a picture can be made smaller and still be as wide as wanted; a power of two up to 8.
  package static func factor(from width: Int, to wanted: Int?) -> Int {
    guard let wanted, wanted > 0 else { return 1 }
    var factor = 1
    while factor < 8, width / (2 * factor) >= wanted { factor *= 2 }
    return factor
  }
}
