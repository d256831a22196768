package import WaymarkFrames
import WaymarkImage
import WaymarkSystem

/// Encodes frames as JPEG files. The JPEG of a camera is passed through if it is less than twice as wide as needed;
/// all other frames are decoded, reduced and encoded. Not thread-safe.
package struct MediaEncoder: ~Copyable {
  private var decoder: JPEGDecoder?
  private let outOfProcess: (any FrameDecoder)?
  private let quality: Int

  /// Creates an encoder.
  ///
  /// - Parameters:
  ///   - quality: the quality of the JPEG files, from 1 to 100.
  ///   - outOfProcess: the decoder for compressed pictures; nil to decode them in this process.
  package init(quality: Int = JPEGQuality.preview, outOfProcess: (any FrameDecoder)? = nil) {
    self.quality = quality
    self.outOfProcess = outOfProcess
    decoder = try? JPEGDecoder()
  }

  /// Encodes a frame.
  ///
  /// - Parameter wanted: the width that the picture needs, in pixels; nil for the full width.
  /// - Returns: nil if the frame cannot be decoded.
  package mutating func encode(_ frame: Frame, wanted: Int?) -> MediaPicture? {
    guard let encoded = frame.encoded else {
      let factor = Self.factor(from: frame.width, to: wanted)
      let small = factor == 1 ? frame.image : frame.image.withView { $0.shrunk(by: factor) }
      guard let bytes = try? JPEGEncoder.encode(small, quality: quality) else { return nil }
      return picture(frame, width: small.width, height: small.height, bytes: bytes)
    }
    // `wanted` is the width after the transform is applied; the size in `layout` is the one before.
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

  private mutating func reduced(_ frame: Frame, _ encoded: EncodedPicture, factor: Int) -> MediaPicture? {
    let scale: JPEGDecoder.Scale = factor >= 8 ? .eighth : factor >= 4 ? .quarter : .half
    let (orientation, quality) = (encoded.transform.orientation, quality)
    let agreed = encoded.layout.width * encoded.layout.height
    let made = encoded.withBytes { bytes -> (order: DecodeRequest, bytes: [UInt8])? in
      // A picture larger than agreed with the camera is refused: a header of a few bytes could request gigabytes.
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

  /// Returns the largest factor, a power of two up to 8, by which a picture can be reduced without becoming narrower
  /// than `wanted`.
  package static func factor(from width: Int, to wanted: Int?) -> Int {
    guard let wanted, wanted > 0 else { return 1 }
    var factor = 1
    while factor < 8, width / (2 * factor) >= wanted { factor *= 2 }
    return factor
  }
}

/// A picture of the preview, as a complete JPEG file.
package struct MediaPicture: Sendable {
  package let sequence: UInt64
  /// The time at which the frame was captured, in seconds of CLOCK_MONOTONIC.
  package let captured: Double
  /// The width of the frame in the lanes, in pixels.
  package let frameWidth: Int
  /// The height of the frame in the lanes, in pixels.
  package let frameHeight: Int
  /// The width of the picture after its orientation is applied, in pixels.
  package let width: Int
  /// The height of the picture after its orientation is applied, in pixels.
  package let height: Int
  package let bytes: [UInt8]
}

// MARK: - Colours

/// Converts uncompressed pictures to RGB for previews.
enum ColourConversion {
  /// Converts every `factor`-th pixel of every `factor`-th row of a captured picture.
  ///
  /// - Returns: nil if `bytes` is too short or the format is compressed.
  static func rgb(_ bytes: UnsafeRawBufferPointer, layout: PixelLayout, factor: Int = 1) -> RGBImage? {
    guard let frameBytes = layout.frameBytes, bytes.count >= frameBytes,
      let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    else { return nil }
    let (width, height) = (layout.width / factor, layout.height / factor)
    return RGBImage(width: width, height: height) { output in
      for y in 0..<height {
        for x in 0..<width {
          let (luma, blue, red) = sample(base, layout, x * factor, y * factor)
          let at = 3 * (y * width + x)
          // ITU-R BT.601 with the limited range that V4L2 assumes for YCbCr, with coefficients in units of 1/1024.
          let scaled = 1192 * (luma - 16)
          output[at] = clamp(scaled + 1634 * (red - 128))
          output[at + 1] = clamp(scaled - 401 * (blue - 128) - 833 * (red - 128))
          output[at + 2] = clamp(scaled + 2066 * (blue - 128))
        }
      }
    }
  }

  /// Returns the Y, Cb and Cr values of a pixel.
  @inline(__always)
  private static func sample(
    _ base: UnsafePointer<UInt8>, _ layout: PixelLayout, _ x: Int, _ y: Int
  ) -> (Int, Int, Int) {
    let stride = layout.bytesPerLine
    let row = base + y * stride
    switch layout.format {
    case .mjpeg: return (16, 128, 128)
    case .grey: return (16 + Int(row[x]) * 219 / 255, 128, 128)
    case .yuyv:
      let pair = row + (x & ~1) * 2
      return (Int(row[2 * x]), Int(pair[1]), Int(pair[3]))
    case .uyvy:
      let pair = row + (x & ~1) * 2
      return (Int(row[2 * x + 1]), Int(pair[0]), Int(pair[2]))
    case .nv12, .nv21:
      let pair = base + layout.height * stride + (y / 2) * stride + (x & ~1)
      return layout.format == .nv12
        ? (Int(row[x]), Int(pair[0]), Int(pair[1])) : (Int(row[x]), Int(pair[1]), Int(pair[0]))
    case .yuv420:
      let half = (stride + 1) / 2
      let blue = base + layout.height * stride + (y / 2) * half + x / 2
      return (Int(row[x]), Int(blue[0]), Int(blue[half * ((layout.height + 1) / 2)]))
    }
  }

  private static func clamp(_ scaled: Int) -> UInt8 { UInt8(min(max((scaled + 512) >> 10, 0), 255)) }
}
