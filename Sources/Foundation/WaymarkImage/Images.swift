public import WaymarkSystem

/// An owned 8-bit gray picture, shared by reference and immutable.
///
/// The file also has `RGBImage`, the borrowed `ImageView`, their memory (`PixelBuffer`), the conversion from colour to
/// gray (`Luma`), the errors of pictures (`ImageError`), and `PictureBackground`.
///
/// Rows have no gaps (`stride == width`), as libzbar requires.
public struct GrayImage: Sendable {
  /// Width in pixels.
  public let width: Int
  /// Height in pixels.
  public let height: Int
  package let buffer: PixelBuffer

  /// Creates a picture whose pixels `fill` writes, row by row; pixels that it does not write are undefined.
  ///
  /// - Parameters:
  ///   - width: the width in pixels.
  ///   - height: the height in pixels.
  ///   - fill: writes `width * height` bytes.
  public init(
    width: Int, height: Int, filling fill: (UnsafeMutableBufferPointer<UInt8>) throws -> Void
  ) rethrows {
    precondition(width >= 0 && height >= 0)
    let buffer = PixelBuffer(capacity: width * height)
    try fill(UnsafeMutableBufferPointer(start: buffer.bytes, count: width * height))
    self.init(width: width, height: height, buffer: buffer)
  }

  /// Creates a picture over memory that is already filled and is not changed while this value exists.
  package init(width: Int, height: Int, buffer: PixelBuffer) {
    precondition(buffer.capacity >= width * height)
    self.width = width
    self.height = height
    self.buffer = buffer
  }

  /// Creates a picture of one gray value.
  public init(width: Int, height: Int, value: UInt8) {
    self.init(width: width, height: height) { $0.update(repeating: value) }
  }

  /// Calls `body` with a view of the pixels, valid during the call.
  @inlinable
  public func withView<R, E: Error>(_ body: (ImageView) throws(E) -> R) throws(E) -> R {
    try withExtendedLifetime(self) { () throws(E) -> R in try body(unsafeView) }
  }

  /// A view of the pixels, valid while this value exists.
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
  /// Copies a view into a picture without gaps between rows.
  public init(copying view: ImageView) {
    self.init(width: view.width, height: view.height) { pixels in
      guard let target = pixels.baseAddress else { return }
      for y in 0..<view.height { (target + y * view.width).update(from: view.row(y), count: view.width) }
    }
  }
}

/// An owned picture of 8-bit red, green and blue, shared by reference and immutable.
///
/// Three bytes per pixel, rows without gaps (`3 * width` bytes each).
public struct RGBImage: Sendable {
  /// Width in pixels.
  public let width: Int
  /// Height in pixels.
  public let height: Int
  package let buffer: PixelBuffer

  /// Creates a picture over memory that is already filled and is not changed while this value exists.
  package init(width: Int, height: Int, buffer: PixelBuffer) {
    precondition(width >= 0 && height >= 0 && buffer.capacity >= 3 * width * height)
    self.width = width
    self.height = height
    self.buffer = buffer
  }

  /// Creates a picture whose pixels `fill` writes, row by row; pixels that it does not write are undefined.
  ///
  /// - Parameters:
  ///   - width: the width in pixels.
  ///   - height: the height in pixels.
  ///   - fill: writes `3 * width * height` bytes.
  public init(
    width: Int, height: Int, filling fill: (UnsafeMutableBufferPointer<UInt8>) throws -> Void
  ) rethrows {
    precondition(width >= 0 && height >= 0)
    let buffer = PixelBuffer(capacity: 3 * width * height)
    try fill(UnsafeMutableBufferPointer(start: buffer.bytes, count: 3 * width * height))
    self.init(width: width, height: height, buffer: buffer)
  }

  /// Converts a gray picture to colour.
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

  /// Calls `body` with the `3 * width * height` bytes, valid during the call.
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

/// An owned picture of bytes without gaps between rows.
package protocol BytePicture: Sendable {
  /// The number of bytes per pixel.
  static var channels: Int { get }
  var width: Int { get }
  var height: Int { get }
  var buffer: PixelBuffer { get }

  init(width: Int, height: Int, buffer: PixelBuffer)
}

extension GrayImage: BytePicture {
  package static var channels: Int { 1 }
}

extension RGBImage: BytePicture {
  package static var channels: Int { 3 }
}

// MARK: - Borrowed pictures

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
  /// The distance between rows, in bytes.
  public let stride: Int

