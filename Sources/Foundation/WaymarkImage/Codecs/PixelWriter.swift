/// Writes colours with opacity as gray or colour pixels over a background, for decoders that produce one pixel at a time.
struct PixelWriter {
  /// A colour of a palette or of one pixel.
  struct Pixel {
    let red: UInt8
    let green: UInt8
    let blue: UInt8
    var alpha: UInt8 = 255

    static let black = Pixel(red: 0, green: 0, blue: 0)
    static let clear = Pixel(red: 0, green: 0, blue: 0, alpha: 0)
  }

  private let out: UnsafeMutablePointer<UInt8>
  private let channels: Int
  private let background: UInt8
  /// True once a pixel that is not opaque was written.
  private(set) var isTransparent = false

  /// - Parameters:
  ///   - out: memory for all pixels, `channels` bytes each.
  ///   - channels: 1 for gray, 3 for colour.
  init(_ out: UnsafeMutablePointer<UInt8>, channels: Int, over background: PictureBackground) {
    self.out = out
    self.channels = channels
    self.background = background.rawValue
  }

  /// Writes the pixel at an index, row by row from the top left.
  mutating func put(_ pixel: Pixel, at index: Int) {
    let alpha = pixel.alpha
    if alpha < 255 { isTransparent = true }
    if channels == 3 {
      out[3 &* index] = Luma.mix(pixel.red, alpha: alpha, over: background)
      out[3 &* index &+ 1] = Luma.mix(pixel.green, alpha: alpha, over: background)
      out[3 &* index &+ 2] = Luma.mix(pixel.blue, alpha: alpha, over: background)
    } else {
      out[index] = Luma.mix(Luma.of(pixel.red, pixel.green, pixel.blue), alpha: alpha, over: background)
    }
  }

  /// Writes the same pixel to the first `count` indices.
  mutating func fill(_ pixel: Pixel, count: Int) {
    for index in 0..<count { put(pixel, at: index) }
  }
}
