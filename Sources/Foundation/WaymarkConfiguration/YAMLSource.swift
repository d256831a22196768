import CYAML

/// Parses YAML with libyaml into nodes with their positions. `YAMLComposer` below makes the nodes from the events of libyaml.
///
/// Anchors and aliases are refused, because a few lines of them expand to billions of values.
package enum YAMLSource {
  /// Parses the only document of a text; nil if the text is empty.
  package static func parse(_ text: String) throws(SourceSyntaxError) -> SourceNode? {
    var text = text
    return try text.withUTF8 { bytes in
      Result { () throws(SourceSyntaxError) in
        try refuseReferences(in: bytes)
        var composer = YAMLComposer(bytes)
        defer { composer.close() }
        do throws(SourceSyntaxError) {
          return try composer.document()
        } catch {
          var failure = error
          // libyaml reports the end of the text as an extra line.
          let lines = String(decoding: bytes, as: UTF8.self)
            .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).count
          failure.mark.line = min(failure.mark.line, lines)
          throw failure
        }
      }
    }.get()
  }

  /// Throws for the first anchor or alias that libyaml's scanner finds, in linear time. The scanner stops at a syntax error; the
  /// composer then reports the error.
  private static func refuseReferences(in bytes: UnsafeBufferPointer<UInt8>) throws(SourceSyntaxError) {
    guard bytes.contains(where: { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: "*") }) else { return }
    var scanner = YAMLComposer(bytes)
    defer { scanner.close() }
    while let (type, mark) = scanner.token() {
      switch type {
      case YAML_ANCHOR_TOKEN: throw refusal(of: "an anchor (&)", at: mark)
      case YAML_ALIAS_TOKEN: throw refusal(of: "an alias (*)", at: mark)
      case YAML_STREAM_END_TOKEN: return
      default: continue
      }
    }
  }

  fileprivate static func refusal(of what: String, at mark: SourceMark) -> SourceSyntaxError {
    SourceSyntaxError(
      mark: mark, code: "badYAML", message: "\(what) of YAML, which is not supported",
      hint: "write the value where it belongs, and quote a text that begins with & or *")
  }
}

// MARK: - Composing

/// Composes a tree from the events of libyaml, no deeper and no larger than `SourceLimits`.
private struct YAMLComposer {
  /// Allocated separately, because the parser stores its own address.
  private let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
  private let isInitialized: Bool
  private var budget = SourceLimits.values

