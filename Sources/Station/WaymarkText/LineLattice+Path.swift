import WaymarkImage

extension LineLattice {
  /// A place of a path: `place` characters are done, or, with a label, that of number `place` is being said.
  private struct Stand: Hashable {
    var place: Int
    var label: Int
  }

  /// How likely the likeliest path to a stand is, as a logarithm, and the stand of the column before.
  private struct Arrival {
    var score: Double
    var before: Stand
  }

  /// The likeliest path of exactly so many characters, each among those allowed at its place (A. J. Viterbi, 1967), as symbols whose choices are all
  /// that may stand there, itself included; nil where there is no such path.
  ///
  /// - Parameter allowed: for each place the labels that may stand there.
  func symbols(at allowed: [Set<Int>]) -> [ReadSymbol]? {
    let (count, start) = (allowed.count, Stand(place: 0, label: 0))
    guard count > 0, columns.count >= count else { return nil }
    var now = [start: Arrival(score: 0, before: start)]
    var arrivals: [[Stand: Arrival]] = []
    for (index, column) in columns.enumerated() {
      var next: [Stand: Arrival] = [:]
      func arrive(_ stand: Stand, _ score: Double, from before: Stand) {
        if let known = next[stand], known.score >= score { return }
        next[stand] = Arrival(score: score, before: before)
      }
      let blank = Double.naturalLogarithm(column.share(of: 0))
      let choices = column.choices.filter { $0.label > 0 }.map { ($0.label, Double.naturalLogarithm($0.share)) }
      for (stand, arrival) in now {
        let done = stand.label == 0 ? stand.place : stand.place + 1
        arrive(Stand(place: done, label: 0), arrival.score + blank, from: stand)
        for (label, share) in choices {
          if label == stand.label {
            arrive(stand, arrival.score + share, from: stand)
          } else if done < count, allowed[done].contains(label) {
            arrive(Stand(place: done, label: label), arrival.score + share, from: stand)
          }
        }
      }
      // Paths that cannot be finished any more, or are much less likely than the rest, are given up.
      let kept = next.filter { count - $0.key.place <= columns.count - index }
        .sorted { ($0.value.score, $1.key.place, $1.key.label) > ($1.value.score, $0.key.place, $0.key.label) }
        .prefix(Self.standLimit)
      now = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
      arrivals.append(now)
    }
    let ends = now.filter { $0.key.label == 0 ? $0.key.place == count : $0.key.place == count - 1 }
    guard
      var stand = ends.max(by: { ($0.value.score, $1.key.label) < ($1.value.score, $0.key.label) })?.key
    else { return nil }
    var runs: [(label: Int, columns: Range<Int>)] = []
    var open: Stand?
    for (index, column) in arrivals.enumerated().reversed() {
      if stand.label > 0, stand == open {
        runs[runs.count - 1].columns = index..<runs[runs.count - 1].columns.upperBound
      } else if stand.label > 0 {
        runs.append((stand.label, index..<(index + 1)))
      }
      open = stand
      guard let before = column[stand]?.before else { return nil }
      stand = before
    }
    guard runs.count == count else { return nil }
    return runs.reversed().enumerated().map { place, run in
      var symbol = symbols(of: [run]).first ?? ReadSymbol("", confidence: 0)
      var shares: [Int: Double] = [:]
      for column in run.columns {
        for choice in columns[column].choices where allowed[place].contains(choice.label) {
          shares[choice.label] = max(shares[choice.label] ?? 0, choice.share)
        }
      }
      symbol.choices = shares.map { .init(String(alphabet[$0.key - 1]), $0.value) }
        .sorted { ($0.confidence, $1.text) > ($1.confidence, $0.text) }
      symbol.beginsWord = false
      return symbol
    }
  }

  /// How many stands each column is gone on with.
  private static let standLimit = 80
}
