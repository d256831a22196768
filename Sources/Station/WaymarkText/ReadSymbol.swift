/// A character as it was read.
package struct ReadSymbol: Hashable, Sendable {
  /// An alternative for a character.
  package struct Choice: Hashable, Sendable {
    /// The character.
    package var text: String
    /// How sure that is, 0 to 1.
    package var confidence: Double

    /// A choice from its parts.
    package init(_ text: String, _ confidence: Double) {
      self.text = text
      self.confidence = confidence
    }
  }

  /// The character; for some scripts, what is written as one.
  package var text: String
  /// How sure that is, 0 to 1.
  package var confidence: Double
  /// The alternatives.
  package var choices: [Choice]
  /// Where it begins and ends, as shares of the line's length.
  package var span: ClosedRange<Double>
  /// True if a space stands before it.
  package var beginsWord: Bool

  /// A symbol from its parts.
  package init(
    _ text: String, confidence: Double, choices: [Choice] = [], span: ClosedRange<Double> = 0...0,
    beginsWord: Bool = false
  ) {
    self.text = text
    self.confidence = confidence
    self.choices = choices
    self.span = span
    self.beginsWord = beginsWord
  }
}

extension [ReadSymbol] {
  /// The characters of each word.
  var words: [[ReadSymbol]] {
    var words: [[ReadSymbol]] = []
    for symbol in self {
      if symbol.beginsWord || words.isEmpty { words.append([]) }
      words[words.count - 1].append(symbol)
    }
    return words
  }

  /// True for several characters that are all digits.
  var isNumber: Bool { count > 1 && allSatisfy { $0.text.allSatisfy(\.isNumber) } }
}
