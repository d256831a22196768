public import WaymarkGeometry

/// A line of text that was read.
public struct ReadLine: Hashable, Sendable {
  /// Its characters from left to right.
  public var symbols: [ReadSymbol]
  /// Every reading that it was made of, where there were several.
  package var readings: [[ReadSymbol]] = []
  /// The lattices of Waymark's own network, one of each picture that shows the line: views of one picture are not independent.
  package var lattices: [LineLattice] = []
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
