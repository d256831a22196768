public import WaymarkSystem

/// Holds texts to a pattern. One thread.
public struct TextMatcher {
  /// What the pattern makes of a text.
  public struct Match: Hashable, Sendable {
    /// The text, with what the pattern settles settled.
    public var text: String
    /// A pattern alone cannot tell: other readings of characters that look alike would satisfy it too.
    public var isDoubtful: Bool
    /// Those readings, the likelier ones first.
    public var others: [String]
  }

  /// The pattern.
  public let pattern: TextPattern
  private let expression: TextExpression?

  /// More readings than this are not tried.
  private static let readingLimit = 64
  /// What holding the lines of a picture to an expression may take, in states of it looked at: some hundredths of a second.
  static let stepLimit = 2_000_000
  /// Longer texts are not looked at: what an expression takes grows with them.
  private static let lengthLimit = 128

  /// - Throws: `TextError` for an expression that is none.
  public init(_ pattern: TextPattern) throws(TextError) {
    self.pattern = pattern
    guard let text = pattern.expression else {
      expression = nil
      return
    }
    guard text.count <= TextPattern.expressionLimit, !text.isEmpty else {
      throw TextError(
        .badPattern, "The pattern has \(text.count) characters.",
        hint: "Give a regular expression of 1 to \(TextPattern.expressionLimit) characters.")
    }
    expression = try TextExpression(text)
  }

  /// What a line of characters is by the pattern; nil where no reading of it satisfies it.
  func match(_ symbols: [ReadSymbol], steps: inout Int) -> Match? { match(ReadLine.text(of: symbols), steps: &steps) }

  /// What a text is by the pattern; nil where no reading of it satisfies it.
  ///
  /// A reading that changes nothing comes first; then those that change the fewest characters, which must be the only one.
  public func match(_ text: String) -> Match? {
    var steps = Self.stepLimit
    return match(text, steps: &steps)
  }

  private func match(_ text: String, steps: inout Int) -> Match? {
    guard text.count <= Self.lengthLimit, pattern.kind != .mrz else { return nil }
    let characters = text.map(String.init)
    let asRead = accepted(text, &steps)
    // With a check digit what is right as it stands is right: a change of one character breaks it.
    if let asRead, pattern.check != nil || pattern.kind != nil {
      return Match(text: asRead, isDoubtful: false, others: [])
    }
    var found: [(changes: Int, text: String)] = []
    for (changes, reading) in readings(characters) where changes > 0 {
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
    // Many ways to satisfy a check digit are chance, not evidence.
    if pattern.check != nil, fewest > 2 || best.count > 1 { return nil }
    return Match(text: best[0], isDoubtful: best.count > 1, others: Array(best.dropFirst().prefix(4)))
  }

  /// The readings of characters that look alike, none changed first.
  private func readings(_ characters: [String]) -> [(changes: Int, text: String)] {
    var list: [(changes: Int, characters: [String])] = [(0, [])]
    for character in characters {
      var next: [(changes: Int, characters: [String])] = []
      let isAllowed = pattern.alphabet.map { $0.contains(character) || character == " " || character == "-" } ?? true
      var ways = [(0, character)]
      if !isAllowed || pattern.alphabet == nil {
        ways += Confusions.of(character).filter { way in pattern.alphabet?.contains(way) ?? Self.isPlain(way) }.map {
          (1, $0)
        }
        if character.count == 1, character.uppercased() != character,
          pattern.alphabet?.contains(character.uppercased()) == true
        {
          ways.append((0, character.uppercased()))
        }
        if !isAllowed { ways.removeFirst() }
      } else if pattern.check != nil {
        ways += Confusions.of(character).filter { pattern.alphabet?.contains($0) == true }.map { (1, $0) }
      }
      for item in list {
        for way in ways { next.append((item.changes + way.0, item.characters + [way.1])) }
      }
      list = Array(next.sorted { $0.changes < $1.changes }.prefix(Self.readingLimit))
      if list.isEmpty { return [] }
    }
    return list.map { ($0.changes, $0.characters.joined()) }
  }

  /// Of letters that look like digits, the capitals are what print has.
  private static func isPlain(_ character: String) -> Bool {
    character == character.uppercased() && character != "|" && character != "!"
  }

  /// The text in the form in which it is accepted; nil where the pattern does not hold.
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
      // As it stands, or without the spaces that reading puts between groups.
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
  /// The pattern of that name, among those given and those built in, else the regular expression that the word is.
  public static func named(_ word: String, among own: [TextPattern] = []) throws(TextError) -> TextPattern {
    if let known = (own + builtIn).first(where: { $0.name == word }) { return known }
    let pattern = TextPattern(name: word, expression: word)
    _ = try TextMatcher(pattern)
    return pattern
  }
}