  /// Starts to read bytes, which must outlive the composer.
  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    isInitialized = yaml_parser_initialize(parser) == 1
    guard isInitialized else { return }
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
  }

  /// Releases the parser.
  func close() {
    if isInitialized { yaml_parser_delete(parser) }
    parser.deallocate()
  }

  /// Reads the next token; `nil` after an error. Each composer reads either tokens or events.
  mutating func token() -> (type: yaml_token_type_t, mark: SourceMark)? {
    var token = yaml_token_t()
    guard isInitialized, yaml_parser_scan(parser, &token) == 1 else { return nil }
    defer { yaml_token_delete(&token) }
    return (token.type, SourceMark(token.start_mark))
  }

  /// Composes the only document; nil for an empty text.
  mutating func document() throws(SourceSyntaxError) -> SourceNode? {
    guard case .started = try next(), case .documentStarted = try next() else { return nil }
    let root = try node(next(), depth: 0)
    _ = try next()
    guard case .documentStarted(let mark) = try next() else { return root }
    throw SourceSyntaxError(
      mark: mark, code: "badYAML", message: "but found another document expected a single document in the stream",
      hint: Self.hint, problem: "but found another document")
  }

  fileprivate enum Event {
    case started, documentStarted(SourceMark), scalar(String, isPlain: Bool, SourceMark)
    case listStarted(SourceMark), mapStarted(SourceMark), ended
  }

  /// Reads the next event.
  private mutating func next() throws(SourceSyntaxError) -> Event {
    var event = yaml_event_t()
    guard isInitialized, yaml_parser_parse(parser, &event) == 1 else { throw failure() }
    defer { yaml_event_delete(&event) }
    let mark = SourceMark(event.start_mark)
    switch event.type {
    case YAML_STREAM_START_EVENT: return .started
    case YAML_DOCUMENT_START_EVENT: return .documentStarted(mark)
    case YAML_SCALAR_EVENT:
      let scalar = event.data.scalar
      let text = String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
      return .scalar(
        text, isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE || scalar.style == YAML_ANY_SCALAR_STYLE, mark)
    case YAML_SEQUENCE_START_EVENT:
      return .listStarted(mark)
    case YAML_MAPPING_START_EVENT:
      return .mapStarted(mark)
    case YAML_ALIAS_EVENT: throw YAMLSource.refusal(of: "an alias (*)", at: mark)
    default: return .ended
    }
  }

  /// Composes the value that begins with an event.
  private mutating func node(_ event: Event, depth: Int) throws(SourceSyntaxError) -> SourceNode {
    switch event {
    case .scalar(let text, let isPlain, let mark):
      try count(at: mark, depth: depth)
      return SourceNode(
        mark: mark, value: isPlain ? Self.coreSchema(text) : .text(text), written: text, isQuoted: !isPlain)
    case .listStarted(let mark):
      try count(at: mark, depth: depth)
      var list: [SourceNode] = []
      while case let element = try next(), !element.isEnd { list.append(try node(element, depth: depth + 1)) }
      return SourceNode(mark: mark, value: .list(list))
    case .mapStarted(let mark):
      try count(at: mark, depth: depth)
      var entries: [SourceNode.Entry] = []
      while case let key = try next(), !key.isEnd {
        guard case .scalar(let name, _, let place) = key else {
          throw SourceSyntaxError(
            mark: mark, code: "badYAML", message: "a key is a list or a map", hint: "use plain words as keys")
        }
        entries.append(SourceNode.Entry(key: name, mark: place, node: try node(next(), depth: depth + 1)))
      }
      try refuseDuplicates(entries)
      return SourceNode(mark: mark, value: .map(entries))
    case .started, .documentStarted, .ended:
      throw SourceSyntaxError(
        mark: SourceMark(line: 1, column: 1), code: "badYAML", message: "the YAML cannot be read", hint: Self.hint)
    }
  }

  private mutating func count(at mark: SourceMark, depth: Int) throws(SourceSyntaxError) {
    budget -= 1
    guard budget >= 0 else {
      throw SourceSyntaxError(
        mark: mark, code: "tooLarge", message: "more than \(SourceLimits.values) values", hint: "divide the file")
    }
    guard depth < SourceLimits.depth else {
      throw SourceSyntaxError(
        mark: mark, code: "tooDeep", message: "nested more than \(SourceLimits.depth) deep", hint: "flatten the file")
    }
  }

  /// Throws if a key occurs twice in a map; the error names the alphabetically first such key.
  private func refuseDuplicates(_ entries: [SourceNode.Entry]) throws(SourceSyntaxError) {
    var first: [String: SourceMark] = [:]
    var duplicates: Set<String> = []
    for entry in entries where first.updateValue(first[entry.key] ?? entry.mark, forKey: entry.key) != nil {
      duplicates.insert(entry.key)
    }
    guard let key = duplicates.min(), let mark = first[key] else { return }
    throw SourceSyntaxError(
      mark: mark, code: "duplicateKey", message: "the key '\(key)' occurs twice in one map", hint: "keep one of them",
      problem: key)
  }

  /// Returns the value of a plain scalar by the core schema (YAML 1.2.2, section 10.3.2).
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

  private static let hint = "correct the YAML; everything else is checked once it can be read"

  /// Returns the error that ended the parsing, in one line.
  private func failure() -> SourceSyntaxError {
    var failure = SourceSyntaxError(
      mark: SourceMark(line: 1, column: 1), code: "badYAML", message: "the YAML cannot be read", hint: Self.hint)
    guard isInitialized, let problem = parser.pointee.problem.map({ String(cString: $0) }) else { return failure }
    switch parser.pointee.error {
    case YAML_SCANNER_ERROR, YAML_PARSER_ERROR:
      failure.mark = SourceMark(parser.pointee.problem_mark)
      failure.message = parser.pointee.context.map { "\(problem) \(String(cString: $0))" } ?? problem
      failure.problem = problem
    case YAML_READER_ERROR:
      (failure.message, failure.problem, failure.hint) = (problem, problem, "save the file as UTF-8")
    default: break
    }
    return failure
  }
}

extension YAMLComposer.Event {
  fileprivate var isEnd: Bool { if case .ended = self { true } else { false } }
}

extension SourceMark {
  fileprivate init(_ mark: yaml_mark_t) { self.init(line: mark.line + 1, column: mark.column + 1) }
}
