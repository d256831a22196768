package import ArgumentParser
import CSignals
import Foundation
import Glibc
import WaymarkOnboarding
package import WaymarkService
import WaymarkSystem
import WaymarkWorker

/// A program of commands: which there are, and which features its service has.
package struct Program: Sendable {
  /// The command that the others stand under.
  package let root: any ParsableCommand.Type
  /// The keys of its configuration, with the features of its service.
  package let schema: ConfigurationSchema

  /// The program that runs.
  @TaskLocal package static var current = Program(WaymarkBase.self)

  /// A program.
  package init(_ root: any ParsableCommand.Type, features: [Feature] = []) {
    self.root = root
    schema = ConfigurationSchema(features)
  }

  /// Runs to the end of the process.
  ///
  /// A worker sets up its sandbox while it has one thread: what runs asynchronous commands starts more, which would spin, because
  /// nothing they wait with is allowed. So a worker branches off before that.
  package func run() -> Never {
    let arguments = (0..<csignals_argument_count()).map { csignals_argument($0).map { String(cString: $0) } ?? "" }
    if arguments.count == 2, arguments[1] == WorkerMain.argument {
      WorkerMain.run(schema.features.lazy.compactMap(\.task).first)
      // Comes back when it was not started by a service, or when that is gone.
      exit(ExitStatus.unavailable.rawValue)
    }
    if ["serve", "kiosk", "type"].contains(arguments.dropFirst().first) { csignals_leave_no_memory_behind() }
    // When a reader closes its end, `write` returns EPIPE, which `Output` handles; the signal would end the process.
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
      // A fault that a command finds while it runs is about its own usage, not the program's.
      Output.diagnostic("Error: \(error.message)\nUsage: \(root.usageString(for: type(of: command)))")
      exit(ExitStatus.usage.rawValue)
    }
  }

  /// Says what an error has to say, help and version among them, and ends with its exit code.
  private func end(_ error: any Error) -> Never {
    let status = root.exitCode(for: error)
    // What neither the commands nor the parser can explain is a fault of the program, and no answer to what was asked.
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
