import WaymarkSystem

/// Something wrong with the configuration.
package struct ConfigurationProblem: ExplainedError, Hashable, Sendable {
  /// Where it stands: a file, `environment`, `flags`.
  package let origin: String
  /// The place in the file.
  package let mark: SourceMark?
  /// The key.
  package let key: String?
  /// The problem.
  package let message: String
  /// The remedy.
  package let hint: String

  /// The line in the file, from 1 on.
  package var line: Int? { mark?.line }

  /// The column in the file, in characters from 1 on.
  package var column: Int? { mark?.column }

  /// A problem from its parts.
  package init(origin: String, mark: SourceMark? = nil, key: String? = nil, message: String, hint: String) {
    self.origin = origin
    self.mark = mark
    self.key = key
    self.message = message
    self.hint = hint
  }

  /// A list that holds nothing: it could mean "all" as well as "none", so it is refused wherever it stands.
  static func emptyList(_ key: String, origin: String, mark: SourceMark?, hint: String?) -> ConfigurationProblem {
    ConfigurationProblem(
      origin: origin, mark: mark, key: key, message: "the list is empty",
      hint: hint ?? "List what is allowed, or leave the key out for the default.")
  }

  /// A text that is not YAML.
  static func notYAML(_ error: SourceSyntaxError, origin: String) -> ConfigurationProblem {
    if error.code == "duplicateKey" {
      return ConfigurationProblem(
        origin: origin, mark: error.mark, key: error.problem, message: "it occurs twice", hint: "Keep one.")
    }
    return ConfigurationProblem(
      origin: origin, mark: error.mark, message: "it is not YAML: \(error.problem)",
      hint: "Correct the file; indent with spaces.")
  }

  /// As compilers say it: `waymark.yaml:7: camera.rotaton: …`.
  package var description: String {
    let place = line.map { "\(origin):\($0)" } ?? origin
    return key.map { "\(place): \($0): \(message)" } ?? "\(place): \(message)"
  }
}

extension Sequence<ConfigurationProblem> {
  /// In the order of the file.
  package var inOrder: [ConfigurationProblem] {
    sorted { ($0.line ?? 0, $0.column ?? 0) < ($1.line ?? 0, $1.column ?? 0) }
  }
}
