/// Reads numbers and slices of untrusted bytes at offsets; returns `nil` for an offset outside the bytes. `PixelWriter` below
/// writes the decoded pixels.
package struct ByteReader {
  package let bytes: UnsafeRawBufferPointer

  package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  package var count: Int { bytes.count }

  package func byte(_ at: Int) -> UInt8? {
    at >= 0 && at < bytes.count ? bytes[at] : nil
  }

  func uint16(_ at: Int, littleEndian: Bool) -> Int? {
    guard at >= 0, at <= bytes.count - 2 else { return nil }
    let (a, b) = (Int(bytes[at]), Int(bytes[at + 1]))
    return littleEndian ? b << 8 | a : a << 8 | b
  }

  func uint32(_ at: Int, littleEndian: Bool) -> Int? {
    guard at >= 0, at <= bytes.count - 4 else { return nil }
    guard let first = uint16(at, littleEndian: littleEndian), let second = uint16(at + 2, littleEndian: littleEndian)
    else { return nil }
    return littleEndian ? second << 16 | first : first << 16 | second
  }

  /// Returns up to `count` bytes that begin at `at`; `nil` if `at` is outside the bytes.
  package func slice(_ at: Int, _ count: Int) -> ByteReader? {
    guard at >= 0, count >= 0, at <= bytes.count else { return nil }
    return ByteReader(UnsafeRawBufferPointer(rebasing: bytes[at..<(at + min(count, bytes.count - at))]))
  }

  package func hasPrefix(_ text: StaticString, at offset: Int = 0) -> Bool {
    guard offset >= 0, offset <= bytes.count - text.utf8CodeUnitCount else { return false }
    for i in 0..<text.utf8CodeUnitCount where bytes[offset + i] != text.utf8Start[i] { return false }
    return true
  }
}

// MARK: - Pixels

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
