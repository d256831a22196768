/// Any JSON value (RFC 8259). Objects keep their order, numbers their spelling: what travels through unread, such as
/// `context` and `businessObject`, comes out as it went in.
public enum JSONValue: Sendable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number as RFC 8259, section 6, spells it; any other text is refused when it is written.
  case number(String)
  /// A string.
  case string(String)
  /// An array.
  case array([JSONValue])
  /// An object; no name stands in it twice.
  case object([Member])

  /// A name and its value.
  public struct Member: Hashable, Sendable {
    /// The name.
    public var name: String
    /// The value.
    public var value: JSONValue

    /// A member of an object.
    public init(_ name: String, _ value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  /// A whole number.
  public static func int(_ value: Int) -> JSONValue { .number(String(value)) }

  /// A number, with all its digits. One that is not finite is refused when it is written.
  public static func double(_ value: Double) -> JSONValue { .number(value.description) }

  /// An object with its names sorted.
  public static func object(_ members: [String: JSONValue]) -> JSONValue {
    .object(members.sorted { $0.key < $1.key }.map { Member($0.key, $0.value) })
  }

  /// A member of an object; `nil` when this is none or has no such name. Names are compared scalar by scalar, not by
  /// canonical equivalence: two spellings of one word are two names.
  public subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
  }

  /// The value behind a path such as `server.address`; a name that itself holds the dots wins.
  package func value(at path: String) -> JSONValue? {
    if let direct = self[path] { return direct }
    guard let dot = path.firstIndex(of: ".") else { return nil }
    return self[String(path[..<dot])]?.value(at: String(path[path.index(after: dot)...]))
  }

  /// The string, where it is one.
  public var string: String? {
    if case .string(let value) = self { value } else { nil }
  }

  /// The whole number, where it is one that is written without fraction and exponent and fits 64 bits.
  public var int: Int? {
    if case .number(let text) = self { Int(text) } else { nil }
  }

  /// The number, where it is one.
  public var double: Double? {
    if case .number(let text) = self { Double(text) } else { nil }
  }

  /// The truth value, where it is one.
  public var bool: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// The elements, where it is an array.
  public var array: [JSONValue]? {
    if case .array(let value) = self { value } else { nil }
  }

  /// The members in their order, where it is an object.
  public var members: [Member]? {
    if case .object(let members) = self { members } else { nil }
  }

  /// The name of its type, for messages.
  package var typeName: String {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }

  /// A scalar as a field shows it; `nil` for objects and arrays.
  package var scalarText: String? {
    switch self {
    case .string(let text), .number(let text): text
    case .bool(let flag): flag ? "true" : "false"
    case .null: "null"
    case .object, .array: nil
    }
  }
}

extension JSONValue: Hashable {
  /// Objects are equal whatever the order of their members; numbers when both are whole, or both are not, and their values
  /// are equal.
  public static func == (lhs: JSONValue, rhs: JSONValue) -> Bool {
    switch (lhs, rhs) {
    case (.null, .null): return true
    case (.bool(let lhs), .bool(let rhs)): return lhs == rhs
    case (.string(let lhs), .string(let rhs)): return lhs == rhs
    case (.array(let lhs), .array(let rhs)): return lhs == rhs
    case (.number(let one), .number(let other)):
      if one == other { return true }
      guard let number = Int(one) else { return Int(other) == nil && Double(one) == Double(other) }
      return number == Int(other)
    case (.object(let one), .object(let other)):
      guard one.count == other.count else { return false }
      // Each pair of values is compared once: a hostile object may be deep.
      let inOrder = zip(one, other).allSatisfy { $0.name.utf8.elementsEqual($1.name.utf8) }
      return inOrder ? one == other : sorted(one) == sorted(other)
    default: return false
    }
  }

  private static func sorted(_ members: [Member]) -> [Member] {
    members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  /// Equal values hash alike, whatever the order of their members and the spelling of their numbers.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let value): hasher.combine(value)
    case .string(let value): hasher.combine(value)
    case .array(let value): hasher.combine(value)
    case .number(let text): hasher.combine(Double(text))
    case .object(let members): hasher.combine(members.count)
    }
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
  /// `null`.
  public init(nilLiteral: ()) { self = .null }
  /// A string.
  public init(stringLiteral value: String) { self = .string(value) }
  /// A whole number.
  public init(integerLiteral value: Int) { self = .int(value) }
  /// A number.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// A truth value.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// An array.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  /// An object with its names sorted; of equal names the last one holds.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(Dictionary(elements, uniquingKeysWith: { $1 }))
  }
}
