import WaymarkImage

/// Reads MicroPDF417 symbols (ISO/IEC 24728). The row address patterns at both ends of a line through a region give the shape
/// of the symbol and the row that the line crosses. Many such lines give the positions of all rows, and each row is read along
/// its course. `MicroPDF417Shape` below has the shapes and their row address patterns.
struct MicroPDF417Reader {
  let view: ImageView
  /// The search ends after this many regions without a symbol.
  let regions: Int
  /// The largest number of lines across a region.
  let lines: Int
  /// The largest deviation of the length of a row from the length predicted by its first pattern, as a share; perspective causes
  /// it.
  var slack = 0.12

  /// The largest number of regions kept.
  private static let most = 64

  /// Across a region with more lines than this, a sixth of the lines is sampled first, otherwise a third.
  private static let large = 120

  /// A line that crosses a symbol from end to end.
  private struct Crossing {
    /// The shapes that fit its patterns.
    var shapes: [MicroPDF417Shape]
    /// The numbers of the first and the last row address pattern on the line.
    var left: Int
    var right: Int
    var start: Point2
    var end: Point2
  }

  static func detections(_ search: inout MatrixSearch) -> [MatrixDetection] {
    let (regions, lines) = search.isStill ? (6, 240) : (2, 60)
    return MicroPDF417Reader(view: search.view, regions: regions, lines: lines).read()
  }

  private func read() -> [MatrixDetection] {
    var detections: [MatrixDetection] = []
    var failed = 0
    for region in GridRegions(view, limit: Self.most).regions where failed < regions {
      if detections.contains(where: { $0.isRead && $0.corners.contains(region.center) }) { continue }
      let known = detections.count
      // The rows may run in either of the region's two directions.
      let upright = Point2(-region.direction.y, region.direction.x)
      let ways = [(region.direction, region.length, region.height), (upright, region.height, region.length)]
      for (along, length, height) in ways {
        guard let found = read(around: region.center, along: along, length: length, height: height) else { continue }
        detections.append(found)
        if found.isRead { break }
      }
      if detections.last?.isRead != true || detections.count == known { failed += 1 }
    }
    return detections
  }

  private func read(around center: Point2, along: Point2, length: Double, height: Double) -> MatrixDetection? {
    let across = Point2(-along.y, along.x)
    // Includes the quiet zone, and the part of the symbol in cells that are half empty.
    let (reach, side) = (length / 2 + 24, height / 2 + 12)
    let step = max(1.5, 2 * side / Double(lines))
    var crossings: [Crossing] = []
    var offsets = Array(stride(from: -side, through: side, by: step))
    // A third of the lines first, in a large region a sixth: the others are sampled only if these cross a symbol.
    let every = offsets.count < Self.large ? 3 : 6
    let first = stride(from: 1, to: offsets.count, by: every).map { offsets[$0] }
    offsets = first + offsets.indices.filter { $0 % every != 1 }.map { offsets[$0] }
    for (number, offset) in offsets.enumerated() {
      if number == first.count, crossings.isEmpty { return nil }
      crossings += self.crossings(from: center + across * offset - along * reach, along, length: 2 * reach)
    }
    return read(crossings)
  }

  /// Reads a symbol from the lines that cross it.
  ///
  /// - Parameters:
  ///   - starts: the starts of the lines, in their order across the symbol.
  ///   - patience: the number of successive lines without a crossing after which the search ends.
  func read(from starts: some Sequence<Point2>, along: Point2, length: Double, patience: Int) -> MatrixDetection? {
    var crossings: [Crossing] = []
    var misses = 0
    for start in starts {
      guard misses < patience else { break }
      let found = self.crossings(from: start, along, length: length)
      misses = found.isEmpty ? misses + 1 : 0
      crossings += found
    }
    return crossings.isEmpty ? nil : read(crossings)
  }

