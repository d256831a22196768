/// Decodes the Royal Mail four-state customer code (RM4SCC) and KIX of PostNL, which share their characters.
package enum RoyalMail {
  /// The numbers of characters that are read. Any bars may look like fewer.
  private static let (customerLengths, kixLengths) = (5...22, 7...18)
  /// Start, characters with the check, and stop.
  static let counts = customerLengths.map { 4 * ($0 + 1) + 2 }
  static let kixCounts = kixLengths.map { 4 * $0 }

  /// Returns the text of an RM4SCC without its check character.
  package static func customer(_ bars: FourStateBars) -> String? {
    guard counts.contains(bars.count), bars.states.first == 2, bars.states.last == 3,
      let values = values(bars, from: 1, to: bars.count - 1), let check = values.last
    else { return nil }
    // The rows of all characters add up to the row of the check, and so do the columns; both count from one.
    let data = values.dropLast()
    var (row, column) = (5, 5)
    for value in data { (row, column) = (row + value / 6 + 1, column + value % 6 + 1) }
    guard check == row % 6 * 6 + column % 6 else { return nil }
    return text(data)
  }

  /// Returns the text of a KIX, which has no check: a postcode of four digits and two letters, a house number, and X with an addition.
  package static func kix(_ bars: FourStateBars) -> String? {
    guard kixCounts.contains(bars.count), let values = values(bars, from: 0, to: bars.count) else { return nil }
    guard values[0] > 0, values[..<4].allSatisfy({ $0 < 10 }), values[4] > 9, values[5] > 9 else { return nil }
    let house = values[6...].prefix { $0 < 10 }
    guard (1...5).contains(house.count), values[6] > 0 else { return nil }
    let addition = values.dropFirst(6 + house.count)
    let hasAddition = addition.first == 33 && (2...7).contains(addition.count)
    return addition.isEmpty || hasAddition ? text(values) : nil
  }

  private static func values(_ bars: FourStateBars, from first: Int, to end: Int) -> [Int]? {
    let groups = bars.groups(of: 4, from: first, to: end)
    let values = groups.compactMap { characters.firstIndex(of: $0) }
    return values.count == groups.count ? values : nil
  }

  private static func text(_ values: some Sequence<Int>) -> String {
    String(values.map { alphabet[$0] })
  }

  private static let alphabet: [Character] = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")
  /// The values of the characters, digits first: two of four bars ascend, and two descend.
  private static let characters = FourStateBars.patterns(
    """
    TTFF TDAF TDFA DTAF DTFA DDAA TADF TFTF TFDA DATF DADA DFTA TAFD TFAD TFFT DAAD DAFT DFAT ATDF ADTF ADDA FTTF FTDA \
    FDTA ATFD ADAD ADFT FTAD FTFT FDAT AADD AFTD AFDT FATD FADT FFTT
    """)
}
