public import WaymarkGeometry

/// A text that satisfies a pattern.
public struct AcceptedText: Hashable, Sendable {
  /// The text; lines of a machine-readable zone are apart by a line feed.
  public var text: String
  /// The pattern's name.
  public var pattern: String
  /// Where it stands, in pixels: the corners of the upright line from its top left clockwise.
  public var corners: [Point2]
  /// How sure the reading is, 0 to 1.
  public var confidence: Double
  /// Whether other readings would satisfy the pattern too: a person is to look.
  public var isDoubtful: Bool
  /// Those readings.
  public var others: [String]
}

/// Looks for what satisfies patterns in lines that were read. One thread.
public struct TextAcceptance {
  private let matchers: [TextMatcher]
  /// Words of a line that are tried together, at most.
  private static let wordLimit = 8
  /// Of a text whose pattern has no check digit, a reading that is less sure is doubtful.
  private static let sureEnough = 0.75
  /// Of a machine-readable zone, every character of a name must be as sure: it has no check digit.
  private static let sureName = 0.6

  /// - Throws: `TextError` for a pattern that is none.
  public init(_ patterns: [TextPattern]) throws(TextError) {
    var matchers: [TextMatcher] = []
    for pattern in patterns { matchers.append(try TextMatcher(pattern)) }
    self.matchers = matchers
  }

  /// What satisfies a pattern, in the order of patterns and lines.
  public func accepted(in lines: [ReadLine]) -> [AcceptedText] {
    matchers.flatMap { matcher in
      matcher.pattern.kind == .mrz ? zones(in: lines, matcher.pattern.name) : lines.compactMap { text(in: $0, matcher) }
    }
  }

  /// The longest run of words that satisfies the pattern.
  private func text(in line: ReadLine, _ matcher: TextMatcher) -> AcceptedText? {
    var words: [[ReadSymbol]] = []
    for symbol in line.symbols {
      if symbol.beginsWord || words.isEmpty { words.append([]) }
      words[words.count - 1].append(symbol)
    }
    for count in stride(from: min(words.count, Self.wordLimit), to: 0, by: -1) {
      for start in 0...(words.count - count) {
        let symbols = words[start..<start + count].flatMap { $0 }
        guard let match = matcher.match(symbols) else { continue }
        let confidence = ReadLine.confidence(of: symbols)
        let isUnsure = matcher.pattern.check == nil && confidence < Self.sureEnough
        return AcceptedText(
          text: match.text, pattern: matcher.pattern.name, corners: Self.corners(of: symbols, in: line),
          confidence: confidence, isDoubtful: match.isDoubtful || isUnsure, others: match.others)
      }
    }
    return nil
  }

  private func zones(in lines: [ReadLine], _ name: String) -> [AcceptedText] {
    var found: [AcceptedText] = []
    for count in [3, 2] where lines.count >= count {
      for start in 0...(lines.count - count) {
        let part = Array(lines[start..<start + count])
        guard let zone = MachineReadableZone(part.map(\.text)) else { continue }
        let least = part.flatMap(\.symbols).filter { $0.text != "<" }.map(\.confidence).min() ?? 0
        found.append(
          AcceptedText(
            text: zone.lines.joined(separator: "\n"), pattern: name,
            corners: [
              part[0].outline.topLeft, part[0].outline.topRight, part[count - 1].outline.bottomRight,
              part[count - 1].outline.bottomLeft,
            ], confidence: part.map(\.confidence).min() ?? 0, isDoubtful: least < Self.sureName, others: []))
      }
    }
    return found
  }

  private static func corners(of symbols: [ReadSymbol], in line: ReadLine) -> [Point2] {
    let outline = line.outline
    guard let first = symbols.first?.span.lowerBound, let last = symbols.last?.span.upperBound, last > first else {
      return outline.corners
    }
    func between(_ a: Point2, _ b: Point2, _ share: Double) -> Point2 { a + (b - a) * share }
    return [
      between(outline.topLeft, outline.topRight, first), between(outline.topLeft, outline.topRight, last),
      between(outline.bottomLeft, outline.bottomRight, last), between(outline.bottomLeft, outline.bottomRight, first),
    ]
  }
}
