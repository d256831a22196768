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
        Output.json(try Output.text(status))
      } else if prometheus {
        writeResult(PrometheusText.text(of: status))
      } else {
        Output.line(StatusText.text(of: status, role: client.hello.role))
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
}
