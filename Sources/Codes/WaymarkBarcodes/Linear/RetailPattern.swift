/// The elements of an EAN or UPC symbol, computed from its digits (ISO/IEC 15420, 5.2 and 5.3).
package enum RetailPattern {
  /// Returns the widths of the elements in modules, alternately dark and light, the first dark; `nil` for another symbology,
  /// other characters than digits or a wrong number of them.
  package static func widths(_ symbology: Symbology, _ digits: [UInt8]) -> [Int]? {
    guard digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
    let d = digits.map { Int($0) - 48 }
    return switch (symbology, d.count) {
    case (.ean13, 13): two(Array(d[1..<7]), parity[d[0]], Array(d[7...]))
    case (.upcA, 12): two(Array(d[..<6]), parity[0], Array(d[6...]))
    case (.ean8, 8): two(Array(d[..<4]), "LLLL", Array(d[4...]))
    case (.upcE, 8): guards(3) + half(Array(d[1..<7]), short(check: d[7], system: d[0])) + guards(6)
    default: nil
    }
  }

  /// Returns the twelve digits of UPC-A for the eight digits of UPC-E (ISO/IEC 15420, 4.4.4); `nil` for any other text.
  static func expanded(_ text: String) -> String? {
    let digits = Array(text)
    guard digits.count == 8, digits.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
    let body = digits[1...6].map { $0 }
    let middle: String
    switch body[5] {
    case "0", "1", "2": middle = String(body[0...1]) + String(body[5]) + "0000" + String(body[2...4])
    case "3": middle = String(body[0...2]) + "00000" + String(body[3...4])
    case "4": middle = String(body[0...3]) + "00000" + String(body[4])
    default: middle = String(body[0...4]) + "0000" + String(body[5])
    }
    return String(digits[0]) + middle + String(digits[7])
  }

  /// The widths in modules of the elements of the digits in set A (odd parity), then in set B (even), the first element light.
  /// Set C has the widths of A with the first element dark.
  package static let digits: [[Int]] = {
    let odd = [
      [3, 2, 1, 1], [2, 2, 2, 1], [2, 1, 2, 2], [1, 4, 1, 1], [1, 1, 3, 2], [1, 2, 3, 1], [1, 1, 1, 4], [1, 3, 1, 2],
      [1, 2, 1, 3], [3, 1, 1, 2],
    ]
    return odd + odd.map { $0.reversed() }
  }()

  /// The parities of the six digits of the left half, by the first digit of an EAN-13: L for set A, G for set B.
  private static let parity = [
    "LLLLLL", "LLGLGG", "LLGGLG", "LLGGGL", "LGLLGG", "LGGLLG", "LGGGLL", "LGLGLG", "LGLGGL", "LGGLGL",
  ]

  /// For each first digit of an EAN-13, and each digit of the left half: true if it is of set B.
  package static let evenPlaces: [[Bool]] = parity.map { $0.map { $0 == "G" } }

  /// Returns the parities of a UPC-E, by its check digit and number system.
  private static func short(check: Int, system: Int) -> String {
    let even = [
      "GGGLLL", "GGLGLL", "GGLLGL", "GGLLLG", "GLGGLL", "GLLGGL", "GLLLGG", "GLGLGL", "GLGLLG", "GLLGLG",
    ][check]
    return system == 0 ? even : String(even.map { $0 == "G" ? "L" : "G" })
  }

  private static func guards(_ count: Int) -> [Int] { Array(repeating: 1, count: count) }

  private static func half(_ d: [Int], _ parity: String) -> [Int] {
    zip(d, parity).flatMap { digits[$0 + ($1 == "G" ? 10 : 0)] }
  }

  /// Returns the elements of two halves between guard bars.
  private static func two(_ left: [Int], _ parity: String, _ right: [Int]) -> [Int] {
    guards(3) + half(left, parity) + guards(5) + right.flatMap { digits[$0] } + guards(3)
  }
}
