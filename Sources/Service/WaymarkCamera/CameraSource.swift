import Glibc
package import WaymarkFrames
package import WaymarkImage
import WaymarkSystem

/// A camera as a source of frames. `start` opens it, `stop` closes it, and in between it is opened again whenever it is lost.
/// `CameraLoop` below is the work of its thread, `FrameReader` creates the frames, and `DamagedFrameFilter` decides whether
/// pictures with decoder warnings are used.
package final class CameraSource: FrameSource {
  private let settings: CameraSettings
  private let finder: CameraFinder
  private let calls: any VideoSyscalls
  private let makeDecoder: MakeFrameDecoder
  private let shared = CameraSharedState()
  private let state = SourceState()
  private let thread = WorkerThread(name: "wm-camera")

  /// Creates a closed source.
  ///
  /// - Parameter makeDecoder: creates the decoder for compressed pictures, on the camera's thread. If it returns nil, pictures are
  ///   decoded on this thread.
  package init(
    settings: CameraSettings = CameraSettings(), nodes: VideoNodes = VideoNodes(),
    calls: any VideoSyscalls = LibV4L2(), makeDecoder: @escaping MakeFrameDecoder = { nil }
  ) {
    self.makeDecoder = makeDecoder
    self.settings = settings
    self.calls = calls
    finder = CameraFinder(nodes: nodes, calls: calls)
    shared.setWanted(settings.controls)
  }

  package var origin: FrameOrigin { .camera }
  package var device: String { shared.identity?.text ?? settings.selector.text }
  package var statistics: SourceStatistics { state.statistics }
  package var stages: StageTimes? { state.stages }
  package var controls: [SourceControl] { shared.controls }

  package func demand(_ demand: FrameDemand) { state.demand = demand }
  package func stop() { thread.stop() }

  package func start(_ sink: any FrameSink) {
    let (settings, finder, calls, shared, state) = (settings, finder, calls, shared, state)
    let makeDecoder = makeDecoder
    thread.start { stop in
      var loop = CameraLoop(
        settings: settings, finder: finder, calls: calls, shared: shared, state: state, sink: sink,
        decoder: makeDecoder())
      loop.run(until: stop)
    }
  }

  package func setControl(_ name: String, to value: Int) throws(SourceError) {
    try shared.setControl(name, to: value, device: device)
  }
}

// MARK: - The thread of a camera

/// The work of a camera's thread: finds the camera, agrees with its driver on a format, and takes its frames.
struct CameraLoop: ~Copyable, SourceDriver {
  private let settings: CameraSettings
  private let finder: CameraFinder
  private let calls: any VideoSyscalls
  private let shared: CameraSharedState
  let state: SourceState
  let sink: any FrameSink
  /// The decoder, which is kept when the camera is lost, with its count of worker failures.
  private let decoder: (any FrameDecoder)?

  var machine: SourceMachine
  private var capture: Capture?
  /// The time at which an open camera was last closed, in seconds of CLOCK_MONOTONIC; nil if no camera was open yet.
  private var lastSeen: Double?

  /// An open camera. The members are destroyed in order, the stream before its device.
  private struct Capture: ~Copyable {
    var stream: CaptureStream
    let device: VideoDevice
    var reader: FrameReader
    let identity: CameraIdentity
    let agreed: VideoDevice.Agreed

    mutating func take(
      _ state: SourceState, _ sink: any FrameSink, _ stop: StopSignal
    ) throws(CameraFault) -> Bool {
      try reader.take(&stream, state: state, sink: sink, until: stop)
    }
  }

  init(
    settings: CameraSettings, finder: CameraFinder, calls: any VideoSyscalls, shared: CameraSharedState,
    state: SourceState,
    sink: any FrameSink, decoder: (any FrameDecoder)?
  ) {
    self.decoder = decoder
    self.settings = settings
    self.finder = finder
    self.calls = calls
    self.shared = shared
    self.state = state
    self.sink = sink
    machine = SourceMachine(device: shared.identity?.text ?? settings.selector.text, policy: .camera)
  }

  func now() -> Double { calls.now() }

  func rest(seconds: Double?, until stop: StopSignal) { _ = calls.wait(-1, stop: stop, seconds: seconds ?? 1) }

