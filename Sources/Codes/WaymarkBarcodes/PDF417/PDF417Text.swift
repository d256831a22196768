import WaymarkSystem

/// Decodes the corrected codewords of PDF417 and MicroPDF417: ISO/IEC 15438 clauses 5.4 to 5.6, 5.13 and annex H;
/// ISO/IEC 24728 clause 5.
package struct PDF417Text {
  private let words: [Int]
  private var next = 0
  private var result = CodeMessage()
  private var part: CodeMessage.Fragment?
  private var isLast = false

  /// - Parameter words: the data codewords with padding, without the length.
  package init(_ words: [Int]) { self.words = words }

  private var upcoming: Int? { next < words.count ? words[next] : nil }

  /// Returns the message; `nil` if the codewords are invalid. Codeword 920 at the start declares a component CC-C.
  package mutating func message() -> CodeMessage? {
    if words.first == 920 {
      next = 1
      guard let bytes = content()?.bytes else { return nil }
      return CompositeText.message(bytes.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 == 1 } })
    }
    return content()
  }

  private mutating func content() -> CodeMessage? {
    // A symbol starts in text compaction.
    var mode = 900
    while let word = upcoming {
      switch word {
      case 900, 901, 902, 924:
        mode = word
        next += 1
      case 913:
        next += 1
        guard let byte = upcoming, byte < 256 else { return nil }
        result.append(UInt8(byte))
        next += 1
      case 921:
        result.isReaderProgramming = true
        next += 1
      case 925, 926, 927: guard interpretation() else { return nil }
      case 928: guard macro() else { return nil }
      case 922, 923: next += 1
      case 903...912:
        // Functions of MicroPDF417. A codeword with FNC1 in the first position declares GS1 element strings or data after an AIM
        // identifier.
        if [903, 904, 905, 906, 907, 912].contains(word), result.isEmpty { result.isGS1 = true }
        next += 1
      case 916, 917:
        result.append(word == 916 ? "[)>\u{1E}05\u{1D}" : "[)>\u{1E}06\u{1D}")
        next += 1
      case 914, 915, 918...920: next += 1
      default:
        switch mode {
        case 901, 924: guard bytes(isWhole: mode == 924) else { return nil }
        case 902: guard numbers() else { return nil }
        default: text()
        }
      }
    }
    if var part {
      if isLast, part.count == nil { part.count = part.index + 1 }
      result.part = part.count == 1 ? nil : part
    }
    return result
  }

  /// Returns the codewords up to the next function codeword, at most `limit`.
  private mutating func run(upTo limit: Int = .max) -> [Int] {
    var run: [Int] = []
    while let word = upcoming, word < 900, run.count < limit {
      run.append(word)
      next += 1
    }
    return run
  }

  // MARK: Compaction

  private enum Table { case upper, lower, mixed, punctuation }

  private mutating func text() {
    var table = Table.upper
    var shifted: Table?
    // A single byte may occur between two pairs; the character tables stay the same after it.
    while let word = upcoming, word < 900 || word == 913 || (925...927).contains(word) {
      if word == 913 {
        next += 1
        // A shift before a byte only pads a pair.
        shifted = nil
        guard let byte = upcoming, byte < 256 else { return }
        result.append(UInt8(byte))
        next += 1
        continue
      }
      if word >= 900 {
        guard interpretation() else { return }
        continue
      }
      next += 1
      for value in [word / 30, word % 30] {
        let own = shifted ?? table
        shifted = nil
        switch (own, value) {
        case (.upper, 0...25): result.append(0x41 + UInt8(value))
        case (.lower, 0...25): result.append(0x61 + UInt8(value))
        case (.upper, 26), (.lower, 26), (.mixed, 26): result.append(0x20)
        case (.upper, 27), (.mixed, 27): table = .lower
        case (.lower, 27): shifted = .upper
        case (.upper, 28), (.lower, 28): table = .mixed
        case (.mixed, 28), (.punctuation, 29): table = .upper
        case (.mixed, 25): table = .punctuation
        case (_, 29): shifted = .punctuation
        case (.mixed, 0...24): result.append(Self.mixed[value])
        default: result.append(Self.punctuation[min(value, 28)])
        }
      }
    }
  }

  private static let mixed = Array("0123456789&\r\t,:#-.$/+%*=^".utf8)
  private static let punctuation = Array(";<>@[\\]_`~!\r\t,:\n-.$/\"|*()?{}'".utf8)

  /// Decodes six bytes per five codewords, then one byte per remaining codeword.
  private mutating func bytes(isWhole: Bool) -> Bool {
    let run = self.run()
    let groups = isWhole ? run.count / 5 : max(0, run.count - 1) / 5
    for g in 0..<groups {
      let value = run[(5 * g)..<(5 * g + 5)].reduce(0) { $0 * 900 + $1 }
      guard value < 1 << 48 else { return false }
      for shift in stride(from: 40, through: 0, by: -8) { result.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }
    for word in run[(5 * groups)...] {
      guard word < 256 else { return false }
      result.append(UInt8(word))
    }
    return true
  }

  /// Decodes up to forty-four digits per fifteen codewords, after a leading digit 1.
  private mutating func numbers() -> Bool {
    let run = self.run()
    for start in stride(from: 0, to: run.count, by: 15) {
      guard let digits = Self.digits(Array(run[start..<min(run.count, start + 15)])) else { return false }
      result.append(digits)
    }
    return true
  }

  /// Returns the decimal digits of a number in base 900, without its leading digit 1; `nil` if it has another
  /// leading digit.
  private static func digits(_ words: [Int]) -> [UInt8]? {
    // Calculates in base 10,000, the least significant digit first.
    var digits = [0]
    for word in words {
      var carry = word
      for i in digits.indices {
        let value = digits[i] * 900 + carry
        digits[i] = value % 10_000
        carry = value / 10_000
      }
      while carry > 0 {
        digits.append(carry % 10_000)
        carry /= 10_000
      }
    }
    var text: [UInt8] = []
    for value in digits.reversed() {
      let four = [value / 1000, value / 100 % 10, value / 10 % 10, value % 10]
      text += four.map { 0x30 + UInt8($0) }
    }
    let plain = text.drop { $0 == 0x30 }
    return plain.first == 0x31 ? Array(plain.dropFirst()) : nil
  }

  private mutating func interpretation() -> Bool {
    guard let word = upcoming else { return false }
    next += 1
    guard let first = upcoming, first < 900 else { return false }
    next += 1
    switch word {
    case 927: result.use(eci: first)
    case 926:
      guard let second = upcoming, second < 900 else { return false }
      next += 1
      result.use(eci: 900 * (first + 1) + second)
    default: result.use(eci: 810_900 + first)
    }
    return true
  }

  // MARK: Macro PDF417

  private mutating func macro() -> Bool {
    next += 1
    let index = run(upTo: 2)
    guard index.count == 2, let digits = Self.digits(index), let number = Int(String(decoding: digits, as: UTF8.self))
    else { return false }
    let identifier = run().map { $0.digits(3) }.joined()
    var count: Int?
    while let word = upcoming {
      next += 1
      if word == 922 {
        isLast = true
        continue
      }
      guard word == 923, let field = upcoming else { continue }
      next += 1
      // Field 1 is the number of segments, in numeric compaction; the other fields are not part of the content.
      if field == 1, upcoming == 902 {
        next += 1
        count = Self.digits(run()).flatMap { Int(String(decoding: $0, as: UTF8.self)) }
      } else if field == 1 {
        count = Self.digits(run(upTo: 2)).flatMap { Int(String(decoding: $0, as: UTF8.self)) }
      } else {
        while let skipped = upcoming, skipped != 922, skipped != 923 {
          next += 1
          _ = skipped
        }
      }
    }
    if let known = count, known < 1 || known > 99_999 || number >= known { count = nil }
    part = CodeMessage.Fragment(index: number, count: count, identifier: identifier, isCountedOnce: true)
    return true
  }
}
