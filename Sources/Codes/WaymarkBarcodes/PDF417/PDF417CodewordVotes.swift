import WaymarkImage

/// Collects the votes of many lines through a PDF417 symbol for its codewords.
struct PDF417CodewordVotes {
  private struct Seen {
    var column: Int
    var value: Int
    var cluster: Int
    /// The start of the codeword along its line; `to` is its end.
    var from: Double
    var to: Double
  }

  private struct Line {
    var place: Double
    var seen: [Seen]
    /// The number of codewords between start and stop, with both indicators, if the stop was seen.
    var columns: Int?
    /// The edges in reading direction, the first from light to dark, in pixels from the side by which the symbol was found.
    var edges: [Double]
  }

  private var lines: [Line] = []
  /// True to choose the codeword with the closest edges instead of the one with equal distances between edges.
  private let takesNearest: Bool

  init(takesNearest: Bool = false) { self.takesNearest = takesNearest }

  private func codeword(_ widths: [Double]) -> (value: Int, cluster: Int)? {
    takesNearest ? PDF417Table.nearest(widths) : PDF417Table.codeword(widths)
  }

  /// The largest deviation of an indicator from the course of the others, in rows.
  private static let rowSlack = 3.5
  private static let start: [Double] = [8, 1, 1, 1, 1, 1, 1, 3]
  private static let stop: [Double] = [7, 1, 1, 3, 1, 1, 1, 2]

  /// Adds the codewords of one line.
  ///
  /// - Parameters:
  ///   - place: the position of the line along the side, 0 to 1 at its ends.
  ///   - module: the approximate size of a module, in pixels.
  ///   - offset: the start of the line, in pixels from the side.
  ///   - isBackward: true if the line runs from the stop to the start.
  mutating func add(_ line: ScanLine, place: Double, module: Double, offset: Double, isBackward: Bool) {
    var edges = line.edges.map { $0 + offset }
    guard edges.count >= 18 else { return }
    if isBackward {
      // In either direction, the first and the last run are dark, so the number of runs is odd and the number of edges even.
      if !edges.count.isMultiple(of: 2) { edges.removeLast() }
      edges = edges.reversed().map { -$0 }
    }
    let widths = zip(edges, edges.dropFirst()).map { $1 - $0 }
    var seen: [Seen] = []
    var columns: Int?
    // A forward line begins before the start pattern; in a backward line the start may be anywhere up to its end.
    guard let first = isBackward ? find(Self.start, in: widths, module) : findFirst(widths, module) else {
      // Without a start pattern, the columns are counted from the stop.
      if let last = find(Self.stop, in: widths, module) {
        fromStop(widths, edges, last, module, place)
      } else {
        lines.append(Line(place: place, seen: [], columns: nil, edges: edges))
      }
      return
    }
    var pitch = (edges[first + 8] - edges[first])
    guard pitch > 8 * module, pitch < 34 * module else { return }
    var at = first + 8
    var column = 0
    var misses = 0
    var expected = edges[at]
    while at + 8 <= widths.count, column < 33 {
      if matches(Self.stop, widths, at, pitch / 17) {
        columns = column
        break
      }
      let total = edges[at + 8] - edges[at]
      if abs(total - pitch) < 0.2 * pitch, let word = codeword(Array(widths[at..<(at + 8)])) {
        seen.append(
          Seen(column: column, value: word.value, cluster: word.cluster, from: edges[at], to: edges[at + 8]))
        pitch = 0.8 * pitch + 0.2 * total
        expected = edges[at + 8]
        at += 8
        misses = 0
      } else {
        // After a damaged codeword, reading resumes at the light-to-dark edge closest to the expected start of the next codeword.
        expected += pitch
        misses += 1
        guard misses < 12 else { break }
        var best: Int?
        var i = at.isMultiple(of: 2) ? at : at + 1
        while i < edges.count {
          if abs(edges[i] - expected) < abs(edges[best ?? at] - expected) || best == nil { best = i }
          if edges[i] > expected + pitch { break }
          i += 2
        }
        guard let best else { break }
        at = best
        if abs(edges[best] - expected) < 0.12 * pitch { expected = edges[best] }
      }
      column += 1
    }
    lines.append(Line(place: place, seen: seen, columns: columns, edges: edges))
  }

