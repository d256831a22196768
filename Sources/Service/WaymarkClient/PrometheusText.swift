package import WaymarkProtocol
import WaymarkSystem

/// Formats the statistics in the text exposition format of Prometheus, version 0.0.4.
package enum PrometheusText {
  /// The page for a service that does not answer.
  package static var down: String {
    var text = MetricsText(prefix: prefix)
    text.add("up", "gauge", "Whether the service answers.", 0)
    return text.lines.joined(separator: "\n")
  }

  private static let prefix = "waymark_"

  /// Returns the page for the service at the socket `path`; `down` if it does not answer within `limit`.
  package static func ofService(at path: String, within limit: Duration = .seconds(5)) async -> String {
    let status = await TimeLimit.value(within: limit) {
      let client = try await WaymarkClient.connect(to: path)
      let status = try await client.send(StatusRequest())
      await client.close()
      return status
    }
    return status.map(text) ?? down
  }

  /// Returns the page for a service that answers.
  package static func text(of status: StatusResult) -> String {
    let figures = status.statistics
    var text = MetricsText(prefix: prefix)
    text.add("up", "gauge", "Whether the service answers.", 1.0)
    text.add("info", "gauge", "The version of the service.", 1.0, ["version": status.version])
    text.add("uptime_seconds", "gauge", "Seconds since the start.", figures.uptime)
    text.add("clients", "gauge", "Open connections.", Double(figures.clients))
    text.add("events_total", "counter", "Events published.", Double(figures.events))
    text.add("events_dropped_total", "counter", "Events that slow clients lost.", Double(figures.dropped))
    let cameras = cameras(of: status)
    text.add(
      "frames_total", "counter", "Frames that arrived.", cameras.map { ($0.labels, Double($0.frames.captured)) })
    text.add(
      "frames_bad_total", "counter", "Damaged frames that were skipped.",
      cameras.map { ($0.labels, Double($0.frames.bad)) })
    text.add(
      "frames_lost_total", "counter", "Frames lost between driver and slot.",
      cameras.map { ($0.labels, Double($0.frames.lost)) })
    text.add("resident_memory_bytes", "gauge", "Resident memory.", Double(figures.memory))
    text.add("cpu_seconds_total", "counter", "Processor time of all threads.", figures.cpu)
    let states: [CameraState] = [.closed, .opened, .streaming, .stalled, .lost, .back]
    text.head("camera_state", "gauge", "The state of the camera: 1 for the one that holds.")
    for one in cameras {
      for state in states {
        text.sample("camera_state", one.state == state ? 1.0 : 0, one.labels.with("state", state.rawValue))
      }
    }
    let lanes = cameras.flatMap { one in one.lanes.map { ($0, one.labels.with("lane", $0.name)) } }
    text.add("lane_frames_total", "counter", "Frames that a lane looked at.", lanes.map { ($1, Double($0.frames)) })
    text.add(
      "lane_skipped_total", "counter", "Frames that a lane had no time for.", lanes.map { ($1, Double($0.skipped)) })
    text.head("lane_seconds", "summary", "Time that a frame took a lane lately.")
    for (lane, labels) in lanes {
      text.sample("lane_seconds", lane.p50, labels.with("quantile", "0.5"))
      text.sample("lane_seconds", lane.p99, labels.with("quantile", "0.99"))
    }
    text.head(
      "stage_seconds", "summary",
      "Time that a frame took in a stage of its way lately; the lane source is before the lanes.")
    let sources = cameras.map { ($0.frames.stages, $0.labels.with("lane", "source")) }
    for (stages, labels) in sources + lanes.map({ ($0.stages, $1) }) {
      for stage in stages ?? [] {
        let labels = labels.with("stage", stage.name)
        text.sample("stage_seconds", stage.p50, labels.with("quantile", "0.5"))
        text.sample("stage_seconds", stage.p99, labels.with("quantile", "0.99"))
      }
    }
    if let workers = figures.workers {
      text.add("workers_started_total", "counter", "Workers that were started.", Double(workers.starts))
      text.add("workers_crashed_total", "counter", "Workers that ended by themselves.", Double(workers.crashes))
      text.add("workers_hung_total", "counter", "Workers that did not answer.", Double(workers.hangs))
      text.add("workers_lost_total", "counter", "Frames and pictures lost with a worker.", Double(workers.lost))
      text.add(
        "worker_failures_total", "counter", "Why they were lost.",
        (workers.failures ?? [:]).sorted { $0.key < $1.key }.map { (["code": $0.key], Double($0.value)) })
    }
    return text.lines.joined(separator: "\n")
  }

  /// The statistics of one camera, with the label `camera` if the device has several.
  private struct CameraFigures {
    var labels: [String: String] = [:]
    var state: CameraState
    var frames: FrameStatistics
    var lanes: [LaneStatistics]
  }

  private static func cameras(of status: StatusResult) -> [CameraFigures] {
    guard let cameras = status.statistics.cameras else {
      return [
        CameraFigures(
          state: status.camera.status, frames: status.statistics.frames, lanes: status.statistics.lanes)
      ]
    }
    return cameras.map { camera in
      let state = status.cameras?.first { $0.name == camera.name }?.camera.status
      return CameraFigures(
        labels: ["camera": camera.name], state: state ?? .closed, frames: camera.frames, lanes: camera.lanes)
    }
  }
}

extension [String: String] {
  /// Returns the labels with one more.
  fileprivate func with(_ name: String, _ value: String) -> [String: String] {
    merging([name: value]) { _, new in new }
  }
}
