/// From the modules of a Data Matrix symbol to its message: ISO/IEC 16022 clauses 5.2 to 5.7 and annex F.
package enum DataMatrixDecoder {
  /// Reads the message.
  package static func decode(_ size: DataMatrixSize, _ matrix: ModuleMatrix) -> CodeMessage? {
    guard matrix.columns == size.columns, matrix.rows == size.rows else { return nil }
    let (regionWidth, regionHeight) = (size.regionWidth, size.regionHeight)
    let data = matrix.picked(columns: size.dataColumns, rows: size.dataRows) { x, y in
      (
        x / regionWidth * (regionWidth + 2) + 1 + x % regionWidth,
        y / regionHeight * (regionHeight + 2) + 1 + y % regionHeight
      )
    }
    let placement = size.placement().prefix(size.data + size.checks)
    let words = placement.map { places in
      places.reduce(0) { $0 << 1 | (data.dark.indices.contains($1) && data.dark[$1] ? 1 : 0) }
    }
    guard words.count == size.data + size.checks else { return nil }
    let doubt: [Float] =
      data.margins.isEmpty
      ? []
      : placement.map { places in
        1 - places.reduce(1) { min($0, data.margins.indices.contains($1) ? data.margins[$1] : 0) }
      }
    // In the largest symbol the last two blocks have one data codeword less, so that the check codewords start with the
    // ninth block; some printers start with the first.
    for shift in size.blocks == 10 ? [8, 0] : [0] {
      guard let data = correct(words, doubt, size, shift: shift) else { continue }
      var codewords = Codewords(data)
      return codewords.message()
    }
    return nil
  }

  private static func correct(
    _ words: [Int], _ doubt: [Float], _ size: DataMatrixSize, shift: Int
  ) -> [Int]? {
    var data = [Int](repeating: 0, count: size.data)
    let checks = size.checks / size.blocks
    for block in 0..<size.blocks {
      let own = Array(stride(from: block, to: size.data, by: size.blocks))
      let places = own + (0..<size.checks).filter { ($0 + shift) % size.blocks == block }.map { size.data + $0 }
      var codeword = places.map { words[$0] }
      guard places.count == own.count + checks,
        ReedSolomon.dataMatrix.correct(
          &codeword, checks: checks, doubt: doubt.isEmpty ? [] : places.map { doubt[$0] })
      else { return nil }
      for (i, word) in zip(own, codeword) { data[i] = word }
    }
    return data
  }
}

/// Corrected codewords on their way to a message.
private struct Codewords {
  private let words: [Int]
  private var next = 0
  private var result = CodeMessage()
  private var upper = false
  private var trailer = ""

  init(_ words: [Int]) { self.words = words }

  private mutating func take() -> Int? {
    guard next < words.count else { return nil }
    next += 1
    return words[next - 1]
  }

  mutating func message() -> CodeMessage? {
    while let word = take() {
      switch word {
      case 1...128: add(word - 1)
      case 129: return finish()
      case 130...229:
        add(0x30 + (word - 130) / 10)
        add(0x30 + (word - 130) % 10)
      case 230: triplets(.c40)
      case 231: guard bytes() else { return nil }
      case 232: separator()
      case 233: guard append() else { return nil }
      case 234: result.isReaderProgramming = true
      case 235: upper = true
      case 236, 237:
        guard next == 1 else { return nil }
        result.append(word == 236 ? "[)>\u{1E}05\u{1D}" : "[)>\u{1E}06\u{1D}")
        trailer = "\u{1E}\u{04}"
      case 238: triplets(.x12)
      case 239: triplets(.text)
      case 240: edifact()
      case 241: guard interpretation() else { return nil }
      // 242 to 255 are not used in ASCII encodation, but for 254, an unlatch too many.
      case 254: break
      default: return nil
      }
    }
    return finish()
  }

  private mutating func finish() -> CodeMessage? {
    result.append(trailer)
    return result
  }

  private mutating func add(_ value: Int) {
    result.append(UInt8(truncatingIfNeeded: upper ? value + 128 : value))
    upper = false
  }

