package import WaymarkImage

/// A text that satisfies a pattern, or any line if there are no patterns, with its position. `TextAcceptance` below
/// finds such texts.
package struct AcceptedText: Hashable, Sendable {
  /// The text; lines of a machine-readable zone are separated by a line feed.
  package var text: String
  package var pattern: String
  /// The corners of the line in pixels, clockwise from the top left of the upright line.
  package var corners: [Point2]
  /// The confidence of the reading, 0 to 1.
  package var confidence: Double
  /// True if the user should check the text, for example because other readings satisfy the pattern, too.
  package var isDoubtful: Bool
  /// The other readings that satisfy the pattern.
  package var others: [String]
}

/// Finds texts that satisfy patterns in read lines. Use it from one thread at a time.
package struct TextAcceptance {
  private let matchers: [TextMatcher]
  private let memory = LatticeVote.Memory()
  /// The least `LatticeVote.Outcome.lead` with which the vote of the lattices counts: about ln 100, at which 99 of 100 texts are
  /// correct.
  private static let clearLead = 4.6
  /// The confidence below which a text without a check digit is doubtful.
  private static let leastConfidence = 0.75

  /// - Throws: `badPattern` if the expression of a pattern is not supported.
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

  /// Returns the text of a line that satisfies the pattern, decided between its combined reading and the vote of its
  /// lattices; `nil` if neither satisfies it.
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

  /// Returns the text of a line that satisfies the pattern, from its combined reading or else from one of its readings;
  /// `nil` if none satisfies it.
  private func settledText(in line: ReadLine, _ matcher: TextMatcher, _ steps: inout Int) -> AcceptedText? {
    let settled = text(of: line.symbols, in: line, matcher, &steps)
    guard matcher.pattern.check != nil, line.readings.count > 1 else { return settled }
    // A reading with a valid check digit is correct unless it is valid by chance, in which case no two readings agree.
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

  /// Returns the longest run of words that satisfies the pattern; `nil` if none does.
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
        let isUnsure = matcher.pattern.check == nil && confidence < Self.leastConfidence
        let around = [words[..<run.startIndex].last, words[run.endIndex...].first].compactMap { $0 }
        return AcceptedText(
          text: match.text, pattern: matcher.pattern.name, corners: Self.corners(of: symbols, in: line),
          confidence: confidence,
          isDoubtful: match.isDoubtful || isUnsure || Self.isPart(matcher.pattern, of: around), others: match.others)
      }
    }
    return nil
  }

  /// Returns whether digits beside a number with a check digit may belong to it: a part of a misread number may satisfy the
  /// check digit by chance.
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
          // Names have no check digits. If fillers were read as letters, they are doubtful.
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
    line.outline.part(from: span.lowerBound, to: span.upperBound).corners
  }
}
