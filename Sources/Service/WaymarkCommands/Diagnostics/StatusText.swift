package import WaymarkProtocol
import WaymarkSystem

/// Formats the state of the service for people.
package enum StatusText {
  /// Returns lines about the service and its cameras; `role` is the role of the connection, or `nil` to omit the role.
  package static func text(of status: StatusResult, role: Role?) -> String {
    let figures = status.statistics
    var lines = [
      "waymark \(status.version), up \(Int(figures.uptime)) s" + (role.map { ", you are \($0.rawValue)" } ?? ""),
      "socket    \(status.socket)",
    ]
    if let configuration = status.configuration {
      lines.append("config    \(text(of: configuration))")
      lines += (configuration.cautions ?? []).map { "caution   \(EventText.shown($0))" }
    }
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

  /// Returns the path of the configuration that runs, and whether it is the default.
  private static func text(of configuration: ConfigurationInUse) -> String {
    guard let file = configuration.file else { return "no file: the defaults apply" }
    return EventText.shown(file) + (configuration.isDefault ? " (the default file)" : "")
  }

  /// Returns the state of the camera with this name, its scanner and its scan, where the service has several cameras.
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

  /// Returns the median time of each stage, in milliseconds.
  private static func text(of stages: [StageStatistics]) -> String {
    stages.map { "\($0.name) \(EventText.rounded($0.p50 * 1000)) ms" }.joined(separator: ", ")
  }
}
