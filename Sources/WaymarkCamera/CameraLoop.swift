import Glibc
import WaymarkImage
import WaymarkSystem

/// What a camera's thread does: carries out what the machine says, and tells it what came of it.
struct CameraLoop: ~Copyable {
  private let settings: CameraSettings
  private let finder: CameraFinder
  private let calls: any VideoSyscalls
  private let shared: CameraShared
  private let state: SourceState
  private let sink: any FrameSink
  /// Kept when the camera is lost, and with it what it remembers of pictures that ended what decoded them.
  private let decoder: (any FrameDecoder)?

  private var machine: CameraMachine
  private var capture: Capture?
  private var losses: UInt64 = 0
  /// When the camera in use was last seen; seconds.
  private var lastSeen: Double?

  /// An open camera. Its parts end in this order: the stream before the device that it streams from.
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
    settings: CameraSettings, finder: CameraFinder, calls: any VideoSyscalls, shared: CameraShared, state: SourceState,
    sink: any FrameSink, decoder: (any FrameDecoder)?
  ) {
    self.decoder = decoder
    self.settings = settings
    self.finder = finder
    self.calls = calls
    self.shared = shared
    self.state = state
    self.sink = sink
    machine = CameraMachine(
      device: shared.identity?.text ?? settings.selector.text, stallFrames: settings.stallFrames)
  }

  /// Runs from the camera's start to its stop.
  mutating func run(until stop: StopSignal) {
    handle(.start)
    while machine.phase != .closed {
      if stop.isRaised {
        handle(.stop)
        return
      }
      let now = calls.now()
      if let deadline = machine.deadline, now >= deadline {
        handle(.time)
        continue
      }
      let seconds = machine.deadline.map { $0 - now } ?? 1
      if capture == nil {
        _ = calls.wait(-1, stop: stop, seconds: seconds)
      } else {
        step(seconds: seconds, stop: stop)
      }
    }
  }

  /// Waits for a frame and takes it.
  private mutating func step(seconds: Double, stop: StopSignal) {
    guard let descriptor = capture?.device.descriptor else { return }
    switch calls.wait(descriptor, stop: stop, seconds: seconds) {
    case .stopped, .timedOut: return
    case .ready(let events):
      do throws(CameraFault) {
        let took = try capture?.take(state, sink, stop) ?? false
        if took {
          handle(.frame)
        } else if events & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 {
          // Nothing to take and yet an error: poll would return at once for ever.
          throw events & Int16(POLLHUP) != 0 ? .gone : .broken(EIO)
        }
      } catch {
        handle(.fault(error))
      }
    }
  }

  private mutating func handle(_ input: CameraMachine.Input) {
    var inputs = [input]
    while !inputs.isEmpty {
      let effects = machine.handle(inputs.removeFirst(), at: calls.now())
      for effect in effects {
        switch effect {
        case .close: close()
        case .report(let status): sink.receive(status)
        case .open:
          do throws(CameraFault) {
            inputs.append(try open())
          } catch {
            inputs.append(.fault(error))
          }
        }
      }
    }
    if machine.losses > losses {
      state.count(\.lost, machine.losses - losses)
      losses = machine.losses
    }
  }

  private mutating func close() {
    guard capture != nil else { return }
    lastSeen = calls.now()
    shared.closing()
    capture = nil
  }

  /// Finds the camera, agrees on a format and starts the stream.
  private mutating func open() throws(CameraFault) -> CameraMachine.Input {
    // Where any camera will do, another one takes over when the first stays away for three seconds.
    let mayReplace = settings.selector == .any && calls.now() - (lastSeen ?? -.infinity) > 3
    let (settings, decoder) = (settings, decoder)
    let opened = try finder.open(
      settings.selector, pinned: shared.identity, mayReplace: mayReplace, vendorFormats: settings.allowsVendorFormats
    ) { found throws(CameraFault) in try Self.begin(found, settings, decoder) }
    let (identity, agreed) = (opened.identity, opened.agreed)
    // Refused controls keep nobody from seeing; they are told by `camera.control` when somebody asks for them.
    _ = shared.opened(opened.device, identity: identity)
    state.count(\.opened)
    capture = consume opened
    return .opened(device: identity.text, layout: agreed.layout, rate: agreed.rate)
  }

  /// Agrees with an open camera on a format and starts its stream.
  private static func begin(
    _ found: consuming CameraFinder.Found, _ settings: CameraSettings, _ decoder: (any FrameDecoder)?
  ) throws(CameraFault) -> Capture {
    let agreed = try agree(found.device, settings)
    let reader: FrameReader
    do { reader = try FrameReader(layout: agreed.layout, settings: settings, decoder: decoder) } catch {
      throw .broken(ENOMEM)
    }
    let stream = try CaptureStream.start(device: found.device, count: settings.buffers)
    let identity = found.identity
    return Capture(stream: stream, device: found.device, reader: reader, identity: identity, agreed: agreed)
  }

  /// The best that the driver really gives.
  private static func agree(
    _ device: borrowing VideoDevice, _ settings: CameraSettings
  ) throws(CameraFault) -> VideoDevice.Agreed {
    let candidates = FormatNegotiation.candidates(device.offers(), settings: settings)
    var refused: CameraFault?
    for candidate in candidates.prefix(8) {
      do throws(CameraFault) {
        let agreed = try device.agree(
          fourCC: candidate.fourCC, width: candidate.width, height: candidate.height, rate: candidate.rate)
        if let agreed, settings.formats.contains(agreed.layout.format) { return agreed }
      } catch {
        guard case .broken = error else { throw error }
        refused = error
      }
    }
    throw refused ?? .unsupported("it offers no format that can be read")
  }
}
