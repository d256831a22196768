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
    return KeyedDecodingContainer(JSONKeyedDecoding<Key>(members, codingPath: codingPath))
  }

  package func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let elements) = value else { throw mismatch("an array", [JSONValue].self) }
    return JSONUnkeyedDecoding(elements: elements, codingPath: codingPath)
  }

  package func singleValueContainer() -> any SingleValueDecodingContainer { self }

  fileprivate func mismatch(_ wanted: String, _ type: Any.Type) -> DecodingError {
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

private struct JSONKeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
  private let members: [JSONValue.Member]
  /// Only where there are many: building it costs more than looking through a few.
  private let index: [String: JSONValue]?
  let codingPath: [any CodingKey]
  var allKeys: [Key] { members.compactMap { Key(stringValue: $0.name) } }

  init(_ members: [JSONValue.Member], codingPath: [any CodingKey]) {
    self.members = members
    index =
      members.count <= 16
      ? nil : Dictionary(members.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    self.codingPath = codingPath
  }

  private func value(_ key: Key) -> JSONValue? {
    if let index { return index[key.stringValue] }
    return members.first { $0.name.utf8.elementsEqual(key.stringValue.utf8) }?.value
  }

  func contains(_ key: Key) -> Bool { value(key) != nil }

  private func decoder(_ key: Key) throws -> JSONValueDecoder {
    guard let value = value(key) else {
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

private struct JSONUnkeyedDecoding: UnkeyedDecodingContainer {
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

extension JSONValue: Codable {
  /// Reads any value.
  public init(from decoder: any Decoder) throws {
    if let known = decoder as? JSONValueDecoder {
      self = known.value
      return
    }
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int.self) {
      self = .int(value)
    } else if let value = try? container.decode(Double.self) {
      self = .double(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  /// Writes the value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .number(let text):
      if let value = Int(text) { try container.encode(value) } else { try container.encode(Double(text)) }
    case .string(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let members):
      try container.encode(Dictionary(members.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 }))
    }
  }
}
