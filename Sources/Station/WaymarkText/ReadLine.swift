package import WaymarkImage

/// A line of text that was read.
package struct ReadLine: Hashable, Sendable {
  /// Its characters from left to right.
  package var symbols: [ReadSymbol]
  /// Every reading that it was made of, where there were several.
  package var readings: [[ReadSymbol]] = []
  /// The lattices of Waymark's own network, one of each picture that shows the line: views of one picture are not independent.
  var lattices: [LineLattice] = []
  /// Where it stands in the picture, in the order of the upright line, in pixels.
  package var outline: Quadrilateral

  /// A line from its parts.
  package init(_ symbols: [ReadSymbol], outline: Quadrilateral) {
    self.symbols = symbols
    self.outline = outline
  }

  /// The text, words apart.
  package var text: String { Self.text(of: symbols) }

  /// How sure the reading is: the mean over its characters, 0 to 1; 0 for none.
  package var confidence: Double { Self.confidence(of: symbols) }

  /// Its words, each with the place that its characters' spans give it.
  package var words: [(text: String, outline: Quadrilateral)] {
    let spans = symbols.map(\.span)
    let isPlaced = spans.contains { $0.upperBound > $0.lowerBound }
    var from = 0
    return symbols.words.map { word in
      let part = from..<(from + word.count)
      from = part.upperBound
      // Readers that do not tell places have all characters equally wide.
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
  /// The part of an upright line between two shares of its length.
  fileprivate func part(from start: Double, to end: Double) -> Quadrilateral {
    func along(_ a: Point2, _ b: Point2, _ share: Double) -> Point2 { a + (b - a) * share }
    return Quadrilateral(
      topLeft: along(topLeft, topRight, start), topRight: along(topLeft, topRight, end),
      bottomRight: along(bottomLeft, bottomRight, end), bottomLeft: along(bottomLeft, bottomRight, start))
  }
}
