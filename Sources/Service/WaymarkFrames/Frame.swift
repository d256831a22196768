package import WaymarkImage

/// The kind of source that a frame comes from. The file also has `Frame`, a captured picture, with its layout
/// (`PixelLayout`), its orientation (`FrameTransform`) and its memory (`FramePool`).
package enum FrameOrigin: String, Sendable, Hashable, CaseIterable {
  case camera
  /// A stream of pictures from a file, a pipe, standard input, or an address.
  case stream
  /// A folder of pictures, or a single picture, played as frames.
  case folder
}

/// A captured picture. Any number of lanes can read its luma at the same time.
///
/// Copies share the memory, which returns to its pool when the last copy is released.
package struct Frame: Sendable {
  /// The number of the frame since the program started, from 1; numbering continues when the source is reopened or
  /// replaced.
  package var sequence: UInt64
  /// The time of the capture, in seconds of CLOCK_MONOTONIC.
  package let captured: Double
  package let origin: FrameOrigin
  /// The width in pixels after rotation.
  package let width: Int
  /// The height in pixels after rotation.
  package let height: Int
  /// The luma after rotation and mirroring; of size 0×0 if `FrameDemand` did not include luma.
  package let image: GrayImage
  /// The picture as the source delivered it; nil if `FrameDemand` did not include it.
  package let encoded: EncodedPicture?

  /// Creates a frame with luma, the captured bytes, or both.
  package init(
    origin: FrameOrigin, sequence: UInt64, captured: Double, image: GrayImage? = nil, encoded: EncodedPicture? = nil
  ) {
    self.origin = origin
    self.sequence = sequence
    self.captured = captured
    self.image = image ?? Self.noLuma
    self.encoded = encoded
    let size = encoded.map { $0.transform.size(width: $0.layout.width, height: $0.layout.height) } ?? (0, 0)
    (width, height) = image.map { ($0.width, $0.height) } ?? size
  }

  private static let noLuma = GrayImage(width: 0, height: 0, value: 0)

  package var hasLuma: Bool { image.width > 0 }
}

/// The bytes of a captured picture as the source delivered them, in sensor orientation.
package struct EncodedPicture: Sendable {
  /// The format and size as captured, before rotation.
  package let layout: PixelLayout
  /// The transform that turns the picture upright.
  package let transform: FrameTransform
  package let count: Int
  private let buffer: PixelBuffer

  /// Creates a picture from the first `count` bytes of a buffer, which must not be written while this value exists.
  package init(layout: PixelLayout, transform: FrameTransform, count: Int, buffer: PixelBuffer) {
    precondition(count <= buffer.capacity)
    self.layout = layout
    self.transform = transform
    self.count = count
    self.buffer = buffer
  }

  package func withBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    try withExtendedLifetime(buffer) { () throws(E) -> R in
      try body(UnsafeRawBufferPointer(start: buffer.bytes, count: count))
    }
  }
}

// MARK: - Transforms

/// The transform that turns a captured picture upright: the rotation, then the mirroring.
package struct FrameTransform: Sendable, Hashable {
  /// A clockwise rotation in degrees.
  package enum Rotation: Int, Sendable, CaseIterable, Codable {
    case none = 0
    case quarter = 90
    case half = 180
    case threeQuarters = 270
  }

  package static let identity = FrameTransform(rotation: .none, mirror: false)

  /// The rotation, for cameras that are mounted sideways.
  package var rotation: Rotation
  /// True to exchange left and right after the rotation, for cameras that face the user.
  package var mirror: Bool

  package init(rotation: Rotation = .none, mirror: Bool = false) {
    self.rotation = rotation
    self.mirror = mirror
  }

  /// True if the transform exchanges width and height.
  var swapsAxes: Bool { rotation == .quarter || rotation == .threeQuarters }

  package func size(width: Int, height: Int) -> (width: Int, height: Int) {
    swapsAxes ? (height, width) : (width, height)
  }

  /// The corresponding EXIF orientation.
  package var orientation: Orientation {
    switch (rotation, mirror) {
    case (.none, false): .upright
    case (.none, true): .mirror
    case (.half, false): .turn180
    case (.half, true): .flip
    case (.quarter, true): .transpose
    case (.quarter, false): .turn90
    case (.threeQuarters, true): .transverse
    case (.threeQuarters, false): .turn270
    }
  }
}

