extension String {
  /// The string with zeros in front, so that it has at least `count` characters.
  package func zeroPadded(to count: Int) -> String {
    String(repeating: "0", count: max(0, count - self.count)) + self
  }
}

extension BinaryInteger {
  /// The digits of a number from 0 on, at least `count` of them: zeros stand in front.
  package func digits(_ count: Int, radix: Int = 10, uppercase: Bool = false) -> String {
    String(self, radix: radix, uppercase: uppercase).zeroPadded(to: count)
  }
}
