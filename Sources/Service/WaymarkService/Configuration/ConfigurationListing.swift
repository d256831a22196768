import WaymarkConfiguration

extension ServiceConfiguration {
  /// The values that apply, each with its key and its origin: file and line, an environment variable, the command line, or the default.
  /// Keys without a value and without a constant default are left out.
  ///
  /// - Parameter isRedacted: true to leave out of the values what may be secret, as the report does.
  package func listing(isRedacted: Bool = false) -> [(key: String, value: String, origin: String)] {
    let known = Set(schema.keys.map(\.path))
    let lists = (document?.checked).map { Self.leaves(of: $0, "") } ?? []
    return schema.keys.compactMap { line(of: $0, isRedacted) }
      + lists.filter { !known.contains($0.key) }.map { leaf in
        let key = isRedacted ? Redaction.text(leaf.key) : leaf.key
        return (key, text(of: leaf.node, leaf.key, isRedacted), document?.place(leaf.node) ?? "")
      }
  }

  private func line(of key: ConfigurationKey, _ isRedacted: Bool) -> (key: String, value: String, origin: String)? {
    for (origin, values) in zip(["command line", key.environmentName], overrides) {
      guard let value = values[key.path]?.text else { continue }
      guard isRedacted else { return (key.path, value, origin) }
      return (key.path, Redaction.isSecret(name: key.path) ? Redaction.mark : Redaction.text(value), origin)
    }
    if let document, let node = document.checked.at(key.path) {
      return (key.path, text(of: node, key.path, isRedacted), document.place(node))
    }
    return key.defaultValue.map { (key.path, $0.text, "default") }
  }

  private func text(of node: SourceNode, _ key: String, _ isRedacted: Bool) -> String {
    guard isRedacted else { return Self.text(of: node) }
    return Redaction.value(node, at: key.split(separator: ".").map(String.init), in: schema.table)
  }

  /// The keys with single values or lists in a section and in the sections below it.
  private static func leaves(of section: SourceNode, _ path: String) -> [(key: String, node: SourceNode)] {
    section.entries.flatMap { entry in
      let key = path.isEmpty ? entry.key : "\(path).\(entry.key)"
      return entry.node.entries.isEmpty ? [(key, entry.node)] : leaves(of: entry.node, key)
    }
  }

  /// A value in YAML's flow style.
  private static func text(of node: SourceNode) -> String {
    switch node.value {
    case .list(let nodes): "[\(nodes.map(text(of:)).joined(separator: ", "))]"
    case .map(let entries): "{\(entries.map { "\($0.key): \(text(of: $0.node))" }.joined(separator: ", "))}"
    case .null: "{}"
    case .bool, .number, .text: node.string.map { node.isQuoted ? "\"\($0)\"" : $0 } ?? ""
    }
  }
}
