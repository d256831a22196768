import Foundation
import WaymarkConfiguration

extension ConfigurationDocument {
  /// Returns what is wrong with a regular expression; nil where it is one, or there is no text.
  func patternProblem(_ key: String, _ node: SourceNode?) -> ConfigurationProblem? {
    guard let node, let pattern = node.string, (try? NSRegularExpression(pattern: pattern)) == nil else { return nil }
    return problem("it is not a regular expression", key, node, hint: "Correct it; backslashes need single quotes.")
  }
}
