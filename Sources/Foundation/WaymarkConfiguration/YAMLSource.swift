import CYaml
import Yams

/// Reads YAML into nodes that know their lines.
///
/// Anchors and aliases are refused before the text is composed: a few lines of them stand for billions of values.
package enum YAMLSource {
  /// The document that a text holds; nil where it is empty.
  package static func parse(_ text: String) throws(SourceSyntaxError) -> SourceNode? {
    if let reference = reference(in: text) { throw reference }
    let root: Node?
    do {
      // A tag resolver is not needed: scalars are typed below, by the core schema.
      root = try Parser(yaml: text, resolver: .basic).singleRoot()
    } catch let error as YamlError {
      var failure = SourceSyntaxError(error)
      // libyaml counts the end of the text as a line of its own.
      failure.mark.line = min(
        failure.mark.line, text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).count)
      throw failure
    } catch {
      throw SourceSyntaxError(
        mark: SourceMark(line: 1, column: 1), code: "badYAML", message: "\(error)", hint: "write YAML")
    }
    guard let root else { return nil }
    var budget = SourceLimits.values
    return try convert(root, depth: 0, budget: &budget)
  }

  private static func convert(_ node: Node, depth: Int, budget: inout Int) throws(SourceSyntaxError) -> SourceNode {
    let mark = node.mark.map { SourceMark(line: $0.line, column: $0.column) } ?? SourceMark(line: 0, column: 0)
    budget -= 1
    guard budget > 0 else {
      throw SourceSyntaxError(
        mark: mark, code: "tooLarge", message: "more than \(SourceLimits.values) values",
        hint: "divide the file")
    }
    guard depth < SourceLimits.depth else {
      throw SourceSyntaxError(
        mark: mark, code: "tooDeep", message: "nested more than \(SourceLimits.depth) deep",
        hint: "flatten the file")
    }
    switch node {
    case .scalar(let scalar):
      let plain = scalar.style == .plain || scalar.style == .any
      return SourceNode(
        mark: mark, value: plain ? coreSchema(scalar.string) : .text(scalar.string), written: scalar.string,
        isQuoted: !plain)
    case .sequence(let sequence):
      var list: [SourceNode] = []
      for element in sequence { list.append(try convert(element, depth: depth + 1, budget: &budget)) }
      return SourceNode(mark: mark, value: .list(list))
    case .mapping(let mapping):
      var entries: [SourceNode.Entry] = []
      for (key, value) in mapping {
        guard case .scalar(let scalar) = key else {
          throw SourceSyntaxError(
            mark: mark, code: "badYAML", message: "a key is a list or a map", hint: "use plain words as keys")
        }
        let keyMark = scalar.mark.map { SourceMark(line: $0.line, column: $0.column) } ?? mark
        entries.append(
          SourceNode.Entry(
            key: scalar.string, mark: keyMark, node: try convert(value, depth: depth + 1, budget: &budget)))
      }
      return SourceNode(mark: mark, value: .map(entries))
    case .alias: throw refusal(of: "an alias", at: mark)
    }
  }

  /// Finds the first anchor or alias by the scanner of libyaml, which Yams composes from. The work is linear in the text.
  ///
  /// - Returns: why the text is refused; `nil` if there is neither, or none before an error that composing reports.
  private static func reference(in text: String) -> SourceSyntaxError? {
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: "*") }) else { return nil }
    // The scanner keeps its own address.
    let scanner = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
    defer { scanner.deallocate() }
    guard yaml_parser_initialize(scanner) == 1 else { return nil }
    defer { yaml_parser_delete(scanner) }
    var text = text
    return text.withUTF8 { bytes in
      yaml_parser_set_encoding(scanner, YAML_UTF8_ENCODING)
      yaml_parser_set_input_string(scanner, bytes.baseAddress, bytes.count)
      var token = yaml_token_t()
      while yaml_parser_scan(scanner, &token) == 1 {
        defer { yaml_token_delete(&token) }
        let mark = SourceMark(line: Int(token.start_mark.line) + 1, column: Int(token.start_mark.column) + 1)
        switch token.type {
        case YAML_ANCHOR_TOKEN: return refusal(of: "an anchor (&)", at: mark)
        case YAML_ALIAS_TOKEN: return refusal(of: "an alias (*)", at: mark)
        case YAML_STREAM_END_TOKEN: return nil
        default: continue
        }
      }
      return nil
    }
  }

  private static func refusal(of what: String, at mark: SourceMark) -> SourceSyntaxError {
    SourceSyntaxError(
      mark: mark, code: "badYAML", message: "\(what) of YAML, which is not supported",
      hint: "write the value where it belongs, and quote a text that begins with & or *")
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
}

extension SourceSyntaxError {
  /// The message of Yams, in one line.
  fileprivate init(_ error: YamlError) {
    let hint = "correct the YAML; everything else is checked once it can be read"
    switch error {
    case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
      .composer(let context, let problem, let mark, _):
      let message = context.map { "\(problem) \($0.text)" } ?? problem
      self.init(
        mark: SourceMark(line: mark.line, column: mark.column), code: "badYAML",
        message: message.split(whereSeparator: \.isNewline).joined(separator: " "), hint: hint,
        problem: problem)
    case .duplicatedKeysInMapping(let duplicates, let context):
      self.init(
        mark: SourceMark(line: context.mark.line, column: context.mark.column), code: "duplicateKey",
        message: "the key '\(duplicates.first ?? "")' occurs twice in one map", hint: "keep one of them",
        problem: duplicates.first ?? "")
    case .reader(let problem, _, _, _):
      self.init(mark: SourceMark(line: 1, column: 1), code: "badYAML", message: problem, hint: "save the file as UTF-8")
    default:
      self.init(mark: SourceMark(line: 1, column: 1), code: "badYAML", message: "the YAML cannot be read", hint: hint)
    }
  }
}
