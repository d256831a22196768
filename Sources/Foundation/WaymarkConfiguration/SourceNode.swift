package import WaymarkSystem

/// A value of a YAML or JSON document that knows where it stands.
package struct SourceNode: Sendable {
  package enum Value: Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case text(String)
    case list([SourceNode])
    case map([Entry])
  }

  /// A key and its value; keys may repeat, whoever reads the map complains.
  package struct Entry: Sendable {
    package var key: String
    package var mark: SourceMark
    package var node: SourceNode

    /// An entry from its parts.
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
  /// True for a scalar that stands in quotes, or in a block of its own: a text, whatever it looks like.
  var isQuoted = false

  /// A value from its parts.
  package init(mark: SourceMark, value: Value, written: String? = nil, isQuoted: Bool = false) {
    self.mark = mark
    self.value = value
    self.written = written
    self.isQuoted = isQuoted
  }

  /// True if nothing stands there: a key that is left open is as good as left out.
  package var isNull: Bool { if case .null = value { true } else { false } }

  /// The kind of value, for messages.
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

/// Values of a document that was checked: what is of another kind is as good as missing.
extension SourceNode {
  /// The entries of a map; none of anything else.
  package var entries: [Entry] { if case .map(let entries) = value { entries } else { [] } }

  /// The value of a key of a map.
  package subscript(_ key: String) -> SourceNode? { entries.first { $0.key == key }?.node }

  /// The value at a path of keys, such as `camera.rotation`.
  package func at(_ path: String) -> SourceNode? {
    path.split(separator: ".").reduce(SourceNode?.some(self)) { $0?[String($1)] }
  }

  /// The elements of a list; anything else but nothing is a list of one.
  package var elements: [SourceNode] {
    switch value {
    case .list(let nodes): nodes
    case .null: []
    default: [self]
    }
  }

  /// A scalar as it was written.
  package var string: String? {
    switch value {
    case .text, .number, .bool: written
    case .null, .list, .map: nil
    }
  }

  /// A list of scalars, or one of them.
  package var strings: [String] { elements.compactMap(\.string) }

  /// This map with what another one says besides, or instead: sections are joined key by key; of any other value that of `other` holds.
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

  /// This map without some of its keys.
  package func without(_ keys: Set<String>) -> SourceNode {
    guard case .map(let entries) = value else { return self }
    return SourceNode(mark: mark, value: .map(entries.filter { !keys.contains($0.key) }))
  }

  package var bool: Bool? { if case .bool(let flag) = value { flag } else { nil } }

  package var double: Double? { if case .number(let number) = value { number } else { nil } }

  /// A whole number, written as one.
  package var int: Int? { if case .number = value { written.flatMap { Int($0) } } else { nil } }
}

/// A place in a text, both from 1.
package struct SourceMark: Hashable, Sendable {
  package var line: Int
  package var column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }
}

/// How much a document may hold: it is read by a service that must not fall over a file.
package enum SourceLimits {
  /// Lists, maps and single values.
  package static let values = 200_000
  /// Nesting of lists and maps.
  package static let depth = 32
}

/// Why a text is not a document at all; ends the reading.
package struct SourceSyntaxError: Error, Hashable, Sendable {
  package var mark: SourceMark
  /// A stable camelCase word.
  package var code: String
  package var message: String
  package var hint: String
  /// The message without what surrounds the place.
  package var problem: String

  /// An error from its parts.
  package init(mark: SourceMark, code: String, message: String, hint: String, problem: String? = nil) {
    self.mark = mark
    self.code = code
    self.message = message
    self.hint = hint
    self.problem = problem ?? message
  }
}

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

  /// The document that a JSON text holds.
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
      // One code for whatever is not JSON at all.
      let code = error.code == "notUTF8" ? "badJSON" : error.code
      throw SourceSyntaxError(mark: SourceMark(error.position), code: code, message: error.problem, hint: hint)
    }
  }
}

extension SourceMark {
  fileprivate init(_ position: JSONPosition) { self.init(line: position.line, column: position.column) }
}
