import WaymarkImage

/// Decides what views of one line say together: each text that one of them may say is held to all of them, and the pattern and its check digit choose
/// among those. What one frame blurs another one shows, however both would have been read alone.
struct LatticeVote {
  /// The decision.
  struct Outcome: Hashable {
    var text: String
    /// By how much it is likelier than every other text, one that does not satisfy the pattern among them, as a logarithm.
    var lead: Double
    /// Where it stands in the last view, as shares of its length.
    var span: ClosedRange<Double>
  }

  /// A run of words that is about as long as the pattern's texts.
  struct Segment {
    var lattice: LineLattice
    var columns: Range<Int>
    var spellings: [LineLattice.Spelling]
  }

  /// The runs of the views that were asked of last: a view counts in several frames, and its spellings are sought once. One thread.
  final class Memory {
    private var recent: [(lattice: LineLattice, pattern: TextPattern, segments: [Segment])] = []
    /// More views are not remembered: ten lines over as many frames as are voted together.
    static let limit = 64

    /// The runs of a view by a pattern: those that were made before, or new ones.
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

  /// Characters more or less that the pattern's texts may have than were seen.
  private static let slack = 2
  /// Runs of words of one view that are tried, at most.
  private static let segmentLimit = 6
  /// How long texts are whose pattern does not say it.
  private static let lengths = 5...34
  /// Groups of a number with a check digit are apart or not.
  private static let silent = " -"
  /// A view counts no more than this against a text, as a logarithm: one may show something else.
  private static let least = -10.0

  private let views: [[Segment]]
  private let matcher: TextMatcher

  /// Nil for a pattern that does not name its characters and its check digit.
  init?(_ lattices: [LineLattice], _ matcher: TextMatcher, _ memory: Memory = Memory()) {
    let pattern = matcher.pattern
    guard pattern.check != nil, pattern.expression == nil, let alphabet = pattern.alphabet, !lattices.isEmpty else {
      return nil
    }
    self.matcher = matcher
    views = lattices.map { lattice in
      memory.segments(of: lattice, by: pattern) {
        Self.segments(lattice, alphabet, pattern.length ?? Self.lengths)
      }
    }
  }

  private static func segments(
    _ lattice: LineLattice, _ alphabet: Set<Character>, _ lengths: ClosedRange<Int>
  ) -> [Segment] {
    let labels = Set(lattice.alphabet.indices.filter { alphabet.contains(lattice.alphabet[$0]) }.map { $0 + 1 })
    let words = lattice.symbols().words
    /// A number beside other digits may be a part of one that was read wrongly.
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

  /// The likeliest text that satisfies the pattern; nil where none is said.
  func outcome(steps: inout Int) -> Outcome? {
    var told: Set<String> = []
    var valid: Set<String> = []
    for segment in views.joined() {
      if let likeliest = segment.spellings.first { told.insert(likeliest.text) }
      for spelling in segment.spellings where matcher.accepts(spelling.text, steps: &steps) {
        valid.insert(spelling.text)
      }
    }
    let scored = told.union(valid).map { (text: $0, score: score($0)) }
      .sorted { ($0.score, $1.text) > ($1.score, $0.text) }
    guard let best = scored.first(where: { valid.contains($0.text) }) else { return nil }
    let rival = scored.first { $0.text != best.text }?.score ?? Self.least * Double(views.count)
    let place = views.last { !$0.isEmpty }?.max { relative(best.text, $0) < relative(best.text, $1) }
    let count = Double(max(1, place?.lattice.columns.count ?? 1))
    let columns = place?.columns ?? 0..<1
    return Outcome(
      text: best.text, lead: best.score - rival,
      span: (Double(columns.lowerBound) / count)...(Double(columns.upperBound) / count))
  }

  private func score(_ text: String) -> Double {
    views.reduce(0) { sum, segments in
      guard let best = segments.map({ relative(text, $0) }).max() else { return sum }
      return sum + max(Self.least, best)
    }
  }

  /// How much less likely a run of words says a text than what it says most likely, as a logarithm.
  private func relative(_ text: String, _ segment: Segment) -> Double {
    segment.lattice.score(of: text, in: segment.columns, silent: Self.silent) - (segment.spellings.first?.score ?? 0)
  }
}
