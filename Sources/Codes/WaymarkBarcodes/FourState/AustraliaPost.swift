/// Decodes the four-state barcodes of Australia Post ("Customer Barcoding Technical Specifications").
package enum AustraliaPost {
  static let counts = [37, 52, 67]

  /// The numbers of bars of each format control code.
  private static let formats = ["11": 37, "45": 37, "87": 37, "92": 37, "59": 52, "62": 67]

  /// Returns the text: the format control code, the eight digits of the delivery point, and the bars of the customer as digits: 0 for full,
  /// 1 for ascending, 2 for descending, 3 for tracker. The symbol does not say by which table the customer encoded them.
  package static func decode(_ bars: FourStateBars) -> String? {
    guard counts.contains(bars.count), bars.states.prefix(2) == [2, 0], bars.states.suffix(2) == [2, 0] else {
      return nil
    }
    // The numbers of the standard are 3 less those of `FourStateBars`.
    var words = bars.groups(of: 3, from: 2, to: bars.count - 2).map { 63 - $0 }
    guard ReedSolomon.sixBits.correct(&words, checks: 4, reserve: 2) != nil else { return nil }
    var states: [Int] = []
    for word in words { for shift in [4, 2, 0] { states.append(3 - (word >> shift & 3)) } }
    let pairs = FourStateBars(states: states).groups(of: 2, from: 0, to: 20)
    let digits = pairs.compactMap { digitPatterns.firstIndex(of: $0) }
    let number = digits.map(String.init).joined()
    guard number.count == 10, formats[String(number.prefix(2))] == bars.count else { return nil }
    let customer = states[20..<(bars.count - 16)].map { 3 - $0 }
    // The shortest format has a single bar there, a filler.
    if customer.count == 1 { return customer == [3] ? number : nil }
    return number + customer.map(String.init).joined()
  }

  /// The digits of table N.
  private static let digitPatterns = FourStateBars.patterns("FF FA FD AF AA AD DF DA DD TF")
}
