import WaymarkImage

/// Reads a line of a machine-readable zone off a lattice: the likeliest path of 30, 36 or 44 characters, so that fillers that ran together are as many as
/// they must be.
enum ZoneLattice {
  /// How many characters lines have (ICAO 9303, parts 4 to 6).
  private static let counts = [30, 36, 44]
  /// How many characters may be missing in a line, or seen too much.
  private static let missing = 6
  /// A line whose characters are less sure in the mean is none.
  private static let least = 0.5
  /// By how much less alike a character is that is less likely by the factor e, as correlation: what `MachineReadableZone.settle` counts in.
  private static let unit = 0.02

  /// The characters, with what else each may be and how alike that is; nil for a line of another length, or an unsure one.
  static func symbols(_ lattice: LineLattice) -> [ReadSymbol]? {
    let zone = lattice.limited(to: .zone)
    let seen = zone.symbols().count
    guard let count = counts.min(by: { abs($0 - seen) < abs($1 - seen) }), abs(count - seen) <= missing else {
      return nil
    }
    let characters = Set(LineAlphabet.zone.characters)
    let labels = Set(lattice.alphabet.indices.filter { characters.contains(lattice.alphabet[$0]) }.map { $0 + 1 })
    guard let symbols = zone.symbols(at: Array(repeating: labels, count: count)),
      ReadLine.confidence(of: symbols) >= least
    else { return nil }
    return symbols.map { symbol in
      var symbol = symbol
      let top = max(symbol.choices.first?.confidence ?? symbol.confidence, LineLattice.unlikely)
      symbol.choices = symbol.choices.map { choice in
        let distance = Double.naturalLogarithm(top / max(choice.confidence, LineLattice.unlikely))
        return .init(choice.text, max(0, 1 - unit * distance))
      }
      return symbol
    }
  }
}