  mutating func step(seconds: Double?, until stop: StopSignal) {
    guard let descriptor = capture?.device.descriptor else { return }
    switch calls.wait(descriptor, stop: stop, seconds: seconds ?? 1) {
    case .stopped, .timedOut: return
    case .ready(let events):
      do throws(CameraFault) {
        let took = try capture?.take(state, sink, stop) ?? false
        if took {
          // A damaged frame also shows that the camera works.
          handle(.frame())
        } else if events & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 {
          // An error without a frame: poll(2) would return at once from now on.
          throw events & Int16(POLLHUP) != 0 ? .gone : .broken(EIO)
        }
      } catch {
        handle(.fault(error.fault(device: machine.device)))
      }
    }
  }

  mutating func close() {
    guard capture != nil else { return }
    lastSeen = calls.now()
    shared.closing()
    capture = nil
  }

  mutating func open() throws(SourceFault) -> SourceMachine.Opening {
    do throws(CameraFault) {
      return try openCamera()
    } catch {
      throw error.fault(device: machine.device)
    }
  }

  /// Finds the camera, agrees on a format and starts the stream.
  private mutating func openCamera() throws(CameraFault) -> SourceMachine.Opening {
    // With the selector `any`, another camera replaces a camera that has been missing for three seconds.
    let mayReplace = settings.selector == .any && calls.now() - (lastSeen ?? -.infinity) > 3
    let (settings, decoder) = (settings, decoder)
    let opened = try finder.open(
      settings.selector, pinned: shared.identity, mayReplace: mayReplace, vendorFormats: settings.allowsVendorFormats
    ) { found throws(CameraFault) in try Self.begin(found, settings, decoder) }
    let (identity, agreed) = (opened.identity, opened.agreed)
    // Refused controls do not prevent capturing; `camera.control` reports them on request.
    _ = shared.opened(opened.device, identity: identity)
    capture = consume opened
    return SourceMachine.Opening(
      device: identity.text, layout: agreed.layout, rate: agreed.rate,
      frameTimeout: SourceMachine.FrameTimeout(rate: agreed.rate))
  }

  /// Agrees with an open camera on a format and starts its stream.
  private static func begin(
    _ found: consuming CameraFinder.Found, _ settings: CameraSettings, _ decoder: (any FrameDecoder)?
  ) throws(CameraFault) -> Capture {
    let agreed = try agree(found.device, settings)
    let reader: FrameReader
    do { reader = try FrameReader(agreed, settings: settings, decoder: decoder) } catch {
      throw .broken(ENOMEM)
    }
    let stream = try CaptureStream.start(device: found.device, count: settings.buffers)
    let identity = found.identity
    return Capture(stream: stream, device: found.device, reader: reader, identity: identity, agreed: agreed)
  }

  /// Agrees on the best format that the driver accepts.
  private static func agree(
    _ device: borrowing VideoDevice, _ settings: CameraSettings
  ) throws(CameraFault) -> VideoDevice.Agreed {
    let candidates = FormatNegotiation.candidates(device.offers(), settings: settings)
    var refused: CameraFault?
    for candidate in candidates.prefix(8) {
      do throws(CameraFault) {
        let agreed = try device.agree(
          fourCC: candidate.fourCC, width: candidate.width, height: candidate.height, rate: candidate.rate,
          isEmulated: candidate.isEmulated)
        if let agreed, settings.formats.contains(agreed.layout.format) { return agreed }
      } catch {
        switch error {
        case .broken: refused = error
        case .unsupported: refused = refused ?? error
        default: throw error
        }
      }
    }
    throw refused ?? .unsupported("it offers no format that can be read")
  }
}

extension SourceMachine.Policy {
  /// The policy for cameras: a camera that is still stalled after two seconds is opened again.
  package static let camera = SourceMachine.Policy(reopensAfter: 2) { CameraFault.stalled.fault(device: $0) }
}

extension SourceMachine.FrameTimeout {
  /// Creates the timeout for a camera: 15 frame intervals, but at least 3 s for the first frame and 0.5 s for later frames.
  ///
  /// - Parameter rate: the frames per second; nil if the driver does not report them.
  package init(rate: Double?) {
    let time = 15 / max(rate ?? 30, 0.2)
    self.init(first: max(3, time), next: max(0.5, time))
  }
}

// MARK: - Frames from buffers

