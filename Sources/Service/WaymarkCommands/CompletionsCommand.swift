import ArgumentParser

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
    Output.line(Program.current.root.completionScript(for: shell))
  }
}
