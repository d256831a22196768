package import WaymarkJSON

/// A value of a YAML or JSON document with its position.
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
  }

  package var mark: SourceMark
  package var value: Value
  /// A scalar as it was written, so that `id: 0017` keeps its zeros.
  package var written: String?

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

  /// The same without places; `nil` when a number in it is not finite.
  package var opaque: OpaqueValue? {
    switch value {
    case .null: return .null
    case .bool(let value): return .bool(value)
    case .number(let value): return value.isFinite ? .number(value) : nil
    case .text(let value): return .text(value)
    case .list(let nodes):
      let values = nodes.compactMap(\.opaque)
      return values.count == nodes.count ? .list(values) : nil
    case .map(let entries):
      var map: [String: OpaqueValue] = [:]
      for entry in entries {
        guard let value = entry.node.opaque else { return nil }
        map[entry.key] = value
      }
      return .map(map)
    }
  }
}

/// Why a text is not a document at all; ends the reading.
struct SceneSyntaxError: Error {
  var mark: SourceMark
  var code: String
  var message: String
  var hint: String
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
    case .array(let elements): value = .list(elements)
    case .object(let members):
      value = .map(members.map { Entry(key: $0.name, mark: SourceMark($0.position), node: $0.value) })
    }
  }

  /// The document that a JSON text holds.
  static func json(_ bytes: [UInt8]) throws(SceneSyntaxError) -> SourceNode {
    let rules = JSONRules(
      depth: SceneLimits.depth, values: SceneLimits.nodes, allowsNonFinite: true, allowsByteOrderMark: true)
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
      throw SceneSyntaxError(mark: SourceMark(error.position), code: code, message: error.problem, hint: hint)
    }
  }
}

extension SourceMark {
  fileprivate init(_ position: JSONPosition) { self.init(line: position.line, column: position.column) }
}
