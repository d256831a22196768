import CWebP
import WaymarkSystem

/// Decodes lossy and lossless WebP; of an animation, the first frame.
enum WebPDecoder {
  /// Reads the features in the header.
  static func features(of bytes: UnsafeRawBufferPointer) throws(ImageError) -> WebPBitstreamFeatures {
    var features = WebPBitstreamFeatures()
    let status = WebPGetFeatures(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count, &features)
    guard status == VP8_STATUS_OK, features.width > 0, features.height > 0 else { throw damaged("it has no header") }
    return features
  }

  /// Decodes into `channels * width * height` bytes.
  ///
  /// - Returns: true if the background is visible through transparent pixels.
  static func decode(
    _ bytes: UnsafeRawBufferPointer, features: WebPBitstreamFeatures, channels: Int,
    over background: PictureBackground, into out: UnsafeMutablePointer<UInt8>
  ) throws(ImageError) -> Bool {
    let (width, height) = (Int(features.width), Int(features.height))
    let data = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    let pixels = width * height
    if features.has_alpha == 0 {
      if channels == 3 {
        guard WebPDecodeRGBInto(data, bytes.count, out, 3 * pixels, Int32(3 * width)) != nil else { throw damaged() }
        return false
      }
      let rgb = PixelBuffer(capacity: 3 * pixels)
      guard WebPDecodeRGBInto(data, bytes.count, rgb.bytes, 3 * pixels, Int32(3 * width)) != nil else {
        throw damaged()
      }
      Luma.convert(rgb: rgb.bytes, to: out, count: pixels)
      return false
    } else {
      let rgba = PixelBuffer(capacity: 4 * pixels)
      guard WebPDecodeRGBAInto(data, bytes.count, rgba.bytes, 4 * pixels, Int32(4 * width)) != nil else {
        throw damaged()
      }
      var writer = PixelWriter(out, channels: channels, over: background)
      for i in 0..<pixels {
        let p = rgba.bytes + 4 * i
        writer.put(.init(red: p[0], green: p[1], blue: p[2], alpha: p[3]), at: i)
      }
      return writer.isTransparent
    }
  }

  /// Returns the first frame of an animation as a separate file (RFC 9649, section 2.7): the chunks of its `ANMF` after a
  /// new header. The frame may be smaller than the canvas. `nil` if the file has no complete header of a frame.
  static func firstFrame(of bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    let file = ByteReader(bytes)
    var at = 12
    while let length = file.uint32(at + 4, littleEndian: true), length <= file.count {
      if file.hasPrefix("ANMF", at: at), length > 16, let frame = file.slice(at + 8, length) {
        return still(from: frame)
      }
      at += 8 + length + (length & 1)
    }
    return nil
  }

  private static func still(from frame: ByteReader) -> [UInt8]? {
    guard let chunks = frame.slice(16, frame.count - 16) else { return nil }
    func little(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 255) } }
    var body: [UInt8] = []
    if chunks.hasPrefix("ALPH") {
      // Alpha with lossy colour requires the extended header: flags, then width − 1 and height − 1 in three bytes each,
      // copied from the frame's header.
      body += Array("VP8X".utf8) + little(10, 4) + [0x10, 0, 0, 0] + frame.bytes[6..<12]
    }
    body += chunks.bytes
    return Array("RIFF".utf8) + little(body.count + 4, 4) + Array("WEBP".utf8) + body
  }

  private static func damaged(_ what: String = "its data ends early or contradicts itself") -> ImageError {
    ImageError(.damagedPicture, "the WebP is damaged: \(what)", hint: "Make or copy the picture again.")
  }
}
