/// Comparing secrets.
package enum ConstantTime {
  /// Compares in a time that does not depend on where the first difference is.
  package static func areEqual(_ a: String, _ b: String) -> Bool {
    areEqual(Array(a.utf8), Array(b.utf8))
  }

  /// Compares bytes in a time that does not depend on where the first difference is.
  package static func areEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    guard a.count == b.count else { return false }
    var difference: UInt8 = 0
    for (x, y) in zip(a, b) { difference |= x ^ y }
    return difference == 0
  }
}
