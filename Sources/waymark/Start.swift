import ArgumentParser
import CSignals
import Foundation
import Glibc
import WaymarkOnboarding
import WaymarkWorker

/// The entry point of the program.
///
/// A worker sets up its sandbox while it has one thread: what runs asynchronous commands starts more, which would spin, because
/// nothing they wait with is allowed. So a worker branches off before that.
@main
enum Start {
  static func main() {
    let arguments = (0..<csignals_argument_count()).map { csignals_argument($0).map { String(cString: $0) } ?? "" }
    if arguments.count == 2, arguments[1] == WorkerMain.argument {
      WorkerMain.run()
      // Comes back when it was not started by a service, or when that is gone.
      exit(ExitStatus.unavailable.rawValue)
    }
    if ["serve", "kiosk", "type"].contains(arguments.dropFirst().first) { csignals_leave_no_memory_behind() }
    // A reader that goes away is told by `write`, for `Output` to judge, and ends nothing by itself.
    signal(SIGPIPE, SIG_IGN)
    if let word = ShortOptions.misread(in: arguments.dropFirst()) {
      Output.fail(
        .usage, "There is no option \(DisplayText.escaped(word, limit: 200)).",
        hint: "For a file of that name, write ./ before it. waymark COMMAND --help lists the options.")
    }
    if let problem = CommandSuggestion.problem(in: arguments.dropFirst()) {
      Output.fail(.usage, problem.message, hint: problem.hint)
    }
    Task {
      do {
        var command = try Waymark.parseAsRoot(Array(arguments.dropFirst()))
        do {
          if var command = command as? any AsyncParsableCommand {
            try await command.run()
          } else {
            try command.run()
          }
        } catch let error as ValidationError {
          // A fault that a command finds while it runs is about its own usage, not the program's.
          Output.diagnostic("Error: \(error.message)\nUsage: \(Waymark.usageString(for: type(of: command)))")
          exit(ExitStatus.usage.rawValue)
        }
        exit(0)
      } catch {
        end(error)
      }
    }
    dispatchMain()
  }

  /// Says what an error has to say, help and version among them, and ends with its exit code.
  private static func end(_ error: any Error) -> Never {
    let status = Waymark.exitCode(for: error)
    // What neither the commands nor the parser can explain is a fault of the program, and no answer to what was asked.
    if status == .failure, !(error is ExitCode) {
      Output.fail(
        .internalError, "The program failed: \(error)", hint: "Please report this, with the command that was run.")
    }
    let text = Waymark.fullMessage(for: error)
    if !text.isEmpty {
      status.isSuccess ? Output.line(text) : Output.diagnostic(text)
    }
    exit(status.rawValue)
  }
}
