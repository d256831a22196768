import WaymarkImage

/// Combines several readings of one line: aligns them by edit distance, then votes each character by the confidence of the
/// readings (J. Fiscus, "A post-processing system to yield reduced word error rates: ROVER", 1997). `LatticeVote` below votes
/// on lattices.
package enum LineVote {
  /// A position of the line with its character in each reading; `nil` if a reading has none there.
  private struct Column {
    var symbols: [ReadSymbol?]
  }

  /// The confidence that a reading loses in proportion to the characters that it lacks compared with the longest one: a
  /// single mark is easily read with high confidence.
  private static let lack = 0.02

  /// Returns the vote of each character, for readings of several frames, whose errors are independent.
  package static func settle(_ readings: [[ReadSymbol]]) -> [ReadSymbol] {
    let (columns, confidence) = aligned(readings)
    return columns.compactMap { decide($0, confidence) }
  }

  /// Returns the most confident reading, for several drawings of one picture, whose errors coincide. Where the others differ,
  /// its confidence is reduced and their characters are added to the choices.
  ///
  /// - Parameter leader: The index of the reading to return; `nil` for the most confident one.
  static func mostConfident(_ readings: [[ReadSymbol]], leader: Int? = nil) -> [ReadSymbol] {
    let (columns, _) = aligned(readings, leader: leader)
    return columns.compactMap { column in column.symbols.first.flatMap { $0 }.map { weighed($0, column) } }
  }

  /// Returns a reading with reduced confidence where another network's reading differs.
  package static func weighed(_ reading: [ReadSymbol], against other: [ReadSymbol]) -> [ReadSymbol] {
    join(reading.map { Column(symbols: [$0]) }, other, before: 1).compactMap { column in
      column.symbols.first.flatMap { $0 }.map { weighed($0, column) }
    }
  }

  /// Returns the share of characters that two readings have in common in the same order, 0 to 1.
  static func agreement(_ a: [ReadSymbol], _ b: [ReadSymbol]) -> Double {
    guard !a.isEmpty, !b.isEmpty else { return 0 }
    let same = join(a.map { Column(symbols: [$0]) }, b, before: 1).count { column in
      column.symbols[0] != nil && column.symbols[0]?.text == column.symbols[1]?.text
    }
    return 2 * Double(same) / Double(a.count + b.count)
  }

  /// Returns the readings aligned to the most confident one, which comes first, and the confidence of each.
  private static func aligned(
    _ readings: [[ReadSymbol]], leader: Int? = nil
  ) -> (columns: [Column], confidence: [Double]) {
    let longest = Double(readings.map(\.count).max() ?? 0)
    let own = readings.map { reading in
      ReadLine.confidence(of: reading) - lack * (longest - Double(reading.count)) / max(1, longest)
    }
    // The others are aligned to the most confident one, whose word breaks are used.
    var order = readings.indices.filter { !readings[$0].isEmpty }.sorted { (own[$0], $1) > (own[$1], $0) }
    if let leader, let place = order.firstIndex(of: leader) { order.swapAt(0, place) }
    guard let leader = order.first else { return ([], []) }
    var columns = readings[leader].map { Column(symbols: [$0]) }
    for (count, index) in order.dropFirst().enumerated() {
      columns = join(columns, readings[index], before: count + 1)
    }
    return (columns, order.map { ReadLine.confidence(of: readings[$0]) })
  }

  /// Returns a symbol of the most confident reading, with reduced confidence if the others differ.
  private static func weighed(_ symbol: ReadSymbol, _ column: Column) -> ReadSymbol {
    var winner = symbol
    let others = column.symbols.dropFirst()
    guard !others.isEmpty else { return winner }
    let agreeing = others.count { $0?.text == symbol.text }
    winner.confidence *= 1 - 0.4 * Double(others.count - agreeing) / Double(others.count)
    winner.choices = choices(in: column, without: symbol.text)
    return winner
  }

  /// Returns the alternatives at a position, the likeliest first.
  private static func choices(in column: Column, without text: String) -> [ReadSymbol.Choice] {
    var choices: [String: Double] = [:]
    for symbol in column.symbols.compactMap({ $0 }) {
      for choice in symbol.choices + [.init(symbol.text, symbol.confidence)] where choice.text != text {
        choices[choice.text] = max(choices[choice.text] ?? 0, choice.confidence)
      }
    }
    return choices.map { .init($0.key, $0.value) }.sorted { ($0.confidence, $1.text) > ($1.confidence, $0.text) }
  }

  private static func decide(_ column: Column, _ confidence: [Double]) -> ReadSymbol? {
    var votes: [String: Double] = [:]
    var none = 0.0
    for (symbol, own) in zip(column.symbols, confidence) {
      guard let symbol else {
        none += own * 0.8
        continue
      }
      // High confidence has much more weight than medium confidence.
      votes[symbol.text, default: 0] += symbol.confidence * symbol.confidence
    }
    guard let best = votes.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }), best.value >= none,
      var winner = column.symbols.compactMap({ $0 }).filter({ $0.text == best.key })
        .max(by: { $0.confidence < $1.confidence })
    else { return nil }
    // Disagreement of the readings lowers the confidence of the result.
    let total = votes.values.reduce(none, +)
    winner.confidence = min(winner.confidence, best.value / max(total, 1e-9))
    winner.choices = choices(in: column, without: winner.text)
    return winner
  }

  /// Aligns a reading with the columns by edit distance, at half the cost for lookalike characters, and adds its symbols.
  ///
  /// - Parameter before: The number of readings in `columns`; an inserted column has no symbol for any of them.
  private static func join(_ columns: [Column], _ reading: [ReadSymbol], before: Int) -> [Column] {
    let (n, m) = (columns.count, reading.count)
    func cost(_ i: Int, _ j: Int) -> Double {
      let known = columns[i].symbols.compactMap { $0 }
      if known.contains(where: { $0.text == reading[j].text }) { return 0 }
      let isAlike = known.contains { LookalikeCharacters.areAlike($0.text, reading[j].text) }
      return isAlike ? 0.5 : 1
    }
    var table = [[Double]](repeating: [Double](repeating: 0, count: m + 1), count: n + 1)
    for i in 0...n { table[i][0] = Double(i) }
    for j in 0...m { table[0][j] = Double(j) }
    for i in 0..<n {
      for j in 0..<m {
        table[i + 1][j + 1] = min(table[i][j] + cost(i, j), table[i][j + 1] + 1, table[i + 1][j] + 1)
      }
    }
    var joined: [Column] = []
    var (i, j) = (n, m)
    while i > 0 || j > 0 {
      if i > 0, j > 0, table[i][j] == table[i - 1][j - 1] + cost(i - 1, j - 1) {
        joined.append(Column(symbols: columns[i - 1].symbols + [reading[j - 1]]))
        (i, j) = (i - 1, j - 1)
      } else if i > 0, table[i][j] == table[i - 1][j] + 1 {
        joined.append(Column(symbols: columns[i - 1].symbols + [nil]))
        i -= 1
      } else {
        joined.append(Column(symbols: [ReadSymbol?](repeating: nil, count: before) + [reading[j - 1]]))
        j -= 1
      }
    }
    return joined.reversed()
  }
}

