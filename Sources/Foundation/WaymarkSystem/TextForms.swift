import Glibc

// Conversions of text: hexadecimal digits, percent-encoding, XML entities, character sets, decimals, parts of paths, and text that is
// safe to show; also the nearest of known words.

extension Sequence<UInt8> {
  /// The bytes as hexadecimal digits in lower case.
  package var hexadecimal: String { map { $0.digits(2, radix: 16) }.joined() }
}

extension UInt8 {
  /// True for `0` to `9`.
  package var isASCIIDigit: Bool { (0x30...0x39).contains(self) }
  /// True for `A` to `Z` and `a` to `z`.
  package var isASCIILetter: Bool { (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) }
}

extension Unicode.Scalar {
  /// True for control characters (C0, C1, DEL), separators of lines and paragraphs, and the embeddings, overrides and isolates of
  /// bidirectional text (UAX 9).
  package var isControl: Bool {
    switch value {
    case 0..<0x20, 0x7F...0x9F, 0x2028...0x2029, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}

/// Finds the known word nearest to a mistyped one.
package enum NearestWord {
  /// Returns the word of `known` with the least Levenshtein distance from `word`, regardless of case. `nil` if this distance is
  /// greater than both two and a third of the length of `word`, or `word` is longer than `longest`. A word of up to three letters
  /// must have the same first letter.
  package static func of(_ word: String, among known: some Sequence<String>) -> String? {
    guard word.utf8.count <= longest else { return nil }
    let word = word.lowercased()
    let distances = known.filter { word.count > 3 || $0.lowercased().first == word.first }
      .map { ($0, distance($0.lowercased(), word)) }
    guard let best = distances.min(by: { $0.1 < $1.1 }), best.1 <= max(2, word.count / 3) else { return nil }
    return best.0
  }

  /// Returns the hint that names the nearest word of `known`; `nil` if no word is near.
  package static func hint(_ word: String, among known: some Sequence<String>) -> String? {
    of(word, among: known).map { "Did you mean \($0)?" }
  }

  /// The largest length of a word in bytes, which limits the time.
  private static let longest = 128

  /// Returns the Levenshtein distance of two strings, in bytes.
  package static func distance(_ a: String, _ b: String) -> Int {
    let (a, b) = (Array(a.utf8), Array(b.utf8))
    var row = Array(0...b.count)
    for i in 0..<a.count {
      var corner = row[0]
      row[0] = i + 1
      for j in 0..<b.count {
        let next = min(row[j] + 1, row[j + 1] + 1, corner + (a[i] == b[j] ? 0 : 1))
        corner = row[j + 1]
        row[j + 1] = next
      }
    }
    return row[b.count]
  }
}

/// Percent-encoding of addresses (RFC 3986, section 2.1), and the items of queries.
package enum PercentCoding {
  /// Decodes a text; returns nil if a `%` is not followed by two digits or the result is not UTF-8.
  package static func decode(_ text: some Sequence<UInt8>) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else { return nil }
      bytes.append(high << 4 | low)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Returns the text with every valid escape decoded once and everything else unchanged, as lenient programs read it; `nil`
  /// without a valid escape.
  package static func decodedOnce(_ text: String) -> String? {
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, let high = digit(bytes[index + 1]),
        let low = digit(bytes[index + 2])
      {
        result.append(high << 4 | low)
        index += 3
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return result.count == bytes.count ? nil : String(decoding: result, as: UTF8.self)
  }

  /// The largest number of items, which limits the time.
  private static let maximumItems = 256

  /// Returns the items of a query; `nil` if an item cannot be decoded. A `+` does not stand for a space.
  package static func items(_ query: String) -> [(name: String, value: String)]? {
    var result: [(name: String, value: String)] = []
    // Split by bytes: a combining character after a separator must not hide the separator.
    for piece in query.utf8.split(separator: UInt8(ascii: "&")) {
      guard result.count < maximumItems else { return nil }
      let halves = piece.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = decode(halves[0]), let value = halves.count > 1 ? decode(halves[1]) : "" else { return nil }
      result.append((name, value))
    }
    return result
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init)
  }
}

/// Escapes text for XML 1.0 and HTML, between tags and in attributes, and reverses that.
package enum XMLText {
  private static let entities: [(byte: UInt8, name: String)] = [
    (UInt8(ascii: "&"), "&amp;"), (UInt8(ascii: "<"), "&lt;"), (UInt8(ascii: ">"), "&gt;"),
    (UInt8(ascii: "\""), "&quot;"),
  ]

  /// Returns a string with its markup characters as entities.
  ///
  /// - Parameter unwritable: replaces each control character that XML 1.0 cannot represent (section 2.2).
  package static func escaped(_ text: String, unwritable: String = "\u{FFFD}") -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\u{0}"..."\u{8}", "\u{B}", "\u{C}", "\u{E}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": result += unwritable
      default:
        if let entity = entities.first(where: { $0.byte == scalar.value }) {
          result += entity.name
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result
  }

  /// Reverses `escaped`. An ampersand that does not begin an entity is kept.
  package static func unescaped(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var place = bytes.startIndex
    while place < bytes.endIndex {
      if bytes[place] == UInt8(ascii: "&"),
        let entity = entities.first(where: { bytes[place...].starts(with: $0.name.utf8) })
      {
        result.append(entity.byte)
        place += entity.name.utf8.count
      } else {
        result.append(bytes[place])
        place += 1
      }
    }
    return result
  }
}

/// Converts bytes in a character set to text, by the C library (iconv(3)).
package enum TextConversion {
  /// Returns the text of bytes in a named character set; `nil` if the bytes are invalid in it, or the C library does not have it.
  package static func text(_ bytes: [UInt8], from charset: String) -> String? {
    let converter = iconv_open("UTF-8", charset)
    guard converter != iconv_t(bitPattern: -1) else { return nil }
    defer { iconv_close(converter) }
    var input = bytes.map { CChar(truncatingIfNeeded: $0) }
    var output = [CChar](repeating: 0, count: bytes.count * 4 + 16)
    let written: Int? = input.withUnsafeMutableBufferPointer { source in
      output.withUnsafeMutableBufferPointer { target in
        var from = source.baseAddress
        var to = target.baseAddress
        var left = source.count
        var room = target.count
        guard iconv(converter, &from, &left, &to, &room) != Int(bitPattern: UInt.max), left == 0 else { return nil }
        return target.count - room
      }
    }
    return written.flatMap {
      String(validating: output.prefix($0).map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
    }
  }

  /// Opens a character set for the rest of the process, so that conversions work after the sandbox forbids opening files.
  package static func keep(_ charset: String) {
    _ = iconv_open("UTF-8", charset)
    // The first conversion loads the module of the character set.
    _ = text([0x41], from: charset)
  }
}

extension Double {
  /// Returns the number with `count` decimals, rounded as by `printf`.
  package func decimals(_ count: Int32) -> String {
    withVaList([count, self]) { arguments in
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: 400) { buffer in
        let written = Int(vsnprintf(buffer.baseAddress, buffer.count, "%.*f", arguments))
        return String(decoding: buffer.prefix(max(0, min(written, buffer.count - 1))).map(UInt8.init), as: UTF8.self)
      }
    }
  }
}

/// Parts of a path, as `basename` and `dirname` divide it.
extension StringProtocol {
  /// The path without trailing slashes.
  private var unslashed: SubSequence { self[..<(lastIndex { $0 != "/" }.map(index(after:)) ?? startIndex)] }

  /// The name after the last slash, ignoring trailing slashes; the whole text if there is no slash.
  package var lastPathComponent: String {
    let path = unslashed
    return String(path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path)
  }

  /// The path without its last component; empty for a single component, and `/` for the root.
  package var deletingLastPathComponent: String {
    guard let slash = unslashed.lastIndex(of: "/") else { return hasPrefix("/") ? "/" : "" }
    let head = self[..<slash].unslashed
    return head.isEmpty ? "/" : String(head)
  }

  /// The characters after the last dot of the last component; empty without a dot, and if the dot is its first character.
  package var pathExtension: String {
    let name = lastPathComponent
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
    return String(name[name.index(after: dot)...])
  }

  /// The path without its extension and the dot before it.
  package var deletingPathExtension: String {
    let suffix = pathExtension
    return String(suffix.isEmpty ? unslashed : unslashed.dropLast(suffix.count + 1))
  }

  /// The path from the root; a relative path is resolved from the process's current folder.
  package var absolutePath: String {
    guard !hasPrefix("/"), let folder = getcwd(nil, 0) else { return String(self) }
    defer { free(folder) }
    return "\(String(cString: folder).unslashed)/\(hasPrefix("./") ? String(dropFirst(2)) : String(self))"
  }

  /// The text without white space and line ends around it.
  package var trimmed: String {
    guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace }) else {
      return ""
    }
    return String(self[first...last])
  }
}