  /// Creates a view of memory that the caller keeps allocated.
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

  /// Returns a rectangular part of the view, clipped to it.
  public func cropped(x: Int, y: Int, width w: Int, height h: Int) -> ImageView {
    let x0 = min(max(0, x), width)
    let y0 = min(max(0, y), height)
    let x1 = min(max(x0, x + w), width)
    let y1 = min(max(y0, y + h), height)
    return ImageView(base: base + y0 * stride + x0, width: x1 - x0, height: y1 - y0, stride: stride)
  }
}

// MARK: - Memory and luma

/// Aligned memory for one plane of pixels.
///
/// Sendable because it is written only before it is shared.
package final class PixelBuffer: @unchecked Sendable {
  package let bytes: UnsafeMutablePointer<UInt8>
  package let capacity: Int

  /// Allocates `capacity` bytes, aligned to 64 bytes, and 64 readable bytes after them so that vector loads may extend beyond the
  /// end. The contents are not initialised.
  package init(capacity: Int) {
    self.capacity = capacity
    let raw = UnsafeMutableRawPointer.allocate(byteCount: capacity + 64, alignment: 64)
    bytes = raw.bindMemory(to: UInt8.self, capacity: capacity + 64)
    (bytes + capacity).initialize(repeating: 0, count: 64)
  }

  deinit { UnsafeMutableRawPointer(bytes).deallocate() }
}

/// Converts colour to gray by ITU-R BT.601: 0.299 R + 0.587 G + 0.114 B, in 15-bit fixed point.
@usableFromInline
package enum Luma {
  @inlinable
  package static func of(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> UInt8 {
    UInt8(truncatingIfNeeded: (UInt32(red) &* 9798 &+ UInt32(green) &* 19235 &+ UInt32(blue) &* 3735 &+ 16384) &>> 15)
  }

  /// Converts `count` pixels of three bytes each.
  package static func convert(rgb: UnsafePointer<UInt8>, to gray: UnsafeMutablePointer<UInt8>, count: Int) {
    for i in 0..<count {
      gray[i] = of(rgb[3 &* i], rgb[3 &* i &+ 1], rgb[3 &* i &+ 2])
    }
  }

  /// Blends `value` with opacity `alpha` over `background`.
  @inlinable
  package static func mix(_ value: UInt8, alpha: UInt8, over background: UInt8) -> UInt8 {
    let a = UInt32(alpha)
    return UInt8(truncatingIfNeeded: (UInt32(value) &* a &+ UInt32(background) &* (255 &- a) &+ 127) / 255)
  }
}

// MARK: - Errors and backgrounds

/// The error of reading, decoding or writing a picture.
public typealias ImageError = Problem<ImageErrorCode>

/// The codes of `ImageError`.
public enum ImageErrorCode: String, ProblemCode, CaseIterable {
  /// The file has no bytes.
  case emptyFile
  /// The contents match no known format.
  case unknownFormat
  /// The format is recognised but not supported.
  case unsupportedFormat
  /// The format is supported, but this variant of the format is not.
  case unsupportedVariant
  /// The picture has more pixels than the limit.
  case tooManyPixels
  /// The file has more bytes than the limit.
  case fileTooLarge
  /// The contents violate the format or end early.
  case damagedPicture
  /// Memory to decode the picture cannot be allocated.
  case outOfMemory
  /// Reading or converting the file takes longer than the time limit.
  case tooSlow
  /// The picture cannot be encoded in the requested format.
  case cannotEncode
  /// The file cannot be opened or read.
  case cannotOpen
  /// The file cannot be written.
  case cannotWrite
}

/// The colour behind transparent pictures.
public enum PictureBackground: UInt8, Sendable {
  /// White, like paper.
  case white = 255
  /// Black, like a dark screen.
  case black = 0
}
