import WaymarkImage

extension LineLattice {
  /// A text that the columns may spell, and how likely they do, as a logarithm.
  struct Spelling: Hashable {
    var text: String
    var score: Double
  }

  /// The likelihoods of a beginning whose last column says nothing, and of one whose last column says its last character.
  private struct Ending {
    var blank = 0.0
    var character = 0.0

    var sum: Double { blank + character }
  }

  /// Beginnings that each column is gone on with.
  private static let beamWidth = 24
  /// A character that is less likely in a column is not tried there.
  private static let leastShare = 1e-4

  /// Returns how likely a column says nothing, or one of the characters that count as nothing.
  private func silence(of column: Column, _ silent: String) -> Double {
    column.choices.reduce(Self.unlikely) { sum, choice in
      let isSilent = choice.label == 0 || silent.contains(alphabet[choice.label - 1])
      return isSilent ? sum + choice.share : sum
    }
  }

  /// The likeliest texts of some characters, spaces apart, by a beam over beginnings (A. Hannun et al., "First-pass large vocabulary continuous
  /// speech recognition using bi-directional recurrent DNNs", 2014).
  ///
  /// - Parameters:
  ///   - columns: where the text stands.
  ///   - allowed: the labels of its characters.
  ///   - limit: how many characters it has at most.
  ///   - silent: characters that count as nothing.
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
      // Likelihoods of many columns would leave the range of numbers.
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

  /// How likely the columns spell a text of the characters that they know, as a logarithm: over all ways to do so (A. Graves et al., "Connectionist
  /// temporal classification", 2006).
  ///
  /// - Parameter silent: characters that count as nothing.
  func score(of text: String, in columns: Range<Int>, silent: String = " ") -> Double {
    let labels = text.map { character in (alphabet.firstIndex(of: character) ?? -1) + 1 }
    guard !labels.contains(0) else { return -.infinity }
    /// Of each beginning, by its number of characters.
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
