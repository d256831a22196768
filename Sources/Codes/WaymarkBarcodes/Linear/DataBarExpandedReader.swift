import WaymarkSystem

/// Reads GS1 DataBar Expanded and Expanded Stacked (ISO/IEC 24724, clause 7).
///
/// A symbol is a row of finder patterns, each with a character of seventeen modules on either side; a stacked symbol is such a row
/// in pieces. Every finder pattern occurs at most once in each direction, and its bars show both the pattern and the direction.
/// Each line of a picture therefore votes for the characters beside its finder patterns. The check character gives the number of
/// characters, hence the finder patterns, and the weighted sum of all widths. The file also decodes the text of the characters.
package struct DataBarExpandedReader {
  /// The position of a character: the finder pattern beside it, and the side of the pattern.
  private struct Place: Hashable {
    /// The index of the finder pattern: 0 to 5 for A to F.
    var finder: Int
    /// True for a finder pattern at an even position of the symbol, counted from 1: it is mirrored, with dark outer elements.
    var isMirrored: Bool
    var isRight: Bool

    /// The row of the table of weights, from 0: the first element of the character has the weight 3 to the power of 8 × `row`; −1 for
    /// the check character, which has no weights.
    var row: Int { 4 * finder + (isMirrored ? 2 : 0) + (isRight ? 1 : 0) - 1 }
  }

  private struct SymbolCharacter: Hashable {
    var value: Int
    /// The character's contribution to the weighted sum that the check character verifies.
    var checked: Int
  }

  private var votes: [Place: [SymbolCharacter: Int]] = [:]
  /// The range along the lines in which characters were seen, in pixels.
  package private(set) var extent: ClosedRange<Double>?
  /// The least number of lines that must agree on each character.
  package static let leastVotes = 2

  package init() {}

  /// True if any character was seen, so that a closer search is worthwhile.
  package var hasTraces: Bool { !votes.isEmpty }

  /// True if there are at least two votes: for the same character in several lines, or for several characters of a symbol.
  package var hasSeveralTraces: Bool { votes.values.reduce(0) { $0 + $1.values.reduce(0, +) } >= Self.leastVotes }

  /// True if enough lines agree on each of three characters, so that more lines are worthwhile.
  var isLikely: Bool { votes.values.count { ($0.values.max() ?? 0) >= Self.leastVotes } >= 3 }

  /// True if this is certainly a symbol, read or not: six lines agree on each of two characters.
  package var isCode: Bool { votes.values.count { ($0.values.max() ?? 0) >= 6 } >= 2 }

  /// Adds the characters of one line, binarised with several thresholds: each character has one vote.
  package mutating func add(_ lines: [LinearLine]) {
    var seen: Set<[Int]> = []
    for line in lines {
      for sighting in Self.sightings(line) {
        let (place, character) = (sighting.place, sighting.character)
        guard seen.insert([place.row, character.value]).inserted else { continue }
        votes[place, default: [:]][character, default: 0] += 1
        let from = min(sighting.from, extent?.lowerBound ?? sighting.from)
        extent = from...max(sighting.to, extent?.upperBound ?? sighting.to)
      }
    }
  }

  /// Adds the characters of another piece of the same symbol.
  package mutating func add(_ other: DataBarExpandedReader) {
    for (place, characters) in other.votes { votes[place, default: [:]].merge(characters, uniquingKeysWith: +) }
  }

  // MARK: Lines

  private struct Sighting {
    var place: Place
    var character: SymbolCharacter
    var from: Double
    var to: Double
    /// The runs of the finder pattern and the runs of the character.
    var finder: Range<Int>
    var elements: Range<Int>
    /// The largest deviation of the finder pattern, in modules.
    var off: Double
  }

  private static func sightings(_ line: LinearLine) -> [Sighting] {
    let w = line.widths
    guard w.count >= 13 else { return [] }
    var found: [Sighting] = []
    for start in 0...(w.count - 5) {
      for isReversed in [false, true] {
        // The direction from the wide elements to the two narrow elements at the end.
        let (first, step) = isReversed ? (start + 4, -1) : (start, 1)
        let module = (w[first] + w[first + step] + w[first + 2 * step] + w[first + 3 * step]) / 14
        let last = w[first + 3 * step] + w[first + 4 * step]
        guard module > 0.7, w[first + step] + w[first + 2 * step] > 9 * module, last < 3.2 * module,
          last > 1.2 * module
        else { continue }
        let own = (0..<5).map { w[first + $0 * step] }
        guard let (finder, off) = finder(own, module) else { continue }
        let isMirrored = start.isMultiple(of: 2)
        // A mirrored pattern is reversed in the direction of reading.
        let isForward = isReversed == isMirrored
        // Ink spread makes dark elements wider and light ones narrower.
        var spread = 0.0
        for (i, width) in own.enumerated() {
          let excess = width - Double(patterns[finder][i]) * module
          spread += ((start + i).isMultiple(of: 2) ? excess : -excess) / 5
        }
        for isAfter in [false, true] {
          let first = isAfter ? start + 5 : start - 8
          guard first >= 0, first + 8 <= w.count else { continue }
          let place = Place(finder: finder, isMirrored: isMirrored, isRight: isAfter == isForward)
          var elements = (first..<(first + 8)).map { w[$0] + ($0.isMultiple(of: 2) ? -spread : spread) }
          // The order of the elements is from the outer end to the finder pattern.
          if isAfter { elements.reverse() }
          guard let character = character(elements, module, place) else { continue }
          found.append(
            Sighting(
              place: place, character: character, from: line.edges[first], to: line.edges[first + 8],
              finder: start..<(start + 5), elements: first..<(first + 8), off: off))
        }
      }
    }
    // The elements of a character may resemble a finder pattern.
    return found.filter { sighting in
      !found.contains { $0.off < sighting.off && $0.elements.overlaps(sighting.finder) }
    }
  }

  /// Returns the index of the finder pattern of five elements and its largest deviation in modules; distances between similar edges do
  /// not change with ink spread.
  private static func finder(_ own: [Double], _ module: Double) -> (index: Int, off: Double)? {
    var best: (index: Int, off: Double)?
    for (index, pattern) in patterns.enumerated() {
      var off = 0.0
      for i in 0..<4 { off = max(off, abs((own[i] + own[i + 1]) / module - Double(pattern[i] + pattern[i + 1]))) }
      if off < best?.off ?? 0.95 { best = (index, off) }
    }
    return best
  }

  private static let patterns = [
    [1, 8, 4, 1, 1], [3, 6, 4, 1, 1], [3, 4, 6, 1, 1], [3, 2, 8, 1, 1], [2, 6, 5, 1, 1], [2, 2, 9, 1, 1],
  ]

  private static func character(_ elements: [Double], _ near: Double, _ place: Place) -> SymbolCharacter? {
    let module = elements.reduce(0, +) / 17
    guard abs(module - near) < 0.25 * near else { return nil }
    let odd = stride(from: 0, to: 8, by: 2).map { elements[$0] / module }
    let even = stride(from: 1, to: 8, by: 2).map { elements[$0] / module }
    var best: (odd: [Int], even: [Int], value: Int, off: Double)?
    for group in groups {
      let a = ElementWidths.nearest(odd, sum: group.modules)
      let b = ElementWidths.nearest(even, sum: 17 - group.modules)
      guard a.off + b.off < best?.off ?? 2.5, let oddRank = group.odd.rank(of: a.widths),
        let evenRank = group.even.rank(of: b.widths), oddRank < group.count
      else { continue }
      best = (a.widths, b.widths, group.first + oddRank * group.even.count + evenRank, a.off + b.off)
    }
    guard let best else { return nil }
    guard place.row >= 0 else { return SymbolCharacter(value: best.value, checked: 0) }
    var weight = 1
    for _ in 0..<(8 * place.row) { weight = weight * 3 % 211 }
    var checked = 0
    for i in 0..<4 {
      checked += weight * best.odd[i] + weight * 3 % 211 * best.even[i]
      weight = weight * 9 % 211
    }
    return SymbolCharacter(value: best.value, checked: checked % 211)
  }

  private struct Group {
    var first: Int
    /// The number of sequences of odd elements in use.
    var count: Int
    var modules: Int
    var odd: ElementWidths
    var even: ElementWidths
  }

  /// Table 9: the groups of characters by the number of modules of their odd elements.
  private static let groups: [Group] = [
    (0, 87, 12, 7), (348, 52, 10, 5), (1388, 30, 8, 4), (2948, 10, 6, 3), (3988, 1, 4, 1),
  ].map { first, count, modules, widest in
    Group(
      first: first, count: count, modules: modules,
      odd: ElementWidths(elements: 4, modules: modules, widest: widest, needsNarrow: true),
      even: ElementWidths(elements: 4, modules: 17 - modules, widest: 9 - widest, needsNarrow: false))
  }

  // MARK: The symbol

  /// The contents of a symbol.
  package struct Reading {
    package var text: String
    /// The number of lines that agree on the character with the fewest votes.
    package var lines: Int
    /// The number of characters, with the check character.
    package var characters: Int
    /// True if the symbol declares a 2-D component above it.
    package var isLinked = false
  }

  /// Returns the symbol that the characters form; `nil` without a symbol, or for several.
  ///
  /// - Parameter isStrict: true if the characters may be of two codes: a symbol is then refused if a position has two candidates.
  package func read(isStrict: Bool = false) -> Reading? {
    let check = Place(finder: 0, isMirrored: false, isRight: false)
    var found: Reading?
    for (head, count) in candidates(check, isStrict) {
      let characters = head.value / 211 + 4
      guard (4...22).contains(characters) else { continue }
      // The check character is first. If the number of characters is odd, the last one has its finder pattern on its right side
      // only.
      let places = Self.sequences[(characters + 1) / 2 - 2].enumerated().flatMap { index, finder in
        [false, true].map { Place(finder: finder, isMirrored: index % 2 == 1, isRight: $0) }
      }.dropFirst().prefix(characters - 1)
      var choices: [[(character: SymbolCharacter, votes: Int)]] = []
      for place in places {
        let own = candidates(place, isStrict)
        guard !own.isEmpty else { break }
        choices.append(own)
      }
      guard choices.count == characters - 1, choices.reduce(1, { min(1000, $0 * $1.count) }) <= 64 else { continue }
      for combination in Self.combinations(choices)
      where combination.reduce(0, { $0 + $1.character.checked }) % 211 == head.value % 211 {
        guard let text = DataBarExpandedText.decode(combination.map(\.character.value)) else { continue }
        // Two combinations fit: the symbol is ambiguous.
        if let found, found.text != text { return nil }
        found = Reading(
          text: text, lines: min(count, combination.map(\.votes).min() ?? 0), characters: characters,
          isLinked: combination.first.map { $0.character.value >> 11 == 1 } ?? false)
      }
    }
    return found
  }

  /// Returns the candidates at a position: the characters shown by at least `leastVotes` lines and by a third as many as the most
  /// frequent character. Empty if there are several and `isStrict` is true.
  private func candidates(_ place: Place, _ isStrict: Bool) -> [(character: SymbolCharacter, votes: Int)] {
    guard let own = votes[place], let most = own.values.max(), most >= Self.leastVotes else { return [] }
    let kept = own.filter { $0.value >= Self.leastVotes && 3 * $0.value >= most }
    return isStrict && kept.count > 1 ? [] : kept.map { ($0.key, $0.value) }
  }

  private static func combinations(
    _ choices: [[(character: SymbolCharacter, votes: Int)]]
  ) -> [[(character: SymbolCharacter, votes: Int)]] {
    choices.reduce([[]]) { known, next in known.flatMap { head in next.map { head + [$0] } } }
  }

  /// Table 15: the sequences of finder patterns of symbols with two to eleven of them.
  private static let sequences: [[Int]] = [
    [0, 0], [0, 1, 1], [0, 2, 1, 3], [0, 4, 1, 3, 2], [0, 4, 1, 3, 3, 5], [0, 4, 1, 3, 4, 5, 5],
    [0, 0, 1, 1, 2, 2, 3, 3], [0, 0, 1, 1, 2, 2, 3, 4, 4], [0, 0, 1, 1, 2, 2, 3, 4, 5, 5],
    [0, 0, 1, 1, 2, 3, 3, 4, 4, 5, 5],
  ]
}

