/// The check digit of GS1 keys (GS1 General Specifications, section 7.9.1): weights 3 and 1 from the right.
enum GTIN {
  static func hasValidCheckDigit(_ digits: some StringProtocol) -> Bool {
    guard digits.count > 1 else { return false }
    var sum = 0
    for (index, digit) in digits.utf8.reversed().enumerated() {
      guard (48...57).contains(digit) else { return false }
      sum += Int(digit - 48) * (index.isMultiple(of: 2) ? 1 : 3)
    }
    return sum.isMultiple(of: 10)
  }
}
