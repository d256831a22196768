import WaymarkSystem

/// Matches texts against a pattern. Use it from one thread at a time. The dates and numbers of patterns are below
/// (`TextDate`, `TextNumber`).
package struct TextMatcher {
  /// A reading of a text that satisfies the pattern, and the alternatives to it.
  package struct Match: Hashable, Sendable {
    /// The text, with lookalike characters chosen by the pattern.
    package var text: String
    /// True if the pattern does not decide between several readings of lookalike characters, which `others` has.
    package var isDoubtful: Bool
    /// The other readings that satisfy the pattern, the likeliest first.
    package var others: [String]
  }

  package let pattern: TextPattern
  private let expression: RegularExpression?

  /// The largest number of readings that are tried.
  private static let readingLimit = 64
  /// The largest number of steps of a pattern's regular expression on all lines of a picture; they take some
  /// hundredths of a second.
  static let stepLimit = 2_000_000
  /// The largest number of consecutive words of a line that are matched as one text.
  static let wordLimit = 8
  /// The largest number of characters of a text, because the time of an expression grows with them.
  private static let lengthLimit = 128

  /// - Throws: `badPattern` if the pattern's expression is not supported.
  package init(_ pattern: TextPattern) throws(TextError) {
    self.pattern = pattern
    guard let text = pattern.expression else {
      expression = nil
      return
    }
    do throws(RegularExpressionFlaw) {
      expression = try RegularExpression(text)
    } catch {
      let names = TextPattern.builtIn.map(\.name).joined(separator: ", ")
      throw TextError(
        .badPattern, "The pattern is not a supported regular expression: \(error.message).",
        hint: "Known by name: \(names).")
    }
  }

  /// Matches a line of characters; `nil` if no reading of it satisfies the pattern.
  func match(_ symbols: [ReadSymbol], steps: inout Int) -> Match? { match(ReadLine.text(of: symbols), steps: &steps) }

  /// Matches a text; `nil` if no reading of it satisfies the pattern.
  ///
  /// The unchanged text comes first, then the readings with the fewest changed characters. If there are several readings with the
  /// fewest changes, the match is doubtful.
  package func match(_ text: String) -> Match? {
    var steps = Self.stepLimit
    return match(text, steps: &steps)
  }

  /// Returns whether a text satisfies the pattern unchanged.
  func accepts(_ text: String, steps: inout Int) -> Bool { accepted(text, &steps) == text }

  private func match(_ text: String, steps: inout Int) -> Match? {
    guard text.count <= Self.lengthLimit, pattern.kind != .mrz else { return nil }
    let characters = text.map(String.init)
    let asRead = accepted(text, &steps)
    // A text with a valid check digit is correct, because changing one character invalidates it.
    if let asRead, pattern.check != nil || pattern.kind != nil {
      return Match(text: asRead, isDoubtful: false, others: [])
    }
    var found: [(changes: Int, text: String)] = []
    for (changes, reading) in readings(characters, &steps) where changes > 0 {
      guard let text = accepted(reading, &steps) else { continue }
      if found.contains(where: { $0.text == text }) { continue }
      found.append((changes, text))
    }
    if let asRead {
      let others = found.map(\.text).filter { $0 != asRead }
      return Match(text: asRead, isDoubtful: !others.isEmpty, others: Array(others.prefix(4)))
    }
    guard let fewest = found.map(\.changes).min() else { return nil }
    let best = found.filter { $0.changes == fewest }.map(\.text)
    // If many changes are required, or several readings satisfy the check digit, that is chance.
    if pattern.check != nil, fewest > 2 || best.count > 1 { return nil }
    return Match(text: best[0], isDoubtful: best.count > 1, others: Array(best.dropFirst().prefix(4)))
  }

  /// A prefix of a reading.
  private struct Beginning {
    var changes = 0
    var text = ""
    /// The states of the expression after the prefix, with and without its spaces; `nil` if it does not match.
    var loose: RegularExpression.Progress?
    var tight: RegularExpression.Progress?
  }

  /// Returns the readings with lookalike characters exchanged, the fewest changes first. Prefixes that the expression rejects are
  /// dropped early.
  private func readings(_ characters: [String], _ steps: inout Int) -> [(changes: Int, text: String)] {
    var list = [Beginning(loose: expression?.beginning, tight: expression?.beginning)]
    for character in characters {
      var next: [Beginning] = []
      let ways = ways(character)
      for item in list {
        for way in ways {
          if let longer = append(way, to: item, &steps) { next.append(longer) }
        }
      }
      list = Array(next.sorted { $0.changes < $1.changes }.prefix(Self.readingLimit))
      if list.isEmpty { return [] }
    }
    return list.map { ($0.changes, $0.text) }
  }

  private func append(_ way: (changes: Int, text: String), to item: Beginning, _ steps: inout Int) -> Beginning? {
    var longer = item
    longer.changes += way.changes
    longer.text += way.text
    guard let expression else { return longer }
    longer.loose = item.loose.flatMap { expression.advance($0, over: way.text, steps: &steps) }
    if way.text != " " { longer.tight = item.tight.flatMap { expression.advance($0, over: way.text, steps: &steps) } }
    return longer.loose == nil && longer.tight == nil ? nil : longer
  }

  /// Returns the possible replacements of a character, with the number of changes.
  private func ways(_ character: String) -> [(changes: Int, text: String)] {
    guard let alphabet = pattern.alphabet else {
      return [(0, character)] + LookalikeCharacters.of(character).filter(Self.isPlain).map { (1, $0) }
    }
    guard !alphabet.contains(character), character != " ", character != "-" else {
      let others = pattern.check == nil ? [] : LookalikeCharacters.of(character).filter(alphabet.contains)
      return [(0, character)] + others.map { (1, $0) }
    }
    let capital = character.uppercased()
    let isSmall = character.count == 1 && capital != character && alphabet.contains(capital)
    return LookalikeCharacters.of(character).filter(alphabet.contains).map { (1, $0) } + (isSmall ? [(0, capital)] : [])
  }

  /// Returns whether a replacement is plausible in print: of the letters that look like digits, only capitals.
  private static func isPlain(_ character: String) -> Bool {
    character == character.uppercased() && character != "|" && character != "!"
  }

  /// Returns the text in its accepted form; `nil` if the pattern does not match.
  private func accepted(_ text: String, _ steps: inout Int) -> String? {
    let bare = text.filter { $0 != " " && $0 != "-" }
    guard !bare.isEmpty else { return nil }
    if let alphabet = pattern.alphabet, !bare.allSatisfy(alphabet.contains) { return nil }
    if let length = pattern.length, !length.contains(bare.count) { return nil }
    if let check = pattern.check, !check.holds(for: bare) { return nil }
    switch pattern.kind {
    case .date: guard TextDate(text) != nil else { return nil }
    case .number: guard TextNumber(text) != nil else { return nil }
    case .mrz: return nil
    case nil: break
    }
    let result = pattern.check != nil || pattern.alphabet?.contains(" ") == false ? bare : text
    if let expression {
      // The text matches unchanged, or without the spaces that reading inserts between groups.
      if expression.matches(text, steps: &steps) { return text }
      let tight = text.filter { $0 != " " }
      return expression.matches(tight, steps: &steps) ? tight : nil
    }
    return result
  }
}

