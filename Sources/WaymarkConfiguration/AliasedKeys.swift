/// Finds keys of YAML maps that are, or hold, aliases: Yams hashes keys, and hashing an alias walks all that it stands for.
///
/// Quoted scalars and comments are skipped, row by row: a quote opens a scalar where a token begins, and closes it on the same row. In a text
/// where that cannot be told of every quote none is skipped, so that a harmless text may be refused, but no harmful one let through.
struct AliasedKeys {
  /// So few aliases multiply a text 81 times at most.
  private static let few = 12

  /// The brackets that are open, innermost last: at least those of the text, since some may be part of plain scalars.
  private var open: [UInt8] = []
  /// The last byte of a token before the one at hand; `nil` at the beginning of a row outside brackets.
  private var before: UInt8?

  /// The place of the first such key, in a text that has anchors and aliases at all.
  static func first(in text: String) -> SourceMark? {
    guard text.utf8.contains(UInt8(ascii: "&")), text.utf8.contains(UInt8(ascii: "*")) else { return nil }
    let rows = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { Array($0.utf8) }
    var keys = AliasedKeys()
    var first: SourceMark?
    for (index, row) in rows.enumerated() {
      guard let (masked, column) = keys.take(row) else { return uncertain(rows) }
      guard first == nil else { continue }
      let columns = [column, keyed(masked)].compactMap { $0 }
      first = columns.min().map { SourceMark(line: index + 1, column: $0) }
    }
    return first
  }

  /// The place by the rows as they are.
  private static func uncertain(_ rows: [[UInt8]]) -> SourceMark? {
    let aliases = rows.reduce(0) { sum, row in
      sum + row.indices.count { row[$0] == .star && follows(row, $0, "-[{,:?") }
    }
    for (index, row) in rows.enumerated() {
      if let column = keyed(row) { return SourceMark(line: index + 1, column: column) }
      guard aliases > few else { continue }
      // Within a map in one row, or perhaps one that began earlier.
      var before: UInt8?
      for (at, byte) in row.enumerated() where !isBlank(byte) {
        if "*[{".utf8.contains(byte), before.map({ "{,".utf8.contains($0) }) ?? false {
          return SourceMark(line: index + 1, column: at + 1)
        }
        before = byte
      }
    }
    return nil
  }

  /// A row with its quoted scalars and its comment made harmless, and the column of an alias, a list or a map that is the key of a map in braces.
  ///
  /// - Returns: `nil` where a quote cannot be told: it may open a scalar that goes on in the next row.
  private mutating func take(_ row: [UInt8]) -> (masked: [UInt8], column: Int?)? {
    if open.isEmpty { before = nil }
    guard row.first != UInt8(ascii: "%") else { return nil }
    var masked = row
    var column: Int?
    var word = 0
    var closed = -1
    var hasToken = false
    var isNamed = false
    var index = 0
    while index < row.count {
      let byte = row[index]
      if Self.isBlank(byte) {
        (word, index) = (index + 1, index + 1)
        continue
      }
      let isKey = open.last == UInt8(ascii: "{") && before.map { "{,".utf8.contains($0) } ?? false
      switch byte {
      case UInt8(ascii: "#") where index == word: return (Array(masked[..<index]), column)
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        if begins(row, index, closed: closed) {
          guard let end = Self.end(of: row, from: index) else { return nil }
          for each in index...end { masked[each] = UInt8(ascii: "x") }
          (closed, index) = (end, end)
        } else if !hasToken || isNamed || "-?:,[{".utf8.contains(before ?? 0) {
          return nil
        }
      case UInt8(ascii: "-") where before == nil && (index + 1 == row.count || Self.isBlank(row[index + 1])):
        // An entry of a list begins: what follows is as at the beginning of the row.
        index += 1
        continue
      case UInt8(ascii: "&") where begins(row, index, closed: closed):
        // A quoted scalar may have a name.
        repeat { index += 1 } while index < row.count && Self.isName(row[index])
        continue
      case UInt8(ascii: "&"), UInt8(ascii: "!"): isNamed = isNamed || Self.follows(row, index, "-[{,:?")
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        if isKey { column = column ?? index + 1 }
        open.append(byte)
      case UInt8(ascii: "]"), UInt8(ascii: "}"): _ = open.popLast()
      case .star where isKey: column = column ?? index + 1
      default: break
      }
      before = byte
      hasToken = true
      index += 1
    }
    return (masked, column)
  }

  /// True if a token may begin at an index, after `before`.
  private func begins(_ row: [UInt8], _ index: Int, closed: Int) -> Bool {
    guard let before else { return true }
    if before == UInt8(ascii: ":") {
      return index == 0 || Self.isBlank(row[index - 1]) || (closed >= 0 && closed == index - 2)
    }
    return "[{,".utf8.contains(before)
  }

  /// The index of the quote that closes the scalar that is opened at an index.
  private static func end(of row: [UInt8], from start: Int) -> Int? {
    let quote = row[start]
    var index = start + 1
    while index < row.count {
      if row[index] == quote {
        guard quote == UInt8(ascii: "'"), index + 1 < row.count, row[index + 1] == quote else { return index }
        index += 1
      } else if quote == UInt8(ascii: "\""), row[index] == UInt8(ascii: "\\") {
        index += 1
      }
      index += 1
    }
    return nil
  }

  /// The column of a key in a row that is explicit, an alias, or that a bracket closes.
  private static func keyed(_ row: [UInt8]) -> Int? {
    for (index, byte) in row.enumerated() {
      switch byte {
      case UInt8(ascii: "?"):
        if follows(row, index, "-[{,"), index + 1 == row.count || isBlank(row[index + 1]) { return index + 1 }
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        if row[(index + 1)...].first(where: { !isBlank($0) }) == UInt8(ascii: ":") { return index + 1 }
      case .star:
        guard follows(row, index, "-[{,:?") else { continue }
        let name = row[(index + 1)...].prefix { !" \t,[]{}".utf8.contains($0) }
        if name.contains(UInt8(ascii: ":")) { return index + 1 }
        if row[name.endIndex...].first(where: { !isBlank($0) }) == UInt8(ascii: ":") { return index + 1 }
      default: continue
      }
    }
    return nil
  }

  /// True if a byte stands at the beginning of a row, after a blank or after one of `bytes`.
  private static func follows(_ row: [UInt8], _ index: Int, _ bytes: String) -> Bool {
    index == 0 || isBlank(row[index - 1]) || bytes.utf8.contains(row[index - 1])
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

  private static func isName(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
      || "_-".utf8.contains(byte)
  }
}

extension UInt8 {
  /// The sign that begins an alias.
  fileprivate static let star = UInt8(ascii: "*")
}
