/// Makes one reading of several of the same line: aligned by the least changes that lead from one to the other, then character by
/// character by how sure each reading is (J. Fiscus, "A post-processing system to yield reduced word error rates: ROVER", 1997).
package enum LineVote {
  /// A position of the line with its character in each reading; nil where a reading has none.
  private struct Column {
    var symbols: [ReadSymbol?]
  }

  /// The sureness that a reading loses where another one has all that it lacks: a single mark is easily read surely.
  private static let lack = 0.02

  /// Voted character by character: for readings of several frames, whose errors come and go.
  package static func settle(_ readings: [[ReadSymbol]]) -> [ReadSymbol] {
    let (columns, sureness) = aligned(readings)
    return columns.compactMap { decide($0, sureness) }
  }

  /// The surest reading as it is: for several drawings of one picture, of which some are wrong in the same places. Where the others differ
  /// it is less sure, and may be what they say.
  ///
  /// - Parameter leader: the number of the reading to take in place of the surest one.
  static func surest(_ readings: [[ReadSymbol]], leader: Int? = nil) -> [ReadSymbol] {
    let (columns, _) = aligned(readings, leader: leader)
    return columns.compactMap { column in column.symbols.first.flatMap { $0 }.map { weighed($0, column) } }
  }

  /// A reading as it is, less sure where another network's reading differs.
  package static func weighed(_ reading: [ReadSymbol], against other: [ReadSymbol]) -> [ReadSymbol] {
    join(reading.map { Column(symbols: [$0]) }, other, before: 1).compactMap { column in
      column.symbols.first.flatMap { $0 }.map { weighed($0, column) }
    }
  }

  /// The share of the characters of two readings that both have in one order, 0 to 1.
  static func agreement(_ a: [ReadSymbol], _ b: [ReadSymbol]) -> Double {
    guard !a.isEmpty, !b.isEmpty else { return 0 }
    let same = join(a.map { Column(symbols: [$0]) }, b, before: 1).count { column in
      column.symbols[0] != nil && column.symbols[0]?.text == column.symbols[1]?.text
    }
    return 2 * Double(same) / Double(a.count + b.count)
  }

  /// The readings, the surest first, laid beside it; and how sure each is.
  private static func aligned(
    _ readings: [[ReadSymbol]], leader: Int? = nil
  ) -> (columns: [Column], sureness: [Double]) {
    let longest = Double(readings.map(\.count).max() ?? 0)
    let sure = readings.map { reading in
      ReadLine.confidence(of: reading) - lack * (longest - Double(reading.count)) / max(1, longest)
    }
    // The surest leads: the others are aligned to it, and its word breaks hold.
    var order = readings.indices.filter { !readings[$0].isEmpty }.sorted { (sure[$0], $1) > (sure[$1], $0) }
    if let leader, let place = order.firstIndex(of: leader) { order.swapAt(0, place) }
    guard let leader = order.first else { return ([], []) }
    var columns = readings[leader].map { Column(symbols: [$0]) }
    for (count, index) in order.dropFirst().enumerated() {
      columns = join(columns, readings[index], before: count + 1)
    }
    return (columns, order.map { ReadLine.confidence(of: readings[$0]) })
  }

  /// A symbol of the surest reading: unsure as far as the others speak against it.
  private static func weighed(_ symbol: ReadSymbol, _ column: Column) -> ReadSymbol {
    var winner = symbol
    let others = column.symbols.dropFirst()
    guard !others.isEmpty else { return winner }
    let agreeing = others.count { $0?.text == symbol.text }
    winner.confidence *= 1 - 0.4 * Double(others.count - agreeing) / Double(others.count)
    winner.choices = choices(in: column, without: symbol.text)
    return winner
  }

  /// Returns the alternatives for a place, the surest first.
  private static func choices(in column: Column, without text: String) -> [ReadSymbol.Choice] {
    var choices: [String: Double] = [:]
    for symbol in column.symbols.compactMap({ $0 }) {
      for choice in symbol.choices + [.init(symbol.text, symbol.confidence)] where choice.text != text {
        choices[choice.text] = max(choices[choice.text] ?? 0, choice.confidence)
      }
    }
    return choices.map { .init($0.key, $0.value) }.sorted { ($0.confidence, $1.text) > ($1.confidence, $0.text) }
  }

  private static func decide(_ column: Column, _ sureness: [Double]) -> ReadSymbol? {
    var votes: [String: Double] = [:]
    var none = 0.0
    for (symbol, sure) in zip(column.symbols, sureness) {
      guard let symbol else {
        none += sure * 0.8
        continue
      }
      // Nearly sure counts for much more than half sure.
      votes[symbol.text, default: 0] += symbol.confidence * symbol.confidence
    }
    guard let best = votes.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }), best.value >= none,
      var winner = column.symbols.compactMap({ $0 }).filter({ $0.text == best.key })
        .max(by: { $0.confidence < $1.confidence })
    else { return nil }
    // Doubt among the readings is doubt of the result.
    let total = votes.values.reduce(none, +)
    winner.confidence = min(winner.confidence, best.value / max(total, 1e-9))
    winner.choices = choices(in: column, without: winner.text)
    return winner
  }

  /// Adds a reading to the columns.
  private static func join(_ columns: [Column], _ reading: [ReadSymbol], before: Int) -> [Column] {
    let (n, m) = (columns.count, reading.count)
    func cost(_ i: Int, _ j: Int) -> Double {
      let known = columns[i].symbols.compactMap { $0 }
      if known.contains(where: { $0.text == reading[j].text }) { return 0 }
      let isAlike = known.contains { LookalikeCharacters.areAlike($0.text, reading[j].text) }
      return isAlike ? 0.5 : 1
    }
    var table = [[Double]](repeating: [Double](repeating: 0, count: m + 1), count: n + 1)
    for i in 0...n { table[i][0] = Double(i) }
    for j in 0...m { table[0][j] = Double(j) }
    for i in 0..<n {
      for j in 0..<m {
        table[i + 1][j + 1] = min(table[i][j] + cost(i, j), table[i][j + 1] + 1, table[i + 1][j] + 1)
      }
    }
    var joined: [Column] = []
    var (i, j) = (n, m)
    while i > 0 || j > 0 {
      if i > 0, j > 0, table[i][j] == table[i - 1][j - 1] + cost(i - 1, j - 1) {
        joined.append(Column(symbols: columns[i - 1].symbols + [reading[j - 1]]))
        (i, j) = (i - 1, j - 1)
      } else if i > 0, table[i][j] == table[i - 1][j] + 1 {
        joined.append(Column(symbols: columns[i - 1].symbols + [nil]))
        i -= 1
      } else {
        joined.append(Column(symbols: [ReadSymbol?](repeating: nil, count: before) + [reading[j - 1]]))
        j -= 1
      }
    }
    return joined.reversed()
  }
}
