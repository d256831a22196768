/// The first line of a YUV4MPEG2 stream (mjpegtools, yuv4mpeg(5)).
package struct Y4MHeader: Sendable, Equatable {
  /// Width in pixels.
  package let width: Int
  /// Height in pixels.
  package let height: Int
  /// Frames a second; nil when the stream does not say.
  package let rate: Double?
  /// How many bytes of chroma follow the luma of a frame.
  let chromaBytes: Int
  /// Form of a whole frame, luma alone where the chroma has another resolution than is known here.
  package let layout: PixelLayout

  /// The first bytes of every such stream.
  package static let magic = Array("YUV4MPEG2".utf8)

  /// Reads the line, without its newline.
  ///
  /// - Returns: nil when it is none, or tells of more than 8 bits, or of no sensible size.
  package init?(line: some Collection<UInt8>) {
    let words = String(decoding: line, as: UTF8.self).split(separator: " ")
    guard words.first == "YUV4MPEG2" else { return nil }
    var (width, height, rate) = (0, 0, Double?.none)
    var colour = "420"
    for word in words.dropFirst() {
      let value = word.dropFirst()
      switch word.first {
      case "W": width = Int(value) ?? 0
      case "H": height = Int(value) ?? 0
      case "F":
        let parts = value.split(separator: ":").compactMap { Double($0) }
        if parts.count == 2, parts[0] > 0, parts[1] > 0 { rate = parts[0] / parts[1] }
      case "C": colour = String(value)
      default: break
      }
    }
    guard (1...16384).contains(width), (1...16384).contains(height) else { return nil }
    let halfWidth = (width + 1) / 2
    let halfHeight = (height + 1) / 2
    switch colour {
    case "420", "420jpeg", "420mpeg2", "420paldv":
      chromaBytes = 2 * halfWidth * halfHeight
      layout = PixelLayout(format: .yuv420, width: width, height: height)
    case "422": (chromaBytes, layout) = (2 * halfWidth * height, Self.luma(width, height))
    case "444": (chromaBytes, layout) = (2 * width * height, Self.luma(width, height))
    case "411": (chromaBytes, layout) = (2 * ((width + 3) / 4) * height, Self.luma(width, height))
    case "mono": (chromaBytes, layout) = (0, Self.luma(width, height))
    default: return nil
    }
    self.width = width
    self.height = height
    self.rate = rate
  }

  private static func luma(_ width: Int, _ height: Int) -> PixelLayout {
    PixelLayout(format: .grey, width: width, height: height)
  }
}
