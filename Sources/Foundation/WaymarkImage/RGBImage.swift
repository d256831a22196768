/// An owned picture of 8-bit red, green and blue, shared by reference and read-only once made.
///
/// Three bytes a pixel, rows without gaps (`3 * width` bytes each).
public struct RGBImage: Sendable {
  /// Width in pixels.
  public let width: Int
  /// Height in pixels.
  public let height: Int
  package let buffer: PixelBuffer

  /// A picture over memory that is already filled and will not be written again while this value lives.
  package init(width: Int, height: Int, buffer: PixelBuffer) {
    precondition(width >= 0 && height >= 0 && buffer.capacity >= 3 * width * height)
    self.width = width
    self.height = height
    self.buffer = buffer
  }

  /// A picture whose pixels `fill` writes, row after row; what it leaves out is undefined.
  ///
  /// - Parameters:
  ///   - width: in pixels.
  ///   - height: in pixels.
  ///   - fill: receives `3 * width * height` bytes.
  public init(
    width: Int, height: Int, filling fill: (UnsafeMutableBufferPointer<UInt8>) throws -> Void
  ) rethrows {
    precondition(width >= 0 && height >= 0)
    let buffer = PixelBuffer(capacity: 3 * width * height)
    try fill(UnsafeMutableBufferPointer(start: buffer.bytes, count: 3 * width * height))
    self.init(width: width, height: height, buffer: buffer)
  }

  /// The same picture, gray become colour.
  public init(_ gray: GrayImage) {
    let count = gray.width * gray.height
    let from = UnsafePointer(gray.buffer.bytes)
    self.init(width: gray.width, height: gray.height) { to in
      for i in 0..<count {
        to[3 &* i] = from[i]
        to[3 &* i &+ 1] = from[i]
        to[3 &* i &+ 2] = from[i]
      }
    }
  }

  /// Lends the `3 * width * height` bytes for the length of a call.
  public func withBytes<R, E: Error>(_ body: (UnsafeBufferPointer<UInt8>) throws(E) -> R) throws(E) -> R {
    try withExtendedLifetime(buffer) { () throws(E) -> R in
      try body(UnsafeBufferPointer(start: buffer.bytes, count: 3 * width * height))
    }
  }

  /// Red, green and blue at (`x`, `y`).
  public subscript(x: Int, y: Int) -> (red: UInt8, green: UInt8, blue: UInt8) {
    precondition(x >= 0 && x < width && y >= 0 && y < height)
    let i = 3 * (y * width + x)
    return (buffer.bytes[i], buffer.bytes[i + 1], buffer.bytes[i + 2])
  }
}
