import ArgumentParser
import WaymarkClient
import WaymarkProtocol
import WaymarkSystem

/// `waymark status` and, below, `waymark watch` and `waymark socket-path`: show the state and the events of a running
/// service.
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
      throw error
    }
  }

  private func writeResult(_ figures: String) {
    guard let output else { return Output.line(figures) }
    Output.file(output, Array((figures + "\n").utf8))
  }
}

struct WatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Print the service's events as they happen; connects again by itself.",
    discussion: """
      Example:
        waymark watch --events 'scan.*' --count 1
      """)

  @OptionGroup var place: SocketOptions

  @Flag(help: "Print the lines as received from the socket.")
  var json = false

  @Option(
    name: .long, parsing: .upToNextOption,
    help:
      "Names or patterns such as scan.*; else all with --json, and without it those that a person can read as they come."
  )
  var events: [String] = []

  @Option(help: "End after so many events.")
  var count: Int?

  @Flag(help: "End when the service stops, instead of reconnecting.")
  var noReconnect = false

  func validate() throws {
    if let count, count < 1 { throw ValidationError("--count takes a number from 1 on.") }
  }

  /// The patterns of events that are rare enough for a person to read.
  private static let readable = [
    "scan.*", "scanner.*", "camera.*", "session.*", "anchor.*", "marker.*", "annotation.*", "card.*", "scene.*",
    "account.*", "consent.*", "stream.*", "server.*",
  ]

  func run() async throws {
    let patterns = events.isEmpty ? (json ? ["*"] : Self.readable) : events
    var left = count
    var outage = ""
    do {
      for try await update in WaymarkClient.updates(at: place.path, events: patterns) {
        switch update {
        case .connected(let client, let snapshot):
          outage = ""
          if json {
            Output.json(try Output.text(snapshot))
          } else {
            Output.diagnostic("Connected to waymark \(client.hello.version) as \(client.hello.role.rawValue).")
            Output.line(EventText.text(of: snapshot))
          }
        case .event(let received):
          if json { Output.json(received.line) } else { Output.line(EventText.text(of: received.event)) }
          if let remaining = left {
            if remaining <= 1 { return }
            left = remaining - 1
          }
        case .disconnected(let error, _):
          if noReconnect { throw error }
          if error.message != outage { Output.diagnostic("\(error.message) Trying again.") }
          outage = error.message
        }
      }
    } catch is CancellationError {
      return
    }
  }
}

struct SocketPathCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "socket-path", abstract: "Print the path of the service's socket.",
    discussion: """
      Example:
        socat - UNIX-CONNECT:"$(waymark socket-path)"
      """)

  @OptionGroup var place: SocketOptions

  func run() { Output.line(place.path) }
}
