import WaymarkImage

/// The codewords of a DotCode symbol with their error correction. `DotCodeBlock` below solves one block of it.
struct DotCodeWords {
  /// The dots of a codeword: as bits, most significant first, with 1 for a lit dot; the mask of the known bits; and their values.
  private struct Seen {
    var bits = 0
    var known = 0
    var values: [Float] = []
  }

  /// The number of data codewords: as many as fit.
  private let data: Int
  private var seen: [Seen] = []
  /// The dots behind the codewords, which are all lit.
  private let padding: ArraySlice<Float>

  /// The patterns of the codeword values, of five dots each (annex C).
  private static let patterns = [
    0x155, 0x0AB, 0x0AD, 0x0B5, 0x0D5, 0x156, 0x15A, 0x16A, 0x1AA, 0x0AE, 0x0B6, 0x0BA, 0x0D6, 0x0DA, 0x0EA, 0x12B,
    0x12D, 0x135, 0x14B, 0x14D, 0x153, 0x159, 0x165, 0x169, 0x195, 0x1A5, 0x1A9, 0x057, 0x05B, 0x05D, 0x06B, 0x06D,
    0x075, 0x097, 0x09B, 0x09D, 0x0A7, 0x0B3, 0x0B9, 0x0CB, 0x0CD, 0x0D3, 0x0D9, 0x0E5, 0x0E9, 0x12E, 0x136, 0x13A,
    0x14E, 0x15C, 0x166, 0x16C, 0x172, 0x174, 0x196, 0x19A, 0x1A6, 0x1AC, 0x1B2, 0x1B4, 0x1CA, 0x1D2, 0x1D4, 0x05E,
    0x06E, 0x076, 0x07A, 0x09E, 0x0BC, 0x0CE, 0x0DC, 0x0E6, 0x0EC, 0x0F2, 0x0F4, 0x117, 0x11B, 0x11D, 0x127, 0x133,
    0x139, 0x147, 0x163, 0x171, 0x18B, 0x18D, 0x193, 0x199, 0x1A3, 0x1B1, 0x1C5, 0x1C9, 0x1D1, 0x02F, 0x037, 0x03B,
    0x03D, 0x04F, 0x067, 0x073, 0x079, 0x08F, 0x0C7, 0x0E3, 0x0F1, 0x11E, 0x13C, 0x178, 0x18E, 0x19C, 0x1B8, 0x1C6,
    0x1CC,
  ]
  private static let isPattern: [Bool] = {
    var isPattern = [Bool](repeating: false, count: 512)
    for pattern in patterns { isPattern[pattern] = true }
    return isPattern
  }()
  /// The multiplier of each mask: the mask adds it, times the index of a data codeword, to that codeword modulo 113.
  private static let masks = [0, 3, 7, 17]
  /// The least share of codewords with a valid pattern in a symbol. Of random patterns, 22 % are valid.
  private static let leastValid = 0.34
  /// The least evidence for a symbol, in bits; see `proof(dots:wrong:data:)`.
  private static let proof = 30.0
  /// The least evidence for a block of codewords, in bits.
  private static let blockProof = 22.0
  /// The largest number of combinations of values of unreadable codewords that are tried.
  private static let trials = 80_000
  /// The number of values that are tried for a codeword: a pattern with a missing dot fits at most five.
  private static let choices = 5

  /// - Parameter dots: the dots in the order of their bits: positive if lit, 0 if unknown.
  /// - Returns: `nil` for fewer dots than one data codeword and its checks need, or if few codewords have a valid pattern.
  init?(_ dots: [Float]) {
    var data = 0
    while 9 * (data + 1 + Self.checks(data + 1)) + 2 <= dots.count { data += 1 }
    guard data > 0 else { return nil }
    let valid = stride(from: 2, to: 9 * (data + Self.checks(data)) + 2, by: 9).count { i in
      Self.isPattern[(i..<(i + 9)).reduce(0) { $0 << 1 | (dots[$1] > 0 ? 1 : 0) }]
    }
    guard Double(valid) >= Self.leastValid * Double(data + Self.checks(data)) else { return nil }
    self.data = data
    let count = data + Self.checks(data)
    padding = dots[(9 * count + 2)...]
    seen.append(Self.see(dots[..<2]))
    for i in 0..<count { seen.append(Self.see(dots[(9 * i + 2)..<(9 * i + 11)])) }
  }

