import Glibc
import WaymarkImage
import WaymarkSystem

/// The pixels of a page in memory of the C library, freed with this value.
package struct DecodedPage: ~Copyable {
  /// Pages of the file.
  let count: Int
  let width: Int
  let height: Int
  /// 1: gray, 3: red, green and blue, 4: with opacity.
  private let channels: Int
  private let pixels: UnsafeMutablePointer<UInt8>

  /// Takes over `width * height * channels` bytes, rows without gaps, that `malloc` or the like returned.
  package init(count: Int, width: Int, height: Int, channels: Int, owning pixels: UnsafeMutablePointer<UInt8>) {
    self.count = count
    self.width = width
    self.height = height
    self.channels = channels
    self.pixels = pixels
  }

  deinit { free(pixels) }

  /// The page as a file: gray and colour as PNM, with opacity as BMP. Where that is larger than a worker takes, without opacity and without
  /// colours, or, where these are to be kept, as JPEG.
  ///
  /// - Throws: `tooManyPixels` where that is too large as well.
  func file(keepsColour: Bool) throws(ImageError) -> [UInt8] {
    let plain = plainFile
    guard plain.count > ConvertedPage.byteLimit else { return plain }
    let file: [UInt8]
    if keepsColour {
      file = try JPEGEncoder.encode(try PictureDecoder().rgb(plain).image, quality: 95)
    } else {
      let image = try PictureDecoder().gray(plain).image
      file = Self.header("P5", width, height) + UnsafeBufferPointer(start: image.unsafeView.base, count: width * height)
    }
    guard file.count <= ConvertedPage.byteLimit else {
      let limit = ConvertedPage.byteLimit >> 20
      throw ImageError(
        .tooManyPixels, "the picture has \(width) x \(height) pixels, which take more than \(limit) MB",
        hint: "Scale it down.")
    }
    return file
  }

  private var plainFile: [UInt8] {
    let head = channels == 4 ? bmpHeader : Self.header(channels == 1 ? "P5" : "P6", width, height)
    let byteCount = width * height * channels
    return [UInt8](unsafeUninitializedCapacity: head.count + byteCount) { bytes, count in
      _ = bytes.initialize(from: head)
      UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(bytes)[head.count...])
        .copyMemory(from: UnsafeRawBufferPointer(start: pixels, count: byteCount))
      count = head.count + byteCount
    }
  }

  private static func header(_ magic: String, _ width: Int, _ height: Int) -> [UInt8] {
    Array("\(magic)\n\(width) \(height)\n255\n".utf8)
  }

  /// The head of a BMP whose pixels are red, green, blue and opacity in this order, from the top.
  private var bmpHeader: [UInt8] {
    func long(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    let size = 14 + 108
    var head = Array("BM".utf8) + long(size + width * height * channels) + long(0) + long(size)
    head += long(108) + long(width) + long(-height) + [1, 0, 32, 0] + long(3)
    head += (0..<5).flatMap { _ in long(0) }
    head += long(0xFF) + long(0xFF00) + long(0xFF_0000) + long(0xFF00_0000)
    return head + [UInt8](repeating: 0, count: size - head.count)
  }
}