  /// Adds the codewords of a line without a start pattern; their columns are negative, counted from the stop pattern
  /// backwards.
  private mutating func fromStop(
    _ widths: [Double], _ edges: [Double], _ last: Int, _ module: Double, _ place: Double
  ) {
    var pitch = 17 * module
    var at = last
    var column = -1
    var seen: [Seen] = []
    while at >= 8 {
      let total = edges[at] - edges[at - 8]
      guard abs(total - pitch) < 0.2 * pitch, let word = codeword(Array(widths[(at - 8)..<at])) else {
        break
      }
      seen.append(
        Seen(column: column, value: word.value, cluster: word.cluster, from: edges[at - 8], to: edges[at]))
      pitch = 0.8 * pitch + 0.2 * total
      at -= 8
      column -= 1
    }
    lines.append(Line(place: place, seen: seen, columns: nil, edges: edges))
  }

  private func matches(_ pattern: [Double], _ widths: [Double], _ at: Int, _ module: Double) -> Bool {
    guard at + pattern.count <= widths.count else { return false }
    for k in pattern.indices
    where abs(widths[at + k] - pattern[k] * module) > 0.6 * module + 0.3 + 0.06 * pattern[k] * module {
      return false
    }
    return true
  }

  private func findFirst(_ widths: [Double], _ module: Double) -> Int? {
    stride(from: 0, to: max(0, min(widths.count - 8, 9)), by: 2).first { at in
      matches(Self.start, widths, at, widths[at..<(at + 8)].reduce(0, +) / 17)
    }
  }

  private func find(_ pattern: [Double], in widths: [Double], _ module: Double) -> Int? {
    stride(from: 0, to: widths.count - 8, by: 2).first { at in
      let own = widths[at..<(at + 8)].reduce(0, +) / 17
      return abs(own - module) < 0.4 * module && matches(pattern, widths, at, own)
    }
  }

  // MARK: All lines together

  /// A symbol, decoded or not, without its position in the picture.
  struct Decoded {
    var finding: MatrixDetection
    var columns: Int
    /// The start of the symbol's first row and the end of its last row along the side, as shares of the side. The side may cover
    /// several symbols, one above another, or only a part of one. `nil` without indicators.
    var extent: (first: Double, last: Double)?
  }

  /// Returns the finding, decoded or not; `nil` if too little was seen for a PDF417 symbol.
  mutating func decode() -> Decoded? {
    guard let shape = shape() else { return nil }
    fill(shape)
    var finding = MatrixDetection(
      symbology: .pdf417, corners: Quadrilateral(width: 0, height: 0), module: 0, certainty: 0.95)
    var (words, doubt, erasures) = codewords(shape)
    let checks = shape.checks
    guard
      ReedSolomon.pdf417.correct(&words, checks: checks, doubt: doubt, erasures: erasures, reserve: 2),
      let count = words.first, count >= 1, count <= words.count - checks
    else { return Decoded(finding: finding, columns: shape.columns) }
    var text = PDF417Text(Array(words[1..<count]))
    finding.message = text.message()
    return Decoded(finding: finding, columns: shape.columns, extent: extent(shape))
  }

  /// Returns the extent of the rows along the side, as shares of it, according to most indicators; `nil` if there are fewer
  /// than three.
  private func extent(_ shape: Shape) -> (first: Double, last: Double)? {
    let (left, right) = indicators(shape)
    let points = left.count >= right.count ? left : right
    guard points.count >= 3, let begin = RobustCourse.line(points, at: 0), let end = RobustCourse.line(points, at: 1),
      abs(end - begin) > 1e-6
    else { return nil }
    // Indicators give the row that a line crosses, on average in the middle of the row.
    func place(_ row: Double) -> Double { (row - begin) / (end - begin) }
    return (place(-0.5), place(Double(shape.rows) - 0.5))
  }

  private struct Shape {
    var rows: Int
    var columns: Int
    var checks: Int