  private static func checks(_ data: Int) -> Int { 3 + data / 2 }

  private static func see(_ dots: ArraySlice<Float>) -> Seen {
    var seen = Seen(values: Array(dots))
    for dot in dots {
      seen.bits = seen.bits << 1 | (dot > 0 ? 1 : 0)
      seen.known = seen.known << 1 | (dot == 0 ? 0 : 1)
    }
    return seen
  }

  /// Returns the data codewords without their mask; `nil` if there are too many errors, or too few dots agree with the result.
  func corrected() -> [Int]? {
    var words = [Int](repeating: 0, count: seen.count)
    // Blocks of at most 112 codewords are interleaved.
    let step = (seen.count + 111) / 112
    for start in 0..<step {
      let places = Array(stride(from: start, to: seen.count, by: step))
      guard let block = corrected(places, checks: places.count - (data - start + step) / step) else { return nil }
      for (place, word) in zip(places, block) { words[place] = word }
    }
    let wrong = words.indices.reduce(padding.count { $0 < 0 }) { $0 + changes($1, words[$1]) }
    guard Self.proof(dots: 2 + 9 * (seen.count - 1) + padding.count, wrong: wrong, data: data) >= Self.proof else {
      return nil
    }
    let mask = Self.masks[words[0]]
    return (0..<data).map { (words[$0 + 1] + 113 * mask - $0 * mask % 113) % 113 }
  }

  /// Returns the evidence for a content in bits: −log₂ of a bound on the probability that random dots agree with any content of
  /// `data` codewords and a mask in all but at most `wrong` dots. 0 if a third of the dots are wrong.
  private static func proof(dots: Int, wrong: Int, data: Int) -> Double {
    guard 3 * wrong < dots else { return 0 }
    var bits = Double(dots) - 2 - 6.82 * Double(data)
    for i in 0..<wrong { bits -= Double.naturalLogarithm(Double(dots - i) / Double(i + 1)) / 0.6931 }
    return bits - Double.naturalLogarithm(Double(dots - wrong + 1) / Double(dots - 2 * wrong + 1)) / 0.6931
  }

  /// Returns the number of dots by which a codeword differs from a value.
  private func changes(_ word: Int, _ value: Int) -> Int {
    let seen = self.seen[word]
    if word == 0 { return value < 4 ? ((seen.bits ^ value) & seen.known).nonzeroBitCount : 9 }
    return ((seen.bits ^ Self.patterns[value]) & seen.known).nonzeroBitCount
  }

  /// Returns the likeliest values of a codeword, and the doubt about the first one.
  private func likely(_ word: Int) -> (values: [Int], doubt: Float) {
    let dots = seen[word].values
    let patterns = word == 0 ? Array(0..<4) : Self.patterns
    let scores = patterns.map { pattern in
      dots.indices.reduce(Float(0)) { pattern >> (dots.count - 1 - $1) & 1 == 1 ? $0 + dots[$1] : $0 - dots[$1] }
    }
    let order = scores.indices.sorted { (scores[$0], $1) > (scores[$1], $0) }
    return (Array(order.prefix(Self.choices)), scores[order[1]] - scores[order[0]])
  }

  // MARK: Blocks

  /// Returns the corrected codewords of a block; `nil` if there are too many errors, or too little evidence for the result.
  private func corrected(_ places: [Int], checks: Int) -> [Int]? {
    let likely = places.map(self.likely)
    let best = likely.map { $0.values[0] }
    let order = places.indices.sorted { (likely[$0].doubt, $1) > (likely[$1].doubt, $0) }
    func wrong(_ block: [Int]) -> Int { zip(places, block).reduce(0) { $0 + changes($1.0, $1.1) } }
    func isProven(_ wrong: Int) -> Bool {
      let codewords = places.count - (places[0] == 0 ? 1 : 0)
      return Self.proof(dots: 9 * codewords, wrong: wrong, data: codewords - checks) >= Self.blockProof
    }
    for count in stride(from: 0, through: checks, by: 2) {
      var block = best
      if ReedSolomon.dotCode.correct(&block, checks: checks, erasures: Array(order.prefix(count))) != nil,
        isProven(wrong(block))
      {
        return block
      }
    }
    let unreadable = order.filter { changes(places[$0], best[$0]) > 0 }
    // The most doubtful codewords become erasures. The checks cannot correct the rest, so each is tried with its likeliest values.
    let tried = unreadable.dropFirst(checks)
    guard !tried.isEmpty else { return nil }
    let erased = Array(unreadable.prefix(checks))
    return DotCodeBlock(best, erased: erased, tried: Array(tried)).solved(
      choices: tried.map { likely[$0].values }, trials: Self.trials, limit: { isProven($0) }
    ) { changes(places[$0], $1) }
  }
}

