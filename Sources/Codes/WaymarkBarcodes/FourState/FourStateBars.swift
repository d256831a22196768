import WaymarkImage

/// The bars of a postal code: each may extend above the common band (ascend), below it (descend), both, or neither.
package struct FourStateBars: Hashable {
  /// The bars as two bits each: 2 for an ascender, 1 for a descender, 3 for both, 0 for neither.
  package var states: [Int]
  /// The bits in doubt, the most doubtful first: the index of the bar, and the bit of its state, 2 or 1.
  var doubts: [Doubt] = []

  struct Doubt: Hashable {
    var bar: Int
    var bit: Int
  }

  /// The bars of a row in a picture, with sizes in pixels.
  struct Row {
    var bars: FourStateBars
    var corners: Quadrilateral
    var pitch: Double
  }

  package init(states: [Int]) { self.states = states }

  /// Creates bars from the letters of the standards: F for full, A for ascending, D for descending, T for tracker;
  /// `nil` for any other character.
  package init?(_ letters: some StringProtocol) {
    let states = letters.compactMap { Self.letters.firstIndex(of: $0) }
    guard states.count == letters.count else { return nil }
    self.init(states: states)
  }

  private static let letters: [Character] = ["T", "D", "A", "F"]

  package var letters: String { String(states.map { Self.letters[$0] }) }

  package var count: Int { states.count }

  /// The bars as seen upside down: in reverse order, with ascending and descending exchanged.
  package var turned: FourStateBars {
    var other = FourStateBars(states: states.reversed().map { [0, 2, 1, 3][$0] })
    other.doubts = doubts.map { Doubt(bar: count - 1 - $0.bar, bit: 3 - $0.bit) }
    return other
  }

  /// The bars as they are, then with one or two of the three most doubtful bits inverted.
  var variants: [FourStateBars] {
    // Sets of at most two of the three most doubtful bits, as bits of a number.
    let sets = [0, 1, 2, 4, 3, 5, 6].filter { $0 >> min(3, doubts.count) == 0 }
    return sets.map { set in
      var other = self
      for (i, doubt) in doubts.prefix(3).enumerated() where set >> i & 1 == 1 { other.states[doubt.bar] ^= doubt.bit }
      return other
    }
  }

  /// Returns the numbers in base four of consecutive groups of `size` bars, from index `first` up to `end`.
  func groups(of size: Int, from first: Int, to end: Int) -> [Int] {
    stride(from: first, through: end - size, by: size).map { i in Self.number(states[i..<(i + size)]) }
  }

  private static func number(_ states: ArraySlice<Int>) -> Int { states.reduce(0) { $0 * 4 + $1 } }

  /// Returns numbers in base four from patterns of letters separated by blanks.
  static func patterns(_ text: String) -> [Int] {
    text.split(separator: " ").map { letters in FourStateBars(letters).map { number($0.states[...]) } ?? 0 }
  }
}