    /// Returns the column of a codeword, counted from the left.
    func column(_ seen: Seen) -> Int { seen.column >= 0 ? seen.column : columns + 2 + seen.column }
  }

  /// Returns the numbers of rows, columns and check codewords according to most indicators (clause 5.11); `nil` if the indicators
  /// do not show them.
  private func shape() -> Shape? {
    var high: [Int: Int] = [:]
    var low: [Int: Int] = [:]
    var columns: [Int: Int] = [:]
    var stops: [Int: Int] = [:]
    for line in lines { if let count = line.columns { stops[count, default: 0] += 1 } }
    func vote(_ value: Int, _ kind: Int) {
      switch kind {
      case 0: high[value % 30, default: 0] += 1
      case 1: low[value % 30, default: 0] += 1
      default: columns[value % 30 + 1, default: 0] += 1
      }
    }
    let most = stops.max { $0.value < $1.value }?.key
    for line in lines {
      for seen in line.seen {
        if seen.column == 0 { vote(seen.value, seen.cluster) }
        if seen.column == -1 || most.map({ seen.column == $0 - 1 }) ?? false {
          vote(seen.value, (seen.cluster + 2) % 3)
        }
      }
    }
    func best(_ votes: [Int: Int]) -> Int? { votes.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key }
    guard let a = best(high), let b = best(low) else { return nil }
    guard let count = best(columns) ?? most.map({ $0 - 2 }) else { return nil }
    let rows = 3 * a + b % 3 + 1
    let level = b / 3
    guard (1...30).contains(count), (3...90).contains(rows), level <= 8, rows * count > 2 << level else { return nil }
    return Shape(rows: rows, columns: count, checks: 2 << level)
  }

  /// Reads codewords that lines lack, at positions known from other lines: codewords after a stain, and all codewords of lines
  /// whose start and stop are covered.
  private mutating func fill(_ shape: Shape) {
    var known: [[(place: Double, from: Double, to: Double)]] = Array(repeating: [], count: shape.columns + 2)
    for line in lines {
      for seen in line.seen where known.indices.contains(shape.column(seen)) {
        known[shape.column(seen)].append((line.place, seen.from, seen.to))
      }
    }
    for i in lines.indices {
      let place = lines[i].place
      let present = Set(lines[i].seen.map(shape.column))
      for c in known.indices where !present.contains(c) && known[c].count >= 3 {
        // Lines are sorted from the top down.
        let next = known[c].firstIndex { $0.place >= place } ?? known[c].count
        let near = known[c][max(0, next - 5)..<min(known[c].count, next + 5)]
        guard let from = RobustCourse.line(near.map { ($0.place, $0.from) }, at: place),
          let to = RobustCourse.line(near.map { ($0.place, $0.to) }, at: place), to > from
        else { continue }
        let edges = lines[i].edges
        let pitch = to - from
        let dark = stride(from: 0, to: edges.count - 8, by: 2)
        guard let at = dark.min(by: { abs(edges[$0] - from) < abs(edges[$1] - from) }),
          abs(edges[at] - from) < 0.1 * pitch, abs(edges[at + 8] - to) < 0.1 * pitch
        else { continue }
        let widths = (at..<(at + 8)).map { edges[$0 + 1] - edges[$0] }
        guard let word = codeword(widths) else { continue }
        lines[i].seen.append(
          Seen(column: c, value: word.value, cluster: word.cluster, from: edges[at], to: edges[at + 8]))
      }
    }
  }

  /// Returns the codewords on which most lines agree, in order, the doubt about each, and the indices of codewords that no line
  /// shows.
  private func codewords(_ shape: Shape) -> (words: [Int], doubt: [Float], erasures: [Int]) {
    let rows = rowsOfLines(shape)
    var votes = [[Int: Int]](repeating: [:], count: shape.rows * shape.columns)
    for (line, place) in zip(lines, rows) {
      guard let place else { continue }
      for seen in line.seen {
        let column = shape.column(seen)
        guard (1...shape.columns).contains(column) else { continue }
        let share = Double(column) / Double(shape.columns + 1)
        let near = place.left + (place.right - place.left) * share
        // Of the rows with the codeword's cluster, the row closest to the expected row.
        let guess = Int(near.rounded())
        guard let row = [guess, guess - 1, guess + 1].first(where: { ($0 % 3 + 3) % 3 == seen.cluster }),
          (0..<shape.rows).contains(row)
        else { continue }
        votes[row * shape.columns + column - 1][seen.value, default: 0] += abs(near - Double(row)) < 0.75 ? 2 : 1
      }
    }
    return Self.elected(votes)
  }

