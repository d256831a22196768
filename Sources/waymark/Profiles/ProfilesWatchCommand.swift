import ArgumentParser
import Foundation
import WaymarkClient
import WaymarkFocus
import WaymarkOnboarding
import WaymarkProtocol
import WaymarkSystem

/// `waymark profiles watch`: tells the service which program has the focus; the service itself has no desktop.
struct ProfilesWatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch", abstract: "Tell the service which program has the focus, so that its profile is used.",
    discussion: """
      Runs in the session of the user in front of the screen, until it is ended; connects again by itself. sway and i3 tell their focus by \
      their socket (SWAYSOCK, I3SOCK), X11 by xprop (Debian's x11-utils). GNOME and KDE under Wayland tell it no program: \
      there, have something else write the names of programs, a line each, to --desktop lines.
      Examples:
        waymark profiles watch
        echo firefox | waymark profiles watch --desktop lines
      """)

  /// The ways to learn what has the focus.
  enum Kind: String, CaseIterable, ExpressibleByArgument {
    case auto, sway, x11, lines
  }

  @OptionGroup var place: SocketOptions

  @Option(help: "Which desktop tells: auto, sway (and i3), x11, or lines of standard input.")
  var desktop = Kind.auto

  @Flag(help: "Print the programs as they get the focus.")
  var verbose = false

  func run() async throws {
    do {
      let (programs, told) = AsyncStream.makeStream(of: String?.self, bufferingPolicy: .bufferingNewest(1))
      let verbose = verbose
      let watcher = FocusWatcher(
        try chosen(),
        onFocus: { program in
          if verbose { Output.line(program.map { DisplayText.escaped($0, limit: 200) } ?? "-") }
          told.yield(program.map { String($0.prefix(50)) })
        },
        onProblem: { Output.diagnostic("waymark: \($0.message) Trying again.\n  \($0.hint)") })
      defer { watcher.stop() }
      watcher.start { told.finish() }
      let relay = FocusRelay()
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { for await program in programs { await relay.focus(program) } }
        group.addTask { [path = place.path] in
          for try await update in WaymarkClient.updates(at: path, events: [ProfileStatus.event]) {
            switch update {
            case .connected(let client, _): try await relay.connected(client)
            case .event: break
            case .disconnected(let error, _):
              await relay.disconnected()
              Output.diagnostic("waymark: \(error.message) Trying again.")
            }
          }
        }
        // The end of standard input is that of the command.
        try await group.next()
        group.cancelAll()
      }
    } catch is CancellationError {
      return
    } catch {
      try fail(error)
    }
  }

  private func chosen() throws(FocusError) -> Desktop {
    var environment = ProcessInfo.processInfo.environment
    switch desktop {
    case .lines: return .lines
    case .x11: return .x11
    case .sway:
      environment["WAYLAND_DISPLAY"] = nil
      environment["DISPLAY"] = nil
      return try Desktop(environment: environment)
    case .auto: return try Desktop(environment: environment)
    }
  }
}

/// Hands the newest program with the focus to the service, whenever there is a connection.
private actor FocusRelay {
  private var client: WaymarkClient?
  private var program: String?

  /// - Throws: where the service will never take it.
  func connected(_ client: WaymarkClient) async throws {
    self.client = client
    _ = try await client.send(ProfileFocusRequest(program: program))
  }

  func disconnected() { client = nil }

  func focus(_ new: String?) async {
    guard new != program else { return }
    program = new
    // Where the connection is over, the next one tells it.
    _ = try? await client?.send(ProfileFocusRequest(program: new))
  }
}

extension FocusErrorCode: CommandErrorCode {
  var exitStatus: ExitStatus { .unavailable }
}
