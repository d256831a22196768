import WaymarkFrames
import WaymarkImage
import WaymarkSystem

/// Makes frames of filled buffers: luma once, the bytes as captured only while somebody watches, the buffer given back at
/// once.
struct FrameReader: ~Copyable {
  private let layout: PixelLayout
  private var converter: LumaConverter
  private var encodedPool: FramePool
  private var pacer = FramePacer()
  private var damagedFrames = DamagedFrameFilter()
  private var lastSequence: UInt32?

  init(layout: PixelLayout, settings: CameraSettings, decoder: (any FrameDecoder)? = nil) throws(ImageError) {
    // First: see LumaConverter's initializer.
    converter = try LumaConverter(
      transform: settings.transform, sufficientWidth: settings.sufficientWidth, outOfProcess: decoder)
    self.layout = layout
    encodedPool = FramePool(limit: 8)
    // Ready when the first frame comes.
    if layout.format.isCompressed { decoder?.prepare() }
  }

  /// Takes the next filled buffer, if there is one, and hands it to the sink as a frame, if it is wanted and whole.
  ///
  /// - Returns: whether there was a buffer.
  mutating func take(
    _ stream: inout CaptureStream, state: SourceState, sink: any FrameSink, until stop: StopSignal? = nil
  ) throws(CameraFault) -> Bool {
    guard let filled = try stream.take() else { return false }
    countGap(before: filled.sequence, state)
    let captured = filled.captured ?? MonotonicClock.now
    if filled.captured != nil { state.stages.record("driver", MonotonicClock.now - captured) }
    let demand = state.demand
    if filled.isDamaged || filled.count == 0 {
      state.count(\.damaged)
      _ = try stream.requeue()
      return true
    }
    guard !demand.isEmpty, pacer.takes(captured, rate: demand.maximumRate) else {
      state.count(\.unwanted)
      _ = try stream.requeue()
      return true
    }
    let frame = stream.withBytes(of: filled) { bytes -> Frame? in
      self.frame(of: bytes, captured: captured, demand: demand, state, stop)
    }
    // Before anybody looks at the frame: the driver gets its memory back as early as can be.
    _ = try stream.requeue()
    if let frame { sink.receive(frame) }
    return true
  }

  /// Frames that the driver had to drop show as gaps in its count.
  private mutating func countGap(before sequence: UInt32, _ state: SourceState) {
    if let last = lastSequence {
      let gap = sequence &- last
      // Running backwards means that the driver does not count.
      if gap > 1, gap < 1 << 16 { state.count(\.droppedByDriver, UInt64(gap - 1)) }
    }
    lastSequence = sequence
  }

  private mutating func frame(
    of bytes: UnsafeRawBufferPointer, captured: Double, demand: FrameDemand, _ state: SourceState, _ stop: StopSignal?
  ) -> Frame? {
    var image: GrayImage?
    if demand.luma {
      var clock = StageClock(state.stages)
      defer { clock.mark("luma") }
      switch converter.convert(bytes, layout: layout, stop: stop) {
      case .image(let clean):
        damagedFrames.clean()
        image = clean
      case .damagedButDecoded(let patchy): image = damagedFrames.accepts() ? patchy : nil
      case .damaged, .lost: break
      }
      guard image != nil else {
        state.count(\.damaged)
        return nil
      }
    }
    var encoded: EncodedPicture?
    if demand.encoded {
      guard let count = wholeCount(bytes) else {
        state.count(\.damaged)
        return nil
      }
      let buffer = encodedPool.take(capacity: count)
      buffer.bytes.update(from: bytes.baseAddress!.assumingMemoryBound(to: UInt8.self), count: count)
      encoded = EncodedPicture(layout: layout, transform: converter.transform, count: count, buffer: buffer)
    }
    if let image {
      return Frame(origin: .camera, sequence: state.nextSequence(), captured: captured, image: image, encoded: encoded)
    }
    return encoded.map { Frame(origin: .camera, sequence: state.nextSequence(), captured: captured, encoded: $0) }
  }

  /// How many of the bytes belong to the picture; nil when it is not whole. Stale bytes behind a JPEG are left out.
  private func wholeCount(_ bytes: UnsafeRawBufferPointer) -> Int? {
    if layout.format == .mjpeg { return JPEGStructure.pictureEnd(bytes) }
    guard bytes.count >= layout.minimumLumaBytes else { return nil }
    return min(bytes.count, layout.frameBytes ?? bytes.count)
  }
}

/// Decides about pictures that are complete but at which the decoder shook its head: a worn cable patches one now and then,
/// which must not be read; some cameras write every picture so, which must.
struct DamagedFrameFilter: Sendable, Equatable {
  private var consecutive = 0

  /// So many in a row are this camera's way of writing.
  private static let alwaysDamagedAfter = 8

  /// A picture without fault came.
  mutating func clean() { consecutive = 0 }

  /// An odd one came: whether to use it.
  mutating func accepts() -> Bool {
    consecutive = min(consecutive + 1, Self.alwaysDamagedAfter + 1)
    return consecutive > Self.alwaysDamagedAfter
  }
}
