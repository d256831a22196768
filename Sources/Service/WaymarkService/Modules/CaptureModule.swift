import Logging
import NIOPosix
package import WaymarkFrames
import WaymarkImage
package import WaymarkProtocol
package import WaymarkServer
package import WaymarkSystem
package import WaymarkWorker

/// Owns the source of a camera's frames and the pipeline that passes frames to other modules, and publishes `camera.status`.
/// `SourceLogPace` below limits the log lines about the source, and `LensStore` saves the estimated lenses.
@ServiceActor
package final class CaptureModule: ServiceModule {
  /// The pipeline. Other modules add their lanes (threads that process frames) to it.
  package nonisolated let pipeline: FramePipeline
  package private(set) var status = CameraStatus(status: .closed)
  /// The handlers that are called after each change of the source's state.
  package var onStatus: [@ServiceActor (SourceStatus) -> Void] = []
  /// Reads codes, pages and picture files, in worker processes or in this process.
  package nonisolated let isolation: Isolation
  /// The camera's name in its events; nil if there is only one camera.
  package nonisolated let camera: String?
  /// Estimates the focal length of the camera from the anchors and codes that the lanes follow.
  package nonisolated let learner = LensLearner()
  private unowned let hub: Hub
  private let lenses: LensStore
  private var logPace = SourceLogPace()
  /// Nil before `stop()`, false while the source is being closed, true when it is closed.
  private var hasEnded: Bool?

  /// Creates the module with a pipeline that takes its frames from `source`.
  ///
  /// - Parameter camera: the camera's name in its events; nil if there is only one camera.
  package init(
    hub: Hub, source: any FrameSource, camera: String? = nil, isolation: Isolation = .none,
    need: SourceNeed = SourceNeed(), lenses: LensStore = LensStore(folder: nil)
  ) {
    self.hub = hub
    self.camera = camera
    self.isolation = isolation
    self.lenses = lenses
    pipeline = FramePipeline(source: source, need: need)
    status.device = source.device
    learner.begin(lenses.lens(of: source.device), of: source.device)
    learner.onLens { [weak self] lens, device in ServiceActor.execute { self?.learned(lens, of: device) } }
    pipeline.onStatus { [weak self] status in ServiceActor.execute { self?.changed(status) } }
  }

  /// Starts the pipeline, which opens the source as soon as a lane needs frames.
  package func start() { pipeline.start() }

  package func stop() {
    let pipeline = pipeline
    // On another thread: closing a device may take a while, and must not delay the last lines to the clients.
    hasEnded = false
    Task.detached {
      try? await NIOThreadPool.singleton.runIfActive { pipeline.stop() }
      ServiceActor.execute { self.hasEnded = true }
    }
  }

  /// Waits until the source is closed.
  ///
  /// - Parameter deadline: the time at which to give up, in seconds of `MonotonicClock.now`.
  /// - Returns: true if the source is closed, or `stop()` was not called.
  package func finished(by deadline: Double) async -> Bool {
    while hasEnded == false, MonotonicClock.now < deadline { await ServiceActor.pause(0.002) }
    return hasEnded != false
  }

  package func contribute(to snapshot: inout Snapshot) { snapshot.camera = status }

  package func contribute(to status: inout StatusResult) { status.camera = self.status }

  /// Publishes and saves the estimated focal length of a camera.
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
    let isLogged = logPace.takes(new, at: MonotonicClock.now)
    var details: Logger.Metadata = ["device": "\(new.device)", "state": "\(new.state.rawValue)"]
    if let camera { details["camera"] = "\(camera)" }
    if let problem = new.problem {
      details["problem"] = "\(problem.code)"
      hub.log.subsystem(.camera).warning("the source of frames has a problem", metadata: details)
    } else if isLogged {
      hub.log.subsystem(.camera).info("the source of frames changed", metadata: details)
    }
    hub.publish(status, camera: camera)
    for action in onStatus { action(new) }
  }
}