// MARK: - Text

/// Decodes the characters of a GS1 DataBar Expanded symbol (ISO/IEC 24724, 7.2.5).
enum DataBarExpandedText {
  /// Returns the element strings encoded by characters of twelve bits: identifiers and values, with FNC1 as ASCII 29 where a
  /// separator is needed; `nil` if the bits are invalid.
  static func decode(_ characters: [Int]) -> String? {
    var bits = GS1Bits(characters, width: 12)
    // The first bit is set if a 2-D component is printed above the symbol.
    guard bits.take(1) != nil else { return nil }
    if bits.starts(with: "1") {
      // Method 1: a GTIN with its first digit, and other element strings.
      guard bits.skip(1 + 2), let first = bits.take(4), first < 10, let item = bits.item(first: first) else {
        return nil
      }
      return bits.general(after: item)
    }
    if bits.starts(with: "00") {
      guard bits.skip(2 + 2) else { return nil }
      return bits.general(after: "")
    }
    if bits.starts(with: "0100") || bits.starts(with: "0101") {
      let isMetric = bits.starts(with: "0100")
      guard bits.skip(4), let item = bits.item(first: 9), let weight = bits.take(15) else { return nil }
      if isMetric { return item + "3103" + weight.digits(6) }
      return item + (weight < 10_000 ? "3202" + weight.digits(6) : "3203" + (weight - 10_000).digits(6))
    }
    if bits.starts(with: "01100") || bits.starts(with: "01101") {
      let hasCurrency = bits.starts(with: "01101")
      guard bits.skip(5 + 2), let item = bits.item(first: 9), let decimals = bits.take(2) else { return nil }
      guard hasCurrency else { return bits.general(after: item + "392\(decimals)") }
      guard let currency = bits.take(10), currency < 1000 else { return nil }
      return bits.general(after: item + "393\(decimals)" + currency.digits(3))
    }
    guard bits.starts(with: "0111"), bits.skip(4), let kind = bits.take(3), let item = bits.item(first: 9),
      let weight = bits.take(20), let date = bits.take(16)
    else { return nil }
    return weighed(item, kind: kind, weight: weight, date: date)
  }

  /// Returns the element strings of the methods 0111000 to 0111111: an item, a weight, whose first digit is the position of the
  /// decimal point, and an optional date; `nil` if weight or date is out of range.
  private static func weighed(_ item: String, kind: Int, weight: Int, date: Int) -> String? {
    guard weight < 1_000_000 else { return nil }
    let measure = (kind.isMultiple(of: 2) ? "310" : "320") + "\(weight / 100_000)" + (weight % 100_000).digits(6)
    // The value for no date: the number of days in a century of twelve months of 32 days.
    if date == 38_400 { return item + measure }
    let (year, month, day) = (date / 384, date / 32 % 12 + 1, date % 32)
    guard year < 100 else { return nil }
    return item + measure + ["11", "13", "15", "17"][kind / 2] + year.digits(2) + month.digits(2) + day.digits(2)
  }
}
