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
    if let asRead, pattern.check != nil || pattern.kind != nil && pattern.kind != .plate {
      let days = pattern.kind == .expiry ? TextDate.all(in: asRead).map(\.description) : []
      return Match(text: asRead, isDoubtful: days.count > 1, others: days.count > 1 ? days : [])
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
    if !isSeparator(way.text) {
      longer.tight = item.tight.flatMap { expression.advance($0, over: way.text, steps: &steps) }
    }
    return longer.loose == nil && longer.tight == nil ? nil : longer
  }

  /// Returns whether a character may separate groups that the expression has together.
  private func isSeparator(_ character: String) -> Bool {
    character == " " || pattern.kind == .plate && character == "-"
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
    case .expiry: guard !TextDate.all(in: text).isEmpty else { return nil }
    case .number: guard TextNumber(text) != nil else { return nil }
    case .mrz, .lot: return nil
    case .plate, nil: break
    }
    let result = pattern.check != nil || pattern.alphabet?.contains(" ") == false ? bare : text
    if let expression {
      // The text matches unchanged, or without the spaces that reading inserts between groups.
      if expression.matches(text, steps: &steps) { return text }
      let tight = text.filter { !isSeparator(String($0)) }
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
package struct TextDate: Hashable, Sendable, CustomStringConvertible {
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
    guard let parts = Self.parts(of: text) else { return nil }
    let orders: [Order]
    switch parts.count {
    case 3 where parts[0].length == 4 && !parts[0].isMonth: orders = [.yearFirst]
    case 3 where !parts[0].isMonth: orders = [.dayFirst]
    case 2 where parts[1].length == 4: orders = [.monthAndYear]
    default: return nil
    }
    guard let date = orders.lazy.compactMap({ Self(parts, $0) }).first else { return nil }
    self = date
  }

  /// The years of dates of expiry.
  private static let plausible = 2015...2059

  /// Returns every date of expiry that a text may be, in all orders of day, month and year, those with days first before others;
  /// empty if it is not such a date.
  package static func all(in text: String) -> [Self] {
    guard let parts = parts(of: text) else { return [] }
    var found: [Self] = []
    for order in Order.allCases {
      if let date = Self(parts, order), plausible.contains(date.year), !found.contains(date) { found.append(date) }
    }
    return found
  }

  /// The date in the form of ISO 8601: 2026-01-31 or 2026-01.
  package var description: String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(year)-\(two(month))" + (day.map { "-" + two($0) } ?? "")
  }

  private enum Order: CaseIterable {
    case dayFirst, monthFirst, yearFirst, monthAndYear, yearAndMonth
  }

  /// A number or the name of a month, with its number of characters.
  private typealias Part = (value: Int, isMonth: Bool, length: Int)

  private init?(_ parts: [Part], _ order: Order) {
    guard parts.count == (order == .monthAndYear || order == .yearAndMonth ? 2 : 3) else { return nil }
    let (yearPart, monthPart, dayPart): (Part, Part, Part?) =
      switch order {
      case .dayFirst: (parts[2], parts[1], parts[0])
      case .monthFirst: (parts[2], parts[0], parts[1])
      case .yearFirst: (parts[0], parts[1], parts[2])
      case .monthAndYear: (parts[1], parts[0], nil)
      case .yearAndMonth: (parts[0], parts[1], nil)
      }
    guard !yearPart.isMonth, [2, 4].contains(yearPart.length), monthPart.isMonth || monthPart.length <= 2,
      dayPart.map({ !$0.isMonth && $0.length <= 2 }) ?? true
    else { return nil }
    (month, day) = (monthPart.value, dayPart?.value)
    year = yearPart.value < 100 ? 2000 + yearPart.value : yearPart.value
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard (1900...2199).contains(year), lengths.indices.contains(month - 1) else { return nil }
    if let day { guard (1...lengths[month - 1]).contains(day) else { return nil } }
  }

  /// Returns the parts of a date; `nil` if the text has a part that is neither a number nor the name of a month.
  private static func parts(of text: String) -> [Part]? {
    var words: [String] = []
    var word = ""
    for character in text.uppercased() {
      switch character {
      case ".", "/", "-", " ":
        if !word.isEmpty { words.append(word) }
        word = ""
      case _ where character.isASCII && (character.isNumber || character.isLetter):
        // In 31JAN2026, letters and digits alternate without a separator.
        if let last = word.last, last.isNumber != character.isNumber {
          words.append(word)
          word = ""
        }
        word.append(character)
      default: return nil
      }
    }
    if !word.isEmpty { words.append(word) }
    if words.count == 1, words[0].count == 8, Int(words[0]) != nil {
      let word = words[0]
      words = [String(word.prefix(4)), String(word.dropFirst(4).prefix(2)), String(word.suffix(2))]
    }
    var parts: [Part] = []
    for word in words {
      let month = months.firstIndex(of: word).map { $0 + 1 } ?? others[word]
      guard let value = month ?? Int(word) else { return nil }
      parts.append((value, month != nil, word.count))
    }
    return parts
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