  /// FNC1: first of all it says GS1, later on it separates element strings.
  private mutating func separator() {
    let isFirst = result.isEmpty && (next == 1 || result.part != nil && next == 5)
    if isFirst { result.isGS1 = true } else { result.append(0x1D) }
  }

  private mutating func append() -> Bool {
    guard next == 1, let sequence = take(), let high = take(), let low = take() else { return false }
    let count = 17 - (sequence & 15)
    guard count >= 2, sequence >> 4 < count else { return false }
    result.part = CodeMessage.Fragment(index: sequence >> 4, count: count, identifier: [high, low])
    return true
  }

  private mutating func interpretation() -> Bool {
    guard let first = take() else { return false }
    if first <= 127 {
      guard first > 0 else { return false }
      result.use(eci: first - 1)
      return true
    }
    guard let second = take() else { return false }
    if first <= 191 {
      result.use(eci: (first - 128) * 254 + second - 1 + 127)
      return true
    }
    guard first <= 207, let third = take() else { return false }
    result.use(eci: (first - 192) * 64516 + (second - 1) * 254 + third - 1 + 16383)
    return true
  }

  private mutating func bytes() -> Bool {
    guard let first = unscrambled() else { return false }
    let count: Int
    if first == 0 {
      count = words.count - next
    } else if first < 250 {
      count = first
    } else {
      guard let second = unscrambled() else { return false }
      count = 250 * (first - 249) + second
    }
    guard count <= words.count - next else { return false }
    for _ in 0..<count { if let byte = unscrambled() { result.append(UInt8(byte)) } }
    return true
  }

  /// The next codeword without the noise of annex B.2.
  private mutating func unscrambled() -> Int? {
    guard let word = take() else { return nil }
    let noise = 149 * next % 255 + 1
    return (word - noise + 256) & 255
  }

  private mutating func edifact() {
    while words.count - next > 2 {
      let block = words[next] << 16 | words[next + 1] << 8 | words[next + 2]
      for i in 0..<4 {
        let value = block >> (18 - 6 * i) & 63
        if value == 31 {
          // Back to ASCII at the next codeword.
          next += min(3, i + 1)
          return
        }
        add(value & 32 == 0 ? value | 64 : value)
      }
      next += 3
    }
  }

  private enum Table { case c40, text, x12 }

  /// Three characters in two codewords, until the unlatch or until a single codeword is left.
  private mutating func triplets(_ table: Table) {
    var shift = 0
    while words.count - next >= 2 {
      if words[next] == 254 {
        next += 1
        return
      }
      let value = words[next] << 8 + words[next + 1] - 1
      next += 2
      for v in [value / 1600, value / 40 % 40, value % 40] {
        switch (table, shift) {
        case (.x12, _): x12(v)
        case (_, 1):
          add(v & 31)
          shift = 0
        case (_, 2):
          second(v)
          shift = 0
        case (_, 3):
          third(v, table)
          shift = 0
        default:
          switch v {
          case 0...2: shift = v + 1
          case 3: add(0x20)
          case 4...13: add(0x30 + v - 4)
          default: add((table == .c40 ? 0x41 : 0x61) + v - 14)
          }
        }
      }
    }
    if next < words.count, words[next] == 254 { next += 1 }
  }

  private mutating func x12(_ v: Int) {
    switch v {
    case 0...3: add([0x0D, 0x2A, 0x3E, 0x20][v])
    case 4...13: add(0x30 + v - 4)
    default: add(0x41 + v - 14)
    }
  }

  private mutating func second(_ v: Int) {
    switch v {
    case 0...14: add(0x21 + v)
    case 15...21: add(0x3A + v - 15)
    case 22...26: add(0x5B + v - 22)
    case 27: separator()
    case 30: upper = true
    default: break
    }
  }

  private mutating func third(_ v: Int, _ table: Table) {
    guard table == .text else { return add(0x60 + (v & 31)) }
    switch v {
    case 0: add(0x60)
    case 1...26: add(0x40 + v)
    default: add(0x7B + (v - 27) % 5)
    }
  }
}