  private func read(_ crossings: [Crossing]) -> MatrixDetection? {
    // At least three lines must agree on a shape, and begin in at least two of its rows: that is not a coincidence.
    var votes: [(shape: MicroPDF417Shape, count: Int)] = []
    for shape in MicroPDF417Shape.all {
      let own = crossings.filter { $0.shapes.contains(shape) }
      if own.count >= 3, Set(own.map(\.left)).count >= 2 { votes.append((shape, own.count)) }
    }
    votes.sort { ($0.count, -$0.shape.rows) > ($1.count, -$1.shape.rows) }
    var open: MatrixDetection?
    for (shape, _) in votes.prefix(3) {
      guard let found = read(shape, crossings.filter { $0.shapes.contains(shape) }) else { continue }
      if found.isRead { return found }
      open = open ?? found
    }
    return open
  }

  // MARK: Lines

  /// Returns every part of a line that crosses a symbol from end to end, in either direction.
  private func crossings(from start: Point2, _ along: Point2, length: Double) -> [Crossing] {
    guard let (a, b) = view.segment(from: start, direction: along, length: length) else { return [] }
    let line = ScanLine(view, from: a, to: b, window: 20)
    guard line.edges.count >= 21 else { return [] }
    let last = line.edges.count.isMultiple(of: 2) ? line.edges.count : line.edges.count - 1
    let backwards = line.edges[..<last].reversed().map { -$0 }
    return crossings(line.edges) { a + along * $0 } + crossings(backwards) { a - along * $0 }
  }

  /// Returns every part of a line that crosses a symbol from end to end.
  private func crossings(_ edges: [Double], _ place: (Double) -> Point2) -> [Crossing] {
    let widths = zip(edges, edges.dropFirst()).map { $1 - $0 }
    var found: [Crossing] = []
    for i in stride(from: 0, to: widths.count - 20, by: 2) {
      if let crossing = crossingWithoutLeft(edges, widths, i, place) { found.append(crossing) }
      let module = (edges[i + 6] - edges[i]) / 10
      guard module >= 0.9, let left = MicroPDF417Shape.number(widths[i..<(i + 6)], isCentre: false) else { continue }
      for columns in 1...4 {
        let hasCentre = columns > 2
        let runs = 6 + 8 * columns + (hasCentre ? 6 : 0)
        guard i + runs + 7 <= widths.count else { break }
        let end = i + runs
        let modules = Double(10 + 17 * columns + (hasCentre ? 10 : 0))
        guard abs(edges[end] - edges[i] - modules * module) < slack * modules * module,
          abs(edges[end + 6] - edges[end] - 10 * module) < max(2.5, 14 * slack) * module,
          widths[end + 6] < 2.2 * module,
          let right = MicroPDF417Shape.number(widths[end..<(end + 6)], isCentre: false),
          let word = PDF417Table.codeword(Array(widths[(i + 6)..<(i + 14)]))
        else { continue }
        let shapes = MicroPDF417Shape.all.filter { shape in
          // A line that is not parallel to its row ends a few rows higher or lower.
          guard shape.columns == columns, shape.hasLeft, let first = shape.row(ofLeft: left),
            let last = shape.row(ofRight: right),
            abs(first - last) <= 3
          else { return false }
          return word.cluster == (shape.cluster + first) % 3
        }
        if !shapes.isEmpty {
          found.append(
            Crossing(shapes: shapes, left: left, right: right, start: place(edges[i]), end: place(edges[end + 7])))
        }
      }
    }
    return found
  }

  /// Returns the crossing, from an edge on, of a symbol whose rows begin with a codeword; `nil` if the edges do not fit such a
  /// symbol.
  private func crossingWithoutLeft(
    _ edges: [Double], _ widths: [Double], _ i: Int, _ place: (Double) -> Point2
  ) -> Crossing? {
    let end = i + 30
    guard end + 7 <= widths.count else { return nil }
    let module = (edges[i + 8] - edges[i]) / 17
    guard module >= 0.9, abs(edges[end] - edges[i] - 61 * module) < slack * 61 * module,
      abs(edges[i + 14] - edges[i + 8] - 10 * module) < max(2.5, 14 * slack) * module,
      abs(edges[end + 6] - edges[end] - 10 * module) < max(2.5, 14 * slack) * module, widths[end + 6] < 2.2 * module,
      let left = MicroPDF417Shape.number(widths[(i + 8)..<(i + 14)], isCentre: true),
      let right = MicroPDF417Shape.number(widths[end..<(end + 6)], isCentre: false),
      let word = PDF417Table.codeword(Array(widths[i..<(i + 8)]))
    else { return nil }
    let shapes = MicroPDF417Shape.all.filter { shape in
      guard !shape.hasLeft, let first = shape.row(ofLeft: left), let last = shape.row(ofRight: right),
        abs(first - last) <= 3
      else { return false }
      return word.cluster == (shape.cluster + first) % 3
    }
    if shapes.isEmpty { return nil }
    return Crossing(shapes: shapes, left: left, right: right, start: place(edges[i]), end: place(edges[end + 7]))
  }

