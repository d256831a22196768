import WaymarkConfiguration
import WaymarkSystem

/// Reads values from a document and collects all problems, instead of stopping at the first.
struct SceneReader {
  let file: String
  private(set) var problems: [SceneProblem] = []

  init(file: String) { self.file = file }

  var hasErrors: Bool { problems.contains { $0.severity == .error } }

  mutating func report(_ mark: SourceMark, _ field: String, _ code: String, _ message: String, hint: String) {
    problems.append(SceneProblem(file: file, mark: mark, field: field, code: code, message: message, hint: hint))
  }

  mutating func warn(_ mark: SourceMark, _ field: String, _ code: String, _ message: String, hint: String) {
    problems.append(
      SceneProblem(.warning, file: file, mark: mark, field: field, code: code, message: message, hint: hint))
  }

  /// The entries of a map, with complaints about keys that repeat or that nobody knows. Keys that start with `x-`
  /// belong to the writer.
  mutating func map(_ node: SourceNode, _ field: String, keys: [String]) -> [String: SourceNode]? {
    guard case .map(let entries) = node.value else {
      wrongType(node, field, wanted: "a map with \(keys.prefix(4).joined(separator: ", "))")
      return nil
    }
    var result: [String: SourceNode] = [:]
    for entry in entries {
      let path = join(field, entry.key)
      if result[entry.key] != nil {
        report(
          entry.mark, path, "duplicateKey", "the key '\(entry.key.prefix(40))' occurs twice in one map",
          hint: "keep one of them")
      } else if keys.contains(entry.key) || entry.key.hasPrefix("x-") {
        result[entry.key] = entry.node
      } else {
        let guess = NearestWord.of(entry.key, among: keys).map { "did you mean '\($0)'?" }
        report(
          entry.mark, path, "unknownKey", "there is no key '\(entry.key.prefix(40))'",
          hint: guess ?? "use \(keys.joined(separator: ", ")), or a key that starts with 'x-'")
      }
    }
    return result
  }

  mutating func list(_ node: SourceNode, _ field: String) -> [SourceNode]? {
    guard case .list(let nodes) = node.value else {
      wrongType(node, field, wanted: "a list")
      return nil
    }
    return nodes
  }

  /// Control characters that texts may hold: they break lines and indent.
  private static let layout: [Unicode.Scalar] = ["\n", "\t", "\r", "\u{2028}", "\u{2029}"]

  /// A text that may be left out; a number or a truth value counts as the text it was written as.
  mutating func text(
    _ map: [String: SourceNode], _ key: String, _ field: String, limit: Int = SceneLimits.textLength
  ) -> String? {
    guard let node = map[key] else { return nil }
    let path = join(field, key)
    switch node.value {
    case .null: return nil
    case .text, .number, .bool:
      let text = node.written ?? ""
      if text.count > limit {
        report(
          node.mark, path, "tooLong", "\(text.count) characters; at most \(limit) are read", hint: "shorten the text")
        return nil
      }
      if text.unicodeScalars.contains(where: { $0.isControl && !Self.layout.contains($0) }) {
        report(node.mark, path, "controlCharacter", "the text contains a control character", hint: "remove it")
        return nil
      }
      return text
    case .list, .map:
      wrongType(node, path, wanted: "a string")
      return nil
    }
  }

  /// A text that must be there and not empty. `owner` is where the complaint goes when it is missing.
  mutating func requiredText(
    _ map: [String: SourceNode], _ key: String, _ field: String, owner: SourceNode, limit: Int = SceneLimits.nameLength
  ) -> String? {
    let before = problems.count
    if let text = text(map, key, field, limit: limit), !text.allSatisfy(\.isWhitespace) { return text }
    if problems.count == before {
      report(
        map[key]?.mark ?? owner.mark, join(field, key), "missing", "'\(key)' is missing", hint: "add '\(key): …' here")
    }
    return nil
  }

  /// A finite number.
  mutating func number(_ node: SourceNode, _ field: String) -> Double? {
    guard case .number(let value) = node.value else {
      wrongType(node, field, wanted: "a number")
      return nil
    }
    guard value.isFinite else {
      report(node.mark, field, "notFinite", "\(node.written ?? "it") is not a finite number", hint: "write metres")
      return nil
    }
    return value
  }

  mutating func wrongType(_ node: SourceNode, _ field: String, wanted: String) {
    report(node.mark, field, "wrongType", "\(node.kind) where \(wanted) belongs", hint: "write \(wanted)")
  }

  func join(_ field: String, _ key: String) -> String { field.isEmpty ? key : "\(field).\(key)" }
}
