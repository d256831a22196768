import ArgumentParser
import FoundationEssentials
import Glibc
import WaymarkClient
import WaymarkProtocol
import WaymarkService
import WaymarkSystem

/// `waymark demo`: judges the sample pictures, then runs a service on sample frames and prints its events.
struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Show what the program does, with sample pictures instead of a camera.",
    discussion: """
      Judges pictures of onboarding codes, then runs a service of its own on a walk past three posters and prints its events.
      Example:
        waymark demo --seconds 5
      """)

  @Option(help: "Seconds of the walk, from the first poster on.")
  var seconds = 10.0

  /// The seconds within which the service must answer, and then find a poster.
  private static let startLimit = 60.0

  func validate() throws {
    guard (1...600).contains(seconds) else { throw ValidationError("--seconds takes 1 to 600.") }
  }

  func run() async throws {
    guard let pictures = SampleFiles.folder("pictures"), let walk = SampleFiles.folder("sequences/pump-room"),
      let scenes = SampleFiles.folder("scenes")
    else {
      Output.fail(
        .unavailable, "The samples are not installed.",
        hint: "They are in /usr/share/waymark of the package, unless a path-exclude of dpkg omits them.")
    }
    let folder = try Folder.makeTemporary(in: "/tmp", prefix: "waymark-demo-")
    defer { try? FileManager.default.removeItem(atPath: folder) }
    // An empty policy, instead of the device's.
    let policy = folder + "/policy.yaml"
    FileManager.default.createFile(atPath: policy, contents: nil)
    Output.line("$ waymark scan --onboarding \(pictures)")
    // A refused code is a result to show, not an error of the demo.
    do { try ScanCommand.parse(["--onboarding", "--policy", policy, pictures]).run() } catch is ExitCode {}
    Output.line("\n$ waymark serve --source \(walk) --rate 20")
    Output.line("$ waymark send session.start '{\"scene\":\"pump-room\"}' --hold")

    let socket = folder + "/waymark.sock"
    // The service uses neither the configuration nor the state of the device or the user.
    let loader = ConfigurationLoader(
      named: nil, environment: ["HOME": folder],
      flags: [
        "source.path": walk, "source.rate": "20", "socket.path": socket, "scenes.folders": scenes,
        "scenes.cache": folder + "/cache", "log.level": "error",
      ], isSystem: false, schema: Program.current.schema)
    let daemon = Daemon(loader)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await daemon.run() }
      group.addTask { [seconds] in
        defer {
          // The service may end the process itself.
          try? FileManager.default.removeItem(atPath: folder)
          kill(getpid(), SIGTERM)
        }
        try await Self.follow(socket, seconds)
      }
      for try await _ in group {}
    }
  }

  /// Starts the session of the sample scene and prints its events for `seconds`, counted from when the first poster is found.
  private static func follow(_ socket: String, _ seconds: Double) async throws {
    let start = MonotonicClock.now + startLimit
    var connected: WaymarkClient?
    while connected == nil {
      do {
        connected = try await WaymarkClient.connect(to: socket)
      } catch {
        guard MonotonicClock.now < start else { throw error }
        try await Task.sleep(for: .milliseconds(50))
      }
    }
    guard let client = connected else { return }
    _ = try await client.send(
      SubscribeRequest(events: ["session.*", "anchor.found", "anchor.lost", "marker.*", "scene.*"]))
    _ = try await client.send(SessionStartRequest(scene: "pump-room"))
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        var end = Double.infinity
        for try await received in client.events {
          guard MonotonicClock.now < end else { return }
          Output.line(EventText.text(of: received.event))
          if case .anchorFound = received.event.body { end = min(end, MonotonicClock.now + seconds) }
        }
      }
      group.addTask { try await Task.sleep(for: .seconds(startLimit + seconds)) }
      defer { group.cancelAll() }
      try await group.next()
    }
    await client.close()
  }
}
