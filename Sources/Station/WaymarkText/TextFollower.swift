import WaymarkImage

/// Follows lines of text over frames: it votes the readings of each line character by character, and accepts a text that satisfies
/// a pattern once it is stable. Times are the frames' times in seconds.
package struct TextFollower {
  /// The result of the frames so far.
  package struct Outcome: Sendable {
    package var candidates: [AcceptedText] = []
    /// The text that is stable and not doubtful.
    package var accepted: AcceptedText?

    package init() {}

    fileprivate init(candidates: [AcceptedText]) { self.candidates = candidates }
  }

  /// The name of texts without a pattern.
  package static let anyName = "text"
  /// The largest number of candidates of a frame.
  static let candidateLimit = 12
  /// The largest number of readings that are voted together.
  private static let readingLimit = 6
  /// The time for which sightings of a text are kept, in seconds. A line that is not seen for a third of it is dropped.
  private static let memory = 2.5
  /// The least confidence of a line for which it is a candidate, if there is no pattern.
  private static let leastLineConfidence = 0.5

  private struct Track {
    var outline: Quadrilateral
    var readings: [[ReadSymbol]]
    var lattices: [LineLattice]
    var seen: Double

    var line: ReadLine {
      var line = ReadLine(LineVote.settle(readings), outline: outline)
      line.lattices = lattices
      return line
    }
  }

  private struct Key: Hashable {
    var pattern: String
    var text: String
  }

  private struct Observation {
    var key: Key
    var time: Double
    /// True if the text is from a single frame, false if from the vote of all.
    var isOwn: Bool
  }

  private let acceptance: TextAcceptance
  private let patterns: [TextPattern]
  private var tracks: [Track] = []
  private var sightings: [Observation] = []

  /// - Throws: `badPattern` if the expression of a pattern is not supported.
  package init(_ patterns: [TextPattern]) throws(TextError) {
    acceptance = try TextAcceptance(patterns)
    self.patterns = patterns
  }

  /// Adds the lines of a frame.
  package mutating func see(_ lines: [ReadLine], at time: Double) -> Outcome {
    // An earlier time means that the source was restarted.
    if tracks.contains(where: { $0.seen > time }) { (tracks, sightings) = ([], []) }
    tracks.removeAll { time - $0.seen > Self.memory / 3 }
    sightings.removeAll { time - $0.time > Self.memory }
    for line in lines { follow(line, at: time) }
    let voted = tracks.filter { $0.seen == time }.map(\.line)
    guard !patterns.isEmpty else { return Outcome(candidates: Self.lines(voted)) }
    let own = acceptance.accepted(in: lines)
    let together = acceptance.accepted(in: voted)
    sightings += own.filter { !$0.isDoubtful }.map { Observation(key: Self.key($0), time: time, isOwn: true) }
    sightings += together.filter { !$0.isDoubtful }.map { Observation(key: Self.key($0), time: time, isOwn: false) }
    var outcome = Outcome()
    var reported: Set<Key> = []
    for text in together + own where reported.insert(Self.key(text)).inserted { outcome.candidates.append(text) }
    outcome.candidates.sort { ($1.isDoubtful ? 1 : 0, $0.confidence) > ($0.isDoubtful ? 1 : 0, $1.confidence) }
    outcome.candidates = Array(outcome.candidates.prefix(Self.candidateLimit))
    outcome.accepted = together.first { !$0.isDoubtful && isStable($0) }
    return outcome
  }

  private static func key(_ text: AcceptedText) -> Key { Key(pattern: text.pattern, text: text.text) }

  /// Returns whether enough frames agree on a text, and no other text of its pattern has a third as many sightings.
  private func isStable(_ text: AcceptedText) -> Bool {
    let key = Self.key(text)
    let pattern = patterns.first { $0.name == text.pattern }
    let isChecked = pattern?.check != nil || pattern?.kind == .mrz
    let own = sightings.count { $0.key == key && $0.isOwn }
    let together = sightings.count { $0.key == key && !$0.isOwn }
    // A text without a check digit needs more frames.
    let weight = Double(own) + 0.5 * Double(together)
    guard weight >= (isChecked ? 2.5 : 4), own >= 2, together >= 2 else { return false }
    let rivals = Set(sightings.filter { $0.key.pattern == key.pattern && $0.key != key }.map(\.key))
    return rivals.allSatisfy { rival in
      // Two numbers in view at once are both reported as candidates: the user chooses.
      Double(sightings.count { $0.key == rival }) * 3 < Double(own + together)
    }
  }

  private mutating func follow(_ line: ReadLine, at time: Double) {
    guard !line.symbols.isEmpty else { return }
    let place = tracks.indices.filter { tracks[$0].seen < time && Self.isSame(tracks[$0].outline, line.outline) }
      .min { Self.distance(tracks[$0].outline, line.outline) < Self.distance(tracks[$1].outline, line.outline) }
    guard let place, Self.resembles(tracks[place].readings.last ?? [], line.symbols) else {
      if let place { tracks.remove(at: place) }
      tracks.append(Track(outline: line.outline, readings: [line.symbols], lattices: line.lattices, seen: time))
      return
    }
    tracks[place].outline = line.outline
    tracks[place].seen = time
    tracks[place].readings.append(line.symbols)
    tracks[place].lattices = (tracks[place].lattices + line.lattices).suffix(Self.readingLimit)
    if tracks[place].readings.count > Self.readingLimit { tracks[place].readings.removeFirst() }
  }

  private static func distance(_ a: Quadrilateral, _ b: Quadrilateral) -> Double { a.center.distance(to: b.center) }

  private static func isSame(_ a: Quadrilateral, _ b: Quadrilateral) -> Bool {
    let (heightA, heightB) = (a.topLeft.distance(to: a.bottomLeft), b.topLeft.distance(to: b.bottomLeft))
    let (widthA, widthB) = (a.topLeft.distance(to: a.topRight), b.topLeft.distance(to: b.topRight))
    // A missing word at an end shifts the middle along the line.
    return distance(a, b) < max(1.5 * max(heightA, heightB), 0.25 * max(widthA, widthB))
      && max(heightA, heightB) < 2 * min(heightA, heightB)
  }

  /// Returns whether two readings may show the same text: at least half of the shorter one's characters occur in the other in
  /// the same order (the longest common subsequence).
  private static func resembles(_ a: [ReadSymbol], _ b: [ReadSymbol]) -> Bool {
    var row = [Int](repeating: 0, count: b.count + 1)
    for x in a {
      var corner = 0
      for (j, y) in b.enumerated() {
        let above = row[j + 1]
        row[j + 1] = x.text == y.text ? corner + 1 : max(above, row[j])
        corner = above
      }
    }
    return 2 * row[b.count] >= min(a.count, b.count)
  }

  /// Returns the lines as candidates if there is no pattern: the user chooses.
  private static func lines(_ lines: [ReadLine]) -> [AcceptedText] {
    lines.filter { $0.confidence >= leastLineConfidence }.prefix(candidateLimit).map { line in
      AcceptedText(
        text: line.text, pattern: anyName, corners: line.outline.corners, confidence: line.confidence,
        isDoubtful: true, others: [])
    }
  }
}
