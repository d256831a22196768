import WaymarkSystem

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

  /// Returns the element strings of the methods 0111000 to 0111111: an item, a weight, the first digit of which is the position of the
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
