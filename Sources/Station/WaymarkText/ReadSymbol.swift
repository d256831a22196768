/// A character as it was read, with its alternatives and its place in the line.
package struct ReadSymbol: Hashable, Sendable {
  package struct Choice: Hashable, Sendable {
    package var text: String
    /// The confidence, 0 to 1.
    package var confidence: Double

    package init(_ text: String, _ confidence: Double) {
      self.text = text
      self.confidence = confidence
    }
  }

  /// The character; in some scripts, a cluster written as one.
  package var text: String
  /// The confidence, 0 to 1.
  package var confidence: Double
  package var choices: [Choice]
  /// The start and end, as shares of the line's length; 0...0 if unknown.
  package var span: ClosedRange<Double>
  /// True if a space precedes the character.
  package var beginsWord: Bool

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
  /// The characters grouped by word.
  var words: [[ReadSymbol]] {
    var words: [[ReadSymbol]] = []
    for symbol in self {
      if symbol.beginsWord || words.isEmpty { words.append([]) }
      words[words.count - 1].append(symbol)
    }
    return words
  }

  /// True if there are several characters and all are digits.
  var isNumber: Bool { count > 1 && allSatisfy { $0.text.allSatisfy(\.isNumber) } }
}
