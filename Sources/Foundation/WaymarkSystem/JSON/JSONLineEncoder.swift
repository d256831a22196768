/// Writes `Encodable` values directly as JSON bytes, with keys in the order in which they are encoded. The containers that
/// `Encodable` requires are below, with their shared state (`JSONEncodingState`).
///
/// Foundation's encoder builds a tree first and writes keys in no fixed order. This encoder takes a fraction of the time, and equal
/// values give equal lines.
package enum JSONLineEncoder {
  /// Returns the JSON text of `value`, without a line end.
  ///
  /// - Throws: `EncodingError.invalidValue` for a number that is not finite.
  package static func encode(_ value: some Encodable, capacity: Int = 512) throws -> [UInt8] {
    let state = JSONEncodingState(capacity: capacity)
    try state.write(value, depth: 0, codingPath: [])
    state.close(to: 0)
    return state.writer.bytes
  }

  /// Returns the JSON text of `value`, ending with a line feed.
  package static func line(_ value: some Encodable, capacity: Int = 512) throws -> [UInt8] {
    var bytes = try encode(value, capacity: capacity)
    bytes.append(UInt8(ascii: "\n"))
    return bytes
  }
}

/// The state shared by all containers of one encoding: the text and the open brackets.
private final class JSONEncodingState {
  private struct Bracket {
    let isObject: Bool
    var isEmpty = true
  }

  /// The text so far.
  var writer: JSONWriter
  private var open: [Bracket] = []

  init(capacity: Int) { writer = JSONWriter(capacity: capacity) }

  /// Closes all brackets deeper than `depth`.
  func close(to depth: Int) {
    while open.count > depth { writer.byte(open.removeLast().isObject ? "}" : "]") }
  }

  /// Opens the bracket at `depth`, or continues in it if it is open, because a value may request its container twice.
  func enter(object: Bool, depth: Int) {
    if open.count > depth {
      close(to: depth + 1)
    } else {
      writer.byte(object ? "{" : "[")
      open.append(Bracket(isObject: object))
    }
  }

  /// Prepares for the next element of the container at `depth`.
  func separate(depth: Int) {
    close(to: depth + 1)
    if open[depth].isEmpty { open[depth].isEmpty = false } else { writer.byte(",") }
  }

  /// Writes a number, rounded as by `JSONWriter.number`.
  ///
  /// - Throws: `EncodingError.invalidValue` for a number that is not finite.
  func write(_ value: Double, codingPath: [any CodingKey]) throws {
    guard writer.number(value) else {
      throw EncodingError.invalidValue(
        value, .init(codingPath: codingPath, debugDescription: "JSON cannot hold a number that is not finite"))
    }
  }

  /// Writes a value.
  ///
  /// - Parameter depth: the nesting depth of the value's array or object.
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
      let start = writer.bytes.count
      try value.encode(to: JSONStreamEncoder(state: self, depth: depth, codingPath: codingPath))
      if writer.bytes.count == start { writer.raw("{}") }
    }
  }

  private func write(_ value: JSONValue, codingPath: [any CodingKey]) throws {
    guard writer.value(value) else {
      throw EncodingError.invalidValue(
        value, .init(codingPath: codingPath, debugDescription: "a number in it is not valid JSON"))
    }
  }
}

private struct JSONStreamEncoder: Encoder {
  let state: JSONEncodingState
  /// The number of open brackets around the value that is encoded.
  let depth: Int
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    state.enter(object: true, depth: depth)
    return KeyedEncodingContainer(JSONStreamKeyed<Key>(state: state, depth: depth, codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    state.enter(object: false, depth: depth)
    return JSONStreamUnkeyed(state: state, depth: depth, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    JSONStreamSingle(state: state, depth: depth, codingPath: codingPath)
  }
}

private struct JSONStreamKeyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let state: JSONEncodingState
  let depth: Int
  let codingPath: [any CodingKey]

  private func key(_ key: Key) {
    state.separate(depth: depth)
    state.writer.string(key.stringValue)
    state.writer.byte(":")
  }

  private func encoder(_ key: Key) -> JSONStreamEncoder {
    self.key(key)
    return JSONStreamEncoder(state: state, depth: depth + 1, codingPath: codingPath + [key])
  }

  mutating func encodeNil(forKey key: Key) {
    self.key(key)
    state.writer.raw("null")
  }

  mutating func encode(_ value: Bool, forKey key: Key) {
    self.key(key)
    value ? state.writer.raw("true") : state.writer.raw("false")
  }

  mutating func encode(_ value: String, forKey key: Key) {
    self.key(key)
    state.writer.string(value)
  }

  mutating func encode(_ value: Double, forKey key: Key) throws {
    self.key(key)
    try state.write(value, codingPath: codingPath + [key])
  }

  mutating func encode(_ value: Int, forKey key: Key) {
    self.key(key)
    state.writer.integer(value)
  }

  mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    self.key(key)
    try state.write(value, depth: depth + 1, codingPath: codingPath + [key])
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    encoder(key).container(keyedBy: keyType)
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder(key).unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder { JSONStreamEncoder(state: state, depth: depth, codingPath: codingPath) }

  mutating func superEncoder(forKey key: Key) -> any Encoder { encoder(key) }
}

private struct JSONStreamUnkeyed: UnkeyedEncodingContainer {
  let state: JSONEncodingState
  let depth: Int
  let codingPath: [any CodingKey]
  private(set) var count = 0

  init(state: JSONEncodingState, depth: Int, codingPath: [any CodingKey]) {
    self.state = state
    self.depth = depth
    self.codingPath = codingPath
  }

  private mutating func next() {
    state.separate(depth: depth)
    count += 1
  }

  private mutating func encoder() -> JSONStreamEncoder {
    next()
    return JSONStreamEncoder(state: state, depth: depth + 1, codingPath: codingPath)
  }

  mutating func encodeNil() {
    next()
    state.writer.raw("null")
  }

  mutating func encode<T: Encodable>(_ value: T) throws {
    next()
    try state.write(value, depth: depth + 1, codingPath: codingPath)
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    encoder().container(keyedBy: keyType)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder().unkeyedContainer() }

  mutating func superEncoder() -> any Encoder { encoder() }
}

private struct JSONStreamSingle: SingleValueEncodingContainer {
  let state: JSONEncodingState
  let depth: Int
  let codingPath: [any CodingKey]

  mutating func encodeNil() { state.writer.raw("null") }
  mutating func encode(_ value: Bool) { value ? state.writer.raw("true") : state.writer.raw("false") }
  mutating func encode(_ value: String) { state.writer.string(value) }
  mutating func encode(_ value: Double) throws { try state.write(value, codingPath: codingPath) }
  mutating func encode(_ value: Float) throws { try state.write(Double(value), codingPath: codingPath) }
  mutating func encode<T: Encodable & BinaryInteger>(_ value: T) { state.writer.integer(value) }
  mutating func encode<T: Encodable>(_ value: T) throws { try state.write(value, depth: depth, codingPath: codingPath) }
}
