import WaymarkSystem

/// Matches texts against a pattern. Use it from one thread at a time.
package struct TextMatcher {
  /// A reading of a text that satisfies the pattern, and the alternatives to it.
  package struct Match: Hashable, Sendable {
    /// The text, with lookalike characters chosen by the pattern.
    package var text: String
    /// True if other readings of lookalike characters satisfy the pattern, too.
    package var isDoubtful: Bool
    /// The other readings that satisfy the pattern, the likeliest first.
    package var others: [String]
  }

  package let pattern: TextPattern
  private let expression: RegularExpression?

  /// The largest number of readings that are tried.
  private static let readingLimit = 64
  /// The largest number of steps of an expression for the lines of a picture, which take some hundredths of a second.
  static let stepLimit = 2_000_000
  /// The largest number of words of a line that are tried together.
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
  /// The unchanged text comes first, then the readings with the fewest changed characters. If there are several of those, the
  /// match is doubtful.
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
  /// Returns the pattern with a name, from the given ones or the built-in ones, or else the regular expression in `word`.
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
