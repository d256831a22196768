/// The bars of a postal code, each of which reaches above and below the others or not.
package struct FourStateBars: Hashable {
  /// The bars in two bits each: 2 for one that ascends, 1 for one that descends.
  package var states: [Int]
  /// The indices of the bars of uncertain state, the most doubtful first, and the bit in doubt.
  var doubts: [Doubt] = []

  struct Doubt: Hashable {
    var bar: Int
    var bit: Int
  }

  package init(states: [Int]) { self.states = states }

  /// Creates bars from the letters of the standards: F for full, A for ascending, D for descending, T for tracker.
  package init?(_ letters: some StringProtocol) {
    let states = letters.compactMap { Self.letters.firstIndex(of: $0) }
    guard states.count == letters.count else { return nil }
    self.init(states: states)
  }

  private static let letters: [Character] = ["T", "D", "A", "F"]

  package var letters: String { String(states.map { Self.letters[$0] }) }

  package var count: Int { states.count }

  /// The bars upside down.
  package var turned: FourStateBars {
    var other = FourStateBars(states: states.reversed().map { [0, 2, 1, 3][$0] })
    other.doubts = doubts.map { Doubt(bar: count - 1 - $0.bar, bit: 3 - $0.bit) }
    return other
  }

  /// The bars, and those in which one or two of the most doubtful states are exchanged.
  var variants: [FourStateBars] {
    // Each set of the three most doubtful states as bits.
    let sets = [0, 1, 2, 4, 3, 5, 6].filter { $0 >> min(3, doubts.count) == 0 }
    return sets.map { set in
      var other = self
      for (i, doubt) in doubts.prefix(3).enumerated() where set >> i & 1 == 1 { other.states[doubt.bar] ^= doubt.bit }
      return other
    }
  }

  /// Returns the numbers in base four of groups of `size` bars.
  func groups(of size: Int, from first: Int, to end: Int) -> [Int] {
    stride(from: first, through: end - size, by: size).map { i in Self.number(states[i..<(i + size)]) }
  }

  private static func number(_ states: ArraySlice<Int>) -> Int { states.reduce(0) { $0 * 4 + $1 } }

  /// Returns the numbers in base four of patterns of letters.
  static func patterns(_ text: String) -> [Int] {
    text.split(separator: " ").map { letters in FourStateBars(letters).map { number($0.states[...]) } ?? 0 }
  }
}

/// A postal code of four-state bars.
struct FourStateCode: Sendable {
  let symbology: Symbology
  /// The numbers of bars.
  let counts: [Int]
  /// True if errors are so improbable to pass the checks that the most doubtful bars may be exchanged.
  var isStrong = false
  /// Returns the text of bars seen upright; `nil` if they are not of this code.
  let decode: @Sendable (FourStateBars) -> String?

  static let all = [
    FourStateCode(
      symbology: .intelligentMail, counts: [IntelligentMail.bars], isStrong: true, decode: IntelligentMail.decode),
    FourStateCode(symbology: .rm4scc, counts: RoyalMail.counts, decode: RoyalMail.customer),
    FourStateCode(symbology: .kix, counts: RoyalMail.kixCounts, decode: RoyalMail.kix),
    FourStateCode(symbology: .mailmark, counts: Mailmark.kinds.map(\.bars), isStrong: true, decode: Mailmark.decode),
    FourStateCode(symbology: .australiaPost, counts: AustraliaPost.counts, decode: AustraliaPost.decode),
    FourStateCode(symbology: .japanPost, counts: [JapanPost.bars], isStrong: true, decode: JapanPost.decode),
  ]

  /// Returns the text of bars; `nil` if they are not of this code, or of it in both directions of reading.
  ///
  /// - Returns: the text, and whether the bars are upside down.
  func read(_ bars: FourStateBars) -> (text: String, isTurned: Bool)? {
    guard counts.contains(bars.count) else { return nil }
    for variant in isStrong ? bars.variants : [bars] {
      switch (decode(variant), decode(variant.turned)) {
      case (let text?, nil): return (text, false)
      case (nil, let text?): return (text, true)
      default: continue
      }
    }
    return nil
  }
}
