import ArgumentParser
import WaymarkClient
import WaymarkProtocol
import WaymarkSystem

/// `waymark watch`: prints the events of the service.
struct WatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Print the service's events as they happen; connects again by itself.",
    discussion: """
      Example:
        waymark watch 'scan.*' --count 1
      """)

  @OptionGroup var place: SocketOptions

  @Flag(help: "Print the lines as received from the socket.")
  var json = false

  @Option(
    name: .long, parsing: .upToNextOption,
    help: "Names or patterns such as scan.* (everything but anchors.updated and statistics, if none are given).")
  var events: [String] = []

  @Option(help: "End after so many events.")
  var count: Int?

  @Flag(help: "End when the service stops, instead of reconnecting.")
  var noReconnect = false

  func validate() throws {
    if let count, count < 1 { throw ValidationError("--count takes a number from 1 on.") }
  }

  /// Everything that a person can follow with the eye.
  private static let readable = [
    "scan.*", "scanner.*", "camera.*", "session.*", "anchor.*", "marker.*", "annotation.*", "card.*", "scene.*",
    "account.*", "consent.*", "stream.*", "server.*",
  ]

  func run() async throws {
    let patterns = events.isEmpty ? (json ? ["*"] : Self.readable) : events
    var left = count
    do {
      for try await update in WaymarkClient.updates(at: place.path, events: patterns) {
        switch update {
        case .connected(let client, let snapshot):
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
          Output.diagnostic("\(error.message) Trying again.")
        }
      }
    } catch is CancellationError {
      return
    } catch {
      try fail(error)
    }
  }
}