/// Decides which changes of a source are logged. Changes of only the pictures' size or rate are logged once a minute, all other
/// changes always.
struct SourceLogPace {
  private var last: SourceStatus?
  /// The time from which another size is logged again, in seconds.
  private var due = -Double.infinity

  /// Returns whether a change at the time `now`, in seconds, is logged.
  mutating func takes(_ new: SourceStatus, at now: Double) -> Bool {
    var sameSize = new
    (sameSize.layout, sameSize.rate) = (last?.layout, last?.rate)
    defer { last = new }
    guard sameSize != last || now >= due else { return false }
    due = now + 60
    return true
  }
}

extension CameraStatus {
  init(_ status: SourceStatus) {
    self.init(
      status: CameraState(status.state), device: status.device,
      format: status.layout?.format.rawValue, width: status.layout?.width, height: status.layout?.height,
      rate: status.rate, code: status.problem?.code.rawValue, message: status.problem?.message,
      hint: status.problem?.hint, ended: status.ended ? true : nil)
  }
}

// MARK: - Saved lenses

/// Saves the estimated lenses in a file, by camera, so that they need not be estimated again after a restart. If the file is
/// damaged, it is ignored and the lenses are estimated again.
@ServiceActor
package final class LensStore {
  private struct Entry: Codable {
    var camera: String
    var width: Int
    var height: Int
    /// The focal length in pixels.
    var focalLength: Double
    var deviation: Double
    var views: Int
  }

  /// The maximum number of saved cameras; the oldest entries are removed first.
  nonisolated static let limit = 32
  private nonisolated static let longest = 64 << 10
  private nonisolated static let name = "lenses.json"
  private let folder: String?
  /// The saved lenses, the newest last.
  private var entries: [Entry]

  /// Opens the store.
  ///
  /// - Parameter folder: the folder of the file, created when the first lens is saved; nil to keep the lenses only until the
  ///   process ends.
  package nonisolated init(folder: String?) {
    self.folder = folder
    let bytes = folder.flatMap { try? WholeFile.read("\($0)/\(Self.name)", limit: Self.longest, kind: .unlinked) }
    let read = bytes.flatMap { try? JSONValueDecoder.decode([Entry].self, from: JSONParser.parse($0)) } ?? []
    entries = Array(read.filter { Self.lens($0) != nil }.suffix(Self.limit))
  }

  /// Returns the saved lens of a camera, or `nil`.
  package func lens(of camera: String) -> LensLearner.Lens? {
    entries.last { $0.camera == camera }.flatMap(Self.lens)
  }

  /// Returns the lens of an entry; nil if its numbers are invalid.
  private nonisolated static func lens(_ entry: Entry) -> LensLearner.Lens? {
    let longer = Double(max(entry.width, entry.height))
    guard entry.width > 0, entry.height > 0, longer <= 65536, (0.1 * longer...20 * longer).contains(entry.focalLength),
      entry.deviation > 0, entry.deviation < 1, entry.views >= 0
    else { return nil }
    return LensLearner.Lens(
      width: entry.width, height: entry.height,
      estimate: .init(focal: entry.focalLength, deviation: entry.deviation, views: entry.views))
  }

  /// Saves the lens of a camera.
  ///
  /// - Parameter onProblem: called if the file cannot be written; the lens is then lost when the process ends.
  package func keep(
    _ lens: LensLearner.Lens, of camera: String, onProblem: @escaping @Sendable (FileError) -> Void
  ) {
    guard camera.utf8.count <= 1024 else { return }
    entries.removeAll { $0.camera == camera }
    entries.append(
      Entry(
        camera: camera, width: lens.width, height: lens.height, focalLength: lens.estimate.focal,
        deviation: lens.estimate.deviation, views: lens.estimate.views))
    entries = entries.suffix(Self.limit)
    guard let folder, let bytes = try? JSONLineEncoder.encode(entries) else { return }
    BlockingWork.records.submit { _ in
      do throws(FileError) {
        try Folder.make(folder)
        try DurableFile.replace("\(folder)/\(Self.name)", with: bytes)
      } catch {
        onProblem(error)
      }
    }
  }
}
