package import WaymarkSystem

/// A value of a YAML or JSON document, with its position (`SourceMark`). The file also has the limits of documents
/// (`SourceLimits`), their syntax errors (`SourceSyntaxError`), and the parsing of JSON.
package struct SourceNode: Sendable {
  package enum Value: Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case text(String)
    case list([SourceNode])
    case map([Entry])
  }

  /// A key and its value.
  package struct Entry: Sendable {
    package var key: String
    package var mark: SourceMark
    package var node: SourceNode

    package init(key: String, mark: SourceMark, node: SourceNode) {
      self.key = key
      self.mark = mark
      self.node = node
    }
  }

  package var mark: SourceMark
  package var value: Value
  /// A scalar as it was written, so that `id: 0017` keeps its zeros.
  package var written: String?
  /// True for a scalar in quotes or in a block, which is always a string.
  package var isQuoted = false

  package init(mark: SourceMark, value: Value, written: String? = nil, isQuoted: Bool = false) {
    self.mark = mark
    self.value = value
    self.written = written
    self.isQuoted = isQuoted
  }

  /// True if there is no value; a key without a value is treated as missing.
  package var isNull: Bool { if case .null = value { true } else { false } }

  /// The name of the value's kind, for messages.
  package var kind: String {
    switch value {
    case .null: "nothing"
    case .bool: "true or false"
    case .number: "a number"
    case .text: "a string"
    case .list: "a list"
    case .map: "a map"
    }
  }
}

/// Typed values of a checked document; `nil` or empty if the value is of another kind.
extension SourceNode {
  /// The entries of a map; empty for other values.
  package var entries: [Entry] { if case .map(let entries) = value { entries } else { [] } }

  /// The value of a key of a map; `nil` if the key is missing or this is not a map.
  package subscript(_ key: String) -> SourceNode? { entries.first { $0.key == key }?.node }

  /// The value at a path of keys, such as `camera.rotation`.
  package func at(_ path: String) -> SourceNode? {
    path.split(separator: ".").reduce(SourceNode?.some(self)) { $0?[String($1)] }
  }

  /// The elements of a list. A value that is not a list counts as a list of one, a missing value as an empty list.
  package var elements: [SourceNode] {
    switch value {
    case .list(let nodes): nodes
    case .null: []
    default: [self]
    }
  }

  /// The text of a scalar as it was written; `nil` for other values.
  package var string: String? {
    switch value {
    case .text, .number, .bool: written
    case .null, .list, .map: nil
    }
  }

  /// The texts of the scalars of a list, or of a single scalar.
  package var strings: [String] { elements.compactMap(\.string) }

  /// Returns the map with the entries of another map: sections are merged key by key, other values are
  /// replaced.
  package func overlaid(by other: SourceNode) -> SourceNode {
    guard case .map(let mine) = value, case .map(let theirs) = other.value else { return other }
    var joined = mine
    for entry in theirs {
      if let index = joined.firstIndex(where: { $0.key == entry.key }) {
        joined[index].node = joined[index].node.overlaid(by: entry.node)
      } else {
        joined.append(entry)
      }
    }
    return SourceNode(mark: mark, value: .map(joined))
  }

  /// Returns the value with another file in all of its marks.
  func inFile(_ file: Int) -> SourceNode {
    var node = self
    node.mark.file = file
    switch value {
    case .list(let nodes): node.value = .list(nodes.map { $0.inFile(file) })
    case .map(let entries):
      node.value = .map(
        entries.map { entry in
          var mark = entry.mark
          mark.file = file
          return Entry(key: entry.key, mark: mark, node: entry.node.inFile(file))
        })
    case .null, .bool, .number, .text: break
    }
    return node
  }

  /// Returns the map without some of its keys.
  package func without(_ keys: Set<String>) -> SourceNode {
    guard case .map(let entries) = value else { return self }
    return SourceNode(mark: mark, value: .map(entries.filter { !keys.contains($0.key) }))
  }

  package var bool: Bool? { if case .bool(let flag) = value { flag } else { nil } }

  package var double: Double? { if case .number(let number) = value { number } else { nil } }

  /// The integer, if the number is written as an integer.
  package var int: Int? { if case .number = value { written.flatMap { Int($0) } } else { nil } }
}

// MARK: - Positions, limits and errors

/// A position in a text: line and column, from 1.
package struct SourceMark: Hashable, Sendable {
  package var line: Int
  package var column: Int
  /// The index of the text among several that are read as one document.
  package var file = 0

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }
}

/// The limits of a document.
package enum SourceLimits {
  /// The greatest number of lists, maps and single values together.
  package static let values = 200_000
  /// The greatest nesting of lists and maps.
  package static let depth = 32
}

/// The error for a text that is not a valid document.
package struct SourceSyntaxError: Error, Hashable, Sendable {
  package var mark: SourceMark
  /// A stable camelCase word, such as `badYAML`.
  package var code: String
  package var message: String
  package var hint: String
  /// The message without its context.
  package var problem: String

  package init(mark: SourceMark, code: String, message: String, hint: String, problem: String? = nil) {
    self.mark = mark
    self.code = code
    self.message = message
    self.hint = hint
    self.problem = problem ?? message
  }
}

// MARK: - JSON

extension SourceNode: JSONTree {
  package init(_ shape: JSONShape<SourceNode>, at position: JSONPosition) {
    mark = SourceMark(position)
    switch shape {
    case .null:
      value = .null
      written = "null"
    case .bool(let flag):
      value = .bool(flag)
      written = flag ? "true" : "false"
    case .number(let text):
      value = .number(Double(text) ?? .nan)
      written = text
    case .string(let text):
      value = .text(text)
      written = text
      isQuoted = true
    case .array(let elements): value = .list(elements)
    case .object(let members):
      value = .map(members.map { Entry(key: $0.name, mark: SourceMark($0.position), node: $0.value) })
    }
  }

  /// Parses a JSON text.
  package static func json(_ bytes: [UInt8]) throws(SourceSyntaxError) -> SourceNode {
    let rules = JSONRules(
      depth: SourceLimits.depth, values: SourceLimits.values, allowsNonFinite: true, allowsByteOrderMark: true)
    do throws(JSONSyntaxError) {
      return try JSONParser.tree(bytes, as: SourceNode.self, rules: rules)
    } catch {
      let hint =
        switch error.code {
        case "tooLarge": "split the file"
        case "tooDeep": "flatten the file"
        case "duplicateKey": "keep one of them"
        case "notUTF8": "save the file as UTF-8"
        default: "correct the JSON"
        }
      // All text that is not JSON gets the same code.
      let code = error.code == "notUTF8" ? "badJSON" : error.code
      throw SourceSyntaxError(mark: SourceMark(error.position), code: code, message: error.problem, hint: hint)
    }
  }
}

extension SourceMark {
  fileprivate init(_ position: JSONPosition) { self.init(line: position.line, column: position.column) }
}
