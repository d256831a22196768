import WaymarkImage

/// The result of a recognition network for one line: for each column of its picture, the likelihood of each character and of no
/// character (the blank of connectionist temporal classification), with the decoders of such columns.
package struct LineLattice: Hashable, Sendable {
  /// A label with its likelihood in a column.
  package struct LabelShare: Hashable, Sendable {
    /// The number of the character, from 1; 0 for the blank.
    package var label: Int
    /// The likelihood, 0 to 1.
    package var share: Double
  }

  /// A column with its likeliest labels, the likeliest first.
  package struct Column: Hashable, Sendable {
    package var choices: [LabelShare]

    package init(choices: [LabelShare]) { self.choices = choices }

    /// Creates a column from the logits of all labels by softmax, and keeps the likeliest labels.
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

    /// The least likelihood of a kept label relative to the likeliest.
    private static let least = 1e-6

    func share(of label: Int) -> Double { choices.first { $0.label == label }?.share ?? LineLattice.unlikely }
  }

  /// The height of the network's pictures in pixels.
  package static let height = 32
  /// The largest number of labels kept per column.
  package static let choiceLimit = 10
  /// The likelihood assumed for labels that are not kept.
  static let unlikely = 1e-7

  /// The characters; label i is the character at index i - 1.
  package let alphabet: [Character]
  package let columns: [Column]

  /// - Parameters:
  ///   - alphabet: The characters; every label of `columns` must be in it.
  ///   - columns: The columns from left to right.
  package init(alphabet: [Character], columns: [Column]) {
    self.alphabet = alphabet
    self.columns = columns
  }

  /// Returns the lattice limited to the characters of an alphabet and spaces, renormalised.
  func limited(to allowed: LineAlphabet) -> LineLattice {
    guard allowed != .any else { return self }
    let characters = Set(allowed.characters)
    let isAllowed = [true] + alphabet.map { characters.contains($0) || ($0 == " " && allowed != .zone) }
    let columns = columns.map { column in
      let kept = column.choices.filter { isAllowed[$0.label] }
      let sum = kept.reduce(0) { $0 + $1.share }
      // A column with only disallowed characters becomes blank.
      guard sum > 0 else { return Column(choices: [LabelShare(label: 0, share: 1)]) }
      return Column(choices: kept.map { LabelShare(label: $0.label, share: $0.share / sum) })
    }
    return LineLattice(alphabet: alphabet, columns: columns)
  }

  /// Returns the symbols by best path decoding: the likeliest label of each column, with repetitions merged.
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

  /// Returns the symbols of characters, each a label with its range of columns; spaces begin words.
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
      // The likeliest column represents the character; the other columns are its edges.
      let peak = run.columns.max { columns[$0].share(of: run.label) < columns[$1].share(of: run.label) }
      let column = columns[peak ?? run.columns.lowerBound]
      // The alternatives come from the likeliest column, too.
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

extension LineLattice {
  /// A state of a path: the number of complete characters and, unless the label is blank, the next character in progress.
  private struct Stand: Hashable {
    var place: Int
    var label: Int
  }

  /// The log-likelihood of the likeliest path to a state, and the state in the previous column.
  private struct Arrival {
    var score: Double
    var before: Stand
  }

  /// Returns the symbols of the likeliest path with exactly one character per element of `allowed` (A. J. Viterbi, 1967);
  /// `nil` if there is no such path. The choices of each symbol are all characters allowed at its position, including itself.
  ///
  /// - Parameter allowed: The allowed labels at each position.
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
      // Drops paths that can no longer be completed, and all but the `standLimit` likeliest.
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

  /// The largest number of states that are kept for each column.
  private static let standLimit = 80
}

extension LineLattice {
  /// A text that columns may spell, and its log-likelihood.
  struct Spelling: Hashable {
    var text: String
    var score: Double
  }

  /// The likelihoods that the columns spell a prefix, separately for alignments whose last column is blank and for those whose last
  /// column shows the prefix's last character.
  private struct Ending {
    var blank = 0.0
    var character = 0.0

    var sum: Double { blank + character }
  }

  /// The largest number of prefixes kept for each column.
  private static let beamWidth = 24
  /// The least likelihood at which a character is tried in a column.
  private static let leastShare = 1e-4

  /// Returns the likelihood that a column is blank or has a silent character.
  private func silence(of column: Column, _ silent: String) -> Double {
    column.choices.reduce(Self.unlikely) { sum, choice in
      let isSilent = choice.label == 0 || silent.contains(alphabet[choice.label - 1])
      return isSilent ? sum + choice.share : sum
    }
  }

  /// Returns the likeliest texts of allowed characters, without spaces, by a beam search over prefixes (A. Hannun et al.,
  /// "First-pass large vocabulary continuous speech recognition using bi-directional recurrent DNNs", 2014).
  ///
  /// - Parameters:
  ///   - columns: The columns of the text.
  ///   - allowed: The labels of the allowed characters.
  ///   - limit: The largest number of characters of a text.
  ///   - silent: The characters treated as blank.
  func spellings(in columns: Range<Int>, of allowed: Set<Int>, limit: Int, silent: String = " ") -> [Spelling] {
    var beam: [[Int]: Ending] = [[]: Ending(blank: 1)]
    var scale = 0.0
    for column in self.columns[columns] {
      let blank = silence(of: column, silent)
      let choices = column.choices.filter { $0.share >= Self.leastShare && allowed.contains($0.label) }
      var next: [[Int]: Ending] = [:]
      for (beginning, ending) in beam {
        next[beginning, default: Ending()].blank += ending.sum * blank
        for choice in choices {
          let (label, share) = (choice.label, choice.share)
          let isSame = beginning.last == label
          if isSame { next[beginning, default: Ending()].character += ending.character * share }
          guard beginning.count < limit else { continue }
          let before = isSame ? ending.blank : ending.sum
          if before > 0 { next[beginning + [label], default: Ending()].character += before * share }
        }
      }
      let kept = next.sorted { ($0.value.sum, $1.key.count) > ($1.value.sum, $0.key.count) }.prefix(Self.beamWidth)
      // Without rescaling, likelihoods of many columns would underflow.
      let top = kept.first?.value.sum ?? 0
      guard top > 0 else { return [] }
      scale += Double.naturalLogarithm(top)
      beam = Dictionary(
        uniqueKeysWithValues: kept.map { beginning, ending in
          (beginning, Ending(blank: ending.blank / top, character: ending.character / top))
        })
    }
    return beam.filter { $0.value.sum > 0 }
      .map { beginning, ending in
        Spelling(
          text: String(beginning.map { alphabet[$0 - 1] }), score: scale + Double.naturalLogarithm(ending.sum))
      }
      .sorted { ($0.score, $1.text) > ($1.score, $0.text) }
  }

  /// Returns the log-likelihood that the columns spell a text, over all alignments (A. Graves et al., "Connectionist temporal
  /// classification", 2006); -∞ if the alphabet lacks a character.
  ///
  /// - Parameter silent: The characters treated as blank.
  func score(of text: String, in columns: Range<Int>, silent: String = " ") -> Double {
    let labels = text.map { character in (alphabet.firstIndex(of: character) ?? -1) + 1 }
    guard !labels.contains(0) else { return -.infinity }
    /// The likelihoods of each prefix, indexed by its number of characters.
    var now = [Ending](repeating: Ending(), count: labels.count + 1)
    now[0].blank = 1
    var scale = 0.0
    for column in self.columns[columns] {
      let blank = silence(of: column, silent)
      var next = now
      for place in now.indices {
        next[place].blank = now[place].sum * blank
        guard place > 0 else { continue }
        let isSame = place > 1 && labels[place - 1] == labels[place - 2]
        let before = now[place].character + (isSame ? now[place - 1].blank : now[place - 1].sum)
        next[place].character = before * column.share(of: labels[place - 1])
      }
      let top = next.reduce(0) { max($0, $1.sum) }
      guard top > 0 else { return -.infinity }
      scale += Double.naturalLogarithm(top)
      now = next.map { Ending(blank: $0.blank / top, character: $0.character / top) }
    }
    let sum = now[labels.count].sum
    return sum > 0 ? scale + Double.naturalLogarithm(sum) : -.infinity
  }
}
