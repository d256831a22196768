/// A value of another system that is handed through as it was written.
package indirect enum OpaqueValue: Hashable, Sendable, Codable {
  case null
  case bool(Bool)
  case number(Double)
  case text(String)
  case list([OpaqueValue])
  case map([String: OpaqueValue])

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .text(value)
    } else if let value = try? container.decode([OpaqueValue].self) {
      self = .list(value)
    } else {
      self = .map(try container.decode([String: OpaqueValue].self))
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .number(let value):
      if let whole = Int(exactly: value) { try container.encode(whole) } else { try container.encode(value) }
    case .text(let value): try container.encode(value)
    case .list(let value): try container.encode(value)
    case .map(let value): try container.encode(value)
    }
  }
}
