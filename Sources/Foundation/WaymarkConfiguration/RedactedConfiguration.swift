/// A configuration file for strangers' eyes: its known keys with their values, without comments; unknown keys without
/// their values, because nobody knows what they hold.
package struct RedactedConfiguration: Sendable {
  /// The file's keys, as YAML.
  package private(set) var lines: [String] = []

  private let table: ConfigurationTable

  /// The redacted form of a file, whose known keys are those of `table`; one that is not YAML gives nothing.
  package init(_ document: ConfigurationDocument?, table: ConfigurationTable) {
    self.table = table
    if let root = document?.root, !root.isNull { write(root, path: [], depth: 0) }
  }

  private mutating func write(_ node: SourceNode, path: [String], depth: Int) {
    guard case .map(let entries) = node.value else {
      if path.isEmpty { lines.append(Redaction.mark) }
      return
    }
    for entry in entries {
      let place = path + [entry.key]
      let head = String(repeating: "  ", count: depth) + Self.word(Redaction.text(entry.key)) + ":"
      switch entry.node.value {
      case .map:
        lines.append(head)
        write(entry.node, path: place, depth: depth + 1)
      case .list(let items):
        lines.append("\(head) [\(items.map { shown($0, place) }.joined(separator: ", "))]")
      default: lines.append("\(head) \(shown(entry.node, place))")
      }
    }
  }

  /// A value, if its key is known and it is such a value as the key takes.
  private func shown(_ node: SourceNode, _ path: [String]) -> String {
    guard let text = node.isNull ? "" : node.string else { return Redaction.mark }
    let isKnown: Bool
    switch table.key(at: path)?.kind {
    case .string, .strings: isKnown = true
    // Other sections may be about people.
    case _ where path.count > 1 && path[0] == "accounts": isKnown = false
    case .choice(let words), .choices(let words): isKnown = words.contains(text)
    case .bool, .flag: isKnown = node.bool != nil || ["yes", "no", "on", "off"].contains(text.lowercased())
    case .int, .double: isKnown = Double(text) != nil
    default: isKnown = false
    }
    guard isKnown || text.isEmpty else { return Redaction.mark }
    return Self.word(Redaction.text(text))
  }

  private static func word(_ text: String) -> String {
    if text.wholeMatch(of: #/[A-Za-z0-9_\/.\[\]][A-Za-z0-9_\/.\-\[\]]*/#) != nil { return text }
    return "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n"))\""
  }
}
