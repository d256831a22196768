package import WaymarkImage
package import WaymarkSystem

/// Makes luma of captured pictures, once each, into pooled memory. One thread.
///
/// Nothing is allocated in the steady state: the decoder, the scratch memory of a rotation and the frames are reused.
package struct LumaConverter: ~Copyable {
  /// The result for a picture.
  package enum Outcome: Sendable {
    /// Its luma, upright.
    case image(GrayImage)
    /// It is damaged; nothing should be read from it.
    case damaged
    /// It was lost with what was to decode it, which says nothing about the next one.
    case lost
    /// It is complete, but the decoder found something odd: worn cable, or a camera that always writes so.
    case damagedButDecoded(GrayImage)
  }

  /// How a picture is turned upright.
  package let transform: FrameTransform
  /// The width below which a compressed picture need not be decoded; nil: always in full.
  package let sufficientWidth: Int?
  private var decoder: JPEGDecoder
  private let outOfProcess: (any FrameDecoder)?
  private var scratch: PixelBuffer
  private var pool: FramePool

  /// A converter.
  ///
  /// - Parameter outOfProcess: what decodes compressed pictures; nil: they are decoded here.
  /// - Throws: `outOfMemory`.
  package init(
    transform: FrameTransform = .identity, sufficientWidth: Int? = nil, outOfProcess: (any FrameDecoder)? = nil
  ) throws(ImageError) {
    // First, before anything is set: Swift 6.2 releases what is set twice when the initializer of a noncopyable value throws.
    decoder = try JPEGDecoder()
    self.transform = transform
    self.outOfProcess = outOfProcess
    self.sufficientWidth = sufficientWidth
    scratch = PixelBuffer(capacity: 0)
    pool = FramePool()
  }

  /// How often memory had to be taken from the system: flat in the steady state.
  package var allocations: Int { pool.allocations }

  /// The luma of a captured picture.
  ///
  /// - Parameter stop: ends a wait for pictures that are decoded elsewhere.
  package mutating func convert(
    _ bytes: UnsafeRawBufferPointer, layout: PixelLayout, stop: StopSignal? = nil
  ) -> Outcome {
    guard layout.format == .mjpeg else { return copy(bytes, layout: layout) }
    if let outOfProcess { return fetch(bytes, layout: layout, from: outOfProcess, stop) }
    return decode(bytes, layout: layout)
  }

  private mutating func copy(_ bytes: UnsafeRawBufferPointer, layout: PixelLayout) -> Outcome {
    let count = layout.width * layout.height
    if transform == .identity {
      let buffer = pool.take(capacity: count)
      guard LumaConversion.extract(bytes, layout: layout, to: buffer.bytes) else { return .damaged }
      return .image(GrayImage(width: layout.width, height: layout.height, buffer: buffer))
    }
    reserveScratch(count)
    guard LumaConversion.extract(bytes, layout: layout, to: scratch.bytes) else { return .damaged }
    return .image(upright(width: layout.width, height: layout.height))
  }

  private mutating func decode(_ bytes: UnsafeRawBufferPointer, layout: PixelLayout) -> Outcome {
    // Larger than what was agreed with the device: not a picture of this stream.
    let limit = layout.width * layout.height
    var target: PixelBuffer?
    var (width, height) = (0, 0)
    let turns = transform != .identity
    let outcome: JPEGDecoder.Outcome
    do throws(ImageError) {
      // Closures cannot borrow parts of a noncopyable value twice: the pool and the scratch are lent by themselves.
      var pool = FramePool(limit: 0)
      swap(&pool, &self.pool)
      defer { swap(&pool, &self.pool) }
      var scratch = self.scratch
      defer { self.scratch = scratch }
      outcome = try decoder.decode(bytes, channels: .gray, scale: scale(for: layout.width)) {
        header throws(ImageError) in
        guard header.width * header.height <= limit else {
          throw ImageError(.tooManyPixels, "the frame is larger than agreed", hint: "Reopen the camera.")
        }
        (width, height) = (header.scaledWidth, header.scaledHeight)
        if turns {
          if scratch.capacity < width * height { scratch = PixelBuffer(capacity: width * height) }
          return (scratch.bytes, width, scratch.capacity)
        }
        let buffer = pool.take(capacity: width * height)
        target = buffer
        return (buffer.bytes, width, buffer.capacity)
      }
    } catch {
      return .damaged
    }
    guard !outcome.isTruncated else { return .damaged }
    let image =
      target.map { GrayImage(width: width, height: height, buffer: $0) } ?? upright(width: width, height: height)
    return outcome.isDamaged ? .damagedButDecoded(image) : .image(image)
  }

  /// The same, decoded by somebody else: the one copy of the pixels that this takes also turns them upright.
  private mutating func fetch(
    _ bytes: UnsafeRawBufferPointer, layout: PixelLayout, from outOfProcess: any FrameDecoder, _ stop: StopSignal?
  ) -> Outcome {
    // Without a size that can be read here, the one that was agreed is what the decoder has to find.
    let size = JPEGStructure.pictureSize(bytes) ?? (layout.width, layout.height)
    guard size.width * size.height <= layout.width * layout.height else { return .damaged }
    let order = DecodeRequest(width: size.width, height: size.height, scale: scale(for: layout.width))
    let (width, height) = (order.scaledWidth, order.scaledHeight)
    let buffer = pool.take(capacity: width * height)
    let orientation = transform.orientation
    let outcome = outOfProcess.gray(bytes, order, stop: stop) { view in
      if orientation == .upright {
        buffer.bytes.update(from: view.base, count: width * height)
      } else {
        orientation.apply(view.base, width: width, height: height, channels: 1, to: buffer.bytes)
      }
    }
    let upright = transform.size(width: width, height: height)
    let image = GrayImage(width: upright.width, height: upright.height, buffer: buffer)
    switch outcome {
    case .clean: return .image(image)
    case .damagedButDecoded: return .damagedButDecoded(image)
    case .damaged: return .damaged
    case .lost: return .lost
    }
  }

  /// The smallest scale that still gives `sufficientWidth`.
  private func scale(for width: Int) -> JPEGDecoder.Scale {
    guard let sufficientWidth else { return .full }
    let scales: [(JPEGDecoder.Scale, Int)] = [(.eighth, 8), (.quarter, 4), (.half, 2)]
    return scales.first { width >= sufficientWidth * $0.1 }?.0 ?? .full
  }

  private mutating func reserveScratch(_ count: Int) {
    if scratch.capacity < count { scratch = PixelBuffer(capacity: count) }
  }

  private mutating func upright(width: Int, height: Int) -> GrayImage {
    let buffer = pool.take(capacity: width * height)
    transform.orientation.apply(scratch.bytes, width: width, height: height, channels: 1, to: buffer.bytes)
    let size = transform.size(width: width, height: height)
    return GrayImage(width: size.width, height: size.height, buffer: buffer)
  }
}
