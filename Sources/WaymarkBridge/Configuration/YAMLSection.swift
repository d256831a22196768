import WaymarkSystem
import Yams

/// A section of a configuration file that is read key by key; keys that were not read are errors with their line.
struct YAMLSection {
  let file: String
  private let path: String
  private let pairs: [(name: String, key: Node, value: Node)]
  private var seen: Set<String> = []
  private let problem: BridgeError?

  init(_ node: Node, file: String, path: String = "") {
    self.file = file
    self.path = path
    var pairs: [(name: String, key: Node, value: Node)] = []
    var problem: BridgeError?
    if let mapping = node.mapping {
      for (key, value) in mapping {
        guard let name = key.string else { continue }
        pairs.append((name, key, value))
      }
    } else {
      problem = Self.problem(
        file, node, path.isEmpty ? "the file" : path, "is not a section", hint: "Write KEY: VALUE lines.")
    }
    self.pairs = pairs
    self.problem = problem
  }

  private static func problem(
    _ file: String, _ node: Node, _ key: String, _ what: String, hint: String
  ) -> BridgeError {
    let place = node.mark.map { "\(file):\($0.line)" } ?? file
    return BridgeError(.badConfiguration, "\(place): \(key) \(what)", hint: hint)
  }

  private mutating func take(_ name: String) throws(BridgeError) -> Node? {
    if let problem { throw problem }
    seen.insert(name)
    guard let value = pairs.first(where: { $0.name == name })?.value, value.null == nil else { return nil }
    return value
  }

  private func wrong(_ name: String, _ node: Node, _ what: String, hint: String) -> BridgeError {
    Self.problem(file, node, path.isEmpty ? name : "\(path).\(name)", what, hint: hint)
  }

  mutating func text(_ name: String) throws(BridgeError) -> String? {
    guard let node = try take(name) else { return nil }
    guard let text = node.scalar?.string, !text.isEmpty, !text.utf8.contains(0) else {
      throw wrong(name, node, "is not a non-empty string", hint: "Write \(name): VALUE.")
    }
    return text
  }

  mutating func word(_ name: String, _ words: [String]) throws(BridgeError) -> String? {
    guard let node = try take(name) else { return nil }
    guard let text = node.scalar?.string, words.contains(text) else {
      throw wrong(name, node, "must be one of \(words.joined(separator: ", "))", hint: "Correct the value.")
    }
    return text
  }

  mutating func number(_ name: String, _ range: ClosedRange<Int>) throws(BridgeError) -> Int? {
    guard let node = try take(name) else { return nil }
    guard let number = node.int, range.contains(number) else {
      throw wrong(
        name, node, "is not a whole number from \(range.lowerBound) to \(range.upperBound)", hint: "Correct the value.")
    }
    return number
  }

  /// A list of texts; an empty one is refused with a hint of what to write in its place.
  mutating func list(_ name: String, emptyMeans hint: String) throws(BridgeError) -> [String]? {
    let isOpen = pairs.first { $0.name == name }?.value
    guard let node = try take(name) else {
      if let isOpen { throw wrong(name, isOpen, "is an empty list", hint: hint) }
      return nil
    }
    let texts = try list(name, node)
    if texts.isEmpty { throw wrong(name, node, "is an empty list", hint: hint) }
    return texts
  }

  private func list(_ name: String, _ node: Node) throws(BridgeError) -> [String] {
    guard let sequence = node.sequence else { throw wrong(name, node, "is not a list", hint: "Write [A, B].") }
    var texts: [String] = []
    for element in sequence {
      guard let text = element.scalar?.string, !text.isEmpty else {
        throw wrong(name, element, "contains a value that is not a string", hint: "Write [A, B].")
      }
      texts.append(text)
    }
    return texts
  }

  /// The rules of `events`: a name, a family or `*`, each with `off`, `default`, `all`, or a list of fields.
  mutating func rules(_ name: String) throws(BridgeError) -> [String: EventSelection.Fields] {
    guard let node = try take(name) else { return [:] }
    let inner = YAMLSection(node, file: file, path: name)
    if let problem = inner.problem { throw problem }
    var rules: [String: EventSelection.Fields] = [:]
    for (event, key, value) in inner.pairs {
      let levels = event.split(separator: ".", omittingEmptySubsequences: false)
      let names = levels.last == "*" ? levels.dropLast() : levels[...]
      guard names.allSatisfy({ BridgeTopics.isLevel(String($0)) }) else {
        throw inner.wrong(
          event, key, "is not the name or family of events", hint: "Write a name, a family such as scan.*, or *.")
      }
      // YAML 1.1 takes the bare word off for false.
      switch value.scalar?.string {
      case "off", "false": rules[event] = .off
      case "default": rules[event] = .standard
      case "all": rules[event] = .all
      case .some:
        throw inner.wrong(
          event, value, "must be off, default, all, or a list of fields",
          hint: "A list of fields is written [default, text].")
      case nil:
        let fields = try inner.list(event, value)
        rules[event] = .named(fields.filter { $0 != "default" }, withStandard: fields.contains("default"))
      }
    }
    return rules
  }

  mutating func section(
    _ name: String, _ body: (inout YAMLSection) throws(BridgeError) -> Void
  ) throws(BridgeError) {
    guard let node = try take(name) else { return }
    var section = YAMLSection(node, file: file, path: path.isEmpty ? name : "\(path).\(name)")
    try body(&section)
    try section.end()
  }

  /// Says which key nobody knows.
  func end() throws(BridgeError) {
    if let problem { throw problem }
    if let unknown = pairs.first(where: { !seen.contains($0.name) }) {
      throw wrong(
        unknown.name, unknown.key, "is not known",
        hint: "There are \(seen.sorted().joined(separator: ", ")) here.")
    }
  }
}
