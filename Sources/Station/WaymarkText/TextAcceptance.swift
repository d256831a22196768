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
      return lines.compactMap { line in
        switch matcher.pattern.kind {
        case .lot: lot(in: line, matcher.pattern)
        case .plate: plate(in: line, matcher, &steps)
        case .expiry where Self.isOfMaking(line): nil
        default: text(in: line, matcher, &steps)
        }
      }
    }
  }

  /// The words before the day on which goods were made or packed.
  private static let makingWords: Set = [
    "PROD", "PRD", "PRO", "MFG", "MFD", "MAN", "MANUF", "PKD", "PACKED", "HERGESTELLT",
  ]

  /// Returns whether a line has the day on which goods were made.
  private static func isOfMaking(_ line: ReadLine) -> Bool {
    line.symbols.words.contains { word in
      makingWords.contains(word.prefix { $0.text.allSatisfy(\.isLetter) }.map(\.text).joined().uppercased())
    }
  }

  /// The words before the number of a lot, in capitals without marks.
  private static let lotWords: Set = [
    "LOT", "LOTNO", "LOTNR", "BATCH", "BATCHNO", "BN", "CHARGE", "CHB", "CH", "LOTTO", "LOTE", "PARTIE", "PARTI",
  ]

  /// Returns the text behind a word for lot or batch, in the same word or the next one; `nil` if the line has none with a digit.
  private func lot(in line: ReadLine, _ pattern: TextPattern) -> AcceptedText? {
    func isMark(_ symbol: ReadSymbol) -> Bool { ".:#()-".contains(symbol.text) }
    func isNumeral(_ word: [ReadSymbol]) -> Bool { ["NO", "NR"].contains(Self.name(of: word)) }
    let words = line.symbols.words
    for (place, word) in words.enumerated() {
      guard let count = Self.lotPrefix(of: word) else { continue }
      var rest = Array(word.dropFirst(count).drop(while: isMark))
      var following = words[(place + 1)...].drop { $0.allSatisfy(isMark) || isNumeral($0) }
      if rest.isEmpty, let next = following.popFirst() { rest = Array(next.drop(while: isMark)) }
      let text = rest.map(\.text).joined()
      let isPlain = text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-/.".contains($0)) }
      guard isPlain, text.contains(where: \.isNumber), pattern.length?.contains(text.count) ?? true else { continue }
      let confidence = ReadLine.confidence(of: rest)
      // Nothing decides between a letter and the digit that looks like it, or whether digits after a space belong to the number.
      let isOpen = text.contains("O") || text.contains("I") || text.contains(where: \.isLetter) && text.contains("0")
      return AcceptedText(
        text: text, pattern: pattern.name, corners: Self.corners(of: rest, in: line), confidence: confidence,
        isDoubtful: isOpen || following.first?.isNumber == true || confidence < Self.leastConfidence, others: [])
    }
    return nil
  }

  /// Returns the number of characters of the word for lot or batch at the beginning of a word, which a letter must not follow; `nil` for
  /// another word. L alone begins a number of digits (directive 2011/91/EU).
  private static func lotPrefix(of word: [ReadSymbol]) -> Int? {
    (1...max(1, word.count)).reversed().first { count in
      let (known, rest) = (word.prefix(count), word.dropFirst(count))
      guard known.count == count, rest.first?.text.allSatisfy(\.isLetter) != true else { return false }
      let plain = name(of: Array(known)).replacing("0", with: "O")
      return lotWords.contains(plain) || plain == "L" && Array(rest).isNumber
    }
  }

  /// Returns a word in capitals without marks.
  private static func name(of word: [ReadSymbol]) -> String {
    word.map(\.text).joined().uppercased().filter { $0.isLetter || $0.isNumber }
  }

  /// The least lead of a plate over the likeliest other reading, which does not satisfy the grammar: for a plate and for one that is
  /// not doubtful.
  private static let plateLead = (least: -4.0, clear: -1.0)
  /// The lead over another plate below which a plate is doubtful.
  private static let rivalLead = 3.0

  /// Returns the plate of a line: the likeliest reading that satisfies the grammar, if the network itself finds it likely.
  private func plate(in line: ReadLine, _ matcher: TextMatcher, _ steps: inout Int) -> AcceptedText? {
    guard let vote = LatticeVote(line.lattices, matcher, memory) else { return settledText(in: line, matcher, &steps) }
    guard let outcome = vote.outcome(steps: &steps), outcome.lead >= Self.plateLead.least else { return nil }
    // Characters beside it may belong to a longer plate.
    let beside = line.symbols.count { $0.text.allSatisfy { $0.isLetter || $0.isNumber } } - outcome.text.count
    let near = outcome.rival.flatMap { $0.lead < Self.rivalLead ? $0.text : nil }
    return AcceptedText(
      text: outcome.text, pattern: matcher.pattern.name, corners: Self.corners(of: outcome.span, in: line),
      confidence: line.confidence,
      isDoubtful: near != nil || beside > 1 || outcome.lead < Self.plateLead.clear
        || line.confidence < Self.leastConfidence,
      others: near.map { [$0] } ?? [])
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