extension Set<Character> {
  func contains(_ text: String) -> Bool { text.count == 1 && text.first.map { contains($0) } == true }
}

extension TextPattern {
  /// Returns the given or built-in pattern whose name is `word`, or else the regular expression in `word`.
  ///
  /// - Throws: `badPattern` if there is no such name, or the expression is not supported.
  package static func named(_ word: String, among own: [TextPattern] = []) throws(TextError) -> TextPattern {
    let known = own + builtIn
    if let same = known.first(where: { $0.name == word }) { return same }
    if let expression = expression(in: word) {
      let pattern = TextPattern(name: word, expression: expression)
      _ = try TextMatcher(pattern)
      return pattern
    }
    let plain = plainName(word)
    if let same = known.first(where: { plainName($0.name) == plain }) { return same }
    let nearest = NearestWord.of(word, among: known.map { $0.name }).map { "Did you mean \($0)? " } ?? ""
    throw TextError(
      .badPattern, "There is no pattern named \"\(word.prefix(60).filter { !$0.isNewline })\".",
      hint:
        "\(nearest)Names are \(known.map { $0.name }.joined(separator: ", ")). Write a regular expression as /…/ or re:…."
    )
  }

  /// Returns the regular expression in a word of the form `/…/` or `re:…`; `nil` for other words.
  private static func expression(in word: String) -> String? {
    if word.hasPrefix("re:") { return String(word.dropFirst(3)) }
    guard word.count >= 2, word.hasPrefix("/"), word.hasSuffix("/") else { return nil }
    return String(word.dropFirst().dropLast())
  }

  /// Returns a name in lower case without hyphens, underscores and spaces.
  private static func plainName(_ name: String) -> String {
    String(name.lowercased().filter { !"-_ ".contains($0) })
  }
}

// MARK: - Dates and numbers

