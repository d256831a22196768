/// Something wrong with the configuration.
package struct ConfigurationProblem: ExplainedError, Hashable, Sendable {
  /// Where it stands: a file, `environment`, `flags`.
  package let origin: String
  /// The line in the file, from 1 on.
  package let line: Int?
  /// The key.
  package let key: String?
  /// The problem.
  package let message: String
  /// The remedy.
  package let hint: String

  /// A problem from its parts.
  package init(origin: String, line: Int? = nil, key: String? = nil, message: String, hint: String) {
    self.origin = origin
    self.line = line
    self.key = key
    self.message = message
    self.hint = hint
  }

  /// A list that holds nothing: it could mean "all" as well as "none", so it is refused wherever it stands.
  package static func emptyList(_ key: String, origin: String, line: Int?) -> ConfigurationProblem {
    ConfigurationProblem(
      origin: origin, line: line, key: key, message: "the list is empty",
      hint: "List what is allowed, or leave the key out for the default.")
  }

  /// As compilers say it: `waymark.yaml:7: camera.rotaton: …`.
  package var description: String {
    let place = line.map { "\(origin):\($0)" } ?? origin
    return key.map { "\(place): \($0): \(message)" } ?? "\(place): \(message)"
  }
}
