import WaymarkScenes

extension ExitStatus {
  /// How a command ends that found these problems.
  init(_ problems: [SceneProblem]) {
    let errors = problems.filter { $0.severity == .error }
    let statuses = errors.map { problem -> ExitStatus in
      switch problem.code {
      case "noFolder", "noScene", "cannotOpen", "unreadable": .cannotOpen
      case "badYAML", "badJSON", "notUTF8", "emptyFile", "notASceneFile", "tooLarge", "tooDeep": .badData
      default: .invalid
      }
    }
    self = statuses.max() ?? .success
  }
}

/// A problem as the JSON output gives it.
struct SceneProblemRecord: Encodable {
  var severity: String
  var file: String
  var line: Int
  var column: Int
  var field: String
  var code: String
  var message: String
  var hint: String

  init(_ problem: SceneProblem) {
    severity = problem.severity.rawValue
    file = problem.file
    line = problem.line
    column = problem.column
    field = problem.field
    code = problem.code
    message = problem.message
    hint = problem.hint
  }
}
