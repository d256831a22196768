/// The checked values of one origin, ready for the reader.
package struct ConfigurationValues: Sendable {
  /// The values by key.
  package private(set) var values: [String: ConfigurationValue] = [:]
  /// The problems found.
  package private(set) var problems: [ConfigurationProblem] = []

  /// The values of a file.
  package init(_ document: ConfigurationDocument, table: ConfigurationTable) {
    problems = document.problems
    for key in table.keys where key.kind.isSimple {
      guard let node = document.checked.at(key.path), let value = Self.value(of: node, key.kind) else { continue }
      values[key.path] = value
    }
  }

  /// The values of a section in which keys stand under shorter names than in the table.
  ///
  /// - Parameter places: the name of each key in the section, and its key in the table.
  package init(_ section: SourceNode, places: [(name: String, key: ConfigurationKey)]) {
    for (name, key) in places where key.kind.isSimple {
      guard let node = section.at(name), let value = Self.value(of: node, key.kind) else { continue }
      values[key.path] = value
    }
  }

  private static func value(of node: SourceNode, _ kind: ConfigurationKind) -> ConfigurationValue? {
    switch kind {
    case .strings: .strings(node.strings)
    case .bool, .flag: node.bool.map { .bool($0) }
    default: node.string.flatMap { kind.value(of: $0) }
    }
  }

  /// The values of an environment. Variables that begin with `WAYMARK_` but set nothing are named.
  package init(environment: [String: String], table: ConfigurationTable) {
    var names = Dictionary(
      table.keys.filter(\.hasVariable).map { ($0.environmentName, $0) }, uniquingKeysWith: { first, _ in first })
    names["WAYMARK_SOCKET_PATH"] = nil
    names["WAYMARK_SOCKET"] = table.key("socket.path")
    for (name, text) in environment.sorted(by: { $0.key < $1.key }) where name.hasPrefix("WAYMARK_") {
      if name == "WAYMARK_CONFIG" || text.isEmpty { continue }
      guard let key = names[name] else {
        problems.append(
          ConfigurationProblem(
            origin: "environment", key: name, message: "no key of the configuration has this name",
            hint: "docs/configuration.md lists the names."))
        continue
      }
      set(key, text, named: name, origin: "environment")
    }
  }

  /// The values of flags: texts by path.
  package init(flags: [String: String], table: ConfigurationTable) {
    for (path, text) in flags.sorted(by: { $0.key < $1.key }) {
      if let key = table.key(path) { set(key, text, named: path, origin: "flags") }
    }
  }

  private mutating func set(_ key: ConfigurationKey, _ text: String, named name: String, origin: String) {
    if let value = key.kind.value(of: text) {
      values[key.path] = value
    } else {
      problems.append(
        ConfigurationProblem(
          origin: origin, key: name, message: "\(key.kind.description) is expected, not \"\(text)\"",
          hint: key.remedy ?? "Correct the value."))
    }
  }
}