/// Finds the text of several views of one line: it scores each text allowed by a view in all views, and decides by the
/// pattern and its check digit. So a character that is blurred in one frame is read from another.
struct LatticeVote {
  /// The chosen text, with its lead and its position.
  struct Outcome: Hashable {
    var text: String
    /// The lead in log-likelihood over the likeliest other text, even if that does not satisfy the pattern.
    var lead: Double
    /// The likeliest other text that satisfies the pattern, and the lead over it; `nil` if no other text does.
    var rival: Rival?
    /// The position of the text in the last view, as shares of its length.
    var span: ClosedRange<Double>
  }

  /// Another text that satisfies the pattern.
  struct Rival: Hashable {
    var text: String
    /// The lead in log-likelihood over it.
    var lead: Double
  }

  /// A run of words about as long as the pattern's texts.
  struct Segment {
    var lattice: LineLattice
    var columns: Range<Int>
    var spellings: [LineLattice.Spelling]
  }

  /// Caches the segments of recent views: a view is used in several frames, but its spellings are computed once. Use it from one
  /// thread at a time.
  final class Memory {
    private var recent: [(lattice: LineLattice, pattern: TextPattern, segments: [Segment])] = []
    /// The largest number of views, enough for ten lines in each of the frames that are voted together.
    static let limit = 64

    /// Returns the segments of a view for a pattern, from the cache or from `make`.
    func segments(of lattice: LineLattice, by pattern: TextPattern, _ make: () -> [Segment]) -> [Segment] {
      let known = recent.last { known in
        known.pattern == pattern && known.lattice.columns == lattice.columns
          && known.lattice.alphabet == lattice.alphabet
      }
      if let known { return known.segments }
      let made = make()
      if recent.count == Self.limit { recent.removeFirst() }
      recent.append((lattice, pattern, made))
      return made
    }
  }

