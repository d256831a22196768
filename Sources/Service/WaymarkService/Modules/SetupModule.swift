import Dispatch
package import WaymarkConfiguration
import WaymarkProtocol
package import WaymarkServer
package import WaymarkSystem

/// Serves `config.show`, `config.check`, `log.read` and `report.make`, which operators use to set the device up. Replies contain no
/// secrets.
@ServiceActor
package final class SetupModule: ServerModule {
  /// The maximum bytes of a report.
  package nonisolated static let reportLimit = 256 << 10
  /// The seconds that a report may take.
  package nonisolated static let reportTimeout = 60.0

  private let file: String
  private let configuration: @ServiceActor () -> (ServiceConfiguration, restart: [String])
  private let check: @Sendable (String) -> [ConfigurationProblem]
  private let report: @Sendable () throws -> ChildProgram.Result
  /// The methods in progress, out of the methods that serve one client at a time.
  private var underway: Set<String> = []

  /// Creates the module with the functions that do its work.
  ///
  /// - Parameters:
  ///   - file: the path of the configuration file.
  ///   - configuration: returns the configuration in use, and its sections that need a restart.
  ///   - check: returns the problems that the configuration would have with a text in place of its file.
  ///   - report: runs the program that prints the report.
  package init(
    file: String, configuration: @escaping @ServiceActor () -> (ServiceConfiguration, restart: [String]),
    check: @escaping @Sendable (String) -> [ConfigurationProblem],
    report: @escaping @Sendable () throws -> ChildProgram.Result
  ) {
    (self.file, self.configuration, self.check, self.report) = (file, configuration, check, report)
  }

  package func register(in methods: inout MethodTable) {
    methods.addLater(ConfigShowRequest.self) { [self] _, _ in
      let (configuration, restart) = self.configuration()
      return {
        let values = try await Self.aside {
          configuration.listing(isRedacted: true).map {
            ConfigurationEntry(key: $0.key, value: $0.value, origin: $0.origin)
          }
        }
        return ConfigShowResult(values: values, restart: restart)
      }
    }
    methods.addLater(ConfigCheckRequest.self) { [self] request, _ in
      let (file, check, text) = (file, check, request.text)
      return { [self] in
        try await alone("config.check") {
          ConfigCheckResult(problems: check(text).map { Self.fault($0, of: text, file) })
        }
      }
    }
    methods.addLater(LogReadRequest.self) { request, _ in
      {
        let lines = JournalLogHandler.recentLines.suffix(request.lines ?? .max)
        return LogReadResult(lines: try await Self.aside { lines.map(Redaction.text) })
      }
    }
    methods.addLater(ReportMakeRequest.self) { [self] _, _ in
      let report = report
      return { [self] in ReportMakeResult(text: try await alone("report.make") { try Self.text(report()) }) }
    }
  }

  /// Returns the output of the program that makes the report.
  ///
  /// - Throws: `internalError` if the program failed.
  private nonisolated static func text(_ result: ChildProgram.Result) throws -> String {
    guard result.status == 0 else {
      throw ServiceError(
        .internalError, "The report was not made: its program ended with status \(result.status).",
        hint: "Run it on the device: waymark report")
    }
    return String(decoding: result.output, as: UTF8.self)
  }

  /// Returns a problem as the client receives it. It quotes only the checked text, because a file named in the text may be secret.
  nonisolated static func fault(_ problem: ConfigurationProblem, of text: String, _ file: String) -> ConfigurationFault
  {
    func shown(_ message: String) -> String {
      Redaction.text(
        message.replacing(#/"([^"]*)"/#) { text.contains($0.output.1) ? String($0.output.0) : "\"…\"" })
    }
    return ConfigurationFault(
      line: problem.origin == file ? problem.line : nil, message: shown(problem.description), hint: shown(problem.hint))
  }

  /// Runs work that may block. A method does so for one client at a time.
  ///
  /// - Throws: `busy` if the method serves another client, and the errors of `work`.
  private func alone<Value: Sendable>(
    _ method: String, _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    guard underway.insert(method).inserted else {
      throw ServiceError(.busy, "Another client waits for \(method).", hint: "Try again when it has its answer.")
    }
    defer { underway.remove(method) }
    return try await Self.aside(work)
  }

  /// Runs work that may block on a global queue, where it occupies no thread for pictures and scenes.
  private nonisolated static func aside<Value: Sendable>(
    _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global(qos: .utility).async { continuation.resume(with: Result { try work() }) }
    }
  }
}
