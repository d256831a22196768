package import ArgumentParser
import CSignals
import Dispatch
import FoundationEssentials
import Glibc
package import WaymarkService
import WaymarkSystem
import WaymarkWorker

/// A command-line program: its commands and the features of its service. `CommandSuggestion` below finds the command that a
/// mistyped word may mean; `OptionLetter` and `ShortOptions` are about options of one letter.
package struct Program: Sendable {
  /// The root command, which contains the others.
  package let root: any ParsableCommand.Type
  /// The features of the program's service.
  package let features: [Feature]
  /// The keys of the configuration, including the features' keys.
  package let schema: ConfigurationSchema

  /// The open files that a service needs without clients.
  private static let leastOpenFiles = 64

  /// The running program.
  @TaskLocal package static var current = Program(WaymarkBase.self)

  package init(_ root: any ParsableCommand.Type, features: [Feature] = []) {
    self.root = root
    self.features = features
    schema = ConfigurationSchema(features)
  }

  /// Runs a command and ends the process.
  ///
  /// A worker must set up its sandbox while the process has a single thread. The runtime of asynchronous commands would start more
  /// threads, which would then spin, because the sandbox forbids the system calls with which they wait. A worker therefore runs
  /// before the arguments are parsed.
  package func run() -> Never {
    let arguments = (0..<csignals_argument_count()).map { csignals_argument($0).map { String(cString: $0) } ?? "" }
    if arguments.count == 2, arguments[1] == WorkerMain.argument {
      WorkerMain.run(features.lazy.compactMap(\.task).first)
      // The worker returns if no service started this process, or after the service has ended.
      exit(ExitStatus.unavailable.rawValue)
    }
    if ["demo", "serve", "kiosk", "type"].contains(arguments.dropFirst().first) {
      csignals_leave_no_memory_behind()
      // Without descriptors the event loops and libdispatch end the process without a message.
      if let limit = OpenFileLimit.shortage(below: Self.leastOpenFiles) {
        Output.fail(
          .unavailable, "This process may have \(limit) open files, and needs \(Self.leastOpenFiles).",
          hint: "Raise the limit: LimitNOFILE of the unit, or ulimit -n.")
      }
    }
    // When a reader closes its end of a pipe, `write` returns EPIPE, which `Output` handles; the signal would end the process.
    signal(SIGPIPE, SIG_IGN)
    if let word = ShortOptions.misread(in: arguments.dropFirst()) {
      Output.fail(
        .usage, "There is no option \(DisplayText.escaped(word, limit: 200)).",
        hint: "For a file of that name, write ./ before it. waymark COMMAND --help lists the options.")
    }
    if let problem = CommandSuggestion(root).problem(in: arguments.dropFirst()) {
      Output.fail(problem.status, problem.message, hint: problem.hint)
    }
    Task {
      await Self.$current.withValue(self) {
        do {
          try await run(Array(arguments.dropFirst()))
          exit(0)
        } catch {
          end(error)
        }
      }
    }
    dispatchMain()
  }

  private func run(_ arguments: [String]) async throws {
    var command = try root.parseAsRoot(arguments)
    do {
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch let error as ValidationError {
      // A validation error of a running command concerns the usage of the command, not of the program.
      Output.diagnostic("Error: \(error.message)\nUsage: \(root.usageString(for: type(of: command)))")
      exit(ExitStatus.usage.rawValue)
    } catch let error as any CommandError {
      Output.fail(error.exitStatus, error.message, hint: error.hint)
    }
  }

  /// Prints an error, which may also be a request for help or the version, and ends with its exit code.
  private func end(_ error: any Error) -> Never {
    let status = root.exitCode(for: error)
    // An error that neither the commands nor the parser can explain is a bug of the program.
    if status == .failure, !(error is ExitCode) {
      Output.fail(
        .internalError, "The program failed: \(error)", hint: "Please report this, with the command that was run.")
    }
    let text = root.fullMessage(for: error)
    if !text.isEmpty {
      status.isSuccess ? Output.line(text) : Output.diagnostic(text)
    }
    exit(status.rawValue)
  }
}

// MARK: - Checks of the command line

/// Finds an unknown command in a command line, and the command that may be meant.
///
/// The parser itself reports such words only as unexpected arguments.
struct CommandSuggestion {
  private let root: any ParsableCommand.Type

  init(_ root: any ParsableCommand.Type) { self.root = root }

  /// Returns the problem with the first word that is not a command of its group, and the remedy; nil if all such words are known
  /// commands.
  func problem(in arguments: some Sequence<String>) -> (status: ExitStatus, message: String, hint: String)? {
    var group = root
    var path = "waymark"
    for word in arguments {
      let commands = group.configuration.subcommands
      // Options and the arguments of a command are checked by the parser.
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

extension NameSpecification {
  /// Returns an option's long name and a letter to which the value may be joined: `-j 4`, `-j4`.
  package static func letter(_ letter: OptionLetter) -> Self {
    [.customShort(letter.rawValue, allowingJoined: true), .long]
  }
}

/// The letters of options with a value.
package enum OptionLetter: Character {
  case file = "f"
  case jobs = "j"
  case output = "o"
  case pattern = "p"
}

/// Words of the command line that begin with one dash.
package enum ShortOptions {
  /// The letters of flags, which may be combined in one word.
  private static let flags: Set<Character> = ["h", "q"]

  /// Returns the first word that the parser would misread as several flags; nil if all words before `--` are read correctly. In
  /// `-dash.png`, for example, it would find the flag `h`, show the help and end with success.
  package static func misread(in words: some Sequence<String>) -> String? {
    for word in words {
      if word == "--" { return nil }
      guard word.count > 2, word.first == "-", let letter = word.dropFirst().first, letter != "-" else { continue }
      // A negative number, or a value joined to its letter.
      if letter.isNumber || letter == "." || OptionLetter(rawValue: letter) != nil { continue }
      if !word.dropFirst().allSatisfy(flags.contains) { return word }
    }
    return nil
  }
}
