/// Any JSON value (RFC 8259). Objects keep the order of their members and numbers their notation, so that values such
/// as `context` are passed on unchanged. The file also has the rules, positions, errors and trees of `JSONParser`.
public enum JSONValue: Sendable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// The text of a number (RFC 8259, section 6), such as `4e3`. Writing any other text fails.
  case number(String)
  /// The text of a string, without quotes and escapes.
  case string(String)
  /// The elements of an array, in their order.
  case array([JSONValue])
  /// The members of an object, in their order; each name occurs once.
  case object([Member])

  /// A member of an object.
  public struct Member: Hashable, Sendable {
    /// The name, without quotes and escapes.
    public var name: String
    /// The value, of any JSON type.
    public var value: JSONValue

    /// Creates a member from its name and value.
    public init(_ name: String, _ value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  /// Returns a number in decimal digits.
  public static func int(_ value: Int) -> JSONValue { .number(String(value)) }

  /// Returns a number in the shortest notation that reads back as the same number. Writing a number that is not finite fails.
  public static func double(_ value: Double) -> JSONValue { .number(value.description) }

  /// Returns an object with its members sorted by name.
  public static func object(_ members: [String: JSONValue]) -> JSONValue {
    .object(members.sorted { $0.key < $1.key }.map { Member($0.key, $0.value) })
  }

  /// The value of a member; nil if this is not an object or has no such member. Names are compared scalar by scalar, not by
  /// canonical equivalence.
  public subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
  }

  /// The value at a path such as `server.address`; a member whose name contains the dots takes precedence.
  package func value(at path: String) -> JSONValue? {
    if let direct = self[path] { return direct }
    guard let dot = path.firstIndex(of: ".") else { return nil }
    return self[String(path[..<dot])]?.value(at: String(path[path.index(after: dot)...]))
  }

  /// The string; `nil` for another value.
  public var string: String? {
    if case .string(let value) = self { value } else { nil }
  }

  /// The integer, if it is written without fraction and exponent and fits into 64 bits; otherwise `nil`.
  public var int: Int? {
    if case .number(let text) = self { Int(text) } else { nil }
  }

  /// The number; `nil` for another value.
  public var double: Double? {
    if case .number(let text) = self { Double(text) } else { nil }
  }

  /// The Boolean value; `nil` for another value.
  public var bool: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// The elements of an array; `nil` for another value.
  public var array: [JSONValue]? {
    if case .array(let value) = self { value } else { nil }
  }

  /// The members of an object in their order; `nil` for another value.
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

  /// The text of a scalar as a field shows it; `nil` for objects and arrays.
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
  /// Returns whether values are equal: objects regardless of the order of members, numbers by value. An integer never equals a
  /// number with fraction or exponent.
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

  /// Hashes the value. The hash depends neither on the order of members nor on the notation of numbers. Of an object, only the number
  /// of members is hashed.
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
  /// Creates `null`.
  public init(nilLiteral: ()) { self = .null }
  /// The literal is the text itself; it is not parsed as JSON.
  public init(stringLiteral value: String) { self = .string(value) }
  /// Creates a number in decimal digits.
  public init(integerLiteral value: Int) { self = .int(value) }
  /// Creates a number in the shortest notation that reads back as the same number.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// Creates `true` or `false`.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// Creates an array.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  /// Creates an object with its members sorted by name; of equal names the last is used.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(Dictionary(elements, uniquingKeysWith: { $1 }))
  }
}

// MARK: - Parsing

/// A position in a JSON text.
package struct JSONPosition: Hashable, Sendable {
  /// The offset from the start, in bytes.
  package var offset: Int
  /// The line, from 1.
  package var line: Int
  /// The column in bytes, from 1.
  package var column: Int
}

/// The error for a text that is not valid JSON.
package struct JSONSyntaxError: Error, Hashable, Sendable {
  /// A stable camelCase word: `badJSON`, `notUTF8`, `duplicateKey`, `tooDeep`, `tooLarge`.
  package let code: String
  /// The problem in words, without its position.
  package let problem: String
  /// The position of the error.
  package let position: JSONPosition

  /// The offset of the error from the start, in bytes.
  package var offset: Int { position.offset }
}

/// The extensions beyond RFC 8259 that are accepted, and the limits.
package struct JSONRules: Sendable {
  /// The greatest nesting of arrays and objects.
  package var depth: Int
  /// The greatest number of values.
  package var values: Int
  /// True if `NaN`, `Infinity` and `-Infinity` are numbers, so that the reader of a field can report them.
  package var allowsNonFinite: Bool
  /// True to accept a byte order mark at the beginning, which RFC 8259 section 8.1 leaves to the reader.
  package var allowsByteOrderMark: Bool

  /// Creates rules; the defaults follow RFC 8259, with at most 32 levels.
  package init(
    depth: Int = 32, values: Int = .max, allowsNonFinite: Bool = false, allowsByteOrderMark: Bool = false
  ) {
    self.depth = depth
    self.values = values
    self.allowsNonFinite = allowsNonFinite
    self.allowsByteOrderMark = allowsByteOrderMark
  }
}

/// One parsed value, whose elements or members have been converted to `Tree`.
package enum JSONShape<Tree> {
  /// A member of an object.
  package struct NamedShape {
    package let name: String
    package let position: JSONPosition
    package let value: Tree
  }

  case null
  case bool(Bool)
  /// A number in its original notation.
  case number(String)
  case string(String)
  case array([Tree])
  /// The members of an object, in their order; each name occurs once.
  case object([NamedShape])
}

/// A tree that the parser can build: `JSONValue`, or a tree that keeps positions.
package protocol JSONTree {
  /// Creates the tree of one value, whose inner values are trees already.
  init(_ shape: JSONShape<Self>, at position: JSONPosition)
}

extension JSONValue: JSONTree {
  package init(_ shape: JSONShape<JSONValue>, at position: JSONPosition) {
    switch shape {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .number(let text): self = .number(text)
    case .string(let text): self = .string(text)
    case .array(let elements): self = .array(elements)
    case .object(let members): self = .object(members.map { Member($0.name, $0.value) })
    }
  }
}
