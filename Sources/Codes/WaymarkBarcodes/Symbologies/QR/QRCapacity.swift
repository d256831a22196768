/// How the codewords of a QR code are shared out among blocks of error correction (ISO/IEC 18004 table 9).
package struct QRCapacity {
  /// Codewords of the whole symbol, data and error correction.
  package let codewords: Int
  package let blocks: Int
  /// Codewords of error correction in each block.
  package let parity: Int

  /// - Parameter level: 0 is L, then M, Q, H.
  package init(_ layout: QRLayout, level: Int) {
    let (version, index) = (layout.version, layout.version - 1)
    var modules = (16 * version + 128) * version + 64
    if version >= 2 {
      let lines = version / 7 + 2
      modules -= (25 * lines - 10) * lines - 55
      if version >= 7 { modules -= 36 }
    }
    codewords = modules / 8
    blocks = Self.blocks[level][index]
    parity = Self.parity[level][index]
  }

  /// Blocks that hold one data codeword less than the others, and come first.
  var shortBlocks: Int { blocks - codewords % blocks }
  /// Data codewords of a short block.
  var shortData: Int { codewords / blocks - parity }

  /// How many codewords of error correction of a block only detect errors (table 9, note b).
  package static func detectionOnly(_ layout: QRLayout, level: Int) -> Int {
    switch (layout.version, level) {
    case (1, 0): 3
    case (1, 1), (2, 0): 2
    case (1, _), (3, 0): 1
    default: 0
    }
  }

  private static let blocks: [[Int]] = [
    [
      1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8, 8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16, 17, 18, 19,
      19, 20, 21, 22, 24, 25,
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

  private static let parity: [[Int]] = [
    [
      7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28, 28, 28, 30, 30, 26, 28, 30, 30, 30,
      30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
    ],
    [
      10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26, 28, 28, 28, 28, 28, 28, 28,
      28,
      28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28,
    ],
    [
      13, 22, 18, 26, 18, 24, 18, 22, 20, 24, 28, 26, 24, 20, 30, 24, 28, 28, 26, 30, 28, 30, 30, 30, 30, 28, 30, 30,
      30,
      30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
    ],
    [
      17, 28, 22, 16, 22, 28, 26, 26, 24, 28, 24, 28, 22, 24, 24, 30, 28, 28, 26, 28, 30, 24, 30, 30, 30, 30, 30, 30,
      30,
      30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
    ],
  ]
}
