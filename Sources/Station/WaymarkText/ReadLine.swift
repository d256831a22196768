package import WaymarkImage

/// A line of text as it was read: its characters, the readings behind them, and its outline.
package struct ReadLine: Hashable, Sendable {
  /// The characters from left to right.
  package var symbols: [ReadSymbol]
  /// The readings from which it was combined, if several.
  package var readings: [[ReadSymbol]] = []
  /// The lattices of Waymark's own network, one per picture of the line, because views of one picture are not independent.
  var lattices: [LineLattice] = []
  /// The corners in the picture in pixels, in the order of the upright line.
  package var outline: Quadrilateral

  package init(_ symbols: [ReadSymbol], outline: Quadrilateral) {
    self.symbols = symbols
    self.outline = outline
  }

  /// The text with spaces between words.
  package var text: String { Self.text(of: symbols) }

  /// The mean confidence of the characters, 0 to 1; 0 without characters.
  package var confidence: Double { Self.confidence(of: symbols) }

  /// The words, each with the outline given by the spans of its characters.
  package var words: [(text: String, outline: Quadrilateral)] {
    let spans = symbols.map(\.span)
    let isPlaced = spans.contains { $0.upperBound > $0.lowerBound }
    var from = 0
    return symbols.words.map { word in
      let part = from..<(from + word.count)
      from = part.upperBound
      // If the reader reports no spans, all characters are taken as equally wide.
      let start = isPlaced ? spans[part.lowerBound].lowerBound : Double(part.lowerBound) / Double(spans.count)
      let end = isPlaced ? spans[part.upperBound - 1].upperBound : Double(part.upperBound) / Double(spans.count)
      return (word.map(\.text).joined(), outline.part(from: min(max(0, start), 1), to: min(max(0, end), 1)))
    }
  }

  static func text(of symbols: [ReadSymbol]) -> String {
    symbols.enumerated().map { ($0 > 0 && $1.beginsWord ? " " : "") + $1.text }.joined()
  }

  static func confidence(of symbols: [ReadSymbol]) -> Double {
    symbols.isEmpty ? 0 : symbols.reduce(0) { $0 + $1.confidence } / Double(symbols.count)
  }
}

extension Quadrilateral {
  /// Returns the part of an upright line between two shares of its length.
  func part(from start: Double, to end: Double) -> Quadrilateral {
    func along(_ a: Point2, _ b: Point2, _ share: Double) -> Point2 { a + (b - a) * share }
    return Quadrilateral(
      topLeft: along(topLeft, topRight, start), topRight: along(topLeft, topRight, end),
      bottomRight: along(bottomLeft, bottomRight, end), bottomLeft: along(bottomLeft, bottomRight, start))
  }
}
