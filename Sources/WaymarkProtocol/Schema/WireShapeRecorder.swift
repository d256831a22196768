import WaymarkJSON

/// Finds out which members a `Decodable` type reads, of which shape, and which of them it can do without.
///
/// The type is decoded from a decoder that gives each member a plain value of the type asked for (an empty string, zero, an empty
/// array) and notes the question. What is read of the wire and what is described can therefore not differ: there is no second list.
package struct WireShapeRecorder {
  /// The members of every type met so far, by the name of the type.
  package private(set) var objects: [String: [WireMember]] = [:]
  private var open: Set<String> = []

  /// A recorder that has met no type.
  package init() {}

  /// The shape of the values of a type. The objects in it are in `objects` afterwards.
  ///
  /// - Throws: whatever the type throws when it is read from plain values, and `WireShapeError` for a type that contains
  ///   itself.
  package mutating func shape<T: Decodable>(of type: T.Type) throws -> WireShape { try sample(type).shape }

  /// The name of a type as the description uses it: without its module, and with those it is nested in.
  package static func name(of type: Any.Type) -> String {
    String(reflecting: type).split(separator: ".").dropFirst().joined(separator: ".")
  }

  /// The shape of a type, and a value of it.
  fileprivate mutating func sample<T: Decodable>(_ type: T.Type) throws -> (shape: WireShape, value: T) {
    func plain(_ shape: WireShape, _ value: Any) throws -> (WireShape, T) {
      guard let value = value as? T else {
        throw WireShapeError(type: Self.name(of: type), problem: "has no plain value")
      }
      return (shape, value)
    }
    switch type {
    case is JSONValue.Type: return try plain(.any, JSONValue.null)
    case is String.Type: return try plain(.string, "")
    case is Bool.Type: return try plain(.bool, false)
    case is Double.Type: return try plain(.number, 0.0)
    case is Float.Type: return try plain(.number, Float(0))
    case let whole as any FixedWidthInteger.Type: return try plain(.integer, whole.init(0))
    case let list as any WireList.Type: return try plain(.list(try list.element(&self)), list.empty)
    case let map as any WireMap.Type: return try plain(.map(try map.value(&self)), map.empty)
    case let optional as any WireOptional.Type: return try plain(try optional.wrapped(&self), optional.absent)
    case let words as any (CaseIterable & RawRepresentable).Type:
      if let found = Self.words(words), let first = found.first {
        return try plain(.word(found.map(\.word)), first.value)
      }
    default: break
    }
    return try record(type)
  }

  private static func words<E: CaseIterable & RawRepresentable>(_ type: E.Type) -> [(word: String, value: Any)]? {
    let found = type.allCases.compactMap { one in (one.rawValue as? String).map { ($0, one as Any) } }
    return found.count == type.allCases.count ? found : nil
  }

  /// A type that reads itself: an object, a single value, or a string in the place of an object.
  private mutating func record<T: Decodable>(_ type: T.Type) throws -> (shape: WireShape, value: T) {
    let name = Self.name(of: type)
    guard open.insert(name).inserted else { throw WireShapeError(type: name, problem: "contains itself") }
    defer { open.remove(name) }
    let notes = ShapeNotes(self)
    var value = try T(from: RecordingDecoder(notes: notes, isObject: false))
    self = notes.recorder
    guard let single = notes.single else {
      objects[name] = notes.members
      return (.object(name), value)
    }
    // A type that reads a single value may read an object as well, where it finds no such value.
    let second = ShapeNotes(self)
    guard let other = try? T(from: RecordingDecoder(notes: second, isObject: true)), !second.members.isEmpty else {
      return (single, value)
    }
    self = second.recorder
    objects[name] = second.members
    value = other
    return (single == .string ? .stringOr(.object(name)) : .object(name), value)
  }
}

/// A type that cannot be described.
package struct WireShapeError: Error {
  /// The name of the type.
  package let type: String
  /// The problem.
  package let problem: String
}

private protocol WireList {
  static func element(_ recorder: inout WireShapeRecorder) throws -> WireShape
  static var empty: Any { get }
}

extension Array: WireList where Element: Decodable {
  fileprivate static func element(_ recorder: inout WireShapeRecorder) throws -> WireShape {
    try recorder.shape(of: Element.self)
  }
  fileprivate static var empty: Any { Self() }
}

private protocol WireMap {
  static func value(_ recorder: inout WireShapeRecorder) throws -> WireShape
  static var empty: Any { get }
}

extension Dictionary: WireMap where Key == String, Value: Decodable {
  fileprivate static func value(_ recorder: inout WireShapeRecorder) throws -> WireShape {
    try recorder.shape(of: Value.self)
  }
  fileprivate static var empty: Any { Self() }
}

private protocol WireOptional {
  static func wrapped(_ recorder: inout WireShapeRecorder) throws -> WireShape
  static var absent: Any { get }
}

extension Optional: WireOptional where Wrapped: Decodable {
  fileprivate static func wrapped(_ recorder: inout WireShapeRecorder) throws -> WireShape {
    try recorder.shape(of: Wrapped.self)
  }
  fileprivate static var absent: Any { Self(nilLiteral: ()) as Any }
}

/// The questions that one type asked.
private final class ShapeNotes {
  var recorder: WireShapeRecorder
  var members: [WireMember] = []
  var single: WireShape?

  init(_ recorder: WireShapeRecorder) { self.recorder = recorder }

  func member<T: Decodable>(_ name: String, _ type: T.Type, isRequired: Bool) throws -> T {
    let (shape, value) = try recorder.sample(type)
    if !members.contains(where: { $0.name == name }) {
      members.append(WireMember(name: name, shape: shape, isRequired: isRequired))
    }
    return value
  }
}

private struct RecordingDecoder: Decoder {
  let notes: ShapeNotes
  /// True if single values are refused.
  let isObject: Bool
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(RecordingObject<Key>(notes: notes))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw WireShapeError(type: "array", problem: "is read element by element")
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    guard !isObject else { throw WireShapeError(type: "value", problem: "is an object") }
    return RecordingValue(notes: notes)
  }
}

private struct RecordingObject<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let notes: ShapeNotes
  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { [] }

  func contains(_ key: Key) -> Bool { false }
  func decodeNil(forKey key: Key) throws -> Bool { false }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try notes.member(key.stringValue, type, isRequired: true)
  }

  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    _ = try notes.member(key.stringValue, type, isRequired: false)
    return nil
  }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try optional(type, key) }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try optional(type, key) }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try optional(type, key) }
  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try optional(type, key) }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try optional(type, key) }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try optional(type, key) }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try optional(type, key) }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try optional(type, key) }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try optional(type, key) }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try optional(type, key) }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try optional(type, key) }

  private func optional<T: Decodable>(_ type: T.Type, _ key: Key) throws -> T? {
    _ = try notes.member(key.stringValue, type, isRequired: false)
    return nil
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    throw WireShapeError(type: key.stringValue, problem: "is read member by member")
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    throw WireShapeError(type: key.stringValue, problem: "is read element by element")
  }

  func superDecoder() throws -> any Decoder { RecordingDecoder(notes: notes, isObject: true) }
  func superDecoder(forKey key: Key) throws -> any Decoder { RecordingDecoder(notes: notes, isObject: true) }
}

private struct RecordingValue: SingleValueDecodingContainer {
  let notes: ShapeNotes
  var codingPath: [any CodingKey] { [] }

  func decodeNil() -> Bool { false }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let (shape, value) = try notes.recorder.sample(type)
    notes.single = shape
    return value
  }
}
