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
      BridgeExec.self,
      BundleCommand.self,
      TypeCommand.self,
      ProfilesCommand.self,
      DoctorCommand.self,
      ReportCommand.self,
      ConfigCommand.self,
      ProtocolCommand.self,
      SocketPathCommand.self,
      UsersCommand.self,
      CompletionsCommand.self,
    ])
}

/// `waymark completions`: what a shell needs to complete commands and options.
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
    Output.line(Waymark.completionScript(for: shell))
  }
}
