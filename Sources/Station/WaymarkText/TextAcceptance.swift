package import WaymarkImage

/// A text that satisfies a pattern.
package struct AcceptedText: Hashable, Sendable {
  /// The text; lines of a machine-readable zone are apart by a line feed.
  package var text: String
  /// The pattern's name.
  package var pattern: String
  /// Where it stands, in pixels: the corners of the upright line from its top left clockwise.
  package var corners: [Point2]
  /// How sure the reading is, 0 to 1.
  package var confidence: Double
  /// True if other readings would satisfy the pattern too: a person is to look.
  package var isDoubtful: Bool
  /// Those readings.
  package var others: [String]
}

/// Finds texts that satisfy patterns in lines that were read. One thread.
package struct TextAcceptance {
  private let matchers: [TextMatcher]
  private let memory = LatticeVote.Memory()
  /// By how much what lattices say together must be likelier than every other text, as a logarithm: 99 of 100 are right then.
  private static let clearLead = 4.6
  /// Of a text whose pattern has no check digit, a reading that is less sure is doubtful.
  private static let sureEnough = 0.75

  /// - Throws: `TextError` for a pattern that is none.
  package init(_ patterns: [TextPattern]) throws(TextError) {
    var matchers: [TextMatcher] = []
    for pattern in patterns { matchers.append(try TextMatcher(pattern)) }
    self.matchers = matchers
  }

  /// Returns the texts that satisfy a pattern, in the order of patterns and lines.
  package func accepted(in lines: [ReadLine]) -> [AcceptedText] {
    matchers.flatMap { matcher in
      if matcher.pattern.kind == .mrz { return zones(in: lines, matcher.pattern.name) }
      var steps = TextMatcher.stepLimit
      return lines.compactMap { text(in: $0, matcher, &steps) }
    }
  }

  /// Returns the text of a line by the pattern, as its characters were settled, held to what its lattices say together.
  private func text(in line: ReadLine, _ matcher: TextMatcher, _ steps: inout Int) -> AcceptedText? {
    let settled = settledText(in: line, matcher, &steps)
    guard let outcome = LatticeVote(line.lattices, matcher, memory)?.outcome(steps: &steps),
      outcome.lead >= Self.clearLead
    else {
      return settled
    }
    guard var settled else {
      return AcceptedText(
        text: outcome.text, pattern: matcher.pattern.name, corners: Self.corners(of: outcome.span, in: line),
        confidence: line.confidence, isDoubtful: false, others: [])
    }
    if settled.text != outcome.text {
      settled.isDoubtful = true
      settled.others = Array(Set(settled.others).union([outcome.text])).sorted()
    }
    return settled
  }

  /// Returns the text of a line by the pattern: as it was settled, else as one of its readings has it.
  private func settledText(in line: ReadLine, _ matcher: TextMatcher, _ steps: inout Int) -> AcceptedText? {
    let settled = text(of: line.symbols, in: line, matcher, &steps)
    guard matcher.pattern.check != nil, line.readings.count > 1 else { return settled }
    // A check digit tells which reading is right, unless it holds by chance: then no two agree.
    var found: [AcceptedText] = []
    for reading in line.readings {
      if let text = text(of: reading, in: line, matcher, &steps) { found.append(text) }
    }
    guard var best = settled ?? found.max(by: { $0.confidence < $1.confidence }) else { return nil }
    let others = Set(found.map(\.text)).subtracting([best.text])
    if found.count(where: { $0.text == best.text }) < 2 || !others.isEmpty { best.isDoubtful = true }
    best.others = Array(Set(best.others).union(others)).sorted()
    return best
  }

  /// The longest run of words that satisfies the pattern.
  private func text(
    of symbols: [ReadSymbol], in line: ReadLine, _ matcher: TextMatcher, _ steps: inout Int
  ) -> AcceptedText? {
    let words = symbols.words
    for count in stride(from: min(words.count, TextMatcher.wordLimit), to: 0, by: -1) {
      for start in 0...(words.count - count) {
        let run = words[start..<start + count]
        let symbols = run.flatMap { $0 }
        guard let match = matcher.match(symbols, steps: &steps) else { continue }
        let confidence = ReadLine.confidence(of: symbols)
        let isUnsure = matcher.pattern.check == nil && confidence < Self.sureEnough
        let around = [words[..<run.startIndex].last, words[run.endIndex...].first].compactMap { $0 }
        return AcceptedText(
          text: match.text, pattern: matcher.pattern.name, corners: Self.corners(of: symbols, in: line),
          confidence: confidence,
          isDoubtful: match.isDoubtful || isUnsure || Self.isPart(matcher.pattern, of: around), others: match.others)
      }
    }
    return nil
  }

  /// Returns whether digits beside a number with a check digit may belong to it: a part of a number that was read wrongly satisfies it by chance.
  private static func isPart(_ pattern: TextPattern, of around: [[ReadSymbol]]) -> Bool {
    guard pattern.check != nil, pattern.alphabet?.contains("A") != true else { return false }
    return around.contains(where: \.isNumber)
  }

  private func zones(in lines: [ReadLine], _ name: String) -> [AcceptedText] {
    var found: [AcceptedText] = []
    for count in [3, 2] where lines.count >= count {
      for start in 0...(lines.count - count) {
        let part = Array(lines[start..<start + count])
        let settled =
          MachineReadableZone.settle(part.map(\.symbols))
          // Names have no check digits: as the engine read them, fillers taken for letters among them, somebody has to look.
          ?? MachineReadableZone(part.map(\.text)).map { ($0, true) }
        guard let (zone, isDoubtful) = settled else { continue }
        found.append(
          AcceptedText(
            text: zone.lines.joined(separator: "\n"), pattern: name,
            corners: [
              part[0].outline.topLeft, part[0].outline.topRight, part[count - 1].outline.bottomRight,
              part[count - 1].outline.bottomLeft,
            ], confidence: part.map(\.confidence).min() ?? 0, isDoubtful: isDoubtful, others: []))
      }
    }
    return found
  }

  private static func corners(of symbols: [ReadSymbol], in line: ReadLine) -> [Point2] {
    guard let first = symbols.first?.span.lowerBound, let last = symbols.last?.span.upperBound, last > first else {
      return line.outline.corners
    }
    return corners(of: first...last, in: line)
  }

  private static func corners(of span: ClosedRange<Double>, in line: ReadLine) -> [Point2] {
    let (outline, first, last) = (line.outline, span.lowerBound, span.upperBound)
    func between(_ a: Point2, _ b: Point2, _ share: Double) -> Point2 { a + (b - a) * share }
    return [
      between(outline.topLeft, outline.topRight, first), between(outline.topLeft, outline.topRight, last),
      between(outline.bottomLeft, outline.bottomRight, last), between(outline.bottomLeft, outline.bottomRight, first),
    ]
  }
}
