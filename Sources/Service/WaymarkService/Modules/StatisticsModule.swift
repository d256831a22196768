import WaymarkFrames
import WaymarkImage
package import WaymarkProtocol
package import WaymarkServer
import WaymarkSystem
import WaymarkWorker

/// The figures of all cameras, lanes and workers: `statistics`.
@ServiceActor
package final class StatisticsModule: ServiceModule {
  private unowned let hub: Hub
  let cameras: ByCamera<CaptureModule>
  private let startTime = MonotonicClock.now
  private var isReporting = false
  private var isStopped = false

  /// The module of `hub`.
  package init(hub: Hub, cameras: ByCamera<CaptureModule>) {
    self.hub = hub
    self.cameras = cameras
    hub.onSubscriptionsChanged.append { [weak self] in self?.reviewReports() }
  }

  package func stop() { isStopped = true }

  package func contribute(to status: inout StatusResult) { status.statistics = statistics() }

  /// The figures now.
  package func statistics() -> Statistics {
    let (frames, lanes) = Self.figures(cameras.first)
    return Statistics(
      uptime: MonotonicClock.now - startTime, frames: frames, lanes: lanes,
      clients: hub.connections.count, events: hub.published, dropped: hub.dropped, memory: ProcessUsage.memory,
      cpu: ProcessUsage.processorTime,
      workers: cameras.first.isolation.figures.map {
        WorkerStatistics(
          starts: $0.starts, crashes: $0.crashes, hangs: $0.hangs, lost: $0.lost,
          failures: $0.failures.isEmpty ? nil : $0.failures)
      },
      cameras: cameras.areSeveral
        ? cameras.parts.map { name, capture in
          let (frames, lanes) = Self.figures(capture)
          return CameraStatistics(name: name, frames: frames, lanes: lanes)
        } : nil)
  }

  private static func figures(_ capture: CaptureModule) -> (frames: FrameStatistics, lanes: [LaneStatistics]) {
    let figures = capture.pipeline.statistics
    let frames = FrameStatistics(
      captured: Int(figures.frames), bad: Int(figures.source.damaged), lost: Int(figures.source.droppedByDriver),
      stages: stages(figures.stages))
    let lanes = figures.lanes.map { lane in
      LaneStatistics(
        name: lane.name, frames: Int(lane.statistics.processed), skipped: Int(lane.statistics.skipped),
        p50: lane.statistics.median ?? 0, p99: lane.statistics.percentile99 ?? 0,
        stages: stages(lane.statistics.stages))
    }
    return (frames, lanes)
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
