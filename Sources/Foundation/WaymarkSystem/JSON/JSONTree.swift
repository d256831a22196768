/// A place in a text.
package struct JSONPosition: Hashable, Sendable {
  /// In bytes from the start.
  package var offset: Int
  /// From 1.
  package var line: Int
  /// In bytes, from 1.
  package var column: Int
}

/// Why a text is not JSON.
package struct JSONSyntaxError: Error, Hashable, Sendable {
  /// A stable camelCase word: `badJSON`, `notUTF8`, `duplicateKey`, `tooDeep`, `tooLarge`.
  package let code: String
  /// The problem.
  package let problem: String
  /// Where.
  package let position: JSONPosition

  /// Where, in bytes from the start.
  package var offset: Int { position.offset }
}

/// The extensions beyond RFC 8259 that are accepted, and the limits.
package struct JSONRules: Sendable {
  /// Arrays and objects may be nested this deep.
  package var depth: Int
  /// So many values may there be in all.
  package var values: Int
  /// True if `NaN`, `Infinity` and `-Infinity` are numbers: careless writers put them into files, and whoever reads the
  /// field can say more than "not JSON".
  package var allowsNonFinite: Bool
  /// True if a byte order mark may come first; RFC 8259 section 8.1 leaves that to the reader.
  package var allowsByteOrderMark: Bool

  /// The rules of RFC 8259 for what strangers send.
  package init(
    depth: Int = 32, values: Int = .max, allowsNonFinite: Bool = false, allowsByteOrderMark: Bool = false
  ) {
    self.depth = depth
    self.values = values
    self.allowsNonFinite = allowsNonFinite
    self.allowsByteOrderMark = allowsByteOrderMark
  }
}

/// One value as the parser sees it, with the tree made of the values within.
package enum JSONShape<Tree> {
  /// A member of an object.
  package struct NamedShape {
    package let name: String
    package let position: JSONPosition
    package let value: Tree
  }

  case null
  case bool(Bool)
  /// A number as it is spelled.
  case number(String)
  case string(String)
  case array([Tree])
  /// No name stands in it twice.
  case object([NamedShape])
}

/// A result that a parser can make of a text: `JSONValue`, or a tree that keeps positions.
package protocol JSONTree {
  /// The tree of one value; those within have been made already.
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
