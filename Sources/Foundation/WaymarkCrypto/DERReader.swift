/// Reads DER (X.690, 8.1 and 10.1) element by element: tags of one byte, and lengths below 16 MiB in the shortest form.
package struct DERReader: Sendable {
  /// The tags that occur in keys and certificates.
  package enum Tag: UInt8, Sendable {
    case integer = 0x02
    case bitString = 0x03
    case octetString = 0x04
    case objectIdentifier = 0x06
    case sequence = 0x30
    case context0 = 0xA0
    case context1 = 0xA1
  }

  private var rest: ArraySlice<UInt8>

  package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// True if everything was read.
  package var isAtEnd: Bool { rest.isEmpty }

  /// Returns whether the next element has the tag.
  package func isNext(_ tag: Tag) -> Bool { rest.first == tag.rawValue }

  /// Reads the next element and returns its content; `nil` if it has another tag or is not valid DER.
  package mutating func next(_ tag: Tag) -> ArraySlice<UInt8>? {
    guard isNext(tag), let content = content() else { return nil }
    rest = rest[content.endIndex...]
    return content
  }

  /// Reads the next element and returns a reader of the elements in it.
  package mutating func elements(_ tag: Tag = .sequence) -> DERReader? { next(tag).map(DERReader.init) }

  /// Reads the next element and returns it with its tag and length; `nil` at the end, and for invalid DER.
  package mutating func whole() -> ArraySlice<UInt8>? {
    guard let content = content() else { return nil }
    defer { rest = rest[content.endIndex...] }
    return rest[..<content.endIndex]
  }

  /// Reads the next integer and returns its magnitude without the sign byte: empty for 0, `nil` if it is negative or not in
  /// the shortest form.
  package mutating func natural() -> [UInt8]? {
    guard let bytes = next(.integer), let first = bytes.first, first < 0x80 else { return nil }
    guard first == 0 else { return Array(bytes) }
    let number = bytes.dropFirst()
    return number.first.map { $0 >= 0x80 } ?? true ? Array(number) : nil
  }

  private func content() -> ArraySlice<UInt8>? {
    guard rest.count >= 2, rest[rest.startIndex] & 0x1F != 0x1F else { return nil }
    var start = rest.startIndex + 2
    var length = Int(rest[start - 1])
    if length >= 0x80 {
      let count = length & 0x7F
      guard (1...3).contains(count), rest.endIndex - start >= count else { return nil }
      length = rest[start..<start + count].reduce(0) { $0 << 8 | Int($1) }
      guard length >= 0x80, length >> (8 * (count - 1)) > 0 else { return nil }
      start += count
    }
    guard rest.endIndex - start >= length else { return nil }
    return rest[start..<start + length]
  }
}
