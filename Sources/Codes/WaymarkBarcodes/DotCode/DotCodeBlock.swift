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
