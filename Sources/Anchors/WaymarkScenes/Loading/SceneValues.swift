import WaymarkConfiguration

extension SourceNode {
  /// The same without places; `nil` when a number in it is not finite.
  var opaque: OpaqueValue? {
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
