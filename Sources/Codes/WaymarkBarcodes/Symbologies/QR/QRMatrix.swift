/// Reads the format and version of a QR code.
extension ModuleMatrix {
  /// The modules of a square code.
  package init(side: Int, dark: [Bool]) { self.init(columns: side, rows: side, dark: dark) }

  package var side: Int { columns }

  /// How many of the fifteen bits of format information are wrong, in the better of its two copies.
  package var formatErrors: Int { formatWords.reduce(15) { min($0, QRFormat.format($1).errors) } }

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

  /// The share of the modules of both timing patterns that are as they should be.
  package var timing: Double {
    var right = 0
    for i in 8...(side - 9) {
      if self[i, 6] == i.isMultiple(of: 2) { right += 1 }
      if self[6, i] == i.isMultiple(of: 2) { right += 1 }
    }
    return Double(right) / Double(2 * (side - 16))
  }
}