/// Makes untrusted text safe to show: characters that move the cursor, reorder the line or are invisible are escaped.
public enum DisplayText {
  /// Returns the text with control, bidirectional, invisible and unassigned characters written as `\u{…}`, backslashes
  /// doubled, and an ellipsis in place of everything after `limit` characters.
  public static func escaped(_ text: String, limit: Int = .max) -> String {
    var result = ""
    for (count, scalar) in text.unicodeScalars.enumerated() {
      if count == limit {
        result += "…"
        break
      }
      switch scalar {
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      default:
        if isSafe(scalar) {
          result.unicodeScalars.append(scalar)
        } else {
          result += "\\u{\(String(scalar.value, radix: 16))}"
        }
      }
    }
    return result
  }

  /// Returns whether a text has no control, bidirectional, invisible or unassigned characters, as required of names shown to
  /// people.
  package static func isPlain(_ text: String) -> Bool { text.unicodeScalars.allSatisfy(isSafe) }

  /// Returns a text of several lines with every unsafe character escaped, except line feeds and tabs. Backslashes are not escaped.
  package static func lines(_ text: String) -> String {
    spelled(text, keeping: { isSafe($0) || $0 == "\n" || $0 == "\t" }) { "\\u{\(String($0.value, radix: 16))}" }
  }

  /// Returns the same JSON text with unsafe characters written as escapes (RFC 8259, section 7).
  package static func json(_ text: some StringProtocol) -> String {
    spelled(text, keeping: isSafe) { scalar in
      String(Character(scalar)).utf16.map { "\\u" + $0.digits(4, radix: 16) }.joined()
    }
  }

  private static func spelled(
    _ text: some StringProtocol, keeping isKept: (Unicode.Scalar) -> Bool, _ escape: (Unicode.Scalar) -> String
  ) -> String {
    guard text.unicodeScalars.contains(where: { !isKept($0) }) else { return String(text) }
    return text.unicodeScalars.reduce(into: "") { result, scalar in
      if isKept(scalar) { result.unicodeScalars.append(scalar) } else { result += escape(scalar) }
    }
  }

  /// True if a scalar is visible and does not affect its neighbours. Format characters (Cf) include the bidirectional
  /// controls, the zero-width characters and the tags.
  private static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value >= 0x20 && scalar.value != 0x7F }
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: return false
    case .spaceSeparator: return scalar == "\u{3000}"
    default: return !scalar.properties.isDefaultIgnorableCodePoint
    }
  }
}
