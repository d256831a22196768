import WaymarkImage

/// Reads MicroPDF417 symbols (ISO/IEC 24728): row address patterns at both ends of a line through a region of bars say which of
/// the shapes it is and which row was met; from many of them follows where every row lies, and each is read along its course.
struct MicroPDF417Reader {
  let view: ImageView
  /// How many regions may hold none.
  var regions = 6
  /// How many lines are laid across each, at most.
  var lines = 240
  /// True if a third of the lines, or a sixth of many, must have seen something for the others to be laid.
  var glances = false

  /// Regions that are kept.
  private static let most = 64

  /// So many lines lie across a large region.
  private static let large = 120

  /// A line that crosses a symbol from end to end.
  private struct Crossing {
    var shapes: [MicroPDF417Shape]
    var left: Int
    var right: Int
    var start: Point2
    var end: Point2
  }

  func read() -> [MatrixDetection] {
    var detections: [MatrixDetection] = []
    var failed = 0
    for region in GridRegions(view, limit: Self.most).regions where failed < regions {
      if detections.contains(where: { $0.isRead && $0.corners.contains(region.center) }) { continue }
      let known = detections.count
      // Which of the two directions the rows have, nothing says.
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
    // The quiet zone, and what of the symbol lies in cells that are half empty.
    let (reach, side) = (length / 2 + 24, height / 2 + 12)
    let step = max(1.5, 2 * side / Double(lines))
    var crossings: [Crossing] = []
    var offsets = Array(stride(from: -side, through: side, by: step))
    var glanced = 0
    if glances {
      // Of a large region every sixth.
      let every = offsets.count < Self.large ? 3 : 6
      let first = stride(from: 1, to: offsets.count, by: every).map { offsets[$0] }
      glanced = first.count
      offsets = first + offsets.indices.filter { $0 % every != 1 }.map { offsets[$0] }
    }
    for (number, offset) in offsets.enumerated() {
      if glances, number == glanced, crossings.isEmpty { return nil }
      let middle = center + across * offset
      guard let (a, b) = view.segment(from: middle - along * reach, direction: along, length: 2 * reach) else {
        continue
      }
      let line = PDF417ScanLine(view, from: a, to: b, window: 20)
      guard line.edges.count >= 21 else { continue }
      crossings += Self.crossings(line.edges) { a + along * $0 }
      // The same from the other end.
      let last = line.edges.count.isMultiple(of: 2) ? line.edges.count : line.edges.count - 1
      let backwards = line.edges[..<last].reversed().map { -$0 }
      crossings += Self.crossings(backwards) { a - along * $0 }
    }
    // Both ends of a row must have been met in two rows at least; three lines that agree are not a coincidence.
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

  /// Every place along a line where a symbol is crossed whole.
  private static func crossings(_ edges: [Double], _ place: (Double) -> Point2) -> [Crossing] {
    let widths = zip(edges, edges.dropFirst()).map { $1 - $0 }
    var found: [Crossing] = []
    for i in stride(from: 0, to: widths.count - 20, by: 2) {
      let module = (edges[i + 6] - edges[i]) / 10
      guard module >= 0.9, let left = MicroPDF417Shape.number(widths[i..<(i + 6)], isCentre: false) else { continue }
      for columns in 1...4 {
        let hasCentre = columns > 2
        let runs = 6 + 8 * columns + (hasCentre ? 6 : 0)
        guard i + runs + 7 <= widths.count else { break }
        let end = i + runs
        let modules = Double(10 + 17 * columns + (hasCentre ? 10 : 0))
        guard abs(edges[end] - edges[i] - modules * module) < 0.12 * modules * module,
          abs(edges[end + 6] - edges[end] - 10 * module) < 2.5 * module, widths[end + 6] < 2.2 * module,
          let right = MicroPDF417Shape.number(widths[end..<(end + 6)], isCentre: false),
          let word = PDF417Table.codeword(Array(widths[(i + 6)..<(i + 14)]))
        else { continue }
        let shapes = MicroPDF417Shape.all.filter { shape in
          // A line that does not quite follow its row ends a few rows above or below.
          guard shape.columns == columns, let first = shape.row(ofLeft: left), let last = shape.row(ofRight: right),
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

  // MARK: Rows

  private func read(_ shape: MicroPDF417Shape, _ crossings: [Crossing]) -> MatrixDetection? {
    let width = Double(shape.width)
    guard let map = map(shape, crossings) else { return nil }
    var votes = [[Int: Int]](repeating: [:], count: shape.rows * shape.columns)
    var seen = 0
    for row in 0..<shape.rows {
      for height in [0.2, 0.35, 0.5, 0.65, 0.8] {
        let y = Double(row) + height
        let (a, b) = (map.apply([-3, y]), map.apply([width + 3, y]))
        let length = max(1e-9, a.distance(to: b))
        guard let (from, to) = view.segment(from: a, direction: (b - a) / length, length: length) else { continue }
        let line = PDF417ScanLine(view, from: from, to: to, window: 6 * length / (width + 6))
        for column in 0..<shape.columns {
          let start = Double(shape.start(of: column))
          let (p, q) = (map.apply([start, y]), map.apply([start + 17, y]))
          guard let word = codeword(line, from: from.distance(to: p), to: from.distance(to: q)),
            word.cluster == (shape.cluster + row) % 3
          else { continue }
          // Farther from the rows beside it counts more.
          votes[row * shape.columns + column][word.value, default: 0] += abs(height - 0.5) < 0.2 ? 2 : 1
        }
      }
    }
    var (words, doubt, erasures) = ([Int](), [Float](), [Int]())
    for (i, vote) in votes.enumerated() {
      if let best = vote.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }) {
        words.append(best.key)
        doubt.append(Float(vote.values.reduce(0, +) - best.value + 1) / Float(best.value + 1))
        seen += 1
      } else {
        words.append(0)
        doubt.append(2)
        erasures.append(i)
      }
    }
    guard 2 * seen > words.count else { return nil }
    let rows = Double(shape.rows)
    let corners = map.apply(
      Quadrilateral(topLeft: [0, 0], topRight: [width, 0], bottomRight: [width, rows], bottomLeft: [0, rows]))
    let module = corners.topLeft.distance(to: corners.topRight) / width
    var finding = MatrixDetection(symbology: .microPDF417, corners: corners, module: module, certainty: 0.95)
    guard
      ReedSolomon.pdf417.correct(&words, checks: shape.checks, doubt: doubt, erasures: erasures, reserve: 2)
    else { return finding }
    var text = PDF417Text(Array(words.dropLast(shape.checks)))
    finding.message = text.message()
    finding.certainty = 1
    return finding
  }

  /// From modules and rows to pixels, by where the lines that cross it enter and leave it.
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
      guard let fitted = pairs.withUnsafeBufferPointer({ Homography.fit($0) }), fitted.isFinite else { return map }
      map = fitted
      // A row that was taken for another one lies off by a row or more.
      let off = pairs.map { fitted.apply($0.reference).distance(to: $0.frame) }
      let limit = max(1.5, 2.5 * off.sorted()[off.count / 2])
      let kept = zip(pairs, off).filter { $1 <= limit }.map(\.0)
      guard kept.count >= 6, kept.count < pairs.count else { break }
      pairs = kept
    }
    return map
  }

  /// The codeword between two places of a line, whose edges may lie half a module beside.
  private func codeword(_ line: PDF417ScanLine, from: Double, to: Double) -> (value: Int, cluster: Int)? {
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
