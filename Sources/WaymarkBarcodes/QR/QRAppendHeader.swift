/// The header of a code that is part of a structured append (ISO/IEC 18004 clause 8.2): it stands before all data, so it
/// can be read from the modules without undoing errors.
struct QRAppendHeader: Hashable {
  /// The number of this part, from 0.
  let index: Int
  /// How many parts there are.
  let count: Int

  /// The header, where the modules hold one.
  init?(_ matrix: QRMatrix, _ layout: QRLayout) {
    guard let format = matrix.format else { return nil }
    let blocks = Self.blocks[format.level][layout.version - 1]
    // Data codewords of several blocks are interleaved: the second of the first block comes after the first of each.
    guard let words = matrix.codewords(layout, mask: format.mask, upTo: blocks + 1), words.count == blocks + 1 else {
      return nil
    }
    guard words[0] >> 4 == 0b0011 else { return nil }
    index = Int(words[0] & 15)
    count = Int(words[blocks] >> 4) + 1
    guard index < count, count > 1 else { return nil }
  }

  /// Blocks of error correction, by level L, M, Q, H and version (ISO/IEC 18004 table 9).
  private static let blocks: [[Int]] = [
    [
      1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8, 8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16, 17, 18, 19,
      19,
      20, 21, 22, 24, 25,
    ],
    [
      1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16, 17, 17, 18, 20, 21, 23, 25, 26, 28, 29, 31, 33,
      35, 37, 38, 40, 43, 45, 47, 49,
    ],
    [
      1, 1, 2, 2, 4, 4, 6, 6, 8, 8, 8, 10, 12, 16, 12, 17, 16, 18, 21, 20, 23, 23, 25, 27, 29, 34, 34, 35, 38, 40, 43,
      45, 48, 51, 53, 56, 59, 62, 65, 68,
    ],
    [
      1, 1, 2, 4, 4, 4, 5, 6, 8, 8, 11, 11, 16, 16, 18, 16, 19, 21, 25, 25, 25, 34, 30, 32, 35, 37, 40, 42, 45, 48, 51,
      54, 57, 60, 63, 66, 70, 74, 77, 81,
    ],
  ]
}

extension QRMatrix {
  /// The level of error correction (0 is L, then M, Q, H) and the mask, from the better copy of the format.
  var format: (level: Int, mask: Int)? {
    let words = formatWords.map(QRFormat.format)
    guard let best = words.min(by: { $0.errors < $1.errors }), best.errors <= 3 else { return nil }
    // The two bits of the level count 01, 00, 11, 10 for L, M, Q, H (table 12).
    return ([1, 0, 3, 2][best.data >> 3], best.data & 7)
  }

  /// The first codewords, unmasked, in the order of placement (clause 7.7.3).
  func codewords(_ layout: QRLayout, mask: Int, upTo count: Int) -> [UInt8]? {
    let fixed = layout.fixedModules
    var words: [UInt8] = []
    var word: UInt8 = 0
    var bits = 0
    var x = side - 1
    var up = true
    while x > 0 {
      if x == 6 { x -= 1 }
      for i in 0..<side {
        let y = up ? side - 1 - i : i
        for column in [x, x - 1] where !fixed[y * side + column] {
          word = word << 1 | (self[column, y] != Self.isMasked(column, y, mask) ? 1 : 0)
          bits += 1
          if bits == 8 {
            words.append(word)
            (word, bits) = (0, 0)
            if words.count == count { return words }
          }
        }
      }
      up.toggle()
      x -= 2
    }
    return nil
  }

  /// Table 10 of the standard; x is its j, y its i.
  private static func isMasked(_ x: Int, _ y: Int, _ mask: Int) -> Bool {
    switch mask {
    case 0: (x + y) % 2 == 0
    case 1: y % 2 == 0
    case 2: x % 3 == 0
    case 3: (x + y) % 3 == 0
    case 4: (y / 2 + x / 3) % 2 == 0
    case 5: x * y % 2 + x * y % 3 == 0
    case 6: (x * y % 2 + x * y % 3) % 2 == 0
    default: ((x + y) % 2 + x * y % 3) % 2 == 0
    }
  }
}

extension QRLayout {
  /// Which modules hold no data: finder, timing and alignment patterns, format and version information.
  var fixedModules: [Bool] {
    var fixed = [Bool](repeating: false, count: side * side)
    func fill(_ xs: Range<Int>, _ ys: Range<Int>) {
      for y in ys { for x in xs { fixed[y * side + x] = true } }
    }
    fill(0..<9, 0..<9)
    fill((side - 8)..<side, 0..<9)
    fill(0..<9, (side - 8)..<side)
    fill(0..<side, 6..<7)
    fill(6..<7, 0..<side)
    for c in alignmentCenters { fill((c.x - 2)..<(c.x + 3), (c.y - 2)..<(c.y + 3)) }
    if version >= 7 {
      fill((side - 11)..<(side - 8), 0..<6)
      fill(0..<6, (side - 11)..<(side - 8))
    }
    return fixed
  }
}
