/// A JSON value (RFC 8259). Numbers keep their spelling, objects their order, and no name stands twice in one object.
package indirect enum JSONValue: Sendable, Hashable {
  case object([Member])
  case array([JSONValue])
  case string(String)
  case number(String)
  case bool(Bool)
  case null

  /// A name and its value.
  package struct Member: Sendable, Hashable {
    package var name: String
    package var value: JSONValue

    package init(_ name: String, _ value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  /// The member of that name, when this is an object that has it. Names are compared scalar by scalar, not by
  /// canonical equivalence: two spellings of one word are two names.
  package subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name.unicodeScalars.elementsEqual(name.unicodeScalars) }?.value
  }

  /// The value behind a path such as `server.address`; a name that itself holds the dots wins.
  package func value(at path: String) -> JSONValue? {
    if let direct = self[path] { return direct }
    guard let dot = path.firstIndex(of: ".") else { return nil }
    return self[String(path[..<dot])]?.value(at: String(path[path.index(after: dot)...]))
  }

  /// The text of a string.
  package var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The elements of an array.
  package var array: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The members of an object.
  package var members: [Member]? {
    if case .object(let members) = self { members } else { nil }
  }

  /// The value of a number that a double can hold.
  package var double: Double? {
    if case .number(let text) = self { Double(text) } else { nil }
  }

  /// The value of a number written as a whole one.
  package var integer: Int? {
    if case .number(let text) = self { Int(text) } else { nil }
  }

  /// A scalar as a field shows it; nil for objects and arrays.
  package var scalarText: String? {
    switch self {
    case .string(let text), .number(let text): text
    case .bool(let flag): flag ? "true" : "false"
    case .null: "null"
    case .object, .array: nil
    }
  }
}
