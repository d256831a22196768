package import WaymarkConfiguration

/// One thing that is wrong with a scene: where it stands, what it is, and what to do.
package struct SceneProblem: Hashable, Sendable {
  package enum Severity: String, Hashable, Sendable {
    /// The scene cannot be used.
    case error
    /// The scene can be used, but probably does not say what was meant.
    case warning
  }

  package var severity: Severity
  /// Path of the file as the user named it.
  package var file: String
  /// From 1; 0 where the problem is the file as a whole.
  package var line: Int
  /// From 1, in characters; 0 where unknown.
  package var column: Int
  /// The place in the document, such as `anchors[0].annotations[2].position`; empty for the whole.
  package var field: String
  /// A stable camelCase word.
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
  /// One line in the form that editors understand: `file:line:column: error: field: message (hint)`.
  package var description: String {
    let place = line > 0 ? "\(file):\(line):\(column)" : file
    let what = field.isEmpty ? message : "\(field): \(message)"
    return "\(place): \(severity.rawValue): \(what) (\(hint)) [\(code)]"
  }
}