// MARK: - Pools

/// A pool of frame buffers, which reuses released buffers so that no memory is allocated in the steady state.
///
/// The pool keeps a reference to each buffer that it created. A buffer without other references is free; by the same test, the
/// collections of the standard library decide whether to write in place. The pool is not thread-safe, but other threads can use and
/// release the frames.
package struct FramePool: Sendable {
  private var buffers: [PixelBuffer] = []
  private var next = 0
  private let limit: Int
  /// The number of allocations, which is constant in the steady state.
  package private(set) var allocations = 0

  /// Creates a pool of up to `limit` buffers. If all are in use, further buffers are released with their frames.
  package init(limit: Int = 12) {
    self.limit = limit
  }

  /// Returns a buffer of at least `capacity` bytes without other references.
  package mutating func take(capacity: Int) -> PixelBuffer {
    for _ in 0..<buffers.count {
      next = next + 1 < buffers.count ? next + 1 : 0
      guard isKnownUniquelyReferenced(&buffers[next]) else { continue }
      if buffers[next].capacity >= capacity { return buffers[next] }
      // The buffer is free but too small, since the pictures have become larger.
      allocations += 1
      buffers[next] = PixelBuffer(capacity: capacity)
      return buffers[next]
    }
    allocations += 1
    let buffer = PixelBuffer(capacity: capacity)
    if buffers.count < limit { buffers.append(buffer) }
    return buffer
  }
}

/// The format and size of a captured picture.
package struct PixelLayout: Sendable, Equatable {
  package var format: PixelFormat
  /// The width in pixels, as captured.
  package var width: Int
  /// The height in pixels, as captured.
  package var height: Int
  /// The distance between rows of the luma plane in bytes; 0 for compressed formats.
  package var bytesPerLine: Int

  /// Creates a layout, without padding between rows unless `bytesPerLine` is larger.
  package init(format: PixelFormat, width: Int, height: Int, bytesPerLine: Int = 0) {
    self.format = format
    self.width = width
    self.height = height
    self.bytesPerLine = max(bytesPerLine, format.minimumBytesPerLine(width: width))
  }

  /// The least number of bytes of the luma plane, whose last row may lack its padding; 0 for compressed formats.
  package var minimumLumaBytes: Int {
    guard !format.isCompressed, height > 0 else { return 0 }
    return (height - 1) * bytesPerLine + format.minimumBytesPerLine(width: width)
  }

  /// The bytes of a frame including chroma; nil for compressed formats.
  package var frameBytes: Int? {
    switch format {
    case .mjpeg: nil
    case .yuyv, .uyvy, .grey: bytesPerLine * height
    case .nv12, .nv21: bytesPerLine * height + bytesPerLine * ((height + 1) / 2)
    case .yuv420: bytesPerLine * height + 2 * ((bytesPerLine + 1) / 2) * ((height + 1) / 2)
    }
  }
}

/// The V4L2 pixel format (FourCC) of a captured picture. Pictures in other formats of a camera are converted to one of these.
package enum PixelFormat: String, Sendable, CaseIterable, Codable {
  /// A JPEG picture per frame; cameras may omit the Huffman tables and pad the end.
  case mjpeg = "MJPG"
  /// Packed 4:2:2, luma first.
  case yuyv = "YUYV"
  /// Packed 4:2:2, chroma first.
  case uyvy = "UYVY"
  /// Luma plane, then interleaved CbCr at half the width and height (4:2:0).
  case nv12 = "NV12"
  /// Luma plane, then interleaved CrCb at half the width and height (4:2:0).
  case nv21 = "NV21"
  /// Luma plane, then Cb and Cr planes at half the width and height (4:2:0).
  case yuv420 = "YU12"
  /// Luma alone, 8 bits.
  case grey = "GREY"

  /// True if a frame has no fixed size.
  package var isCompressed: Bool { self == .mjpeg }

  /// Returns the minimum distance between two rows of the luma plane, in bytes; 0 for compressed formats.
  package func minimumBytesPerLine(width: Int) -> Int {
    switch self {
    case .mjpeg: 0
    case .yuyv, .uyvy: 2 * width
    case .nv12, .nv21, .yuv420, .grey: width
    }
  }
}
