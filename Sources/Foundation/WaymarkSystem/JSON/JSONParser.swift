/// Parses untrusted JSON texts (RFC 8259): bounded depth, valid UTF-8, unique names in an object. `JSONReader` below is the state
/// of one parse.
///
/// Texts that libraries read differently are refused, because a verdict must not depend on the library: two equal names, an
/// unpaired surrogate, a number out of range. Names are compared scalar by scalar, after decoding escapes, not by canonical
/// equivalence.
package enum JSONParser {
  /// Parses one value; only white space may surround it.
  package static func parse(_ bytes: some Sequence<UInt8>) throws(JSONSyntaxError) -> JSONValue {
    try tree(bytes, as: JSONValue.self)
  }

  /// Parses one value; only white space may surround it.
  package static func parse(_ text: String) throws(JSONSyntaxError) -> JSONValue { try parse(text.utf8) }

  /// Parses one value, as `parse` does, to a tree of the given type, with the given rules.
  package static func tree<Tree: JSONTree>(
    _ bytes: some Sequence<UInt8>, as type: Tree.Type, rules: JSONRules = JSONRules()
  ) throws(JSONSyntaxError) -> Tree {
    let result = bytes.withContiguousStorageIfAvailable { storage in
      var reader = JSONReader<Tree>(bytes: storage, rules: rules)
      return Result { () throws(JSONSyntaxError) in try reader.document() }
    }
    if let result { return try result.get() }
    return try tree(Array(bytes), as: type, rules: rules)
  }
}

/// The state of one parse.
private struct JSONReader<Tree: JSONTree> {
  private let bytes: UnsafeBufferPointer<UInt8>
  private let rules: JSONRules
  private var at = 0
  private var depth = 0
  private var values = 0
  private var line = 1
  private var lineStart = 0

  init(bytes: UnsafeBufferPointer<UInt8>, rules: JSONRules) {
    self.bytes = bytes
    self.rules = rules
  }

  mutating func document() throws(JSONSyntaxError) -> Tree {
    if rules.allowsByteOrderMark, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
    skipSpace()
    let value = try value()
    skipSpace()
    guard at == bytes.count else { throw error("something follows the value") }
    return value
  }

  private var position: JSONPosition { JSONPosition(offset: at, line: line, column: at - lineStart + 1) }

  private func error(
    _ problem: String, code: String = "badJSON", at position: JSONPosition? = nil
  ) -> JSONSyntaxError {
    JSONSyntaxError(code: code, problem: problem, position: position ?? self.position)
  }

  private mutating func skipSpace() {
    while at < bytes.count {
      switch bytes[at] {
      case 0x20, 0x09, 0x0D: at += 1
      case 0x0A:
        at += 1
        line += 1
        lineStart = at
      default: return
      }
    }
  }

  private var next: UInt8? { at < bytes.count ? bytes[at] : nil }

  private mutating func value() throws(JSONSyntaxError) -> Tree {
    values += 1
    guard values <= rules.values else { throw error("there are more than \(rules.values) values", code: "tooLarge") }
    let start = position
    let shape: JSONShape<Tree>
    switch next {
    case UInt8(ascii: "{"): shape = .object(try object())
    case UInt8(ascii: "["): shape = .array(try array())
    case UInt8(ascii: "\""): shape = .string(try string())
    case UInt8(ascii: "t"): shape = try word("true", .bool(true))
    case UInt8(ascii: "f"): shape = try word("false", .bool(false))
    case UInt8(ascii: "n"): shape = try word("null", .null)
    case UInt8(ascii: "N") where rules.allowsNonFinite: shape = try word("NaN", .number("nan"))
    case UInt8(ascii: "I") where rules.allowsNonFinite: shape = try word("Infinity", .number("inf"))
    case UInt8(ascii: "-"):
      let isInfinite = rules.allowsNonFinite && at + 1 < bytes.count && bytes[at + 1] == UInt8(ascii: "I")
      shape = isInfinite ? try word("-Infinity", .number("-inf")) : .number(try number())
    case nil: throw error("the text ends early")
    case let byte? where byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9"): shape = .number(try number())
    default: throw error("no value starts here")
    }
    return Tree(shape, at: start)
  }

  private mutating func word(
    _ text: StaticString, _ shape: JSONShape<Tree>
  ) throws(JSONSyntaxError) -> JSONShape<Tree> {
    let wanted = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    guard bytes[at...].starts(with: wanted) else { throw error("no value starts here") }
    at += wanted.count
    return shape
  }

  private mutating func enter() throws(JSONSyntaxError) {
    depth += 1
    guard depth <= rules.depth else { throw error("it is nested more than \(rules.depth) deep", code: "tooDeep") }
    at += 1
    skipSpace()
  }

  private mutating func leave() {
    depth -= 1
    at += 1
  }

  private mutating func array() throws(JSONSyntaxError) -> [Tree] {
    try enter()
    var elements: [Tree] = []
    if next == UInt8(ascii: "]") {
      leave()
      return elements
    }
    while true {
      elements.append(try value())
      if try ends(with: UInt8(ascii: "]")) { return elements }
    }
  }

