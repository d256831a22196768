import Yams

/// Reads YAML into nodes that know their lines.
///
/// Yams expands aliases while it composes, sharing what they stand for; so a "billion laughs" document costs nothing
/// until somebody walks it. The walk here is counted, and what Yams itself would walk (the keys of maps, which it
/// compares) is refused beforehand.
enum YAMLSource {
  static func parse(_ text: String) throws(SceneSyntaxError) -> SourceNode {
    if let mark = aliasedKey(in: text) {
      throw SceneSyntaxError(
        mark: mark, code: "badYAML", message: "a key is an alias, a list or a map",
        hint: "use plain words as keys in a file with aliases")
    }
    let root: Node?
    do {
      // A tag resolver is not needed: scalars are typed below, by the core schema.
      root = try Parser(yaml: text, resolver: .basic).singleRoot()
    } catch let error as YamlError {
      var failure = SceneSyntaxError(error)
      // libyaml counts the end of the text as a line of its own.
      failure.mark.line = min(
        failure.mark.line, text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).count)
      throw failure
    } catch {
      throw SceneSyntaxError(
        mark: SourceMark(line: 1, column: 1), code: "badYAML", message: "\(error)", hint: "write YAML")
    }
    guard let root else {
      throw SceneSyntaxError(
        mark: SourceMark(line: 1, column: 1), code: "emptyFile", message: "the file is empty",
        hint: "start with 'name:' and 'anchors:'")
    }
    var budget = SceneLimits.nodes
    return try convert(root, depth: 0, budget: &budget)
  }

  private static func convert(_ node: Node, depth: Int, budget: inout Int) throws(SceneSyntaxError) -> SourceNode {
    let mark = node.mark.map { SourceMark(line: $0.line, column: $0.column) } ?? SourceMark(line: 0, column: 0)
    budget -= 1
    guard budget > 0 else {
      throw SceneSyntaxError(
        mark: mark, code: "tooLarge", message: "more than \(SceneLimits.nodes) values after aliases are expanded",
        hint: "remove the aliases that multiply each other")
    }
    guard depth < SceneLimits.depth else {
      throw SceneSyntaxError(
        mark: mark, code: "tooDeep", message: "nested more than \(SceneLimits.depth) deep",
        hint: "a scene needs no more than eight levels")
    }
    switch node {
    case .scalar(let scalar):
      let plain = scalar.style == .plain || scalar.style == .any
      return SourceNode(
        mark: mark, value: plain ? coreSchema(scalar.string) : .text(scalar.string), written: scalar.string)
    case .sequence(let sequence):
      var list: [SourceNode] = []
      for element in sequence { list.append(try convert(element, depth: depth + 1, budget: &budget)) }
      return SourceNode(mark: mark, value: .list(list))
    case .mapping(let mapping):
      var entries: [SourceNode.Entry] = []
      for (key, value) in mapping {
        guard case .scalar(let scalar) = key else {
          throw SceneSyntaxError(
            mark: mark, code: "badYAML", message: "a key is a list or a map", hint: "use plain words as keys")
        }
        let keyMark = scalar.mark.map { SourceMark(line: $0.line, column: $0.column) } ?? mark
        entries.append(
          SourceNode.Entry(
            key: scalar.string, mark: keyMark, node: try convert(value, depth: depth + 1, budget: &budget)))
      }
      return SourceNode(mark: mark, value: .map(entries))
    case .alias:
      throw SceneSyntaxError(
        mark: mark, code: "badYAML", message: "an alias that is not defined", hint: "define it with '&' first")
    }
  }

  /// The type of a plain scalar by the core schema (YAML 1.2.2, section 10.3.2).
  private static func coreSchema(_ text: String) -> SourceNode.Value {
    switch text {
    case "", "~", "null", "Null", "NULL": return .null
    case "true", "True", "TRUE": return .bool(true)
    case "false", "False", "FALSE": return .bool(false)
    case ".nan", ".NaN", ".NAN": return .number(.nan)
    case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF": return .number(.infinity)
    case "-.inf", "-.Inf", "-.INF": return .number(-.infinity)
    default:
      guard text.utf8.allSatisfy({ ($0 >= 0x30 && $0 <= 0x39) || "+-.eE".utf8.contains($0) }),
        text.utf8.contains(where: { $0 >= 0x30 && $0 <= 0x39 }), let number = Double(text)
      else { return .text(text) }
      return .number(number)
    }
  }

  /// Where a key might hold an alias, in a text that has anchors and aliases at all.
  ///
  /// Yams hashes the keys of a map, and hashing an alias walks all that it stands for. The scan does not know about
  /// quotes, so it may refuse a harmless text that has both; plain scenes have neither.
  private static func aliasedKey(in text: String) -> SourceMark? {
    guard text.utf8.contains(UInt8(ascii: "&")), text.utf8.contains(UInt8(ascii: "*")) else { return nil }
    var line = 1
    for row in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      if let column = aliasedKey(inRow: Array(row.utf8)) { return SourceMark(line: line, column: column) }
      line += 1
    }
    return nil
  }

  private static func aliasedKey(inRow row: [UInt8]) -> Int? {
    let space = UInt8(ascii: " ")
    func follows(_ index: Int, _ bytes: String) -> Bool {
      index < 0 || row[index] == space || row[index] == 9 || bytes.utf8.contains(row[index])
    }
    for (index, byte) in row.enumerated() {
      switch byte {
      case UInt8(ascii: "?"):
        // An explicit key.
        if follows(index - 1, "-[{,"), index + 1 == row.count || row[index + 1] == space || row[index + 1] == 9 {
          return index + 1
        }
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        // A list or map as a key.
        if row[(index + 1)...].first(where: { $0 != space && $0 != 9 }) == UInt8(ascii: ":") { return index + 1 }
      case UInt8(ascii: "*"):
        guard follows(index - 1, "-[{,:?") else { continue }
        let name = row[(index + 1)...].prefix { !" \t,[]{}".utf8.contains($0) }
        if name.contains(UInt8(ascii: ":")) { return index + 1 }
        if row[name.endIndex...].first(where: { $0 != space && $0 != 9 }) == UInt8(ascii: ":") { return index + 1 }
      default: continue
      }
    }
    return nil
  }
}

extension SceneSyntaxError {
  /// The message of Yams, in one line.
  fileprivate init(_ error: YamlError) {
    let hint = "correct the YAML; everything else is checked once it can be read"
    switch error {
    case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
      .composer(let context, let problem, let mark, _):
      let message = context.map { "\(problem) \($0.text)" } ?? problem
      self.init(
        mark: SourceMark(line: mark.line, column: mark.column), code: "badYAML",
        message: message.split(whereSeparator: \.isNewline).joined(separator: " "), hint: hint)
    case .duplicatedKeysInMapping(let duplicates, let context):
      self.init(
        mark: SourceMark(line: context.mark.line, column: context.mark.column), code: "duplicateKey",
        message: "the key '\(duplicates.first ?? "")' occurs twice in one map", hint: "keep one of them")
    case .reader(let problem, _, _, _):
      self.init(mark: SourceMark(line: 1, column: 1), code: "badYAML", message: problem, hint: "save the file as UTF-8")
    default:
      self.init(mark: SourceMark(line: 1, column: 1), code: "badYAML", message: "the YAML cannot be read", hint: hint)
    }
  }
}
