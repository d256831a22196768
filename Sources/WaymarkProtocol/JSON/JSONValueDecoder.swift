/// Reads `Decodable` values out of a parsed `JSONValue`; its errors name the field and what was found there.
package struct JSONValueDecoder: Decoder {
  let value: JSONValue
  package let codingPath: [any CodingKey]
  package var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// The value of type `type` that `json` describes.
  package static func decode<T: Decodable>(_ type: T.Type, from json: JSONValue) throws -> T {
    try Self(value: json, codingPath: []).decode(type)
  }

  package func decode<T: Decodable>(_ type: T.Type) throws -> T {
    if let json = value as? T { return json }
    return try T(from: self)
  }

  package func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object(let members) = value else { throw mismatch("an object", [String: JSONValue].self) }
    return KeyedDecodingContainer(JSONKeyedDecoding<Key>(members: members, codingPath: codingPath))
  }

  package func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let elements) = value else { throw mismatch("an array", [JSONValue].self) }
    return JSONUnkeyedDecoding(elements: elements, codingPath: codingPath)
  }

  package func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func mismatch(_ wanted: String, _ type: Any.Type) -> DecodingError {
    let description = "\(wanted) is wanted, not \(value.typeName)"
    return .typeMismatch(type, .init(codingPath: codingPath, debugDescription: description))
  }
}

extension JSONValueDecoder: SingleValueDecodingContainer {
  package func decodeNil() -> Bool { value == .null }

  package func decode(_ type: Bool.Type) throws -> Bool {
    guard let result = value.bool else { throw mismatch("true or false", type) }
    return result
  }

  package func decode(_ type: String.Type) throws -> String {
    guard let result = value.string else { throw mismatch("a string", type) }
    return result
  }

  package func decode(_ type: Double.Type) throws -> Double {
    guard let result = value.double else { throw mismatch("a number", type) }
    return result
  }

  package func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }

  package func decode<T: Decodable & BinaryInteger>(_ type: T.Type) throws -> T {
    let whole = value.int.flatMap { T(exactly: $0) } ?? value.double.flatMap { T(exactly: $0) }
    guard let whole else { throw mismatch("a whole number", type) }
    return whole
  }
}

struct JSONKeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let members: [String: JSONValue]
  let codingPath: [any CodingKey]
  var allKeys: [Key] { members.keys.compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }

  private func decoder(_ key: Key) throws -> JSONValueDecoder {
    guard let value = members[key.stringValue] else {
      throw DecodingError.keyNotFound(key, .init(codingPath: codingPath + [key], debugDescription: "it is missing"))
    }
    return JSONValueDecoder(value: value, codingPath: codingPath + [key])
  }

  func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).decodeNil() }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try decoder(key).decode(type) }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try decoder(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { JSONValueDecoder(value: .object(members), codingPath: codingPath) }

  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }
}

struct JSONUnkeyedDecoding: UnkeyedDecodingContainer {
  let elements: [JSONValue]
  let codingPath: [any CodingKey]
  private(set) var currentIndex = 0
  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  init(elements: [JSONValue], codingPath: [any CodingKey]) {
    self.elements = elements
    self.codingPath = codingPath
  }

  private struct Index: CodingKey {
    let intValue: Int?
    var stringValue: String { intValue.map(String.init) ?? "" }
    init(intValue: Int) { self.intValue = intValue }
    init?(stringValue: String) { nil }
  }

  private mutating func next() throws -> JSONValueDecoder {
    let path = codingPath + [Index(intValue: currentIndex)]
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        JSONValue.self, .init(codingPath: path, debugDescription: "more elements are wanted"))
    }
    defer { currentIndex += 1 }
    return JSONValueDecoder(value: elements[currentIndex], codingPath: path)
  }

  mutating func decodeNil() throws -> Bool {
    guard !isAtEnd, elements[currentIndex] == .null else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next().decode(type) }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try next().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next().unkeyedContainer() }

  mutating func superDecoder() throws -> any Decoder { try next() }
}

extension DecodingError {
  /// What is wrong and where, as one sentence: `region.2: a number is wanted, not a string`.
  package var sentence: String {
    let context =
      switch self {
      case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
        .dataCorrupted(let context):
        context
      @unknown default: DecodingError.Context(codingPath: [], debugDescription: "it cannot be read")
      }
    let path = context.codingPath.map(\.stringValue).joined(separator: ".")
    return path.isEmpty ? context.debugDescription : "\(path): \(context.debugDescription)"
  }
}
