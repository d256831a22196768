package import ArgumentParser
import WaymarkSystem

/// `waymark`, with the commands of the base; a file per subcommand.
package struct WaymarkBase: AsyncParsableCommand {
  package static let configuration = waymark([])

  package init() {}

  /// The program with its own commands beside those of the base.
  package static func waymark(_ own: [any ParsableCommand.Type]) -> CommandConfiguration {
    CommandConfiguration(
      commandName: "waymark",
      abstract: "Reads codes and follows preset pictures in front of a camera.",
      usage: "waymark COMMAND …",
      version: waymarkVersion,
      subcommands: [
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

  /// The commands of the package waymark-station.
  static let station = ["count", "documents", "kiosk", "signature", "text", "type", "users"]
}
