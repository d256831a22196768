/// The machine-readable zone of a travel document: ICAO 9303, parts 4 to 7.
package struct MachineReadableZone: Hashable, Sendable {
  package enum Format: String, Hashable, Sendable, CaseIterable {
    /// Cards: three lines of 30 characters.
    case td1 = "TD1"
    /// Larger cards: two lines of 36 characters.
    case td2 = "TD2"
    /// Passports: two lines of 44 characters.
    case td3 = "TD3"
    /// Visas as large as a page of a passport: two lines of 44 characters.
    case mrvA = "MRV-A"
    /// Smaller visas: two lines of 36 characters.
    case mrvB = "MRV-B"

    var lineCount: Int { self == .td1 ? 3 : 2 }
    var length: Int { self == .td1 ? 30 : self == .td2 || self == .mrvB ? 36 : 44 }
    var isVisa: Bool { self == .mrvA || self == .mrvB }
    /// The kinds of document, which the first letter names.
    var documents: String { isVisa ? "V" : "ACIP" }
  }

  package let format: Format
  /// The lines, with all check digits valid.
  package let lines: [String]

  /// A field: its position, its kind of characters, and the position of its check digit.
  fileprivate struct Field {
    let line: Int
    let range: Range<Int>
    let kind: Kind
    var check: Int?

    enum Kind {
      case digits, letters, any

      func allows(_ text: String) -> Bool {
        switch self {
        case .any: true
        case .digits: text == "<" || text.allSatisfy(\.isNumber)
        case .letters: text == "<" || text.allSatisfy(\.isLetter)
        }
      }
    }
  }

  private static func fields(_ format: Format) -> [Field] {
    switch format {
    case .td1:
      [
        Field(line: 0, range: 0..<1, kind: .letters), Field(line: 0, range: 2..<5, kind: .letters),
        Field(line: 0, range: 5..<14, kind: .any, check: 14), Field(line: 1, range: 0..<6, kind: .digits, check: 6),
        Field(line: 1, range: 7..<8, kind: .letters), Field(line: 1, range: 8..<14, kind: .digits, check: 14),
        Field(line: 1, range: 15..<18, kind: .letters), Field(line: 2, range: 0..<30, kind: .letters),
      ]
    case .td2, .td3, .mrvA, .mrvB:
      [
        Field(line: 0, range: 0..<1, kind: .letters), Field(line: 0, range: 2..<5, kind: .letters),
        Field(line: 0, range: 5..<format.length, kind: .letters), Field(line: 1, range: 0..<9, kind: .any, check: 9),
        Field(line: 1, range: 10..<13, kind: .letters), Field(line: 1, range: 13..<19, kind: .digits, check: 19),
        Field(line: 1, range: 20..<21, kind: .letters), Field(line: 1, range: 21..<27, kind: .digits, check: 27),
      ]
    }
  }

  /// Returns the ranges that the composite check digit covers, and its own position; `nil` for a visa, which has none.
  private static func composite(_ format: Format) -> (ranges: [(line: Int, range: Range<Int>)], place: Int)? {
    switch format {
    case .mrvA, .mrvB: nil
    case .td1: ([(0, 5..<30), (1, 0..<7), (1, 8..<15), (1, 18..<29)], 29)
    case .td2: ([(1, 0..<10), (1, 13..<20), (1, 21..<35)], 35)
    case .td3: ([(1, 0..<10), (1, 13..<20), (1, 21..<43)], 43)
    }
  }

  /// Parses consecutive lines; `nil` unless all check digits and all fields are valid.
  ///
  /// Lookalike characters are corrected by the kind of the field: there are no digits in a name and no letters in a date.
  package init?(_ read: [String]) {
    let plain = read.map { line in Self.withoutTail(Array(line.uppercased().utf8.filter { $0 != 0x20 })) }
    guard
      let document = plain.first?.first.flatMap({ Self.settle($0, .letters) }).map({ Character(UnicodeScalar($0)) }),
      let format = Format.allCases.first(where: {
        $0.lineCount == plain.count && Self.fits(plain, $0) && $0.documents.contains(document)
      })
    else { return nil }
    var lines = plain
    for i in lines.indices where lines[i].count != format.length {
      guard let repaired = Self.repair(lines[i], length: format.length) else { return nil }
      lines[i] = repaired
    }
    let allowed = lines.allSatisfy { $0.allSatisfy { $0 == 0x3C || CheckDigit.value($0) != nil } }
    guard allowed else { return nil }
    for field in Self.fields(format) {
      for place in field.range {
        guard let settled = Self.settle(lines[field.line][place], field.kind) else { return nil }
        lines[field.line][place] = settled
      }
      if let check = field.check {
        guard let settled = Self.settle(lines[field.line][check], .digits),
          settled != 0x3C || Self.isEmpty(lines[field.line][field.range])
        else { return nil }
        lines[field.line][check] = settled
        guard Self.digit(lines[field.line][field.range]) == settled || (settled == 0x3C && field.range.count > 6) else {
          return nil
        }
      }
    }
    if format == .td3 {
      // The optional number has its own check digit, which may be left out if the number is empty.
      let (number, check) = (lines[1][28..<42], lines[1][42])
      guard Self.digit(number) == check || (check == 0x3C && Self.isEmpty(number)) else { return nil }
    }
    if let (ranges, place) = Self.composite(format) {
      let covered = ranges.flatMap { lines[$0.line][$0.range] }
      guard let last = Self.settle(lines[1][place], .digits), last == Self.digit(covered[...]) else { return nil }
      lines[1][place] = last
    }
    // The sex and the dates must be valid.
    guard [0x4D, 0x46, 0x58, 0x3C].contains(format == .td1 ? lines[1][7] : lines[1][20]) else { return nil }
    let dates = format == .td1 ? [0..<6, 8..<14] : [13..<19, 21..<27]
    guard dates.allSatisfy({ Self.isDay(lines[1][$0]) }) else { return nil }
    self.format = format
    self.lines = lines.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Parses lines whose characters have alternatives: returns the likeliest combination that the fields allow and whose check
  /// digits are valid.
  ///
  /// - Returns: The zone, which is doubtful if a character was changed, another reading is nearly as likely, or the names are
  ///   unsure; `nil` if no combination is valid, or two changed combinations are about as likely.
  static func settle(_ lines: [[ReadSymbol]]) -> (zone: MachineReadableZone, isDoubtful: Bool)? {
    guard
      // Visas differ from other documents only in the first letter.
      let document = lines.first?.first?.ways(.letters).first(where: { "ACIPV".contains($0.text) })?.text,
      let format = Format.allCases.first(where: { format in
        format.lineCount == lines.count && lines.allSatisfy { $0.count == format.length }
          && format.documents.contains(document)
      })
    else { return nil }
    var kinds = lines.map { $0.map { _ in Field.Kind.any } }
    for field in fields(format) {
      for place in field.range { kinds[field.line][place] = field.kind }
      if let check = field.check { kinds[field.line][check] = .digits }
    }
    if let (_, last) = composite(format) { kinds[1][last] = .digits }
    var (best, isUnsure) = (lines.map { $0.map(\.text) }, false)
    var changes: [Change] = []
    for i in lines.indices {
      for place in lines[i].indices where i > 0 || place > 0 {
        let ways = lines[i][place].ways(kinds[i][place])
        best[i][place] = ways.first?.text ?? "<"
        guard let first = ways.first, ways.count > 1 else { continue }
        // Fields of letters have no check digit.
        if kinds[i][place] == .letters {
          isUnsure = isUnsure || ZoneLineReader.confidence(first.confidence, over: ways[1].confidence) < confidentEnough
          continue
        }
        changes += ways.dropFirst().map {
          Change(line: i, place: place, text: $0.text, loss: first.confidence - $0.confidence)
        }
      }
    }
    best[0][0] = document
    changes = changes.filter { $0.loss <= changeLimit }.sorted { $0.loss < $1.loss }
    var found: [(zone: MachineReadableZone, loss: Double)] = []
    tryAll(changes[...], most: 1, best, 0, &found)
    // Two errors together may leave a check digit valid, such as O read for 0 at the weights 7 and 3. So combinations of changes
    // are tried, too.
    tryAll(changes.prefix(pairLimit), most: 3, best, 0, &found)
    found.sort { $0.loss < $1.loss }
    guard let likeliest = found.first else { return nil }
    let rival = found.first { $0.zone != likeliest.zone }
    if let rival, likeliest.loss > 0, rival.loss < likeliest.loss + clearLead { return nil }
    let isClear = rival.map { $0.loss >= likeliest.loss + rivalLead } ?? true
    return (
      likeliest.zone,
      isUnsure || !isClear || likeliest.loss > clearLead || !likeliest.zone.hasPlainNames
        || likeliest.zone.hasUncheckedData
    )
  }

  /// An alternative to the likeliest character, and its loss in correlation.
  private struct Change {
    let line: Int
    let place: Int
    let text: String
    let loss: Double
  }

  /// Adds the valid zones among a text and all its combinations of up to `most` changes.
  private static func tryAll(
    _ changes: ArraySlice<Change>, most: Int, _ text: [[String]], _ loss: Double,
    _ found: inout [(zone: MachineReadableZone, loss: Double)]
  ) {
    if let zone = MachineReadableZone(text.map { $0.joined() }) { found.append((zone, loss)) }
    guard most > 0 else { return }
    for (index, change) in zip(changes.indices, changes) where loss + change.loss <= changeLimit {
      var changed = text
      changed[change.line][change.place] = change.text
      let others = changes[(index + 1)...].filter { $0.line != change.line || $0.place != change.place }
      tryAll(others[...], most: most - 1, changed, loss + change.loss, &found)
    }
  }

  /// True if it is a visa with optional data, which have no check digit.
  private var hasUncheckedData: Bool { format.isVisa && lines[1].dropFirst(28).contains { $0 != "<" } }

  /// True if the names, which have no check digit, are in the format of ICAO 9303-3, 4.6 and end before their field does.
  /// Fillers misread as letters make names that satisfy neither.
  var hasPlainNames: Bool {
    let field = format == .td1 ? lines[2][...] : lines[0].dropFirst(5)
    let names = field.reversed().drop { $0 == "<" }.reversed()
    guard names.count < field.count else { return false }
    let parts = String(names).split(separator: "<<", omittingEmptySubsequences: false)
    return parts.count <= 2 && parts.allSatisfy { !$0.isEmpty && !$0.hasPrefix("<") && !$0.hasSuffix("<") }
  }

  /// The largest loss in correlation of the replacements in a zone, added up, against the likeliest characters.
  private static let changeLimit = 0.12
  /// The least lead in correlation of the best change over the next; a smaller loss is not regarded as a change.
  private static let clearLead = 0.03
  /// A zone is doubtful if its lead in correlation over the likeliest other reading is smaller.
  private static let rivalLead = 0.06
  /// The number of likeliest changes that are combined in twos and threes.
  private static let pairLimit = 14
  /// The confidence below which a letter is doubtful. No check digit confirms a letter, so its drawing must correlate better than
  /// the next one by the lead that a change requires.
  private static let confidentEnough = ZoneLineReader.confidence(1, over: 1 - clearLead)

  private static func fits(_ lines: [[UInt8]], _ format: Format) -> Bool {
    lines.contains { $0.count == format.length } && lines.allSatisfy { abs($0.count - format.length) <= 5 }
  }

  /// Replaces misread fillers at the end: if three fillers are followed only by characters of similar shape, all of those are
  /// fillers.
  private static func withoutTail(_ line: [UInt8]) -> [UInt8] {
    let shapes = Set("<KLERSCN".utf8)
    guard let last = line.lastIndex(where: { !shapes.contains($0) }) else { return line }
    for start in line.indices.dropLast(2) where start > last && line[start...].prefix(3).allSatisfy({ $0 == 0x3C }) {
      return Array(line[..<start]) + [UInt8](repeating: 0x3C, count: line.count - start)
    }
    return line
  }

  /// Corrects the length of a line whose fillers were miscounted: the run of fillers at the end is set to the required
  /// length; `nil` if fewer than two fillers end the line, or the rest is too long.
  private static func repair(_ line: [UInt8], length: Int) -> [UInt8]? {
    let kept = line.reversed().drop { $0 == 0x3C }.reversed()
    guard line.count - kept.count >= 2, kept.count <= length else { return nil }
    return Array(kept) + [UInt8](repeating: 0x3C, count: length - kept.count)
  }

  private static func settle(_ byte: UInt8, _ kind: Field.Kind) -> UInt8? {
    switch kind {
    case .any: return byte
    case .digits:
      let digits: [UInt8: UInt8] = [
        0x4F: 0x30, 0x51: 0x30, 0x44: 0x30, 0x49: 0x31, 0x4C: 0x31, 0x5A: 0x32, 0x53: 0x35, 0x47: 0x36, 0x42: 0x38,
      ]
      let settled = digits[byte] ?? byte
      return settled == 0x3C || (0x30...0x39).contains(settled) ? settled : nil
    case .letters:
      let letters: [UInt8: UInt8] = [0x30: 0x4F, 0x31: 0x49, 0x32: 0x5A, 0x35: 0x53, 0x36: 0x47, 0x38: 0x42]
      let settled = letters[byte] ?? byte
      return settled == 0x3C || (0x41...0x5A).contains(settled) ? settled : nil
    }
  }

  private static func isEmpty(_ field: ArraySlice<UInt8>) -> Bool { field.allSatisfy { $0 == 0x3C } }

  /// Returns the check digit with the weights 7, 3, 1 (ICAO 9303-3, 4.9).
  static func digit(_ field: ArraySlice<UInt8>) -> UInt8 {
    let sum = field.enumerated().reduce(0) { $0 + (CheckDigit.value($1.element) ?? 0) * [7, 3, 1][$1.offset % 3] }
    return UInt8(0x30 + sum % 10)
  }

  private static func isDay(_ field: ArraySlice<UInt8>) -> Bool {
    let values = field.map { $0 == 0x3C ? nil : Int($0) - 0x30 }
    func pair(_ i: Int) -> Int? { values[i].flatMap { a in values[i + 1].map { 10 * a + $0 } } }
    let isUnknown = { (i: Int) in values[i] == nil && values[i + 1] == nil }
    return (isUnknown(2) || (1...12).contains(pair(2) ?? 0)) && (isUnknown(4) || (1...31).contains(pair(4) ?? 0))
  }
}

extension ReadSymbol {
  /// Returns the alternatives allowed in a kind of field, the likeliest first.
  fileprivate func ways(_ kind: MachineReadableZone.Field.Kind) -> [Choice] {
    (choices.isEmpty ? [Choice(text, confidence)] : choices).filter { kind.allows($0.text) }
  }
}