/// Creates frames from filled buffers: extracts the luma, copies the captured bytes only if they are needed, and returns the
/// buffer at once.
struct FrameReader: ~Copyable {
  private let layout: PixelLayout
  private let conversion: PlainConversion?
  /// The memory of converted pictures; empty without a conversion.
  private let converted: PixelBuffer
  private var converter: LumaConverter
  private var encodedPool: FramePool
  private var pacer = FramePacer()
  private var damagedFrames = DamagedFrameFilter()
  private var lastSequence: UInt32?

  init(
    _ agreed: VideoDevice.Agreed, settings: CameraSettings, decoder: (any FrameDecoder)? = nil
  ) throws(ImageError) {
    // Set first, because it can throw: see the initializer of `LumaConverter`.
    converter = try LumaConverter(transform: settings.transform, outOfProcess: decoder)
    (layout, conversion) = (agreed.layout, agreed.conversion)
    converted = PixelBuffer(capacity: agreed.conversion == nil ? 0 : agreed.layout.frameBytes ?? 0)
    encodedPool = FramePool(limit: 8)
    // Started here, so that the decoder is ready for the first frame.
    if layout.format.isCompressed { decoder?.prepare() }
  }

  /// Takes the next filled buffer, if there is one, and passes it to the sink as a frame if the frame is needed and complete.
  ///
  /// - Returns: whether there was a filled buffer.
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
    if frame == nil { state.count(\.damaged) }
    // The buffer is returned before the sink uses the frame, so that the driver can fill it again early.
    _ = try stream.requeue()
    if let frame { sink.receive(frame) }
    return true
  }

  /// Counts the frames that the driver dropped, from the gap in its sequence numbers.
  private mutating func countGap(before sequence: UInt32, _ state: SourceState) {
    if let last = lastSequence {
      let gap = sequence &- last
      // A larger gap means that the number went backwards, so the driver does not number frames.
      if gap > 1, gap < 1 << 16 { state.count(\.droppedByDriver, UInt64(gap - 1)) }
    }
    lastSequence = sequence
  }

  /// Creates a frame with the parts in `demand`; nil if the picture is damaged.
  private mutating func frame(
    of bytes: UnsafeRawBufferPointer, captured: Double, demand: FrameDemand, _ state: SourceState, _ stop: StopSignal?
  ) -> Frame? {
    var bytes = bytes
    if let conversion {
      guard conversion.convert(bytes, to: converted.bytes) else { return nil }
      bytes = UnsafeRawBufferPointer(start: converted.bytes, count: converted.capacity)
    }
    var image: GrayImage?
    if demand.luma {
      var clock = StageClock(state.stages)
      let luma = converter.convert(bytes, layout: layout, stop: stop)
      clock.mark("luma")
      if luma.outcome == .clean { damagedFrames.clean() }
      if luma.outcome == .damagedButDecoded, !damagedFrames.accepts() { return nil }
      image = luma.image
      guard image != nil else { return nil }
    }
    var encoded: EncodedPicture?
    if demand.encoded {
      guard let count = wholeCount(bytes) else { return nil }
      let buffer = encodedPool.take(capacity: count)
      buffer.bytes.update(from: bytes.baseAddress!.assumingMemoryBound(to: UInt8.self), count: count)
      encoded = EncodedPicture(layout: layout, transform: converter.transform, count: count, buffer: buffer)
    }
    return Frame(origin: .camera, sequence: state.nextSequence(), captured: captured, image: image, encoded: encoded)
  }

  /// Returns the number of bytes of the picture, without old bytes after a JPEG; nil if the picture is incomplete.
  private func wholeCount(_ bytes: UnsafeRawBufferPointer) -> Int? {
    if layout.format == .mjpeg { return JPEGStructure.pictureEnd(bytes) }
    guard bytes.count >= layout.minimumLumaBytes else { return nil }
    return min(bytes.count, layout.frameBytes ?? bytes.count)
  }
}

/// Decides whether to use complete pictures with decoder warnings. A worn cable damages single pictures, which must not be
/// used; some cameras cause warnings with every picture, which must be used.
struct DamagedFrameFilter: Sendable, Equatable {
  private var consecutive = 0

  /// The number of consecutive pictures with warnings after which they are attributed to the camera.
  private static let alwaysDamagedAfter = 8

  mutating func clean() { consecutive = 0 }

  /// Returns whether to use a picture with warnings.
  mutating func accepts() -> Bool {
    consecutive = min(consecutive + 1, Self.alwaysDamagedAfter + 1)
    return consecutive > Self.alwaysDamagedAfter
  }
}
