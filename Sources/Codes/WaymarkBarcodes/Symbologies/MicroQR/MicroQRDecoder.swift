/// From the modules of a Micro QR Code symbol to its message.
package enum MicroQRDecoder {
  /// Returns whether a module of the finder pattern, its border, or the timing patterns is dark; `nil` for all others.
  package static func fixed(_ x: Int, _ y: Int) -> Bool? {
    if x < 8, y < 8 {
      if x == 7 || y == 7 { return false }
      let ring = max(abs(x - 3), abs(y - 3))
      return ring != 2
    }
    if y == 0 { return x.isMultiple(of: 2) }
    if x == 0 { return y.isMultiple(of: 2) }
    return nil
  }

  /// Codewords of data and of error correction, and how many of the latter only detect (ISO/IEC 18004 tables 7 and 9), by
  /// symbol number.
  private static let shapes: [(version: Int, data: Int, checks: Int, reserve: Int)] = [
    (1, 3, 2, 2), (2, 5, 5, 3), (2, 4, 6, 2), (3, 11, 6, 2), (3, 9, 8, 0), (4, 16, 8, 2), (4, 14, 10, 0),
    (4, 10, 14, 0),
  ]

  /// Reads the message.
  package static func decode(_ matrix: ModuleMatrix) -> CodeMessage? {
    let (format, wrong) = format(matrix)
    guard wrong <= 2 else { return nil }
    let (version, data, checks, reserve) = shapes[format >> 2]
    guard matrix.columns == 9 + 2 * version else { return nil }
    var words = codewords(matrix, mask: format & 3, data: data, checks: checks, isShort: version % 2 == 1)
    guard words.count == data + checks,
      ReedSolomon.qr.correct(&words, checks: checks, reserve: reserve) != nil
    else { return nil }
    var bits: [Bool] = []
    for (i, word) in words.prefix(data).enumerated() {
      let width = version % 2 == 1 && i == data - 1 ? 4 : 8
      for b in stride(from: 7, through: 8 - width, by: -1) { bits.append(word >> b & 1 == 1) }
    }
    let counts = [[3, 0, 0, 0], [4, 3, 0, 0], [5, 4, 4, 3], [6, 5, 5, 4]][version - 1]
    let widths = QRText.Widths(mode: version - 1, counts: counts, isRectangular: false)
    guard let message = QRText.message(bits, widths), !message.isEmpty else { return nil }
    return message
  }

  /// Decodes the format information: symbol number and mask, and how many of its bits are wrong.
  package static func format(_ matrix: ModuleMatrix) -> (data: Int, errors: Int) {
    var word: UInt32 = 0
    for x in 1...8 { word = word << 1 | (matrix[x, 8] ? 1 : 0) }
    for y in stride(from: 7, through: 1, by: -1) { word = word << 1 | (matrix[8, y] ? 1 : 0) }
    // The mask of the format is 0x4445 here, and 0x5412 in larger symbols (clause 7.9.2).
    return QRFormat.format(word ^ 0x4445 ^ 0x5412)
  }

  /// The version of a symbol number (table 13).
  package static func version(_ symbol: Int) -> Int { shapes[symbol].version }

  /// The codewords in the order of placement, unmasked (clauses 7.7.3 and 7.8.2); the last one of data has four bits in
  /// symbols of odd version.
  private static func codewords(
    _ matrix: ModuleMatrix, mask: Int, data: Int, checks: Int, isShort: Bool
  ) -> [Int] {
    let side = matrix.columns
    var words: [Int] = []
    var (word, bits) = (0, 0)
    var up = true
    for right in stride(from: side - 1, to: 0, by: -2) {
      for i in 0..<side {
        let y = up ? side - 1 - i : i
        for x in [right, right - 1] where x > 0 && y > 0 && !(x <= 8 && y <= 8) {
          let flip =
            switch mask {
            case 0: y % 2 == 0
            case 1: (y / 2 + x / 3) % 2 == 0
            case 2: (x * y % 2 + x * y % 3) % 2 == 0
            default: ((x + y) % 2 + x * y % 3) % 2 == 0
            }
          word = word << 1 | (matrix[x, y] != flip ? 1 : 0)
          bits += 1
          // Four bits stand for a codeword whose lower half is zero.
          let isHalf = isShort && words.count == data - 1
          if bits == (isHalf ? 4 : 8) {
            words.append(isHalf ? word << 4 : word)
            (word, bits) = (0, 0)
            if words.count == data + checks { return words }
          }
        }
      }
      up.toggle()
    }
    return words
  }
}
