package import WaymarkProtocol

/// The state of the service as a person reads it.
package enum StatusText {
  /// Lines about the service and its cameras; `role`: of the connection that asked, where it is told.
  package static func text(of status: StatusResult, role: Role?) -> String {
    let figures = status.statistics
    var lines = [
      "waymark \(status.version), up \(Int(figures.uptime)) s" + (role.map { ", you are \($0.rawValue)" } ?? ""),
      "socket    \(status.socket)",
    ]
    if status.cameras == nil {
      lines.append("camera    \(EventText.details(of: .cameraStatus(status.camera)))")
      lines.append(
        "scanner   \(status.scanner.status.rawValue)"
          + (status.scan.map { " (\($0.mode.rawValue), scan \($0.scan))" } ?? ""))
    }
    lines += [
      "session   \(status.session?.rawValue ?? "none")" + (status.scene.map { ", scene \($0)" } ?? "")
    ]
    if let cameras = figures.cameras {
      for camera in cameras {
        lines.append("camera    \(camera.name): \(state(of: camera.name, in: status))")
        lines += text(of: camera.frames, camera.lanes)
      }
    } else {
      lines += text(of: figures.frames, figures.lanes)
    }
    lines.append("clients   \(figures.clients), \(figures.events) events, \(figures.dropped) dropped")
    lines.append(
      "process   \(figures.memory >> 20) MiB, \(EventText.rounded(figures.cpu)) s of processor time")
    return lines.joined(separator: "\n")
  }

  /// One of several cameras, and the scanner of its frames.
  private static func state(of name: String, in status: StatusResult) -> String {
    guard let camera = status.cameras?.first(where: { $0.name == name }) else { return "unknown" }
    return EventText.details(of: .cameraStatus(camera.camera)) + ", scanner \(camera.scanner.status.rawValue)"
      + (camera.scan.map { " (\($0.mode.rawValue), scan \($0.scan))" } ?? "")
  }

  private static func text(of frames: FrameStatistics, _ lanes: [LaneStatistics]) -> [String] {
    var lines = ["frames    \(frames.captured), \(frames.bad) bad, \(frames.lost) lost"]
    if let stages = frames.stages { lines.append("          \(Self.text(of: stages))") }
    for lane in lanes {
      let median = EventText.rounded(lane.p50 * 1000)
      lines.append(
        "lane      \(lane.name): \(lane.frames) frames, \(lane.skipped) skipped, "
          + "\(median) ms (p99 \(EventText.rounded(lane.p99 * 1000)) ms)")
      if let stages = lane.stages { lines.append("          \(Self.text(of: stages))") }
    }
    return lines
  }

  /// Medians by stage, in milliseconds.
  private static func text(of stages: [StageStatistics]) -> String {
    stages.map { "\($0.name) \(EventText.rounded($0.p50 * 1000)) ms" }.joined(separator: ", ")
  }
}
