public import WaymarkGeometry

/// A character as it was read.
public struct ReadSymbol: Hashable, Sendable {
  /// An alternative for a character.
  public struct Choice: Hashable, Sendable {
    /// The character.
    public var text: String
    /// How sure that is, 0 to 1.
    public var confidence: Double

    /// A choice from its parts.
    public init(_ text: String, _ confidence: Double) {
      self.text = text
      self.confidence = confidence
    }
  }

  /// The character; for some scripts, what is written as one.
  public var text: String
  /// How sure that is, 0 to 1.
  public var confidence: Double
  /// The alternatives.
  public var choices: [Choice]
  /// Where it begins and ends, as shares of the line's length.
  public var span: ClosedRange<Double>
  /// True if a space stands before it.
  public var beginsWord: Bool

  /// A symbol from its parts.
  public init(
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

/// A line of text that was read.
public struct ReadLine: Hashable, Sendable {
  /// Its characters from left to right.
  public var symbols: [ReadSymbol]
  /// Every reading that it was made of, where there were several.
  package var readings: [[ReadSymbol]] = []
  /// Where it stands in the picture, in the order of the upright line, in pixels.
  public var outline: Quadrilateral

  /// A line from its parts.
  public init(_ symbols: [ReadSymbol], outline: Quadrilateral) {
    self.symbols = symbols
    self.outline = outline
  }

  /// The text, words apart.
  public var text: String { Self.text(of: symbols) }

  /// How sure the reading is: the mean over its characters, 0 to 1; 0 for none.
  public var confidence: Double { Self.confidence(of: symbols) }

  static func text(of symbols: [ReadSymbol]) -> String {
    symbols.enumerated().map { ($0 > 0 && $1.beginsWord ? " " : "") + $1.text }.joined()
  }

  static func confidence(of symbols: [ReadSymbol]) -> Double {
    symbols.isEmpty ? 0 : symbols.reduce(0) { $0 + $1.confidence } / Double(symbols.count)
  }
}