  // MARK: Rows

  private func read(_ shape: MicroPDF417Shape, _ crossings: [Crossing]) -> MatrixDetection? {
    let width = Double(shape.width)
    guard let map = map(shape, crossings) else { return nil }
    var votes = [[Int: Int]](repeating: [:], count: shape.rows * shape.columns)
    for row in 0..<shape.rows {
      for height in [0.2, 0.35, 0.5, 0.65, 0.8] {
        let y = Double(row) + height
        let (a, b) = (map.apply([-3, y]), map.apply([width + 3, y]))
        let length = max(1e-9, a.distance(to: b))
        guard let (from, to) = view.segment(from: a, direction: (b - a) / length, length: length) else { continue }
        let line = ScanLine(view, from: from, to: to, window: 6 * length / (width + 6))
        for column in 0..<shape.columns {
          let start = Double(shape.start(of: column))
          let (p, q) = (map.apply([start, y]), map.apply([start + 17, y]))
          guard let word = codeword(line, from: from.distance(to: p), to: from.distance(to: q)),
            word.cluster == (shape.cluster + row) % 3
          else { continue }
          // A sample in the middle of a row has twice the weight.
          votes[row * shape.columns + column][word.value, default: 0] += abs(height - 0.5) < 0.2 ? 2 : 1
        }
      }
    }
    var (words, doubt, erasures) = PDF417CodewordVotes.elected(votes)
    guard 2 * (words.count - erasures.count) > words.count else { return nil }
    let corners = map.apply(Quadrilateral(width: width, height: Double(shape.rows)))
    let module = corners.topLeft.distance(to: corners.topRight) / width
    var finding = MatrixDetection(symbology: .microPDF417, corners: corners, module: module, certainty: 0.95)
    guard
      ReedSolomon.pdf417.correct(&words, checks: shape.checks, doubt: doubt, erasures: erasures, reserve: 2)
    else { return finding }
    let data = Array(words.dropLast(shape.checks))
    if shape.isComponent {
      finding.message = CompositeText.bits(data).flatMap(CompositeText.message)
    } else {
      var text = PDF417Text(data)
      finding.message = text.message()
    }
    finding.certainty = 1
    return finding
  }

  /// Returns the map from modules and rows to pixels, from the points where lines enter and leave the symbol.
  private func map(_ shape: MicroPDF417Shape, _ crossings: [Crossing]) -> Homography? {
    var pairs: [PointPair] = []
    for crossing in crossings {
      guard let left = shape.row(ofLeft: crossing.left), let right = shape.row(ofRight: crossing.right) else {
        continue
      }
      pairs.append(PointPair(reference: [0, Double(left) + 0.5], frame: crossing.start))
      pairs.append(PointPair(reference: [Double(shape.width), Double(right) + 0.5], frame: crossing.end))
    }
    var map: Homography?
    for _ in 0..<3 {
      guard let fitted = Homography.fit(pairs) else { return map }
      map = fitted
      // A row with a wrong number is off by a row or more.
      let off = pairs.map { fitted.apply($0.reference).distance(to: $0.frame) }
      let limit = max(1.5, 2.5 * off.sorted()[off.count / 2])
      let kept = zip(pairs, off).filter { $1 <= limit }.map(\.0)
      guard kept.count >= 6, kept.count < pairs.count else { break }
      pairs = kept
    }
    return map
  }

