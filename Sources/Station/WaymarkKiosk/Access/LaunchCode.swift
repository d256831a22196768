import WaymarkHTTP

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
