package import ArgumentParser
import FoundationEssentials
import Glibc
import WaymarkSystem

/// The command `waymark` of the base package, with its list of subcommands. `completions` and `bridge` are in this
/// file.
package struct WaymarkBase: AsyncParsableCommand {
  package static let configuration = waymark([])

  package init() {}

  /// Returns the configuration of the program, with the commands of the base package and further commands.
  package static func waymark(_ own: [any ParsableCommand.Type]) -> CommandConfiguration {
    CommandConfiguration(
      commandName: "waymark",
      abstract: "Reads codes and follows preset pictures in front of a camera.",
      usage: "waymark COMMAND …",
      version: waymarkVersion,
      subcommands: [
        DemoCommand.self,
        ScanCommand.self,
        OnboardingCommand.self,
        AnchorsCommand.self,
        SceneCommand.self,
        CamerasCommand.self,
        ServeCommand.self,
        WatchCommand.self,
        SendCommand.self,
        StatusCommand.self,
        FeedbackCommand.self,
        ProfilesCommand.self,
        BundleCommand.self,
        BridgeExec.self,
        DoctorCommand.self,
        ReportCommand.self,
        ConfigCommand.self,
        ProtocolCommand.self,
        SocketPathCommand.self,
        CompletionsCommand.self,
      ] + own)
  }

  /// The names of the commands that only the package waymark-station has.
  static let station = ["count", "documents", "kiosk", "signature", "text", "type", "users"]
}

struct CompletionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completions",
    abstract: "Print the completion script for a shell.",
    discussion: """
      Examples:
        waymark completions bash > /etc/bash_completion.d/waymark
        waymark completions zsh > ~/.zfunc/_waymark
        waymark completions fish > ~/.config/fish/completions/waymark.fish
      """)

  @Argument(help: "bash, zsh or fish.", completion: .list(["bash", "zsh", "fish"]))
  var shell: String

  func validate() throws {
    guard CompletionShell(rawValue: shell) != nil else { throw ValidationError("The shell is bash, zsh or fish.") }
  }

  func run() {
    guard let shell = CompletionShell(rawValue: shell) else { return }
    Output.line(Program.current.root.completionScript(for: shell))
  }
}

struct BridgeExec: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bridge",
    abstract: "Send the events of the service to an MQTT broker (package waymark-bridge).",
    discussion: """
      Arguments go to waymark-bridge: --config FILE, --socket PATH, --check. As a service: systemctl enable --now waymark-bridge.
      Example:
        waymark bridge --check
      """)

  @Argument(parsing: .captureForPassthrough, help: "Arguments of waymark-bridge.")
  var arguments: [String] = []

  func run() throws {
    // The bridge is in the folder of this program, where both are built and installed, or else in `PATH`.
    let own = ChildProgram.ownPath ?? ""
    let beside = own.deletingLastPathComponent + "/waymark-bridge"
    let program = access(beside, X_OK) == 0 ? beside : "waymark-bridge"
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
    execvp(program, &words)
    Output.fail(
      .unavailable, "The bridge is not installed: \(String(cString: strerror(errno)))",
      hint: "apt install ./waymark-bridge_VERSION_ARCHITECTURE.deb (Scripts/package-bridge makes it).")
  }
}
