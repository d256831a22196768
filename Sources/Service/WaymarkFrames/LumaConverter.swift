import Glibc
package import WaymarkImage
package import WaymarkSystem

/// Extracts the luma of captured pictures into pooled memory. Not thread-safe. `LumaConversion` below has the loops for
/// uncompressed pictures.
///
/// It allocates nothing in the steady state, because it reuses the decoder, the buffer for rotations and the frames.
package struct LumaConverter: ~Copyable {
  /// The result of a conversion, and the upright luma; nil if the picture could not be decoded.
  package typealias Luma = (outcome: DecodeOutcome, image: GrayImage?)

  package let transform: FrameTransform
  private var decoder: JPEGDecoder
  private let outOfProcess: (any FrameDecoder)?
  private var scratch: PixelBuffer
  private var pool: FramePool

  /// Creates a converter.
  ///
  /// - Parameter outOfProcess: the decoder for compressed pictures; nil to decode them in this process.
  /// - Throws: `ImageError` if libjpeg-turbo cannot be set up.
  package init(
    transform: FrameTransform = .identity, outOfProcess: (any FrameDecoder)? = nil
  ) throws(ImageError) {
    // Must precede all other properties: when the initializer of a noncopyable type throws, Swift 6.2 releases the properties set
    // so far twice.
    decoder = try JPEGDecoder()
    self.transform = transform
    self.outOfProcess = outOfProcess
    scratch = PixelBuffer(capacity: 0)
    pool = FramePool()
  }

  /// The number of allocations, which is constant in the steady state.
  package var allocations: Int { pool.allocations }

  /// Converts a captured picture.
  ///
  /// - Parameter stop: ends the wait for the out-of-process decoder when raised.
  package mutating func convert(
    _ bytes: UnsafeRawBufferPointer, layout: PixelLayout, stop: StopSignal? = nil
  ) -> Luma {
    guard layout.format == .mjpeg else { return copy(bytes, layout: layout) }
    if let outOfProcess { return fetch(bytes, layout: layout, from: outOfProcess, stop) }
    return decode(bytes, layout: layout)
  }

  private mutating func copy(_ bytes: UnsafeRawBufferPointer, layout: PixelLayout) -> Luma {
    let count = layout.width * layout.height
    if transform == .identity {
      let buffer = pool.take(capacity: count)
      guard LumaConversion.extract(bytes, layout: layout, to: buffer.bytes) else { return (.damaged, nil) }
      return (.clean, GrayImage(width: layout.width, height: layout.height, buffer: buffer))
    }
    if scratch.capacity < count { scratch = PixelBuffer(capacity: count) }
    guard LumaConversion.extract(bytes, layout: layout, to: scratch.bytes) else { return (.damaged, nil) }
    return (.clean, upright(width: layout.width, height: layout.height))
  }

  private mutating func decode(_ bytes: UnsafeRawBufferPointer, layout: PixelLayout) -> Luma {
    // A picture larger than agreed with the device does not belong to this stream.
    let limit = layout.width * layout.height
    var target: PixelBuffer?
    var (width, height) = (0, 0)
    let turns = transform != .identity
    let outcome: JPEGDecoder.Outcome
    do throws(ImageError) {
      // A closure cannot borrow two properties of a noncopyable value, so the pool and the buffer are moved into variables during
      // the call.
      var pool = FramePool(limit: 0)
      swap(&pool, &self.pool)
      defer { swap(&pool, &self.pool) }
      var scratch = self.scratch
      defer { self.scratch = scratch }
      outcome = try decoder.decode(bytes, channels: .gray, scale: .full) { header throws(ImageError) in
        guard header.width * header.height <= limit else {
          throw ImageError(.tooManyPixels, "the frame is larger than agreed", hint: "Reopen the camera.")
        }
        (width, height) = (header.width, header.height)
        if turns {
          if scratch.capacity < width * height { scratch = PixelBuffer(capacity: width * height) }
          return (scratch.bytes, width, scratch.capacity)
        }
        let buffer = pool.take(capacity: width * height)
        target = buffer
        return (buffer.bytes, width, buffer.capacity)
      }
    } catch {
      return (.damaged, nil)
    }
    guard !outcome.isTruncated else { return (.damaged, nil) }
    let image =
      target.map { GrayImage(width: width, height: height, buffer: $0) } ?? upright(width: width, height: height)
    return (outcome.isDamaged ? .damagedButDecoded : .clean, image)
  }

  /// Converts a picture that is decoded in another process, and turns its pixels upright while copying them.
  private mutating func fetch(
    _ bytes: UnsafeRawBufferPointer, layout: PixelLayout, from outOfProcess: any FrameDecoder, _ stop: StopSignal?
  ) -> Luma {
    // If the header contains no size, the decoder expects the size agreed with the device.
    let size = JPEGStructure.pictureSize(bytes) ?? (layout.width, layout.height)
    guard size.width * size.height <= layout.width * layout.height else { return (.damaged, nil) }
    let order = DecodeRequest(width: size.width, height: size.height)
    let (width, height) = size
    let buffer = pool.take(capacity: width * height)
    let orientation = transform.orientation
    let outcome = outOfProcess.gray(bytes, order, stop: stop) { view in
      if orientation == .upright {
        buffer.bytes.update(from: view.base, count: width * height)
      } else {
        orientation.apply(view.base, width: width, height: height, channels: 1, to: buffer.bytes)
      }
    }
    guard outcome == .clean || outcome == .damagedButDecoded else { return (outcome, nil) }
    let upright = transform.size(width: width, height: height)
    return (outcome, GrayImage(width: upright.width, height: upright.height, buffer: buffer))
  }

  private mutating func upright(width: Int, height: Int) -> GrayImage {
    let buffer = pool.take(capacity: width * height)
    transform.orientation.apply(scratch.bytes, width: width, height: height, channels: 1, to: buffer.bytes)
    let size = transform.size(width: width, height: height)
    return GrayImage(width: size.width, height: size.height, buffer: buffer)
  }
}

/// Extracts the luma of uncompressed pictures, in loops that the compiler vectorises.
package enum LumaConversion {
  /// Writes the luma of a picture, without padding between rows.
  ///
  /// - Parameters:
  ///   - bytes: at least the first `layout.minimumLumaBytes` bytes of the picture.
  ///   - output: memory for `layout.width * layout.height` bytes.
  /// - Returns: false, without writing, if `bytes` is too short, the format is compressed, or the size is 0.
  package static func extract(
    _ bytes: UnsafeRawBufferPointer, layout: PixelLayout, to output: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    guard layout.width > 0, layout.height > 0, bytes.count >= layout.minimumLumaBytes,
      let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    else { return false }
    switch layout.format {
    case .mjpeg: return false
    case .grey, .nv12, .nv21, .yuv420:
      if layout.bytesPerLine == layout.width {
        output.update(from: base, count: layout.width * layout.height)
      } else {
        for y in 0..<layout.height {
          (output + y * layout.width).update(from: base + y * layout.bytesPerLine, count: layout.width)
        }
      }
    case .yuyv: everySecond(base, layout: layout, to: output)
    case .uyvy: everySecond(base + 1, layout: layout, to: output)
    }
    return true
  }

  private static func everySecond(
    _ base: UnsafePointer<UInt8>, layout: PixelLayout, to output: UnsafeMutablePointer<UInt8>
  ) {
    for y in 0..<layout.height {
      let source = base + y &* layout.bytesPerLine
      let target = output + y &* layout.width
      for x in 0..<layout.width { target[x] = source[2 &* x] }
    }
  }
}