  /// The largest difference in characters between the length of the seen text and the lengths of the pattern's texts.
  private static let slack = 2
  /// The largest number of segments of one view.
  private static let segmentLimit = 6
  /// The lengths in characters of texts for a pattern without lengths.
  private static let lengths = 5...34
  /// The characters that may separate the groups of a number with a check digit, and those of a plate.
  private static let silent = (number: " -", plate: " -.:·•|")
  /// The log-likelihood of a further character of a plate, of which a part may satisfy the expression as well.
  private static let longer = 2.0
  /// The least log-likelihood of a text in a view, because a view may show something else.
  private static let least = -10.0

  private let views: [[Segment]]
  private let matcher: TextMatcher
  private let silent: String

  /// Creates a vote; `nil` if the pattern lacks an alphabet or a check digit or has an expression, unless it is that of a plate, or
  /// if there are no lattices.
  init?(_ lattices: [LineLattice], _ matcher: TextMatcher, _ memory: Memory = Memory()) {
    let pattern = matcher.pattern
    guard pattern.check != nil && pattern.expression == nil || pattern.kind == .plate, let alphabet = pattern.alphabet,
      !lattices.isEmpty
    else { return nil }
    self.matcher = matcher
    let silent = pattern.kind == .plate ? Self.silent.plate : Self.silent.number
    self.silent = silent
    views = lattices.map { lattice in
      memory.segments(of: lattice, by: pattern) {
        Self.segments(lattice, alphabet, pattern.length ?? Self.lengths, silent)
      }
    }
  }

  private static func segments(
    _ lattice: LineLattice, _ alphabet: Set<Character>, _ lengths: ClosedRange<Int>, _ silent: String
  ) -> [Segment] {
    let labels = Set(lattice.alphabet.indices.filter { alphabet.contains(lattice.alphabet[$0]) }.map { $0 + 1 })
    let words = lattice.symbols().words
    /// Returns whether a word is a number. A run of words beside a number may be a part of a misread number.
    func isNumber(_ place: Int) -> Bool { words.indices.contains(place) && words[place].isNumber }
    let count = Double(lattice.columns.count)
    var segments: [Segment] = []
    for first in words.indices {
      for last in first..<min(words.count, first + TextMatcher.wordLimit) {
        let run = words[first...last].joined()
        guard (lengths.lowerBound - slack...lengths.upperBound + slack).contains(run.count),
          alphabet.contains("A") || !isNumber(first - 1) && !isNumber(last + 1), segments.count < segmentLimit,
          let begin = words[first].first?.span.lowerBound, let end = words[last].last?.span.upperBound
        else { continue }
        let columns =
          max(0, Int((begin * count).rounded()) - 1)..<min(lattice.columns.count, Int((end * count).rounded()) + 1)
        let spellings = lattice.spellings(
          in: columns, of: labels, limit: lengths.upperBound + slack, silent: silent)
        if !spellings.isEmpty { segments.append(Segment(lattice: lattice, columns: columns, spellings: spellings)) }
      }
    }
    return segments
  }

  /// Returns the likeliest text that satisfies the pattern; `nil` if no view allows one.
  func outcome(steps: inout Int) -> Outcome? {
    var proposed: Set<String> = []
    var valid: Set<String> = []
    for segment in views.joined() {
      if let likeliest = segment.spellings.first { proposed.insert(likeliest.text) }
      for spelling in segment.spellings where matcher.accepts(spelling.text, steps: &steps) {
        valid.insert(spelling.text)
      }
    }
    let scored = proposed.union(valid).map { (text: $0, score: score($0)) }
      .sorted { ($0.score, $1.text) > ($1.score, $0.text) }
    guard let best = scored.first(where: { valid.contains($0.text) }) else { return nil }
    let rival = scored.first { $0.text != best.text }?.score ?? Self.least * Double(views.count)
    let next = scored.first { $0.text != best.text && valid.contains($0.text) }
    let place = views.last { !$0.isEmpty }?.max { relative(best.text, $0) < relative(best.text, $1) }
    let count = Double(max(1, place?.lattice.columns.count ?? 1))
    let columns = place?.columns ?? 0..<1
    return Outcome(
      text: best.text, lead: best.score - rival, rival: next.map { Rival(text: $0.text, lead: best.score - $0.score) },
      span: (Double(columns.lowerBound) / count)...(Double(columns.upperBound) / count))
  }

  private func score(_ text: String) -> Double {
    views.reduce(matcher.pattern.kind == .plate ? Self.longer * Double(text.count) : 0) { sum, segments in
      guard let best = segments.map({ relative(text, $0) }).max() else { return sum }
      return sum + max(Self.least, best)
    }
  }

  /// Returns the log-likelihood of a text in a segment, relative to the likeliest text.
  private func relative(_ text: String, _ segment: Segment) -> Double {
    segment.lattice.score(of: text, in: segment.columns, silent: silent) - (segment.spellings.first?.score ?? 0)
  }
}
