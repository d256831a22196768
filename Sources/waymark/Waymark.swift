import ArgumentParser

/// The one executable; a file per subcommand.
struct Waymark: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "waymark",
    abstract: "Reads codes and follows preset pictures in front of a camera.",
    usage: "waymark COMMAND …",
    version: waymarkVersion,
    subcommands: [
      AnchorsCommand.self,
      CamerasCommand.self,
      CountCommand.self,
      DocumentsCommand.self,
      FeedbackCommand.self,
      OnboardingCommand.self,
      SignatureCommand.self,
      ScanCommand.self,
      KioskCommand.self,
      SceneCommand.self,
      TextCommand.self,
      ServeCommand.self,
      WatchCommand.self,
      SendCommand.self,
      StatusCommand.self,
      BridgeCommand.self,
      BundleCommand.self,
      TypeCommand.self,
      DoctorCommand.self,
      ReportCommand.self,
      ConfigCommand.self,
      SocketPathCommand.self,
      UsersCommand.self,
      CompletionsCommand.self,
      WorkerCommand.self,
    ])
}
