import Glibc
package import WaymarkFrames
import WaymarkSystem

/// The work of a camera's thread: finds it, agrees with it on a format, takes its frames.
struct CameraLoop: ~Copyable, SourceDriver {
  private let settings: CameraSettings
  private let finder: CameraFinder
  private let calls: any VideoSyscalls
  private let shared: CameraSharedState
  let state: SourceState
  let sink: any FrameSink
  /// Kept when the camera is lost, and with it what it remembers of pictures that ended what decoded them.
  private let decoder: (any FrameDecoder)?

  var machine: SourceMachine
  private var capture: Capture?
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
          // Damaged or not, the camera lives.
          handle(.frame())
        } else if events & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 {
          // Nothing to take and yet an error: poll would return at once for ever.
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
    // Where any camera will do, another one takes over when the first stays away for three seconds.
    let mayReplace = settings.selector == .any && calls.now() - (lastSeen ?? -.infinity) > 3
    let (settings, decoder) = (settings, decoder)
    let opened = try finder.open(
      settings.selector, pinned: shared.identity, mayReplace: mayReplace, vendorFormats: settings.allowsVendorFormats
    ) { found throws(CameraFault) in try Self.begin(found, settings, decoder) }
    let (identity, agreed) = (opened.identity, opened.agreed)
    // Refused controls keep nobody from seeing; they are told by `camera.control` when somebody asks for them.
    _ = shared.opened(opened.device, identity: identity)
    capture = consume opened
    return SourceMachine.Opening(
      device: identity.text, layout: agreed.layout, rate: agreed.rate,
      frameTimeout: SourceMachine.FrameTimeout(frames: settings.stallFrames, rate: agreed.rate))
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

extension SourceMachine.Policy {
  /// A camera: one that is silent is reopened after two seconds.
  package static let camera = SourceMachine.Policy(reopensAfter: 2) { CameraFault.stalled.fault(device: $0) }
}

extension SourceMachine.FrameTimeout {
  /// The patience with a camera: so many frame times. It needs time to wake up, and slow rates need more.
  ///
  /// - Parameter rate: frames a second; nil where the driver does not say.
  package init(frames: Int, rate: Double?) {
    let time = Double(max(2, frames)) / max(rate ?? 30, 0.2)
    self.init(first: max(3, time), next: max(0.5, time))
  }
}