/// A block of error correction with as many erasures as check codewords, and with further unreadable codewords. Several values are
/// tried for each of these; the erasures are then linear functions of the tried values.
struct DotCodeBlock {
  private let words: [Int]
  private let erased: [Int]
  private let tried: [Int]
  /// For each erasure: its value if all tried codewords are 0, then the coefficient of each tried codeword.
  private let terms: [[Int]]

  init(_ words: [Int], erased: [Int], tried: [Int]) {
    (self.words, self.erased, self.tried) = (words, erased, tried)
    let field = ReedSolomon.dotCode.field
    var known = words
    for place in erased + tried { known[place] = 0 }
    // The equations of the checks, with the erased codewords on the left and all others on the right, are solved by elimination.
    let count = erased.count
    var rows = (1...count).map { root -> [Int] in
      func weight(_ place: Int) -> Int { field.power(root * (words.count - 1 - place)) }
      let sum = known.indices.reduce(0) { field.sum($0, field.product(known[$1], weight($1))) }
      return erased.map(weight) + [field.difference(0, sum)] + tried.map { field.difference(0, weight($0)) }
    }
    for column in 0..<count {
      guard let pivot = (column..<count).first(where: { rows[$0][column] != 0 }) else { continue }
      rows.swapAt(column, pivot)
      let scale = rows[column][column]
      for i in column..<rows[column].count { rows[column][i] = field.quotient(rows[column][i], scale) }
      for row in 0..<count where row != column && rows[row][column] != 0 {
        let factor = rows[row][column]
        for i in column..<rows[row].count {
          rows[row][i] = field.difference(rows[row][i], field.product(factor, rows[column][i]))
        }
      }
    }
    terms = rows.map { Array($0[count...]) }
  }

  /// Returns the block whose codewords differ from the seen ones by the fewest dots; `nil` if there are too many combinations, or
  /// even this block differs too much.
  ///
  /// - Parameters:
  ///   - choices: the values to try for each tried codeword, the likeliest first.
  ///   - trials: the largest number of combinations.
  ///   - limit: returns whether a number of differing dots is few enough.
  ///   - changes: returns the number of dots by which a codeword differs from a value.
  func solved(
    choices: [[Int]], trials: Int, limit: (Int) -> Bool, changes: (_ word: Int, _ value: Int) -> Int
  ) -> [Int]? {
    let combinations = choices.reduce(1) { min($0 * $1.count, trials + 1) }
    guard combinations <= trials else { return nil }
    let differences = erased.map { place in (0..<113).map { changes(place, $0) } }
    let fixed = words.indices.reduce(0) { erased.contains($1) || tried.contains($1) ? $0 : $0 + changes($1, words[$1]) }
    var best: (block: [Int], changes: Int)?
    var counter = [Int](repeating: 0, count: tried.count)
    var values = choices.map { $0[0] }
    var solution = erased.map { _ in 0 }
    search: while true {
      var sum = fixed
      for (place, value) in zip(tried, values) { sum += changes(place, value) }
      var isSolved = true
      for i in erased.indices {
        var value = terms[i][0]
        for j in values.indices { value += values[j] * terms[i][j + 1] }
        value %= 113
        sum += differences[i][value]
        solution[i] = value
        // Wrong codewords differ by about four dots, readable ones by one.
        if sum - fixed > 2 * (i + 1) + 4 + tried.count || sum >= best?.changes ?? .max {
          isSolved = false
          break
        }
      }
      if isSolved {
        var block = words
        for (place, value) in zip(erased + tried, solution + values) { block[place] = value }
        best = (block, sum)
      }
      var digit = 0
      while digit < counter.count {
        counter[digit] = (counter[digit] + 1) % choices[digit].count
        values[digit] = choices[digit][counter[digit]]
        if counter[digit] > 0 { continue search }
        digit += 1
      }
      break
    }
    guard let best, limit(best.changes) else { return nil }
    return best.block
  }
}
