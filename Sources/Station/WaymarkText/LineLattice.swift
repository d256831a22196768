import WaymarkImage

/// The result of a recognition network for one line: for each column of its picture how likely each character is there, or none.
package struct LineLattice: Hashable, Sendable {
  /// A character that may stand in a column.
  package struct LabelShare: Hashable, Sendable {
    /// Its number, from 1; 0 for none.
    package var label: Int
    /// How likely it is, 0 to 1.
    package var share: Double

    package init(label: Int, share: Double) {
      self.label = label
      self.share = share
    }
  }

  /// A column: the likeliest choices, the likeliest first.
  package struct Column: Hashable, Sendable {
    package var choices: [LabelShare]

    package init(choices: [LabelShare]) { self.choices = choices }

    /// The likelihoods of all labels by their exponentials (softmax), of which the likeliest are kept.
    init(logits: ArraySlice<Float>, temperature: Float) {
      let top = logits.max() ?? 0
      var sum = 0.0
      var shares: [(label: Int, share: Double)] = []
      for (label, value) in logits.enumerated() {
        let distance = Double((value - top) / temperature)
        guard distance > -30 else { continue }
        let share = Double.exponential(distance)
        sum += share
        if share > Self.least { shares.append((label, share)) }
      }
      shares.sort { ($0.share, $1.label) > ($1.share, $0.label) }
      choices = shares.prefix(LineLattice.choiceLimit).map { LabelShare(label: $0.label, share: $0.share / sum) }
    }

    /// Labels that are less likely, compared with the likeliest, are not kept.
    private static let least = 1e-6

    func share(of label: Int) -> Double { choices.first { $0.label == label }?.share ?? LineLattice.unlikely }
  }

  /// The height of the pictures that it is told of.
  package static let height = 32
  /// Choices of a column.
  package static let choiceLimit = 10
  /// The likelihood of what is not among the choices.
  static let unlikely = 1e-7

  /// The characters; label i is the i-th of them, from 1.
  package let alphabet: [Character]
  package let columns: [Column]

  /// - Parameters:
  ///   - alphabet: of which every label of `columns` is one.
  ///   - columns: from left to right.
  package init(alphabet: [Character], columns: [Column]) {
    self.alphabet = alphabet
    self.columns = columns
  }

  /// The same with the characters of an alphabet and spaces alone: what else a column says is left out, and the rest shares its likelihood.
  func limited(to allowed: LineAlphabet) -> LineLattice {
    guard allowed != .any else { return self }
    let characters = Set(allowed.characters)
    let isAllowed = [true] + alphabet.map { characters.contains($0) || ($0 == " " && allowed != .zone) }
    let columns = columns.map { column in
      let kept = column.choices.filter { isAllowed[$0.label] }
      let sum = kept.reduce(0) { $0 + $1.share }
      // A column that was taken for something else was not surely nothing.
      guard sum > 0 else { return Column(choices: [LabelShare(label: 0, share: 1)]) }
      return Column(choices: kept.map { LabelShare(label: $0.label, share: $0.share / sum) })
    }
    return LineLattice(alphabet: alphabet, columns: columns)
  }

  /// The likeliest label of each column, those that go on made one: best path decoding.
  package func symbols() -> [ReadSymbol] {
    var runs: [(label: Int, columns: Range<Int>)] = []
    for (place, column) in columns.enumerated() {
      let label = column.choices.first?.label ?? 0
      if let last = runs.last, last.label == label {
        runs[runs.count - 1].columns = last.columns.lowerBound..<(place + 1)
      } else {
        runs.append((label, place..<(place + 1)))
      }
    }
    return symbols(of: runs.filter { $0.label > 0 })
  }

  /// Symbols of labels that take in some columns each.
  func symbols(of runs: [(label: Int, columns: Range<Int>)]) -> [ReadSymbol] {
    let count = Double(max(1, columns.count))
    var symbols: [ReadSymbol] = []
    var isAfterSpace = false
    for run in runs {
      let character = alphabet[run.label - 1]
      guard character != " " else {
        isAfterSpace = true
        continue
      }
      // Where it is surest: its other columns are its rims.
      let peak = run.columns.max { columns[$0].share(of: run.label) < columns[$1].share(of: run.label) }
      let column = columns[peak ?? run.columns.lowerBound]
      // A class that goes on from column to column makes more than one claim; the surest one is the character's.
      let choices = column.choices.filter { $0.label != run.label && $0.label > 0 && alphabet[$0.label - 1] != " " }
      symbols.append(
        ReadSymbol(
          String(character), confidence: column.share(of: run.label),
          choices: choices.prefix(4).map { .init(String(alphabet[$0.label - 1]), $0.share) },
          span: (Double(run.columns.lowerBound) / count)...(Double(run.columns.upperBound) / count),
          beginsWord: symbols.isEmpty || isAfterSpace))
      isAfterSpace = false
    }
    return symbols
  }
}