/// A date in one of the formats printed on goods and documents. `TextNumber` below is a number with its unit.
package struct TextDate: Hashable, Sendable {
  package let year: Int
  package let month: Int
  /// The day, 1 to 31; `nil` if only month and year are printed.
  package let day: Int?

  private static let months = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
  /// German abbreviations of months, where they differ from English.
  private static let others = ["MRZ": 3, "MAI": 5, "OKT": 10, "DEZ": 12]

  /// Parses `2026-01-31`, `20260131`, `31.01.2026`, `31/01/26`, `31 JAN 2026` and `01/2026`, with days before months; `nil`
  /// if the text is not a date.
  package init?(_ text: String) {
    var parts: [String] = []
    var part = ""
    for character in text.uppercased() {
      switch character {
      case ".", "/", "-", " ":
        if !part.isEmpty { parts.append(part) }
        part = ""
      case _ where character.isASCII && (character.isNumber || character.isLetter):
        // In 31JAN2026, letters and digits alternate without a separator.
        if let last = part.last, last.isNumber != character.isNumber {
          parts.append(part)
          part = ""
        }
        part.append(character)
      default: return nil
      }
    }
    if !part.isEmpty { parts.append(part) }
    if parts.count == 1, parts[0].count == 8, Int(parts[0]) != nil {
      let word = parts[0]
      parts = [String(word.prefix(4)), String(word.dropFirst(4).prefix(2)), String(word.suffix(2))]
    }
    let values = parts.map { part in
      Self.months.firstIndex(of: part).map { ($0 + 1, true) } ?? Self.others[part].map { ($0, true) }
        ?? Int(part).map { ($0, false) }
    }
    let known = values.compactMap { $0 }
    guard known.count == parts.count else { return nil }
    let year: Int
    switch parts.count {
    case 3 where parts[0].count == 4 && !known[0].1: (year, month, day) = (known[0].0, known[1].0, known[2].0)
    case 3 where [2, 4].contains(parts[2].count) && parts[0].count <= 2 && !known[2].1 && !known[0].1:
      (year, month, day) = (known[2].0, known[1].0, known[0].0)
    case 2 where parts[1].count == 4 && !known[1].1 && (known[0].1 || parts[0].count <= 2):
      (year, month, day) = (known[1].0, known[0].0, nil)
    default: return nil
    }
    self.year = year < 100 ? 2000 + year : year
    let leap = self.year % 4 == 0 && (self.year % 100 != 0 || self.year % 400 == 0)
    let lengths = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard (1900...2199).contains(self.year), lengths.indices.contains(month - 1) else { return nil }
    if let day { guard (1...lengths[month - 1]).contains(day) else { return nil } }
  }
}

/// A number, with an optional unit, in one of the formats of meters and labels.
package struct TextNumber: Hashable, Sendable {
  package let value: Double
  /// The unit after the number; empty without one.
  package let unit: String

  private static let units: Set<String> = [
    "", "m", "cm", "mm", "km", "kg", "g", "mg", "t", "l", "L", "ml", "mL", "m³", "m3", "kWh", "Wh", "MWh", "kW", "W",
    "V", "A", "mA", "Hz",
    "kHz", "MHz", "bar", "mbar", "Pa", "kPa", "MPa", "°C", "°F", "K", "%", "€", "EUR", "$", "USD", "h", "min", "s",
    "rpm", "Nm", "N", "kVA",
    "VA", "Ω", "lb", "oz",
  ]

  /// Parses `1234`, `1 234,5 kWh`, `1.234,50 €`, `1,234.5`, `-3 °C`; `nil` for anything else, and for an unknown unit.
  package init?(_ text: String) {
    let number = text.prefix { $0.isASCII && $0.isNumber || ".,+-' ".contains($0) }
    let unit = text.dropFirst(number.count).filter { $0 != " " }
    guard Self.units.contains(unit) else { return nil }
    var digits = number.filter { $0 != " " && $0 != "'" }
    let marks = digits.filter { $0 == "." || $0 == "," }
    if let last = marks.last {
      let groups = digits.split(separator: last, omittingEmptySubsequences: false)
      let isGrouping = marks.allSatisfy { $0 == last } && marks.count > 1
      guard !isGrouping || groups.dropFirst().allSatisfy({ $0.count == 3 }) else { return nil }
      let other: Character = last == "." ? "," : "."
      digits = isGrouping ? digits.filter { $0 != last } : digits.filter { $0 != other }
      digits = String(digits.map { $0 == last ? "." : $0 })
    }
    guard digits.contains(where: \.isNumber), digits.last != ".", digits.count <= 18, let value = Double(digits) else {
      return nil
    }
    self.value = value
    self.unit = String(unit)
  }
}
