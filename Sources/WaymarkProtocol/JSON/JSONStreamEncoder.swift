/// The `Encoder` face of `JSONEncodingState`.
struct JSONStreamEncoder: Encoder {
  let state: JSONEncodingState
  /// How many brackets are open around the value that is being encoded.
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

struct JSONStreamKeyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let state: JSONEncodingState
  let depth: Int
  let codingPath: [any CodingKey]

  private func key(_ key: Key) {
    state.separate(depth: depth)
    state.writer.string(key.stringValue)
    state.writer.byte(":")
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
    self.key(key)
    return JSONStreamEncoder(state: state, depth: depth + 1, codingPath: codingPath + [key])
      .container(keyedBy: keyType)
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    self.key(key)
    return JSONStreamEncoder(state: state, depth: depth + 1, codingPath: codingPath + [key]).unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder { JSONStreamEncoder(state: state, depth: depth, codingPath: codingPath) }

  mutating func superEncoder(forKey key: Key) -> any Encoder {
    self.key(key)
    return JSONStreamEncoder(state: state, depth: depth + 1, codingPath: codingPath + [key])
  }
}

struct JSONStreamUnkeyed: UnkeyedEncodingContainer {
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
    next()
    return JSONStreamEncoder(state: state, depth: depth + 1, codingPath: codingPath).container(keyedBy: keyType)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    next()
    return JSONStreamEncoder(state: state, depth: depth + 1, codingPath: codingPath).unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder {
    next()
    return JSONStreamEncoder(state: state, depth: depth + 1, codingPath: codingPath)
  }
}

struct JSONStreamSingle: SingleValueEncodingContainer {
  let state: JSONEncodingState
  let depth: Int
  let codingPath: [any CodingKey]

  mutating func encodeNil() { state.writer.raw("null") }
  mutating func encode(_ value: Bool) { value ? state.writer.raw("true") : state.writer.raw("false") }
  mutating func encode(_ value: String) { state.writer.string(value) }
  mutating func encode(_ value: Double) throws { try state.write(value, codingPath: codingPath) }
  mutating func encode(_ value: Float) throws { try state.write(Double(value), codingPath: codingPath) }
  mutating func encode(_ value: Int) { state.writer.integer(value) }
  mutating func encode(_ value: Int8) { state.writer.integer(value) }
  mutating func encode(_ value: Int16) { state.writer.integer(value) }
  mutating func encode(_ value: Int32) { state.writer.integer(value) }
  mutating func encode(_ value: Int64) { state.writer.integer(value) }
  mutating func encode(_ value: UInt) { state.writer.integer(value) }
  mutating func encode(_ value: UInt8) { state.writer.integer(value) }
  mutating func encode(_ value: UInt16) { state.writer.integer(value) }
  mutating func encode(_ value: UInt32) { state.writer.integer(value) }
  mutating func encode(_ value: UInt64) { state.writer.integer(value) }
  mutating func encode<T: Encodable>(_ value: T) throws { try state.write(value, depth: depth, codingPath: codingPath) }
}