  /// Returns the values with the most votes, the doubt about each, and the indices of values without a vote.
  static func elected(_ votes: [[Int: Int]]) -> (words: [Int], doubt: [Float], erasures: [Int]) {
    var words: [Int] = []
    var doubt: [Float] = []
    var erasures: [Int] = []
    for (i, vote) in votes.enumerated() {
      if let best = vote.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }) {
        words.append(best.key)
        let others = vote.values.reduce(0, +) - best.value
        doubt.append(Float(others + 1) / Float(best.value + 1))
      } else {
        words.append(0)
        doubt.append(2)
        erasures.append(i)
      }
    }
    return (words, doubt, erasures)
  }

  /// Returns the rows in which each line begins and ends, interpolated between the indicators of all lines; `nil` if no line has an
  /// indicator.
  private func rowsOfLines(_ shape: Shape) -> [(left: Double, right: Double)?] {
    let (a, b) = indicators(shape)
    if a.isEmpty != b.isEmpty { return slanted(shape, a.isEmpty ? b : a, isLeft: !a.isEmpty) }
    return lines.map { line in
      let l = RobustCourse.interpolate(a, line.place)
      let r = RobustCourse.interpolate(b, line.place)
      guard let l = l ?? r, let r = r ?? Optional(l) else { return nil }
      return (l, r)
    }
  }

  /// Returns the position of lines and the row in their indicators, at the start and at the stop, without indicators that
  /// contradict most others.
  private func indicators(_ shape: Shape) -> (left: [(Double, Double)], right: [(Double, Double)]) {
    func row(_ seen: Seen) -> Int? {
      let row = seen.value / 30 * 3 + seen.cluster
      return row < shape.rows ? row : nil
    }
    var left: [(Double, Double)] = []
    var right: [(Double, Double)] = []
    for line in lines {
      for seen in line.seen {
        if seen.column == 0, let r = row(seen) { left.append((line.place, Double(r))) }
        if seen.column == shape.columns + 1 || seen.column == -1, let r = row(seen) {
          right.append((line.place, Double(r)))
        }
      }
    }
    return (RobustCourse.consistent(left, within: Self.rowSlack), RobustCourse.consistent(right, within: Self.rowSlack))
  }

  /// Returns the rows in which each line begins and ends if indicators were seen on one side only. The rise of the lines across the
  /// rows is chosen to fit the clusters of the codewords best.
  ///
  /// - Parameters:
  ///   - known: the positions of lines, and the rows in their indicators.
  ///   - isLeft: true if the indicators are at the start of the lines.
  private func slanted(
    _ shape: Shape, _ known: [(Double, Double)], isLeft: Bool
  ) -> [(left: Double, right: Double)?] {
    let rows = lines.map { RobustCourse.interpolate(known, $0.place) }
    var best = (rise: 0.0, fit: -Double.infinity)
    for rise in stride(from: -9.0, through: 9, by: 0.25) {
      var fit = -0.5 * abs(rise)
      for (line, row) in zip(lines, rows) {
        guard let row else { continue }
        for seen in line.seen {
          let share = Double(shape.column(seen)) / Double(shape.columns + 1)
          let at = row + rise * (isLeft ? share : share - 1)
          // The deviation from the closest row of its cluster.
          let off = (at - Double(seen.cluster)).remainder(dividingBy: 3)
          fit += abs(off) < 0.6 ? 1 : 0
        }
      }
      if fit > best.fit { best = (rise, fit) }
    }
    return rows.map { row in
      row.map { isLeft ? ($0, $0 + best.rise) : ($0 - best.rise, $0) }
    }
  }
}
