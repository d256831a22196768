/// A strict reader of JSON (RFC 8259).
///
/// Ours, because a verdict must see exactly what the program behind it will see: names that stand twice are refused
/// (which one counts differs from library to library), nesting is bounded, lone surrogates are refused.
package struct JSONParser {
  /// Why a text is no JSON, and at which byte.
  package struct Failure: Error, Sendable, Hashable {
    package let problem: String
    package let offset: Int
  }

  /// Deep enough for every payload known, shallow enough for any stack.
  package static let maximumDepth = 32

  private let bytes: [UInt8]
  private var position = 0

  private init(bytes: [UInt8]) { self.bytes = bytes }

  /// Reads one value and nothing after it; the bytes must be UTF-8.
  package static func parse(_ bytes: [UInt8]) throws(Failure) -> JSONValue {
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw Failure(problem: "the text is not UTF-8", offset: 0)
    }
    var parser = Self(bytes: bytes)
    let value = try parser.value(depth: 0)
    parser.skipSpace()
    guard parser.position == bytes.count else { throw parser.failure("something follows the value") }
    return value
  }

  /// Reads one value and nothing after it.
  package static func parse(_ text: String) throws(Failure) -> JSONValue { try parse(Array(text.utf8)) }

  private func failure(_ problem: String) -> Failure { Failure(problem: problem, offset: position) }

  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = current, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard current == byte else { return false }
    position += 1
    return true
  }

  private mutating func value(depth: Int) throws(Failure) -> JSONValue {
    guard depth < Self.maximumDepth else { throw failure("nested too deeply") }
    skipSpace()
    switch current {
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try array(depth: depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case nil: throw failure("the text ends early")
    case let byte? where byte == UInt8(ascii: "-") || (0x30...0x39).contains(byte): return .number(try number())
    default: throw failure("no value starts here")
    }
  }

  private mutating func word(_ text: StaticString, _ value: JSONValue) throws(Failure) -> JSONValue {
    for byte in "\(text)".utf8 where !take(byte) { throw failure("no value starts here") }
    return value
  }

  private mutating func object(depth: Int) throws(Failure) -> JSONValue {
    position += 1
    var members: [JSONValue.Member] = []
    var names: Set<[UInt8]> = []
    skipSpace()
    if take(UInt8(ascii: "}")) { return .object([]) }
    while true {
      skipSpace()
      guard current == UInt8(ascii: "\"") else { throw failure("a name is missing") }
      let name = try string()
      guard names.insert(Array(name.utf8)).inserted else {
        throw failure("\"\(DisplayText.escaped(name, limit: 40))\" stands twice")
      }
      skipSpace()
      guard take(UInt8(ascii: ":")) else { throw failure("a colon is missing") }
      members.append(.init(name, try value(depth: depth + 1)))
      skipSpace()
      if take(UInt8(ascii: ",")) { continue }
      guard take(UInt8(ascii: "}")) else { throw failure("a comma or closing brace is missing") }
      return .object(members)
    }
  }

  private mutating func array(depth: Int) throws(Failure) -> JSONValue {
    position += 1
    var elements: [JSONValue] = []
    skipSpace()
    if take(UInt8(ascii: "]")) { return .array([]) }
    while true {
      elements.append(try value(depth: depth + 1))
      skipSpace()
      if take(UInt8(ascii: ",")) { continue }
      guard take(UInt8(ascii: "]")) else { throw failure("a comma or closing bracket is missing") }
      return .array(elements)
    }
  }

  private mutating func number() throws(Failure) -> String {
    let start = position
    _ = take(UInt8(ascii: "-"))
    if !take(UInt8(ascii: "0")) { try digits() }
    if take(UInt8(ascii: ".")) { try digits() }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      try digits()
    }
    if let byte = current, byte >= 0x30 && byte <= 0x39 { throw failure("a number starts with 0") }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func digits() throws(Failure) {
    let start = position
    while let byte = current, byte >= 0x30 && byte <= 0x39 { position += 1 }
    guard position > start else { throw failure("a digit is missing") }
  }

  private mutating func string() throws(Failure) -> String {
    position += 1
    var content: [UInt8] = []
    while let byte = current {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: content, as: UTF8.self)
      case UInt8(ascii: "\\"): content.append(contentsOf: try escape().utf8)
      case 0..<0x20: throw failure("a control character stands in a string")
      default: content.append(byte)
      }
    }
    throw failure("a string does not end")
  }

  private mutating func escape() throws(Failure) -> Character {
    guard let byte = current else { throw failure("a string does not end") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Character(Unicode.Scalar(byte))
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return Character(try unicodeEscape())
    default: throw failure("an unknown escape stands in a string")
    }
  }

  private mutating func unicodeEscape() throws(Failure) -> Unicode.Scalar {
    let first = try hexadecimal()
    if let scalar = Unicode.Scalar(first) { return scalar }
    // A high surrogate needs its low one.
    guard first < 0xDC00, take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
      throw failure("half a surrogate pair stands in a string")
    }
    let second = try hexadecimal()
    guard (0xDC00...0xDFFF).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else { throw failure("half a surrogate pair stands in a string") }
    return scalar
  }

  private mutating func hexadecimal() throws(Failure) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = current, let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
        throw failure("four hexadecimal digits are missing")
      }
      value = value << 4 | UInt32(digit)
      position += 1
    }
    return value
  }
}
