import ArgumentParser
import WaymarkOnboarding
import WaymarkSystem

/// Finds the word of a command line that should be a command and is none, and the command it may have been meant for.
///
/// The parser itself only counts such words as unexpected arguments of the program.
enum CommandSuggestion {
  /// The problem with the first word that is not a command of its group, and the remedy; `nil` where all are commands.
  static func problem(in arguments: some Sequence<String>) -> (message: String, hint: String)? {
    var group: any ParsableCommand.Type = Waymark.self
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
      return (
        "There is no command \(path) \(DisplayText.escaped(word, limit: 200)).",
        "\(remedy) \(path) --help explains them."
      )
    }
    return nil
  }
}
