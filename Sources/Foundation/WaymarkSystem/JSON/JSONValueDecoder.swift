/// Decodes `Decodable` values from a parsed `JSONValue`. Its errors name the field and the value found there. The containers that
/// `Decodable` requires are below, with `MemberUses`, which finds the members that a type does not have.
package struct JSONValueDecoder: Decoder {
  let value: JSONValue
  package let codingPath: [any CodingKey]
  package var userInfo: [CodingUserInfoKey: Any] { [:] }
  /// The members read so far; `nil` if unknown members are allowed.
  fileprivate let uses: MemberUses?

  fileprivate init(value: JSONValue, codingPath: [any CodingKey], uses: MemberUses?) {
    self.value = value
    self.codingPath = codingPath
    self.uses = uses
  }

  /// Decodes a value of type `type` from `json`; unknown members are ignored.
  package static func decode<T: Decodable>(_ type: T.Type, from json: JSONValue) throws -> T {
    try Self(value: json, codingPath: [], uses: nil).decode(type)
  }

  /// Decodes a value of type `type` from the object `json`, in which all members must be known.
  ///
  /// - Throws: `UnknownMember` for the first member that `type` does not read, at any depth.
  package static func decodeAll<T: Decodable>(_ type: T.Type, from json: JSONValue) throws -> T {
    let uses = MemberUses()
    let result = try Self(value: json, codingPath: [], uses: uses).decode(type)
    // A type without members does not request a container.
    if uses.isEmpty, !(result is JSONValue), case .object(let members) = json { uses.enter(members, at: []) }
    if let unknown = uses.firstUnknown { throw unknown }
    return result
  }

  package func decode<T: Decodable>(_ type: T.Type) throws -> T {
    if let json = value as? T {
      uses?.takeWhole(codingPath)
      return json
    }
    do {
      return try T(from: self)
    } catch DecodingError.dataCorrupted(let context) {
      throw DecodingError.dataCorrupted(Self.unknownWord(value, type, at: codingPath) ?? context)
    }
  }

  /// Returns the description of an unknown word; `nil` if the type is not an enumeration of words.
  private static func unknownWord(
    _ value: JSONValue, _ type: Any.Type, at path: [any CodingKey]
  ) -> DecodingError.Context? {
    guard let list = type as? any (CaseIterable & RawRepresentable).Type, let word = value.string else { return nil }
    func words<List: CaseIterable & RawRepresentable>(_ list: List.Type) -> [String] {
      list.allCases.compactMap { $0.rawValue as? String }
    }
    let known = words(list)
    guard !known.isEmpty else { return nil }
    let shown = JSONValue.string(String(word.prefix(40))).compactText
    return .init(codingPath: path, debugDescription: "\(shown) is not one of \(known.joined(separator: ", "))")
  }

  package func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object(let members) = value else { throw mismatch("an object", [String: JSONValue].self) }
    uses?.enter(members, at: codingPath)
    return KeyedDecodingContainer(JSONKeyedDecoding<Key>(members, codingPath: codingPath, uses: uses))
  }

  package func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let elements) = value else { throw mismatch("an array", [JSONValue].self) }
    return JSONUnkeyedDecoding(elements: elements, codingPath: codingPath, uses: uses)
  }

  package func singleValueContainer() -> any SingleValueDecodingContainer { self }

  fileprivate func mismatch(_ wanted: String, _ type: Any.Type) -> DecodingError {
    let description = "\(wanted) is expected, not \(value.typeName)"
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
  /// An index by name; `nil` for few members, which are searched faster without it.
  private let index: [String: JSONValue]?
  let codingPath: [any CodingKey]
  let uses: MemberUses?
  var allKeys: [Key] { members.compactMap { Key(stringValue: $0.name) } }

  init(_ members: [JSONValue.Member], codingPath: [any CodingKey], uses: MemberUses?) {
    self.uses = uses
    self.members = members
    index =
      members.count <= 16
      ? nil : Dictionary(members.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    self.codingPath = codingPath
  }

  private func value(_ key: Key) -> JSONValue? {
    uses?.read(key.stringValue, at: codingPath)
    if let index { return index[key.stringValue] }
    return members.first { $0.name.utf8.elementsEqual(key.stringValue.utf8) }?.value
  }

  func contains(_ key: Key) -> Bool { value(key) != nil }

  private func decoder(_ key: Key) throws -> JSONValueDecoder {
    guard let value = value(key) else {
      let description = "it is missing" + (misspelt(key).map { ", and there is no parameter \($0)" } ?? "")
      throw DecodingError.keyNotFound(key, .init(codingPath: codingPath + [key], debugDescription: description))
    }
    return JSONValueDecoder(value: value, codingPath: codingPath + [key], uses: uses)
  }

  /// If all members must be known, returns the unknown member that is nearest to a missing member, or else the first unknown one,
  /// quoted; otherwise `nil`.
  private func misspelt(_ key: Key) -> String? {
    guard uses != nil else { return nil }
    let unknown = Array(members.lazy.map(\.name).filter { Key(stringValue: $0) == nil }.prefix(16))
    let meant = NearestWord.of(key.stringValue, among: unknown) ?? unknown.first
    return meant.map { JSONValue.string(String($0.prefix(80))).compactText }
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

  func superDecoder() throws -> any Decoder {
    JSONValueDecoder(value: .object(members), codingPath: codingPath, uses: uses)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }
}

private struct JSONUnkeyedDecoding: UnkeyedDecodingContainer {
  let elements: [JSONValue]
  let codingPath: [any CodingKey]
  private let uses: MemberUses?
  private(set) var currentIndex = 0
  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  init(elements: [JSONValue], codingPath: [any CodingKey], uses: MemberUses?) {
    self.elements = elements
    self.uses = uses
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
        JSONValue.self, .init(codingPath: path, debugDescription: "more elements are expected"))
    }
    defer { currentIndex += 1 }
    return JSONValueDecoder(value: elements[currentIndex], codingPath: path, uses: uses)
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

/// A member of an object that its type does not have.
package struct UnknownMember: Error {
  /// The path of the member from the root: `region.width`.
  package let path: String
  /// The name of the member.
  package let name: String
  /// The member names that the type has at this path.
  package let known: [String]
}

/// Records which members of each object are read while a value is decoded.
private final class MemberUses {
  private struct Use {
    var members: [JSONValue.Member]
    var known: Set<String> = []
    /// True if the object was decoded as a `JSONValue`.
    var isWhole = false
  }

  private var uses: [String: Use] = [:]
  private var order: [String] = []
  var isEmpty: Bool { uses.isEmpty }

  private static func name(_ path: [any CodingKey]) -> String { path.map(\.stringValue).joined(separator: ".") }

  func enter(_ members: [JSONValue.Member], at path: [any CodingKey]) {
    let name = Self.name(path)
    guard uses[name]?.members.isEmpty != false else { return }
    if uses[name] == nil { order.append(name) }
    uses[name, default: Use(members: [])].members = members
  }

  func read(_ key: String, at path: [any CodingKey]) { uses[Self.name(path)]?.known.insert(key) }

  func takeWhole(_ path: [any CodingKey]) {
    let name = Self.name(path)
    if uses[name] == nil { order.append(name) }
    uses[name, default: Use(members: [])].isWhole = true
  }

  var firstUnknown: UnknownMember? {
    for path in order {
      guard let use = uses[path], !use.isWhole, let member = use.members.first(where: { !use.known.contains($0.name) })
      else { continue }
      return UnknownMember(
        path: path.isEmpty ? member.name : "\(path).\(member.name)", name: member.name, known: use.known.sorted())
    }
    return nil
  }
}

extension DecodingError {
  /// The problem and its path, as one sentence: `region.2: a number is expected, not a string`.
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

// MARK: - Codable

extension JSONValue: Codable {
  /// Decodes a value of any JSON type.
  public init(from decoder: any Decoder) throws {
    if let known = decoder as? JSONValueDecoder {
      known.uses?.takeWhole(known.codingPath)
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

  /// Encodes the value; a number that is not a 64-bit integer is encoded as a `Double`.
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
