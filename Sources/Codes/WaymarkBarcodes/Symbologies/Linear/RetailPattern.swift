/// The elements of an EAN or UPC symbol, known from its digits (ISO/IEC 15420, 5.2 and 5.3).
package enum RetailPattern {
  /// The widths of the elements in modules, dark and light in turn, the first dark; `nil` where the symbol is another one.
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

  /// The digits of sets A (odd parity) and B (even), from light to dark; those of set C are those of A from dark to light.
  package static let digits: [[Int]] = {
    let odd = [
      [3, 2, 1, 1], [2, 2, 2, 1], [2, 1, 2, 2], [1, 4, 1, 1], [1, 1, 3, 2], [1, 2, 3, 1], [1, 1, 1, 4], [1, 3, 1, 2],
      [1, 2, 1, 3], [3, 1, 1, 2],
    ]
    return odd + odd.map { $0.reversed() }
  }()

  /// The parities of the six digits to the left that tell the first one.
  private static let parity = [
    "LLLLLL", "LLGLGG", "LLGGLG", "LLGGGL", "LGLLGG", "LGGLLG", "LGGGLL", "LGLGLG", "LGLGGL", "LGGLGL",
  ]

  /// For each first digit of an EAN-13 which of the six digits to the left are of set B.
  package static let evenPlaces: [[Bool]] = parity.map { $0.map { $0 == "G" } }

  /// The parities of a UPC-E, which tell its check digit and its number system.
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

  /// Two halves between guard bars.
  private static func two(_ left: [Int], _ parity: String, _ right: [Int]) -> [Int] {
    guards(3) + half(left, parity) + guards(5) + right.flatMap { digits[$0] } + guards(3)
  }
}
