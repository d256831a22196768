/// A code that opens the page once: whoever comes with it gets a cookie, and the next one needs the next code.
struct LaunchCode: Sendable {
  /// The code: 256 random bits, in hexadecimal.
  private(set) var value = KioskToken().value

  /// Uses the code up if it is the right one; there is a new one then.
  mutating func use(_ offered: String) -> Bool {
    guard ConstantTime.areEqual(offered, value) else { return false }
    value = KioskToken().value
    return true
  }
}

/// Comparing secrets.
enum ConstantTime {
  /// Compares in a time that does not depend on where the first difference is.
  static func areEqual(_ a: String, _ b: String) -> Bool {
    let (a, b) = (Array(a.utf8), Array(b.utf8))
    guard a.count == b.count else { return false }
    var difference: UInt8 = 0
    for (x, y) in zip(a, b) { difference |= x ^ y }
    return difference == 0
  }
}
