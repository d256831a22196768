/// Writes one JSON text. Floating-point numbers are rounded by `number`, and refused if they are not finite.
@usableFromInline
package struct JSONWriter: Sendable {
  /// The bytes written so far.
  @usableFromInline package var bytes: [UInt8] = []

  package init(capacity: Int = 512) { bytes.reserveCapacity(capacity) }

  /// Writes characters that need no escaping.
  @inlinable
  package mutating func raw(_ text: StaticString) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Writes an ASCII character.
  @inlinable
  package mutating func byte(_ character: Unicode.Scalar) { bytes.append(UInt8(truncatingIfNeeded: character.value)) }

  /// Writes a string with its quotes.
  package mutating func string(_ text: String) {
    byte("\"")
    var text = text
    text.withUTF8 { utf8 in
      var from = 0
      for at in 0..<utf8.count where utf8[at] < 0x20 || utf8[at] == 0x22 || utf8[at] == 0x5C || utf8[at] == 0x7F {
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[from..<at]))
        escape(utf8[at])
        from = at + 1
      }
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[from...]))
    }
    byte("\"")
  }

  private mutating func escape(_ character: UInt8) {
    switch character {
    case 0x22: raw("\\\"")
    case 0x5C: raw("\\\\")
    case 0x0A: raw("\\n")
    case 0x0D: raw("\\r")
    case 0x09: raw("\\t")
    default:
      raw("\\u00")
      for digit in [character >> 4, character & 15] {
        bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
      }
    }
  }

  /// Writes a whole number.
  @inlinable
  package mutating func integer(_ value: some BinaryInteger) {
    if let small = Int64(exactly: value), small > .min {
      if small < 0 { byte("-") }
      digits(small.magnitude)
    } else {
      bytes.append(contentsOf: String(value).utf8)
    }
  }

  @usableFromInline
  mutating func digits(_ value: UInt64, atLeast width: Int = 1) {
    var buffer: InlineArray<20, UInt8> = InlineArray(repeating: UInt8(ascii: "0"))
    var rest = value
    var count = 0
    while rest > 0 || count < width {
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      buffer[count] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
      rest = quotient
      count += 1
    }
    while count > 0 {
      count -= 1
      bytes.append(buffer[count])
    }
  }

  /// Writes a value with its members in their order and its numbers as written, not rounded.
  ///
  /// - Returns: false if a number in the value is not valid JSON; `null` is written instead of such a number.
  @discardableResult
  package mutating func value(_ value: JSONValue) -> Bool { self.value(value, depth: nil) }

  /// - Parameter depth: the number of open levels, to write each element and member on its own line; `nil` for compact JSON.
  private mutating func value(_ value: JSONValue, depth: Int?) -> Bool {
    switch value {
    case .null: raw("null")
    case .bool(let value): value ? raw("true") : raw("false")
    case .number(let text):
      guard Self.isNumber(text) else {
        raw("null")
        return false
      }
      bytes.append(contentsOf: text.utf8)
    case .string(let text): string(text)
    case .array(let elements):
      var isGood = true
      byte("[")
      for (index, element) in elements.enumerated() {
        if index > 0 { byte(",") }
        line(depth.map { $0 + 1 })
        if !self.value(element, depth: depth.map { $0 + 1 }) { isGood = false }
      }
      if !elements.isEmpty { line(depth) }
      byte("]")
      return isGood
    case .object(let members):
      var isGood = true
      byte("{")
      for (index, member) in members.enumerated() {
        if index > 0 { byte(",") }
        line(depth.map { $0 + 1 })
        string(member.name)
        byte(":")
        if depth != nil { byte(" ") }
        if !self.value(member.value, depth: depth.map { $0 + 1 }) { isGood = false }
      }
      if !members.isEmpty { line(depth) }
      byte("}")
      return isGood
    }
    return true
  }

  /// Writes the value with each element and member on its own line, indented by two spaces per level.
  fileprivate mutating func indented(_ value: JSONValue) { _ = self.value(value, depth: 0) }

  private mutating func line(_ depth: Int?) {
    guard let depth else { return }
    byte("\n")
    for _ in 0..<depth { raw("  ") }
  }

  /// Returns whether a text is a number by RFC 8259, section 6.
  private static func isNumber(_ text: String) -> Bool {
    var rest = text.utf8[...]
    func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
    func digits() -> Bool {
      let run = rest.prefix(while: isDigit)
      rest = rest[run.endIndex...]
      return !run.isEmpty
    }
    if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
    if rest.first == UInt8(ascii: "0") { rest = rest.dropFirst() } else if !digits() { return false }
    if rest.first == UInt8(ascii: ".") {
      rest = rest.dropFirst()
      if !digits() { return false }
    }
    if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
      rest = rest.dropFirst()
      if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
      if !digits() { return false }
    }
    return rest.isEmpty
  }

  /// The first number whose millionths need more than 53 bits.
  private static let largestRounded = 0x1p53 / 1e6

  /// Writes a number with six decimals from 1 on, nine below 1, and all digits below 0.0001. This is enough for microseconds, and
  /// far more exact than pixels, angles and lengths. From 9e9 on, where six decimals need more than 53 bits, writes the shortest
  /// text that reads back as the same number.
  ///
  /// - Returns: false if the number is not finite, in which case nothing is written.
  package mutating func number(_ value: Double) -> Bool {
    let size = value.magnitude
    guard size.isFinite else { return false }
    guard size < Self.largestRounded, size >= 1e-4 || size == 0 else {
      var text = value.description
      // Whole numbers are written without a fraction.
      if size < 1e12, text.hasSuffix(".0") { text.removeLast(2) }
      bytes.append(contentsOf: text.utf8)
      return true
    }
    let decimals = size < 1 ? 9 : 6
    let unit: UInt64 = size < 1 ? 1_000_000_000 : 1_000_000
    let scaled = UInt64((size * Double(unit)).rounded())
    if value < 0, scaled > 0 { byte("-") }
    var (whole, fraction) = scaled.quotientAndRemainder(dividingBy: unit)
    digits(whole)
    guard fraction > 0 else { return true }
    var width = decimals
    while true {
      (whole, _) = fraction.quotientAndRemainder(dividingBy: 10)
      guard whole * 10 == fraction else { break }
      fraction = whole
      width -= 1
    }
    byte(".")
    digits(fraction, atLeast: width)
    return true
  }
}

extension JSONValue {
  /// The value as compact JSON: no spaces, members in their order.
  package var compactText: String {
    var writer = JSONWriter(capacity: 64)
    writer.value(self)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// The value for people: each element and member on its own line, indented by two spaces per level.
  package var indentedText: String {
    var writer = JSONWriter(capacity: 4096)
    writer.indented(self)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// Returns a text as a string literal of JSON (RFC 8259, section 7).
  package static func quoted(_ text: String) -> String { JSONValue.string(text).compactText }
}
