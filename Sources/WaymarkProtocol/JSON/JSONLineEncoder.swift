/// Writes `Encodable` values straight into bytes, keys in the order in which they are encoded, dictionaries sorted.
///
/// Foundation's encoder builds a tree first and writes keys in no fixed order; one that streams costs a fraction of
/// it and gives the same line for the same value.
package enum JSONLineEncoder {
  /// The JSON text of `value`, without a line end.
  ///
  /// - Throws: `EncodingError.invalidValue` for a number that is not finite.
  package static func encode(_ value: some Encodable, capacity: Int = 512) throws -> [UInt8] {
    let state = JSONEncodingState(capacity: capacity)
    try state.write(value, depth: 0, codingPath: [])
    state.close(to: 0)
    return state.writer.bytes
  }

  /// The same, ending with a line feed.
  package static func line(_ value: some Encodable, capacity: Int = 512) throws -> [UInt8] {
    var bytes = try encode(value, capacity: capacity)
    bytes.append(UInt8(ascii: "\n"))
    return bytes
  }
}

/// What all containers of one run write into: the text and the brackets that are open.
final class JSONEncodingState {
  struct Bracket {
    let isObject: Bool
    var isEmpty = true
  }

  var writer: JSONWriter
  private(set) var open: [Bracket] = []

  init(capacity: Int) { writer = JSONWriter(capacity: capacity) }

  /// Closes what lies deeper than `depth` brackets.
  func close(to depth: Int) {
    while open.count > depth { writer.byte(open.removeLast().isObject ? "}" : "]") }
  }

  /// Opens the bracket at `depth`, or goes back to it: a value may ask twice for its container.
  func enter(object: Bool, depth: Int) {
    if open.count > depth {
      close(to: depth + 1)
    } else {
      writer.byte(object ? "{" : "[")
      open.append(Bracket(isObject: object))
    }
  }

  /// Makes ready for the next element of the container at `depth`.
  func separate(depth: Int) {
    close(to: depth + 1)
    if open[depth].isEmpty { open[depth].isEmpty = false } else { writer.byte(",") }
  }

  func write(_ value: Double, codingPath: [any CodingKey]) throws {
    guard writer.number(value) else {
      throw EncodingError.invalidValue(
        value, .init(codingPath: codingPath, debugDescription: "a number that is not finite has no place in JSON"))
    }
  }

  /// A value in the place of depth `depth`: its own container, if it asks for one, is the one at `depth`.
  func write<T: Encodable>(_ value: T, depth: Int, codingPath: [any CodingKey]) throws {
    switch T.self {
    case is [Double].Type:
      guard let numbers = value as? [Double] else { return }
      writer.byte("[")
      for (index, number) in numbers.enumerated() {
        if index > 0 { writer.byte(",") }
        try write(number, codingPath: codingPath)
      }
      writer.byte("]")
    case is JSONValue.Type:
      if let json = value as? JSONValue { try write(json, codingPath: codingPath) }
    case is [String: JSONValue].Type:
      if let members = value as? [String: JSONValue] { try write(.object(members), codingPath: codingPath) }
    default:
      if let direct = value as? any JSONWritable {
        try direct.write(to: self, codingPath: codingPath)
        return
      }
      let start = writer.bytes.count
      try value.encode(to: JSONStreamEncoder(state: self, depth: depth, codingPath: codingPath))
      if writer.bytes.count == start { writer.raw("{}") }
    }
  }

  private func write(_ value: JSONValue, codingPath: [any CodingKey]) throws {
    switch value {
    case .null: writer.raw("null")
    case .bool(let value): value ? writer.raw("true") : writer.raw("false")
    case .int(let value): writer.integer(value)
    case .double(let value):
      // Not rounded: what travels through unread comes out as it went in.
      guard value.isFinite else { return try write(value, codingPath: codingPath) }
      writer.bytes.append(contentsOf: value.description.utf8)
    case .string(let value): writer.string(value)
    case .array(let elements):
      writer.byte("[")
      for (index, element) in elements.enumerated() {
        if index > 0 { writer.byte(",") }
        try write(element, codingPath: codingPath)
      }
      writer.byte("]")
    case .object(let members):
      writer.byte("{")
      for (index, (key, member)) in members.sorted(by: { $0.key < $1.key }).enumerated() {
        if index > 0 { writer.byte(",") }
        writer.string(key)
        writer.byte(":")
        try write(member, codingPath: codingPath)
      }
      writer.byte("}")
    }
  }
}

/// A value that knows how to write itself faster than `Encodable` can; what it writes is the same.
protocol JSONWritable {
  func write(to state: JSONEncodingState, codingPath: [any CodingKey]) throws
}
