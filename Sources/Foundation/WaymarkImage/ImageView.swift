/// A borrowed 8-bit gray picture: valid only inside the closure that received it.
///
/// Row `y` starts at `base + y * stride`; `stride >= width`, in bytes.
public struct ImageView {
  /// The first pixel of the first row.
  public let base: UnsafePointer<UInt8>
  /// Width in pixels.
  public let width: Int
  /// Height in pixels.
  public let height: Int
  /// Distance between rows in bytes.
  public let stride: Int

  /// A view of memory that the caller keeps alive.
  @inlinable
  public init(base: UnsafePointer<UInt8>, width: Int, height: Int, stride: Int) {
    self.base = base
    self.width = width
    self.height = height
    self.stride = stride
  }

  /// The pixel at (`x`, `y`), not checked in release builds.
  @inlinable
  public subscript(x: Int, y: Int) -> UInt8 {
    assert(x >= 0 && x < width && y >= 0 && y < height)
    return base[y &* stride &+ x]
  }

  /// The first pixel of row `y`.
  @inlinable
  public func row(_ y: Int) -> UnsafePointer<UInt8> { base + y &* stride }

  /// A part of it, clipped to the picture.
  public func cropped(x: Int, y: Int, width w: Int, height h: Int) -> ImageView {
    let x0 = min(max(0, x), width)
    let y0 = min(max(0, y), height)
    let x1 = min(max(x0, x + w), width)
    let y1 = min(max(y0, y + h), height)
    return ImageView(base: base + y0 * stride + x0, width: x1 - x0, height: y1 - y0, stride: stride)
  }
}
