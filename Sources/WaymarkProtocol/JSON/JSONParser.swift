/// Why a line is not JSON.
package struct JSONSyntaxError: Error, Hashable {
  /// What is wrong.
  package let problem: String
  /// Where, in bytes from the start.
  package let offset: Int
}

/// A strict reader of RFC 8259 for hostile input: bounded depth, no recursion beyond it, valid UTF-8 only.
package struct JSONParser {
  /// Arrays and objects may lie this deep in each other.
  package static let maximumDepth = 32

  private let bytes: UnsafeBufferPointer<UInt8>
  private var at = 0
  private var depth = 0

  /// The value that `bytes` hold, and nothing besides it but white space.
  package static func parse(_ bytes: some Sequence<UInt8>) throws(JSONSyntaxError) -> JSONValue {
    let result = bytes.withContiguousStorageIfAvailable { storage in
      var parser = JSONParser(bytes: storage)
      return Result { () throws(JSONSyntaxError) in try parser.document() }
    }
    if let result { return try result.get() }
    return try parse(Array(bytes))
  }

  private init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  private mutating func document() throws(JSONSyntaxError) -> JSONValue {
    skipSpace()
    let value = try value()
    skipSpace()
    guard at == bytes.count else { throw error("something stands behind the value") }
    return value
  }

  private func error(_ problem: String) -> JSONSyntaxError { JSONSyntaxError(problem: problem, offset: at) }

  private mutating func skipSpace() {
    while at < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[at]) { at += 1 }
  }

  private var next: UInt8? { at < bytes.count ? bytes[at] : nil }

  private mutating func value() throws(JSONSyntaxError) -> JSONValue {
    switch next {
    case UInt8(ascii: "{"): return try object()
    case UInt8(ascii: "["): return try array()
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case UInt8(ascii: "-"): return try number()
    case nil: throw error("it ends too soon")
    case let byte? where byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9"): return try number()
    default: throw error("no value starts like this")
    }
  }

  private mutating func word(_ text: StaticString, _ value: JSONValue) throws(JSONSyntaxError) -> JSONValue {
    let wanted = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    guard bytes[at...].starts(with: wanted) else { throw error("no value starts like this") }
    at += wanted.count
    return value
  }

  private mutating func enter() throws(JSONSyntaxError) {
    depth += 1
    guard depth <= Self.maximumDepth else { throw error("it is nested deeper than \(Self.maximumDepth)") }
    at += 1
    skipSpace()
  }

  private mutating func leave() {
    depth -= 1
    at += 1
  }

  private mutating func array() throws(JSONSyntaxError) -> JSONValue {
    try enter()
    var elements: [JSONValue] = []
    if next == UInt8(ascii: "]") {
      leave()
      return .array(elements)
    }
    while true {
      elements.append(try value())
      if try ends(with: UInt8(ascii: "]")) { return .array(elements) }
    }
  }

  private mutating func object() throws(JSONSyntaxError) -> JSONValue {
    try enter()
    var members: [String: JSONValue] = [:]
    if next == UInt8(ascii: "}") {
      leave()
      return .object(members)
    }
    while true {
      guard next == UInt8(ascii: "\"") else { throw error("a key is missing") }
      let key = try string()
      skipSpace()
      guard next == UInt8(ascii: ":") else { throw error("a colon is missing") }
      at += 1
      skipSpace()
      let value = try value()
      guard members.updateValue(value, forKey: key) == nil else { throw error("a key stands twice") }
      if try ends(with: UInt8(ascii: "}")) { return .object(members) }
    }
  }

  /// Goes over a comma (false) or the closing `bracket` (true).
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

  private mutating func number() throws(JSONSyntaxError) -> JSONValue {
    let start = at
    if next == UInt8(ascii: "-") { at += 1 }
    if next == UInt8(ascii: "0") { at += 1 } else { try digits() }
    var isWhole = true
    if next == UInt8(ascii: ".") {
      isWhole = false
      at += 1
      try digits()
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      isWhole = false
      at += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { at += 1 }
      try digits()
    }
    let text = String(decoding: bytes[start..<at], as: UTF8.self)
    if isWhole, let value = Int(text) { return .int(value) }
    guard let value = Double(text), value.isFinite else { throw error("the number is out of range") }
    return .double(value)
  }

  private mutating func string() throws(JSONSyntaxError) -> String {
    at += 1
    let start = at
    while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { at += 1 }
    if next == UInt8(ascii: "\"") {
      defer { at += 1 }
      return try utf8(Array(bytes[start..<at]))
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
      case 0..<0x20: throw error("a control character stands in a string")
      default:
        text.append(byte)
        at += 1
      }
    }
    throw error("a string does not end")
  }

  private func utf8(_ bytes: [UInt8]) throws(JSONSyntaxError) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw error("a string is not valid UTF-8") }
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
      var code = try hex()
      if code & 0xFC00 == 0xD800 {
        guard next == UInt8(ascii: "\\"), at + 1 < bytes.count, bytes[at + 1] == UInt8(ascii: "u") else {
          throw error("half of a surrogate pair")
        }
        at += 2
        let low = try hex()
        guard low & 0xFC00 == 0xDC00 else { throw error("half of a surrogate pair") }
        code = 0x10000 + (code & 0x3FF) << 10 + (low & 0x3FF)
      }
      guard let scalar = Unicode.Scalar(code) else { throw error("half of a surrogate pair") }
      text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    default: throw error("no such escape")
    }
  }

  private mutating func hex() throws(JSONSyntaxError) -> UInt32 {
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