  /// Returns the codeword between two positions of a line, whose edges may be a module off; `nil` if no codeword fits.
  private func codeword(_ line: ScanLine, from: Double, to: Double) -> (value: Int, cluster: Int)? {
    let edges = line.edges
    let slack = 0.06 * (to - from)
    guard edges.count > 8,
      let first = stride(from: 0, to: edges.count - 8, by: 2).min(by: { abs(edges[$0] - from) < abs(edges[$1] - from) }
      ),
      abs(edges[first] - from) < slack, abs(edges[first + 8] - to) < slack
    else { return nil }
    return PDF417Table.codeword((first..<(first + 8)).map { edges[$0 + 1] - edges[$0] })
  }
}

// MARK: - Shapes

/// A shape of MicroPDF417 symbols (ISO/IEC 24728 table 1) or of the components CC-A, which resemble them (ISO/IEC 24723 tables 9 to
/// 11), and the row address patterns that number its rows.
package struct MicroPDF417Shape: Hashable, Sendable {
  /// The number of columns of codewords, 1 to 4.
  package let columns: Int
  package let rows: Int
  /// The numbers, from 1, of the row address patterns of the first row: on the left, between the columns (0 without a pattern), and
  /// on the right. The number grows by 1 from row to row; 1 follows 52.
  package let left: Int
  package let centre: Int
  package let right: Int
  /// The index of the cluster of the first row: 0, 1 or 2 for the clusters 0, 3 and 6.
  package let cluster: Int
  /// The number of check codewords, at the end.
  package let checks: Int
  /// True for a CC-A.
  package let isComponent: Bool

  private init(
    _ columns: Int, _ rows: Int, _ left: Int, _ centre: Int, _ right: Int, _ cluster: Int, _ checks: Int,
    isComponent: Bool = false
  ) {
    self.columns = columns
    self.rows = rows
    self.left = left
    self.centre = centre
    self.right = right
    self.cluster = cluster
    self.checks = checks
    self.isComponent = isComponent
  }

  /// True if there is a row address pattern before the last two columns, as in symbols of three and four columns.
  package var hasCentre: Bool { columns > 2 }

  /// True if rows begin with a row address pattern: not in a CC-A of three columns.
  package var hasLeft: Bool { !isComponent || columns != 3 }

  /// The width in modules, with the closing bar.
  package var width: Int { start(of: columns - 1) + 28 }

  /// Returns the start of a column, in modules.
  package func start(of column: Int) -> Int {
    (hasLeft ? 10 : 0) + 17 * column + (hasCentre && column >= columns - 2 ? 10 : 0)
  }

  /// Returns the row with a row address pattern on its left side; `nil` if no row has this pattern. `row(ofRight:)` does the same
  /// for the right side.
  package func row(ofLeft number: Int) -> Int? { row(number - left) }
  package func row(ofRight number: Int) -> Int? { row(number - right) }

  private func row(_ difference: Int) -> Int? {
    let row = (difference + 52) % 52
    return row < rows ? row : nil
  }

  package static let all = plain + components

  private static let plain: [MicroPDF417Shape] = [
    .init(1, 11, 1, 0, 9, 0, 7), .init(1, 14, 8, 0, 8, 1, 7), .init(1, 17, 36, 0, 36, 2, 7),
    .init(1, 20, 19, 0, 19, 0, 8), .init(1, 24, 9, 0, 17, 2, 8), .init(1, 28, 25, 0, 33, 0, 8),
    .init(2, 8, 1, 0, 1, 0, 8), .init(2, 11, 1, 0, 9, 0, 9), .init(2, 14, 8, 0, 8, 1, 9),
    .init(2, 17, 36, 0, 36, 2, 10), .init(2, 20, 19, 0, 19, 0, 11), .init(2, 23, 9, 0, 17, 2, 13),
    .init(2, 26, 27, 0, 35, 2, 15), .init(3, 6, 1, 1, 1, 0, 12), .init(3, 8, 7, 7, 7, 0, 14),
    .init(3, 10, 15, 15, 15, 2, 16), .init(3, 12, 25, 25, 25, 0, 18), .init(3, 15, 37, 37, 37, 0, 21),
    .init(3, 20, 1, 17, 33, 0, 26), .init(3, 26, 1, 9, 17, 0, 32), .init(3, 32, 21, 29, 37, 2, 38),
    .init(3, 38, 15, 31, 47, 2, 44), .init(3, 44, 1, 25, 49, 0, 50), .init(4, 4, 47, 19, 43, 1, 8),
    .init(4, 6, 1, 1, 1, 0, 12), .init(4, 8, 7, 7, 7, 0, 14), .init(4, 10, 15, 15, 15, 2, 16),
    .init(4, 12, 25, 25, 25, 0, 18), .init(4, 15, 37, 37, 37, 0, 21), .init(4, 20, 1, 17, 33, 0, 26),
    .init(4, 26, 1, 9, 17, 0, 32), .init(4, 32, 21, 29, 37, 2, 38), .init(4, 38, 15, 31, 47, 2, 44),
    .init(4, 44, 1, 25, 49, 0, 50),
  ]

  private static let components: [MicroPDF417Shape] = [
    (2, 5, 39, 0, 19, 2, 4), (2, 6, 1, 0, 33, 0, 4), (2, 7, 32, 0, 12, 1, 5), (2, 8, 8, 0, 40, 1, 5),
    (2, 9, 14, 0, 46, 1, 6), (2, 10, 43, 0, 23, 0, 6), (2, 12, 20, 0, 52, 1, 7), (3, 4, 43, 43, 23, 1, 4),
    (3, 5, 33, 33, 13, 0, 5), (3, 6, 37, 37, 17, 1, 6), (3, 7, 47, 47, 27, 2, 7), (3, 8, 1, 1, 33, 2, 7),
    (4, 3, 40, 20, 52, 0, 4), (4, 4, 43, 23, 3, 0, 5), (4, 5, 46, 26, 6, 0, 6), (4, 6, 34, 14, 46, 0, 7),
    (4, 7, 29, 9, 41, 1, 8),
  ].map { MicroPDF417Shape($0.0, $0.1, $0.2, $0.3, $0.4, $0.5, $0.6, isComponent: true) }

  // MARK: Row address patterns

  /// Returns the number, from 1, of the row address pattern of ten modules with six widths, the first dark; `nil` without such a
  /// pattern. `isCentre` selects the patterns of the middle instead of the sides.
  package static func number(_ widths: ArraySlice<Double>, isCentre: Bool) -> Int? {
    let total = widths.reduce(0, +)
    guard widths.count == 6, total > 0,
      let found = (isCentre ? centres : sides)[PDF417Table.key(Array(widths), modules: 10)]
    else { return nil }
    let first = widths.startIndex
    let bars = (widths[first] + widths[first + 2] + widths[first + 4]) * 10 / total
    return found.min { abs(Double($0.bars) - bars) < abs(Double($1.bars) - bars) }?.number
  }

  private static let sides = lookup(
    """
    322 3a2 3b2 332 372 37a 33a 3ba 39a 3da 3ca 38a 30a 31a 312 392 3d2 3d6 3d4 394 3b4 3a4 3a6 3ae 3ac 3a8 328 32c
    32e 326 336 3b6 396 316 314 334 374 364 366 36e 36c 368 348 358 35c 35e 34e 34c 344 346 342 362
    """)
  private static let centres = lookup(
    """
    2ce 24e 26e 22e 226 236 216 212 21a 23a 232 222 262 272 27a 2fa 2f2 2f6 276 274 264 266 246 242 2c2 2e2 2e6 2e4
    2ec 26c 22c 228 268 2e8 2c8 2cc 2c4 2c6 286 28e 28c 29c 298 2b8 2b0 290 2d0 250 258 25c 2dc 2de
    """)

  /// Returns patterns by their edge distances, parsed from three hexadecimal digits for the ten modules of each.
  private static func lookup(_ text: String) -> [Int: [(number: Int, bars: Int)]] {
    var lookup: [Int: [(number: Int, bars: Int)]] = [:]
    for (i, word) in text.split(whereSeparator: \.isWhitespace).enumerated() {
      let widths = PDF417Table.widths(Int(word, radix: 16) ?? 0, count: 10)
      guard widths.count == 6 else { continue }
      lookup[PDF417Table.key(widths.map(Double.init), modules: 10), default: []]
        .append((i + 1, widths[0] + widths[2] + widths[4]))
    }
    return lookup
  }
}
