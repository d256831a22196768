/// The check digit of GS1 keys (GS1 General Specifications, section 7.9.1): weights 3 and 1 from the right.
package enum GTIN {
  package static func hasValidCheckDigit(_ digits: some StringProtocol) -> Bool {
    guard digits.count > 1, let sum = sum(digits.utf8.reversed(), first: 1) else { return false }
    return sum.isMultiple(of: 10)
  }

  /// The digit that belongs behind some others; empty where they are not digits.
  static func checkDigit(for digits: some StringProtocol) -> String {
    sum(digits.utf8.reversed(), first: 3).map { "\((10 - $0 % 10) % 10)" } ?? ""
  }

  private static func sum(_ digits: some Sequence<UInt8>, first: Int) -> Int? {
    var sum = 0
    for (index, digit) in digits.enumerated() {
      guard (48...57).contains(digit) else { return nil }
      sum += Int(digit - 48) * (index.isMultiple(of: 2) ? first : 4 - first)
    }
    return sum
  }
}
