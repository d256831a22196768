import WaymarkOnboarding
import Yams

/// A configuration file for strangers' eyes: its known keys with their values, without comments; unknown keys without
/// their values, because nobody knows what they hold.
package struct RedactedConfiguration: Sendable {
  /// The file's keys, as YAML.
  package private(set) var lines: [String] = []

  /// The values under the keys of the onboarding section are not secrets: keys are in files of their own.
  private static let onboarding = Set(OnboardingConfiguration.keys)
  private static let customKind = Set(OnboardingConfiguration.kindKeys)

  /// The redacted form of a file's text; a text that is not YAML gives nothing.
  package init(yaml: String) {
    guard let root = try? Yams.compose(yaml: yaml) else { return }
    write(root, path: [], depth: 0)
  }

  private mutating func write(_ node: Node, path: [String], depth: Int) {
    guard case .mapping(let mapping) = node else {
      if path.isEmpty { lines.append(Redaction.mark) }
      return
    }
    for (key, value) in mapping {
      let name = key.scalar?.string ?? "?"
      let place = path + [name]
      let head = String(repeating: "  ", count: depth) + Self.word(Redaction.text(name)) + ":"
      switch value {
      case .mapping:
        lines.append(head)
        write(value, path: place, depth: depth + 1)
      case .sequence(let items):
        let words = items.map { $0.scalar.map { shown($0, place) } ?? Redaction.mark }
        lines.append("\(head) [\(words.joined(separator: ", "))]")
      case .scalar(let scalar): lines.append("\(head) \(shown(scalar, place))")
      default: lines.append("\(head) \(Redaction.mark)")
      }
    }
  }

  /// A value, if its key is known and it is such a value as the key takes.
  private func shown(_ scalar: Node.Scalar, _ path: [String]) -> String {
    let text = scalar.string
    let isKnown: Bool
    switch ConfigurationSchema.key(path.joined(separator: "."))?.type {
    case .string, .strings: isKnown = true
    case .choice(let words): isKnown = words.contains(text)
    case .bool: isKnown = ["true", "false"].contains(text.lowercased())
    case .int, .double: isKnown = Double(text) != nil
    case .section, nil: isKnown = Self.isOnboarding(path)
    }
    guard isKnown || text.isEmpty else { return Redaction.mark }
    return Self.word(Redaction.text(text))
  }

  private static func isOnboarding(_ path: [String]) -> Bool {
    switch (path.first, path.count) {
    case ("onboarding", 2): onboarding.contains(path[1])
    case ("onboarding", 4): path[1] == "customKinds" && customKind.contains(path[3])
    default: false
    }
  }

  private static func word(_ text: String) -> String {
    if text.wholeMatch(of: #/[A-Za-z0-9_\/.\[\]][A-Za-z0-9_\/.\-\[\]]*/#) != nil { return text }
    return "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n"))\""
  }
}