  private mutating func object() throws(JSONSyntaxError) -> [JSONShape<Tree>.NamedShape] {
    try enter()
    var members: [JSONShape<Tree>.NamedShape] = []
    var names = JSONNameSet()
    if next == UInt8(ascii: "}") {
      leave()
      return members
    }
    while true {
      guard next == UInt8(ascii: "\"") else { throw error("a name in quotes is missing") }
      let start = position
      let name = try string()
      guard names.insert(name) else {
        // A name is shown only if it is short and safe on a terminal.
        let isPlain = name.utf8.count <= 40 && name.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
        let shown = isPlain ? " \(JSONValue.quoted(name))" : ""
        throw error("the name\(shown) occurs twice in one object", code: "duplicateKey", at: start)
      }
      skipSpace()
      guard next == UInt8(ascii: ":") else { throw error("a colon is missing") }
      at += 1
      skipSpace()
      members.append(.init(name: name, position: start, value: try value()))
      if try ends(with: UInt8(ascii: "}")) { return members }
    }
  }

  /// Skips the closing `bracket` or a comma; returns true if it was the bracket.
  private mutating func ends(with bracket: UInt8) throws(JSONSyntaxError) -> Bool {
    skipSpace()
    switch next {
    case bracket:
      leave()
      return true
    case UInt8(ascii: ","):
      at += 1
      skipSpace()
      return false
    default: throw error("a comma or a closing bracket is missing")
    }
  }

  private mutating func digits() throws(JSONSyntaxError) {
    let start = at
    while let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { at += 1 }
    guard at > start else { throw error("a digit is missing") }
  }

  private mutating func number() throws(JSONSyntaxError) -> String {
    let start = at
    if next == UInt8(ascii: "-") { at += 1 }
    if next == UInt8(ascii: "0") { at += 1 } else { try digits() }
    if next == UInt8(ascii: ".") {
      at += 1
      try digits()
    }
    var hasExponent = false
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      hasExponent = true
      at += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { at += 1 }
      try digits()
    }
    if let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
      throw error("a number has a leading zero")
    }
    let text = String(decoding: bytes[start..<at], as: UTF8.self)
    // Without an exponent, up to 300 characters are always within the range of a double.
    if hasExponent || text.utf8.count > 300 {
      guard let value = Double(text), value.isFinite else { throw error("the number is out of range") }
    }
    return text
  }

  private mutating func string() throws(JSONSyntaxError) -> String {
    let opening = position
    at += 1
    let start = at
    while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { at += 1 }
    if next == UInt8(ascii: "\"") {
      defer { at += 1 }
      return try utf8(UnsafeBufferPointer(rebasing: bytes[start..<at]))
    }
    var text = Array(bytes[start..<at])
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        at += 1
        return try utf8(text)
      case UInt8(ascii: "\\"):
        at += 1
        try escape(into: &text)
      case 0..<0x20: throw error("a string contains a control character")
      default:
        text.append(byte)
        at += 1
      }
    }
    throw error("a string does not end", at: opening)
  }

  private func utf8(_ bytes: some Collection<UInt8>) throws(JSONSyntaxError) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw error("a string is not valid UTF-8", code: "notUTF8")
    }
    return text
  }

  private mutating func escape(into text: inout [UInt8]) throws(JSONSyntaxError) {
    guard let byte = next else { throw error("a string does not end") }
    at += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"):
      var code = try hexadecimal()
      if code & 0xFC00 == 0xD800 {
        guard next == UInt8(ascii: "\\"), at + 1 < bytes.count, bytes[at + 1] == UInt8(ascii: "u") else {
          throw error("a string contains half of a surrogate pair")
        }
        at += 2
        let low = try hexadecimal()
        guard low & 0xFC00 == 0xDC00 else { throw error("a string contains half of a surrogate pair") }
        code = 0x10000 + (code & 0x3FF) << 10 + (low & 0x3FF)
      }
      guard let scalar = Unicode.Scalar(code) else { throw error("a string contains half of a surrogate pair") }
      text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    default: throw error("a string contains an unknown escape")
    }
  }

  private mutating func hexadecimal() throws(JSONSyntaxError) -> UInt32 {
    var code: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw error("four hexadecimal digits are missing")
      }
      code = code << 4 | UInt32(digit)
      at += 1
    }
    return code
  }
}

/// The names of one object: in an array below 16 names, then in a set.
private struct JSONNameSet {
  private var few: [String] = []
  private var many: Set<[UInt8]> = []

  /// Inserts a name; returns whether it is new.
  mutating func insert(_ name: String) -> Bool {
    if many.isEmpty {
      if few.contains(where: { $0.utf8.elementsEqual(name.utf8) }) { return false }
      few.append(name)
      if few.count == 16 { many = Set(few.map { Array($0.utf8) }) }
      return true
    }
    return many.insert(Array(name.utf8)).inserted
  }
}
