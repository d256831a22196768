import ArgumentParser
import WaymarkOnboarding
import WaymarkSystem

/// Finds the word of a command line that should be a command and is none, and the command it may have been meant for.
///
/// The parser itself only counts such words as unexpected arguments of the program.
struct CommandSuggestion {
  private let root: any ParsableCommand.Type

  /// - Parameter root: the command that the others stand under.
  init(_ root: any ParsableCommand.Type) { self.root = root }

  /// The problem with the first word that is not a command of its group, and the remedy; `nil` where all are commands.
  func problem(in arguments: some Sequence<String>) -> (status: ExitStatus, message: String, hint: String)? {
    var group = root
    var path = "waymark"
    for word in arguments {
      let commands = group.configuration.subcommands
      // Options, and the arguments of a command, are the parser's to judge.
      guard !commands.isEmpty, !word.hasPrefix("-"), word != "help" else { return nil }
      if let command = commands.first(where: { $0.configuration.commandName == word }) {
        group = command
        path += " " + word
        continue
      }
      let names = commands.filter { $0.configuration.shouldDisplay }.compactMap { $0.configuration.commandName }
      let remedy =
        NearestWord.of(word, among: names).map { "Did you mean \(path) \($0)?" }
        ?? "Commands are \(names.joined(separator: ", "))."
      if path == "waymark", WaymarkBase.station.contains(word) {
        return (
          .unavailable, "waymark \(word) comes with the package waymark-station.",
          "apt install ./waymark-station_VERSION_ARCHITECTURE.deb (Scripts/package makes it)."
        )
      }
      return (
        .usage, "There is no command \(path) \(DisplayText.escaped(word, limit: 200)).",
        "\(remedy) \(path) --help explains them."
      )
    }
    return nil
  }
}
