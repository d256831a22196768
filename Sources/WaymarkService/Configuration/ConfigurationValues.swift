package import WaymarkSystem
import Yams

/// The checked values of one origin, ready for the reader.
package struct ConfigurationValues: Sendable {
  /// The values by key.
  package private(set) var values: [String: ConfigurationValue] = [:]
  /// The problems found.
  package private(set) var problems: [ConfigurationProblem] = []
  /// The text of the file, for sections that other parts read.
  package private(set) var text: String?
  /// Where they come from.
  package let origin: String

  /// The values of a file's text.
  package init(yaml: String, origin: String) {
    self.origin = origin
    text = yaml
    do {
      guard let root = try Yams.compose(yaml: yaml) else { return }
      walk(root, path: "")
    } catch let error as YamlError {
      problems.append(Self.problem(error, origin: origin))
    } catch {
      problems.append(
        ConfigurationProblem(origin: origin, message: "it is not YAML: \(error)", hint: "Correct the file."))
    }
  }

  /// The values of an environment. Variables that begin with `WAYMARK_` but set nothing are named.
  package init(environment: [String: String]) {
    origin = "environment"
    var names = Dictionary(uniqueKeysWithValues: ConfigurationSchema.keys.map { ($0.environmentName, $0) })
    names["WAYMARK_SOCKET_PATH"] = nil
    names["WAYMARK_SOCKET"] = ConfigurationSchema.key("socket.path")
    for (name, text) in environment.sorted(by: { $0.key < $1.key }) where name.hasPrefix("WAYMARK_") {
      if name == "WAYMARK_CONFIG" || text.isEmpty { continue }
      guard let key = names[name], key.type != .section else {
        add("no key of the configuration has this name", name, hint: "docs/configuration.md lists the names.")
        continue
      }
      set(key, text: text, named: name)
    }
  }

  /// The values of flags: texts by path.
  package init(flags: [String: String]) {
    origin = "flags"
    for (path, text) in flags.sorted(by: { $0.key < $1.key }) {
      if let key = ConfigurationSchema.key(path) { set(key, text: text, named: path) }
    }
  }

  private mutating func add(_ message: String, _ key: String?, line: Int? = nil, hint: String) {
    problems.append(ConfigurationProblem(origin: origin, line: line, key: key, message: message, hint: hint))
  }

  private static func problem(_ error: YamlError, origin: String) -> ConfigurationProblem {
    let hint = "Correct the file; indent with spaces."
    switch error {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      return ConfigurationProblem(origin: origin, line: mark.line, message: "it is not YAML: \(problem)", hint: hint)
    case .duplicatedKeysInMapping(let keys, let context):
      return ConfigurationProblem(
        origin: origin, line: context.mark.line, key: keys.first, message: "it occurs twice", hint: "Keep one.")
    default:
      return ConfigurationProblem(origin: origin, message: "it is not YAML: \(error)", hint: hint)
    }
  }

  // MARK: The file

  private mutating func walk(_ node: Node, path: String) {
    guard case .mapping(let mapping) = node else {
      if node.null == nil || !path.isEmpty {
        add(
          "a section with keys is expected", path.isEmpty ? nil : path, line: node.mark?.line, hint: "Write key: value."
        )
      }
      return
    }
    var seen: Set<String> = []
    for (keyNode, value) in mapping {
      let line = keyNode.mark?.line
      guard let name = keyNode.scalar?.string else {
        add("a key must be a word", path, line: line, hint: "Write key: value.")
        continue
      }
      let full = path.isEmpty ? name : path + "." + name
      guard seen.insert(name).inserted else {
        add("it occurs twice", full, line: line, hint: "Keep one.")
        continue
      }
      if let key = ConfigurationSchema.key(full) {
        if key.type != .section { read(key, value, line: value.mark?.line ?? line) }
      } else if ConfigurationSchema.isSection(full) {
        if value.null == nil { walk(value, path: full) }
      } else {
        let hint = ConfigurationSchema.nearest(to: full).map { "Did you mean \($0)?" }
        add("there is no such key", full, line: line, hint: hint ?? "docs/configuration.md lists the keys.")
      }
    }
  }

  private mutating func read(_ key: ConfigurationKey, _ node: Node, line: Int?) {
    switch node {
    case .scalar(let scalar):
      // An empty value leaves the key as it is without it.
      if node.null != nil, scalar.style == .plain {
        if key.type == .strings { problems.append(.emptyList(key.path, origin: origin, line: line)) }
        return
      }
      set(key, text: scalar.string, named: key.path, line: line, isQuoted: scalar.style != .plain)
    case .sequence(let sequence) where key.type == .strings:
      guard !sequence.isEmpty else {
        problems.append(.emptyList(key.path, origin: origin, line: line))
        return
      }
      var texts: [String] = []
      for element in sequence {
        guard let text = element.scalar?.string else {
          add("a list of strings is expected", key.path, line: element.mark?.line ?? line, hint: "Write - text.")
          return
        }
        texts.append(text)
      }
      values[key.path] = .strings(texts)
    default:
      let found = if case .sequence = node { "a list" } else { "a section" }
      add("\(key.type.description) is expected, not \(found)", key.path, line: line, hint: "Write \(key.path): value.")
    }
  }

  // MARK: Single values

  private mutating func set(
    _ key: ConfigurationKey, text: String, named name: String, line: Int? = nil, isQuoted: Bool = false
  ) {
    let value: ConfigurationValue?
    switch key.type {
    case .string: value = .string(text)
    case .choice(let words):
      // YAML's own reading of octal and of off/on is not wanted here: the word as it is written counts.
      value = words.contains(text) ? .string(text) : nil
    case .int(let range): value = isQuoted ? nil : Int(text).flatMap { range.contains($0) ? .int($0) : nil }
    case .double(let range): value = isQuoted ? nil : Double(text).flatMap { range.contains($0) ? .double($0) : nil }
    case .bool: value = isQuoted ? nil : ["true": true, "false": false][text.lowercased()].map { .bool($0) }
    case .strings:
      let separated = origin == "environment" || origin == "flags"
      value = .strings(separated ? text.split(separator: ",").map(String.init) : [text])
    case .section: value = nil
    }
    guard let value else {
      add("\(key.type.description) is expected, not \"\(text)\"", name, line: line, hint: "Correct the value.")
      return
    }
    values[key.path] = value
  }
}
