/// Reads JSON (RFC 8259) into nodes that know their lines.
///
/// Foundation's reader keeps no places, and a problem list without lines is of little use in a file of thousands.
struct JSONSource {
  private let bytes: [UInt8]
  private var index = 0
  private var line = 1
  private var lineStart = 0
  private var budget = SceneLimits.nodes

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  static func parse(_ bytes: [UInt8]) throws(SourceError) -> SourceNode {
    var reader = JSONSource(bytes)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { reader.index = 3 }
    reader.skipSpace()
    let node = try reader.value(depth: 0)
    reader.skipSpace()
    guard reader.index == bytes.count else { throw reader.failure("something follows the end of the document") }
    return node
  }

  private var mark: SourceMark { SourceMark(line: line, column: index - lineStart + 1) }

  private func failure(_ message: String, code: String = "badJSON", hint: String = "correct the JSON") -> SourceError {
    SourceError(mark: mark, code: code, message: message, hint: hint)
  }

  private mutating func skipSpace() {
    while index < bytes.count {
      switch bytes[index] {
      case 0x20, 0x09, 0x0D: index += 1
      case 0x0A:
        index += 1
        line += 1
        lineStart = index
      default: return
      }
    }
  }

  private mutating func value(depth: Int) throws(SourceError) -> SourceNode {
    budget -= 1
    guard budget > 0 else {
      throw failure("more than \(SceneLimits.nodes) values", code: "tooLarge", hint: "split the file")
    }
    guard depth < SceneLimits.depth else {
      throw failure("nested more than \(SceneLimits.depth) deep", code: "tooDeep", hint: "flatten the file")
    }
    guard index < bytes.count else { throw failure("the document ends too early") }
    let start = mark
    switch bytes[index] {
    case UInt8(ascii: "{"): return SourceNode(mark: start, value: .map(try object(depth: depth)))
    case UInt8(ascii: "["): return SourceNode(mark: start, value: .list(try array(depth: depth)))
    case UInt8(ascii: "\""):
      let text = try string()
      return SourceNode(mark: start, value: .text(text), written: text)
    default: return try word(start)
    }
  }

  private mutating func object(depth: Int) throws(SourceError) -> [SourceNode.Entry] {
    index += 1
    var entries: [SourceNode.Entry] = []
    skipSpace()
    if take("}") { return entries }
    while true {
      skipSpace()
      let keyMark = mark
      guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { throw failure("a key in quotes is missing") }
      let key = try string()
      skipSpace()
      guard take(":") else { throw failure("':' is missing after the key '\(key.prefix(40))'") }
      skipSpace()
      entries.append(SourceNode.Entry(key: key, mark: keyMark, node: try value(depth: depth + 1)))
      skipSpace()
      if take("}") { return entries }
      guard take(",") else { throw failure("',' or '}' is missing") }
    }
  }

  private mutating func array(depth: Int) throws(SourceError) -> [SourceNode] {
    index += 1
    var list: [SourceNode] = []
    skipSpace()
    if take("]") { return list }
    while true {
      skipSpace()
      list.append(try value(depth: depth + 1))
      skipSpace()
      if take("]") { return list }
      guard take(",") else { throw failure("',' or ']' is missing") }
    }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  private mutating func word(_ start: SourceMark) throws(SourceError) -> SourceNode {
    let run = bytes[index...].prefix { !" \t\r\n,]}:[{\"".utf8.contains($0) }
    let text = String(decoding: run, as: UTF8.self)
    let value: SourceNode.Value
    switch text {
    case "null": value = .null
    case "true": value = .bool(true)
    case "false": value = .bool(false)
    // Not JSON, but what careless writers put there; the field's own check names it.
    case "NaN": value = .number(.nan)
    case "Infinity", "-Infinity": value = .number(text == "Infinity" ? .infinity : -.infinity)
    default:
      guard let first = run.first, first == UInt8(ascii: "-") || (first >= 0x30 && first <= 0x39),
        run.allSatisfy({ ($0 >= 0x30 && $0 <= 0x39) || "+-.eE".utf8.contains($0) }), let number = Double(text)
      else { throw failure("'\(text.prefix(40))' is no JSON value") }
      value = .number(number)
    }
    index = run.endIndex
    return SourceNode(mark: start, value: value, written: text)
  }

  private mutating func string() throws(SourceError) -> String {
    index += 1
    var out: [UInt8] = []
    while true {
      let run = bytes[index...].prefix { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") && $0 >= 0x20 }
      out.append(contentsOf: run)
      index = run.endIndex
      guard index < bytes.count else { throw failure("a text is not closed") }
      switch bytes[index] {
      case UInt8(ascii: "\""):
        index += 1
        guard let text = String(validating: out, as: UTF8.self) else {
          throw failure("a text is not UTF-8", hint: "save the file as UTF-8")
        }
        return text
      case UInt8(ascii: "\\"): try escape(into: &out)
      default: throw failure("a control character stands in a text")
      }
    }
  }

  private mutating func escape(into out: inout [UInt8]) throws(SourceError) {
    guard index + 1 < bytes.count else { throw failure("a text is not closed") }
    let byte = bytes[index + 1]
    index += 2
    switch byte {
    case UInt8(ascii: "n"): out.append(0x0A)
    case UInt8(ascii: "t"): out.append(0x09)
    case UInt8(ascii: "r"): out.append(0x0D)
    case UInt8(ascii: "b"): out.append(0x08)
    case UInt8(ascii: "f"): out.append(0x0C)
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): out.append(byte)
    case UInt8(ascii: "u"):
      var code = try hex4()
      if (0xD800..<0xDC00).contains(code) {
        guard index + 1 < bytes.count, bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u") else {
          throw failure("half a surrogate pair")
        }
        index += 2
        let low = try hex4()
        guard (0xDC00..<0xE000).contains(low) else { throw failure("half a surrogate pair") }
        code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
      }
      guard let scalar = Unicode.Scalar(code) else { throw failure("half a surrogate pair") }
      out.append(contentsOf: String(Character(scalar)).utf8)
    default: throw failure("an unknown escape in a text")
    }
  }

  private mutating func hex4() throws(SourceError) -> UInt32 {
    guard index + 4 <= bytes.count,
      let code = UInt32(String(decoding: bytes[index..<index + 4], as: UTF8.self), radix: 16)
    else { throw failure("four hexadecimal digits are missing after '\\u'") }
    index += 4
    return code
  }
}
