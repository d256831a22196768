package import WaymarkConfiguration

/// A problem of a scene: its severity, its position in the scene's file, its message and a hint. Below is the result of
/// reading a scene (`SceneReport`).
package struct SceneProblem: Hashable, Sendable, Encodable {
  package enum Severity: String, Hashable, Sendable, Encodable {
    /// The scene cannot be used.
    case error
    /// The scene can be used, but probably has a mistake.
    case warning
  }

  package var severity: Severity
  /// The path of the file as given by the user.
  package var file: String
  /// The line, from 1; 0 if the problem concerns the whole file.
  package var line: Int
  /// The column in characters, from 1; 0 if unknown.
  package var column: Int
  /// The field in the document, such as `anchors[0].annotations[2].position`; empty for the whole document.
  package var field: String
  /// The stable code of the problem in camelCase.
  package var code: String
  package var message: String
  package var hint: String

  package init(
    _ severity: Severity = .error, file: String, mark: SourceMark = SourceMark(line: 0, column: 0), field: String,
    code: String, message: String, hint: String
  ) {
    self.severity = severity
    self.file = file
    self.line = mark.line
    self.column = mark.column
    self.field = field
    self.code = code
    self.message = message
    self.hint = hint
  }
}

extension SceneProblem: CustomStringConvertible {
  /// One line in the format that editors parse: `file:line:column: error: field: message (hint)`.
  package var description: String {
    let place = line > 0 ? "\(file):\(line):\(column)" : file
    let what = field.isEmpty ? message : "\(field): \(message)"
    return "\(place): \(severity.rawValue): \(what) (\(hint)) [\(code)]"
  }
}

/// The result of reading a scene: the scene, and the problems that were found.
package struct SceneReport: Sendable {
  /// The scene; `nil` if there are errors.
  package var scene: Scene?
  /// The problems, in the order of the file; at most `SceneLimits.problems`.
  package var problems: [SceneProblem]
  /// The number of problems omitted from `problems`.
  package var omitted: Int

  package init(scene: Scene?, problems: [SceneProblem]) {
    self.scene = scene
    // If the list is truncated, errors are kept before warnings; the rest is in the order of the file.
    let kept =
      problems.count <= SceneLimits.problems
      ? problems : problems.filter { $0.severity == .error } + problems.filter { $0.severity == .warning }
    self.problems = Array(kept.prefix(SceneLimits.problems)).sorted { ($0.line, $0.column) < ($1.line, $1.column) }
    omitted = problems.count - self.problems.count
  }

  package var errors: [SceneProblem] { problems.filter { $0.severity == .error } }
}
