import ArgumentParser
import WaymarkClient
import WaymarkProtocol
import WaymarkSystem

/// `waymark status`: how the service is.
struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show the state of the service.",
    discussion: """
      For Prometheus' node_exporter (waymark-metrics.timer does it every 15 seconds):
        waymark status --prometheus -o /var/lib/prometheus/node-exporter/waymark.prom
      Example:
        waymark status --json
      """)

  @OptionGroup var place: SocketOptions

  @Flag(help: "Print the answer as JSON.")
  var json = false

  @Flag(help: "Print the figures in the text format of Prometheus.")
  var prometheus = false

  @Option(name: .letter(.output), help: "Replace this file with the figures instead of printing them.")
  var output: String?

  func validate() throws {
    if output != nil, !prometheus { throw ValidationError("-o needs --prometheus.") }
    if json, prometheus { throw ValidationError("Choose --json or --prometheus, not both.") }
  }

  func run() async throws {
    do {
      let client = try await WaymarkClient.connect(to: place.path)
      let status = try await client.send(StatusRequest())
      if json {
        Output.json(try SendCommand.text(status))
      } else if prometheus {
        writeResult(PrometheusText.text(of: status))
      } else {
        Output.line(Self.text(of: status, role: client.hello.role))
      }
    } catch {
      if prometheus, error is ClientError { writeResult(PrometheusText.down) }
      try fail(error)
    }
  }

  private func writeResult(_ figures: String) {
    guard let output else { return Output.line(figures) }
    Output.file(output, Array((figures + "\n").utf8))
  }

  /// For a person.
  static func text(of status: StatusResult, role: Role?) -> String {
    let figures = status.statistics
    var lines = [
      "waymark \(status.version), up \(Int(figures.uptime)) s" + (role.map { ", you are \($0.rawValue)" } ?? ""),
      "socket    \(status.socket)",
      "camera    \(EventText.details(of: .cameraStatus(status.camera)))",
      "scanner   \(status.scanner.status.rawValue)"
        + (status.scan.map { " (\($0.mode.rawValue), scan \($0.scan))" } ?? ""),
      "session   \(status.session?.rawValue ?? "none")" + (status.scene.map { ", scene \($0)" } ?? ""),
      "frames    \(figures.frames.captured), \(figures.frames.bad) bad, \(figures.frames.lost) lost",
    ]
    if let stages = figures.frames.stages { lines.append("          \(Self.text(of: stages))") }
    for lane in figures.lanes {
      let median = EventText.rounded(lane.p50 * 1000)
      lines.append(
        "lane      \(lane.name): \(lane.frames) frames, \(lane.skipped) skipped, "
          + "\(median) ms (p99 \(EventText.rounded(lane.p99 * 1000)) ms)")
      if let stages = lane.stages { lines.append("          \(Self.text(of: stages))") }
    }
    lines.append("clients   \(figures.clients), \(figures.events) events, \(figures.dropped) dropped")
    lines.append(
      "process   \(figures.memory >> 20) MiB, \(EventText.rounded(figures.cpu)) s of processor time")
    return lines.joined(separator: "\n")
  }

  /// Medians by stage, in milliseconds.
  private static func text(of stages: [StageStatistics]) -> String {
    stages.map { "\($0.name) \(EventText.rounded($0.p50 * 1000)) ms" }.joined(separator: ", ")
  }
}
