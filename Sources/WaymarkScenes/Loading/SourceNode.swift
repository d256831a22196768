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
  }

  package var mark: SourceMark
  package var value: Value
  /// A scalar as it was written, so that `id: 0017` keeps its zeros.
  package var written: String?

  /// What kind of value it is, for messages.
  package var kind: String {
    switch value {
    case .null: "nothing"
    case .bool: "true or false"
    case .number: "a number"
    case .text: "a text"
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

/// Why a text is no document at all; ends the reading.
struct SourceError: Error {
  var mark: SourceMark
  var code: String
  var message: String
  var hint: String
}
