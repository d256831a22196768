// MARK: - Micro QR Code

/// Decodes the modules of a Micro QR Code symbol. The file also has the decoder and the sizes of rMQR (`RMQRDecoder`,
/// `RMQRSize`), and `QRText`, which decodes the data of both.
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

  /// The numbers of data codewords and check codewords, and the number of check codewords that only detect errors (ISO/IEC
  /// 18004 tables 7 and 9), by symbol number.
  private static let shapes: [(version: Int, data: Int, checks: Int, reserve: Int)] = [
    (1, 3, 2, 2), (2, 5, 5, 3), (2, 4, 6, 2), (3, 11, 6, 2), (3, 9, 8, 0), (4, 16, 8, 2), (4, 14, 10, 0),
    (4, 10, 14, 0),
  ]

  /// Returns the message; `nil` if it is empty, or the format or the codewords have too many errors.
  package static func decode(_ matrix: ModuleMatrix) -> CodeMessage? {
    let (format, wrong) = format(matrix)
    guard wrong <= 2 else { return nil }
    let (version, data, checks, reserve) = shapes[format >> 2]
    guard matrix.columns == 9 + 2 * version else { return nil }
    // Micro QR Code uses four of the masks of QR Code.
    var words = codewords(
      matrix, mask: [1, 4, 6, 7][format & 3], data: data, checks: checks, isShort: version % 2 == 1)
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

  /// Decodes the format information: symbol number and mask, and the number of wrong bits.
  package static func format(_ matrix: ModuleMatrix) -> (data: Int, errors: Int) {
    var word: UInt32 = 0
    for x in 1...8 { word = word << 1 | (matrix[x, 8] ? 1 : 0) }
    for y in stride(from: 7, through: 1, by: -1) { word = word << 1 | (matrix[8, y] ? 1 : 0) }
    // The format is masked with 0x4445 here, and with 0x5412 in QR Code (clause 7.9.2).
    return QRFormat.format(word ^ 0x4445 ^ 0x5412)
  }

  /// Returns the version of a symbol number (table 13).
  package static func version(_ symbol: Int) -> Int { shapes[symbol].version }

  /// Returns the codewords in the order of placement, unmasked (clauses 7.7.3 and 7.8.2); in symbols of odd version, the
  /// last data codeword has four bits.
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
          word = word << 1 | (matrix[x, y] != ModuleMatrix.isMasked(x, y, mask) ? 1 : 0)
          bits += 1
          // The four bits are the upper half of a codeword whose lower half is zero.
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

// MARK: - rMQR

/// Decodes the modules of an rMQR symbol.
package enum RMQRDecoder {
  /// Returns the message; `nil` if it is empty, or the codewords have too many errors.
  ///
  /// - Parameter isHigh: true for error correction level H, false for M.
  package static func decode(_ matrix: ModuleMatrix, _ size: RMQRSize, isHigh: Bool) -> CodeMessage? {
    guard matrix.columns == size.columns, matrix.rows == size.rows else { return nil }
    // The bits are in pairs of columns from the right, upwards first; the outermost columns hold no data (clause 7.7.3).
    var places: [(x: Int, y: Int)] = []
    var up = true
    for right in stride(from: size.columns - 2, to: 0, by: -2) {
      for i in 0..<size.rows {
        let y = up ? size.rows - 1 - i : i
        for x in [right, right - 1] where x > 0 && size.fixed(x, y) == nil && !size.isFormat(x, y) {
          places.append((x, y))
        }
      }
      up.toggle()
    }
    guard places.count >= 8 * size.codewords else { return nil }
    var words: [Int] = []
    var doubt: [Float] = []
    for k in 0..<size.codewords {
      var (word, least) = (0, Float(1))
      for (x, y) in places[(8 * k)..<(8 * k + 8)] {
        word = word << 1 | (matrix[x, y] != (y / 2 + x / 3).isMultiple(of: 2) ? 1 : 0)
        least = min(least, matrix.margin(x, y))
      }
      words.append(word)
      doubt.append(1 - least)
    }
    let blocks = size.blocks(isHigh: isHigh)
    let checks = (size.codewords - size.data(isHigh: isHigh)) / blocks
    guard let data = QRDecoder.data(words, doubt: matrix.margins.isEmpty ? [] : doubt, checks: checks, blocks: blocks)
    else { return nil }
    let bits = data.flatMap { word in (0..<8).map { word >> (7 - $0) & 1 == 1 } }
    let widths = QRText.Widths(mode: 3, counts: size.counts, isRectangular: true)
    guard let message = QRText.message(bits, widths), !message.isEmpty else { return nil }
    return message
  }
}

/// A size of rMQR symbols (ISO/IEC 23941), with its fixed patterns and the distribution of its codewords.
package struct RMQRSize: Hashable {
  /// The version, 0 to 31, in the order of table 1.
  package let version: Int

  package static let all = (0..<32).map(RMQRSize.init)

  package var rows: Int { Self.heights[version] }
  package var columns: Int { Self.widths[version] }

  private static let heights =
    [7, 9].flatMap { [Int](repeating: $0, count: 5) }
    + [11, 13].flatMap { [Int](repeating: $0, count: 6) } + [15, 17].flatMap { [Int](repeating: $0, count: 5) }
  private static let widths: [Int] = {
    let usual = [43, 59, 77, 99, 139]
    return usual + usual + [27] + usual + [27] + usual + usual + usual
  }()

  /// The columns of the vertical timing patterns, by width (table D.1).
  private static let timing: [Int: [Int]] = [
    43: [21], 59: [19, 39], 77: [25, 51], 99: [23, 49, 75], 139: [27, 55, 83, 111],
  ]

  /// Returns whether a module is dark in every symbol of this size; `nil` if it is not fixed (clause 6.3).
  package func fixed(_ x: Int, _ y: Int) -> Bool? {
    let (w, h) = (columns, rows)
    if x < 8, y < 8 { return x < 7 && y < 7 && max(abs(x - 3), abs(y - 3)) != 2 }
    if x >= w - 5, y >= h - 5 { return max(abs(x - (w - 3)), abs(y - (h - 3))) != 1 }
    // The corner finder patterns. In low symbols, the finder pattern cuts off the lower corner pattern.
    if h > 7, y == h - 1, x < 3 { return true }
    if h > 9, y == h - 2, x < 2 { return x == 0 }
    if y == 0, x >= w - 3 { return true }
    if y == 1, x >= w - 2 { return x == w - 1 }
    let lines = Self.timing[w] ?? []
    if y <= 2 || y >= h - 3, let line = lines.first(where: { abs($0 - x) <= 1 }) {
      return x != line || y != (y <= 2 ? 1 : h - 2)
    }
    if y == 0 || y == h - 1 { return x.isMultiple(of: 2) }
    if x == 0 || x == w - 1 || lines.contains(x) { return y.isMultiple(of: 2) }
    return nil
  }

  /// Returns whether a module holds format information, of which there are two copies (clause 7.9).
  func isFormat(_ x: Int, _ y: Int) -> Bool {
    let (w, h) = (columns, rows)
    return (8...10).contains(x) && (1...5).contains(y) || x == 11 && (1...3).contains(y)
      || ((w - 8)...(w - 6)).contains(x) && ((h - 6)...(h - 2)).contains(y)
      || ((w - 5)...(w - 3)).contains(x) && y == h - 6
  }

  /// The positions of the eighteen bits of format information beside the finder pattern, the least significant first.
  package static let formatPlaces: [(x: Int, y: Int)] =
    (0..<15).map { (8 + $0 / 5, 1 + $0 % 5) } + [(11, 1), (11, 2), (11, 3)]

  /// Decodes eighteen bits (Golay code as in QR Code, mask 0x1FAB2): the size, true if the level is H rather than M, and the
  /// number of wrong bits.
  package static func format(_ word: UInt32) -> (size: RMQRSize, isHigh: Bool, errors: Int) {
    var best = (data: 0, errors: 18)
    for data in 0..<64 {
      let errors = (QRFormat.golay(UInt32(data)) ^ 0x1FAB2 ^ word).nonzeroBitCount
      if errors < best.errors { best = (data, errors) }
    }
    return (RMQRSize(version: best.data & 31), best.data & 32 != 0, best.errors)
  }

  // MARK: Codewords (tables 1, 3, 6 and 8)

  package var codewords: Int { Self.codewords[version] }
  package func data(isHigh: Bool) -> Int { (isHigh ? Self.dataHigh : Self.dataMedium)[version] }
  package func blocks(isHigh: Bool) -> Int { (isHigh ? Self.blocksHigh : Self.blocksMedium)[version] }
  /// The widths in bits of the character counts of the numeric, alphanumeric, byte and kanji modes.
  package var counts: [Int] {
    [Self.numeric[version], Self.alphanumeric[version], Self.bytes[version], Self.kanji[version]]
  }

  private static let codewords = [
    13, 21, 32, 44, 68, 21, 33, 49, 66, 99, 15, 31, 47, 67, 89, 132, 21, 41, 60, 85, 113, 166, 51, 74, 103, 136, 199,
    61, 88, 122, 160, 232,
  ]
  private static let dataMedium = [
    6, 12, 20, 28, 44, 12, 21, 31, 42, 63, 7, 19, 31, 43, 57, 84, 12, 27, 38, 53, 73, 106, 33, 48, 67, 88, 127, 39, 56,
    78, 100, 152,
  ]
  private static let dataHigh = [
    3, 7, 10, 14, 24, 7, 11, 17, 22, 33, 5, 11, 15, 23, 29, 42, 7, 13, 20, 29, 35, 54, 15, 26, 31, 48, 69, 21, 28, 38,
    56, 76,
  ]
  private static let blocksMedium = [
    1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 2, 2, 1, 1, 1, 2, 2, 3, 1, 1, 2, 2, 3, 1, 2, 2, 3, 4,
  ]
  private static let blocksHigh = [
    1, 1, 1, 1, 2, 1, 1, 2, 2, 3, 1, 1, 2, 2, 2, 3, 1, 1, 2, 2, 3, 4, 2, 2, 3, 4, 5, 2, 2, 3, 4, 6,
  ]
  private static let numeric = [
    4, 5, 6, 7, 7, 5, 6, 7, 7, 8, 4, 6, 7, 7, 8, 8, 5, 6, 7, 7, 8, 8, 7, 7, 8, 8, 9, 7, 8, 8, 8, 9,
  ]
  private static let alphanumeric = [
    3, 5, 5, 6, 6, 5, 5, 6, 6, 7, 4, 5, 6, 6, 7, 7, 5, 6, 6, 7, 7, 8, 6, 7, 7, 7, 8, 6, 7, 7, 8, 8,
  ]
  private static let bytes = [
    3, 4, 5, 5, 6, 4, 5, 5, 6, 6, 3, 5, 5, 6, 6, 7, 4, 5, 6, 6, 7, 7, 6, 6, 7, 7, 7, 6, 6, 7, 7, 8,
  ]
  private static let kanji = [
    2, 3, 4, 5, 5, 3, 4, 5, 5, 6, 2, 4, 5, 5, 6, 6, 3, 5, 5, 6, 6, 7, 5, 5, 6, 6, 7, 5, 6, 6, 6, 7,
  ]
}

// MARK: - Data of both

/// Decodes the data of Micro QR Code (ISO/IEC 18004 clause 7.4) and rMQR (ISO/IEC 23941 clause 7.4).
struct QRText {
  /// The width of the mode indicator and of the character count of each mode, in bits, in the order numeric, alphanumeric,
  /// bytes, kanji.
  struct Widths {
    var mode: Int
    var counts: [Int]
    /// True for rMQR, which numbers its modes from one and has FNC1 and character sets.
    var isRectangular: Bool
  }

  static func message(_ bits: [Bool], _ widths: Widths) -> CodeMessage? {
    var reader = BitReader(bits)
    var message = CodeMessage()
    var hasFNC1 = false
    // If fewer bits are left than a mode and its count take, the message ends as with a terminator.
    while reader.remaining >= widths.mode + (widths.isRectangular ? 1 : widths.counts[0]) {
      let mode = reader.read(widths.mode) ?? 0
      var kind = mode
      if widths.isRectangular {
        switch mode {
        case 0: return message
        case 1...4: kind = mode - 1
        case 5, 6:
          guard message.isEmpty, !hasFNC1 else { return nil }
          hasFNC1 = true
          message.isGS1 = mode == 5
          if mode == 6 {
            guard let indicator = QRContent.applicationIndicator(&reader) else { return nil }
            message.append(indicator)
          }
          continue
        case 7:
          guard let eci = QRContent.designator(&reader) else { return nil }
          message.use(eci: eci)
          continue
        default: return nil
        }
      } else {
        // The terminator is the numeric mode with a count of zero, truncated at the end of the data.
        if mode == 0, reader.peek(min(reader.remaining, widths.counts[0])) == 0 { return message }
      }
      guard kind < widths.counts.count, widths.counts[kind] > 0, let count = reader.read(widths.counts[kind]) else {
        return nil
      }
      guard segment(kind, count, &reader, &message, hasFNC1: hasFNC1) else { return nil }
    }
    return message
  }

  private static func segment(
    _ kind: Int, _ count: Int, _ reader: inout BitReader, _ message: inout CodeMessage, hasFNC1: Bool
  ) -> Bool {
    switch kind {
    case 0:
      guard let digits = QRContent.numeric(&reader, count) else { return false }
      message.append(digits)
    case 1:
      guard let letters = QRContent.alphanumeric(&reader, count, fnc1: hasFNC1) else { return false }
      message.append(letters)
    case 2:
      guard count * 8 <= reader.remaining else { return false }
      for _ in 0..<count { message.append(UInt8(truncatingIfNeeded: reader.read(8) ?? 0)) }
    default:
      guard let run = QRContent.kanji(&reader, count) else { return false }
      message.append(run)
    }
    return true
  }
}
