import WaymarkImage

/// The modules of a QR code as they were sampled: true is dark.
struct QRMatrix {
  let side: Int
  var dark: [Bool]

  subscript(x: Int, y: Int) -> Bool { dark[y * side + x] }

  /// Rows for columns: a code seen in a mirror or through glass.
  var transposed: QRMatrix {
    var other = self
    for y in 0..<side { for x in 0..<side { other.dark[y * side + x] = self[y, x] } }
    return other
  }

  /// How many of the fifteen bits of format information are wrong, in the better of its two copies.
  var formatErrors: Int { formatWords.reduce(15) { min($0, QRFormat.format($1).errors) } }

  /// Both copies of the format information, as they stand.
  var formatWords: [UInt32] {
    var first: UInt32 = 0
    // Copy beside the top left finder pattern, the most significant bit first (figure 25 of the standard).
    let beside: [(Int, Int)] =
      (0...5).map { ($0, 8) } + [(7, 8), (8, 8), (8, 7)] + (0...5).reversed().map { (8, $0) }
    for (x, y) in beside { first = first << 1 | (self[x, y] ? 1 : 0) }
    var second: UInt32 = 0
    for i in 0..<7 { second = second << 1 | (self[8, side - 1 - i] ? 1 : 0) }
    for i in 0..<8 { second = second << 1 | (self[side - 8 + i, 8] ? 1 : 0) }
    return [first, second]
  }

  /// The version that the code names, from version 7 on, and how many bits are wrong in the better copy.
  var namedVersion: (version: Int, errors: Int) {
    guard side >= 45 else { return (0, 18) }
    var topRight: UInt32 = 0
    var bottomLeft: UInt32 = 0
    for i in (0..<18).reversed() {
      topRight = topRight << 1 | (self[side - 11 + i % 3, i / 3] ? 1 : 0)
      bottomLeft = bottomLeft << 1 | (self[i / 3, side - 11 + i % 3] ? 1 : 0)
    }
    let a = QRFormat.version(topRight)
    let b = QRFormat.version(bottomLeft)
    return a.errors <= b.errors ? a : b
  }

  /// The share of the modules of both timing patterns that are as they should be.
  var timing: Double {
    var right = 0
    for i in 8...(side - 9) {
      if self[i, 6] == i.isMultiple(of: 2) { right += 1 }
      if self[6, i] == i.isMultiple(of: 2) { right += 1 }
    }
    return Double(right) / Double(2 * (side - 16))
  }
}
