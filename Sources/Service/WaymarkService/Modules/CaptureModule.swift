import Logging
import NIOPosix
package import WaymarkFrames
import WaymarkImage
package import WaymarkProtocol
package import WaymarkServer
import WaymarkSystem
package import WaymarkWorker

/// The source of frames of a camera and its pipeline: `camera.status`, and the lanes of other modules.
@ServiceActor
package final class CaptureModule: ServiceModule {
  /// The pipeline; other modules add their lanes to it.
  package nonisolated let pipeline: FramePipeline
  /// The last state of the source.
  package private(set) var status = CameraStatus(status: .closed)
  /// Told of every change of the source's state.
  package var onStatus: [@ServiceActor (SourceStatus) -> Void] = []
  /// Where codes, pages and picture files are read.
  package nonisolated let isolation: Isolation
  /// The name that its events carry, where there are several cameras.
  package nonisolated let camera: String?
  /// Learns how the camera maps directions to pixels from what the lanes follow.
  package nonisolated let learner: LensLearner
  private unowned let hub: Hub
  /// The lenses that were learned, by camera.
  private let lenses: LensStore
  /// True if the source has been given back, false if it was told to be; nil before.
  private var hasEnded: Bool?

  /// A pipeline over `source`.
  ///
  /// - Parameters:
  ///   - camera: the name that its events carry, where there are several cameras.
  ///   - lenses: the lenses that were learned, by camera.
  package init(
    hub: Hub, source: any FrameSource, camera: String? = nil, isolation: Isolation = .none, keepsOpen: Bool = false,
    idleTime: Double = 10, lenses: LensStore = LensStore(folder: nil)
  ) {
    self.hub = hub
    self.camera = camera
    self.isolation = isolation
    self.lenses = lenses
    let relay = WeakReference<CaptureModule>()
    learner = LensLearner { lens, device in ServiceActor.execute { relay.object?.learned(lens, of: device) } }
    pipeline = FramePipeline(
      source: source, configuration: .init(keepsOpen: keepsOpen, idleTime: idleTime),
      onStatus: { status in ServiceActor.execute { relay.object?.changed(status) } })
    status.device = source.device
    relay.object = self
    learner.begin(lenses.lens(of: source.device), of: source.device)
  }

  /// Begins to open the source when a lane needs it.
  package func start() { pipeline.start() }

  package func stop() {
    let pipeline = pipeline
    // Closing a device takes its time; the clients' last lines must not wait for it.
    hasEnded = false
    Task.detached {
      try? await NIOThreadPool.singleton.runIfActive { pipeline.stop() }
      ServiceActor.execute { self.hasEnded = true }
    }
  }

  /// Waits until the source is given back, at most until `deadline` (seconds of `MonotonicClock.now`).
  ///
  /// - Returns: whether it is.
  package func finished(by deadline: Double) async -> Bool {
    while hasEnded == false, MonotonicClock.now < deadline { await ServiceActor.pause(0.002) }
    return hasEnded != false
  }

  package func contribute(to snapshot: inout Snapshot) { snapshot.camera = status }

  package func contribute(to status: inout StatusResult) { status.camera = self.status }

  /// Tells and keeps how a camera maps directions to pixels.
  private func learned(_ lens: LensLearner.Lens, of device: String) {
    hub.publish(
      CameraIntrinsicsFound(
        device: device, width: lens.width, height: lens.height,
        intrinsics: SessionWire.intrinsics(lens.intrinsics), deviation: lens.estimate.deviation,
        views: lens.estimate.views), camera: camera)
    let log = hub.log.subsystem(.camera)
    lenses.keep(lens, of: device) { problem in
      log.warning(
        "the focal length of the camera cannot be kept",
        metadata: ["problem": "\(problem.message)", "hint": "\(problem.hint)"])
    }
  }

  private func changed(_ new: SourceStatus) {
    if new.device != status.device { learner.begin(lenses.lens(of: new.device), of: new.device) }
    status = CameraStatus(new)
    var details: Logger.Metadata = ["device": "\(new.device)", "state": "\(new.state.rawValue)"]
    if let camera { details["camera"] = "\(camera)" }
    if let problem = new.problem {
      details["problem"] = "\(problem.code)"
      hub.log.subsystem(.camera).warning("the source of frames has a problem", metadata: details)
    } else {
      hub.log.subsystem(.camera).info("the source of frames changed", metadata: details)
    }
    hub.publish(status, camera: camera)
    for action in onStatus { action(new) }
  }
}

extension CameraStatus {
  /// As the wire tells it.
  init(_ status: SourceStatus) {
    self.init(
      status: CameraState(status.state), device: status.device,
      format: status.layout?.format.rawValue, width: status.layout?.width, height: status.layout?.height,
      rate: status.rate, code: status.problem?.code.rawValue, message: status.problem?.message,
      hint: status.problem?.hint)
  }
}
