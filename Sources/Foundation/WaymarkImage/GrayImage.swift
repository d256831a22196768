/// An owned 8-bit gray picture, shared by reference and read-only once made.
///
/// Rows lie without gaps (`stride == width`), which is what libzbar wants.
public struct GrayImage: Sendable {
  /// Width in pixels.
  public let width: Int
  /// Height in pixels.
  public let height: Int
  package let buffer: PixelBuffer

  /// A picture whose pixels `fill` writes, row after row; what it leaves out is undefined.
  ///
  /// - Parameters:
  ///   - width: in pixels.
  ///   - height: in pixels.
  ///   - fill: receives `width * height` bytes.
  public init(
    width: Int, height: Int, filling fill: (UnsafeMutableBufferPointer<UInt8>) throws -> Void
  ) rethrows {
    precondition(width >= 0 && height >= 0)
    let buffer = PixelBuffer(capacity: width * height)
    try fill(UnsafeMutableBufferPointer(start: buffer.bytes, count: width * height))
    self.init(width: width, height: height, buffer: buffer)
  }

  /// A picture over memory that is already filled and will not be written again while this value lives.
  package init(width: Int, height: Int, buffer: PixelBuffer) {
    precondition(buffer.capacity >= width * height)
    self.width = width
    self.height = height
    self.buffer = buffer
  }

  /// A picture of one value.
  public init(width: Int, height: Int, value: UInt8) {
    self.init(width: width, height: height) { $0.update(repeating: value) }
  }

  /// Lends the pixels for the length of a call.
  @inlinable
  public func withView<R, E: Error>(_ body: (ImageView) throws(E) -> R) throws(E) -> R {
    try withExtendedLifetime(self) { () throws(E) -> R in try body(unsafeView) }
  }

  /// The pixels; valid as long as this value lives.
  public var unsafeView: ImageView {
    ImageView(base: UnsafePointer(buffer.bytes), width: width, height: height, stride: width)
  }

  /// The pixel at (`x`, `y`).
  public subscript(x: Int, y: Int) -> UInt8 {
    precondition(x >= 0 && x < width && y >= 0 && y < height)
    return buffer.bytes[y * width + x]
  }
}

extension GrayImage {
  /// A copy of a view, its rows without gaps.
  public init(copying view: ImageView) {
    self.init(width: view.width, height: view.height) { pixels in
      guard let target = pixels.baseAddress else { return }
      for y in 0..<view.height { (target + y * view.width).update(from: view.row(y), count: view.width) }
    }
  }
}
