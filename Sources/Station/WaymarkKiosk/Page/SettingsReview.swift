import WaymarkConfiguration
import WaymarkSystem

/// Checks parts of the page's file that depend on each other, which a table of keys cannot check.
protocol SettingsReview {
  var document: ConfigurationDocument { get }
  var problems: [ConfigurationProblem] { get set }
}

extension SettingsReview {
  mutating func add(_ message: String, _ key: String, _ node: SourceNode?, _ hint: String) {
    problems.append(document.problem(message, key, node, hint: hint))
  }

  /// Reports a list with too many elements.
  mutating func bound(_ nodes: [SourceNode], _ limit: Int, _ path: String) {
    guard nodes.count > limit else { return }
    add("it has \(nodes.count) entries, and may have \(limit)", path, nodes[limit], "Leave some out.")
  }

  /// Reports keys that a section lacks.
  mutating func require(_ node: SourceNode, _ keys: [String], _ path: String) {
    for key in keys where node[key] == nil { add("\(key) is missing", path, node, "Add \(key).") }
  }

  /// Reports elements with the name of an earlier one.
  mutating func distinct(_ nodes: [SourceNode], _ key: String, _ path: String) {
    var seen: Set<String> = []
    for (index, node) in nodes.enumerated() {
      guard let name = node[key]?.string, !seen.insert(name).inserted else { continue }
      add("another one is called \(name), too", "\(path).\(index + 1).\(key)", node[key], "Use distinct names.")
    }
  }

  /// Reports a text that is not a regular expression.
  mutating func checkPattern(_ key: String, _ node: SourceNode?) {
    guard let node, let pattern = node.string else { return }
    do throws(RegularExpressionFlaw) {
      _ = try RegularExpression(pattern)
    } catch {
      add(
        "it is not a regular expression: \(error.message)", key, node, "Correct it; backslashes need single quotes.")
    }
  }
}
