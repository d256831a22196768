import Logging
import NIOPosix
package import WaymarkFrames
import WaymarkImage
package import WaymarkPipeline
package import WaymarkProtocol
package import WaymarkServer
import WaymarkSystem
package import WaymarkWorker

/// The source of frames and the pipeline: `camera.status`, `statistics`, and the lanes of other modules.
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
  private unowned let hub: Hub
  private let startTime = MonotonicClock.now
  private var isReporting = false
  private var isStopped = false
  /// True if the source has been given back, false if it was told to be; nil before.
  private var hasEnded: Bool?

  /// A pipeline over `source`.
  package init(
    hub: Hub, source: any FrameSource, isolation: Isolation = .none, keepsOpen: Bool = false, idleTime: Double = 10
  ) {
    self.hub = hub
    self.isolation = isolation
    let relay = WeakReference<CaptureModule>()
    pipeline = FramePipeline(
      source: source, configuration: .init(keepsOpen: keepsOpen, idleTime: idleTime),
      onStatus: { status in ServiceActor.execute { relay.object?.changed(status) } })
    status.device = source.device
    relay.object = self
    hub.onSubscriptionsChanged.append { [weak self] in self?.reviewReports() }
  }

  /// Begins to open the source when a lane needs it.
  package func start() { pipeline.start() }

  package func stop() {
    isStopped = true
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

  package func contribute(to status: inout StatusResult) {
    status.camera = self.status
    status.statistics = statistics()
  }

  private func changed(_ new: SourceStatus) {
    status = CameraStatus(new)
    var details: Logger.Metadata = ["device": "\(new.device)", "state": "\(new.state.rawValue)"]
    if let problem = new.problem {
      details["problem"] = "\(problem.code)"
      hub.log.subsystem(.camera).warning("the source of frames has a problem", metadata: details)
    } else {
      hub.log.subsystem(.camera).info("the source of frames changed", metadata: details)
    }
    hub.publish(status)
    for action in onStatus { action(new) }
  }

  // MARK: Figures

  /// The figures now.
  package func statistics() -> Statistics {
    let figures = pipeline.statistics
    return Statistics(
      uptime: MonotonicClock.now - startTime,
      frames: FrameStatistics(
        captured: Int(figures.frames), bad: Int(figures.source.damaged), lost: Int(figures.source.droppedByDriver),
        stages: Self.stages(figures.stages)),
      lanes: figures.lanes.map { lane in
        LaneStatistics(
          name: lane.name, frames: Int(lane.statistics.processed), skipped: Int(lane.statistics.skipped),
          p50: lane.statistics.median ?? 0, p99: lane.statistics.percentile99 ?? 0,
          stages: Self.stages(lane.statistics.stages))
      },
      clients: hub.connections.count, events: hub.published, dropped: hub.dropped, memory: ProcessUsage.memory,
      cpu: ProcessUsage.processorTime,
      workers: isolation.figures.map {
        WorkerStatistics(
          starts: $0.starts, crashes: $0.crashes, hangs: $0.hangs, lost: $0.lost,
          failures: $0.failures.isEmpty ? nil : $0.failures)
      })
  }

  private static func stages(_ stages: [StageTimes.Summary]) -> [StageStatistics]? {
    guard !stages.isEmpty else { return nil }
    return stages.map {
      StageStatistics(name: $0.name, frames: Int($0.count), p50: $0.median, p99: $0.percentile99)
    }
  }

  /// Reports once a second while anybody wants it.
  private func reviewReports() {
    guard !isReporting, !isStopped, hub.isWanted(Statistics.event) else { return }
    isReporting = true
    report()
  }

  private func report() {
    guard !isStopped, hub.isWanted(Statistics.event) else {
      isReporting = false
      return
    }
    hub.publish(statistics())
    ServiceActor.schedule(after: 1) { [weak self] in self?.report() }
  }
}

extension CameraStatus {
  /// As the wire tells it.
  init(_ status: SourceStatus) {
    self.init(
      status: CameraState(rawValue: status.state.rawValue) ?? .lost, device: status.device,
      format: status.layout?.format.rawValue, width: status.layout?.width, height: status.layout?.height,
      rate: status.rate, code: status.problem?.code.rawValue, message: status.problem?.message,
      hint: status.problem?.hint)
  }
}
