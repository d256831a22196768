extension String {
  /// Returns the string padded with leading zeros to `count` characters.
  package func zeroPadded(to count: Int) -> String {
    String(repeating: "0", count: max(0, count - self.count)) + self
  }
}

extension BinaryInteger {
  /// Returns the digits of a number that is not negative, padded with leading zeros to
  /// `count`.
  package func digits(_ count: Int, radix: Int = 10, uppercase: Bool = false) -> String {
    String(self, radix: radix, uppercase: uppercase).zeroPadded(to: count)
  }
}
