import WaymarkImage

/// Reads PDF417 symbols (ISO/IEC 15438): start and stop patterns in rows of the picture give its two sides. Lines are sampled
/// between them, and every codeword on a line is a vote for its row and column.
struct PDF417Reader {
  let view: ImageView
  let levels: BlockMean
  /// True to also read codewords with modules smaller than `fine`, by the closest edges.
  let readsFine: Bool
  /// The distance of the searched rows, in pixels.
  private static let step = 3
  /// The search ends after this many sides that belong to no symbol.
  private static let failures = 6

  /// The widths of the patterns, in modules (clause 5.3.2).
  private static let startWidths = [8, 1, 1, 1, 1, 1, 1, 3]
  private static let stopWidths = [7, 1, 1, 3, 1, 1, 1, 2, 1]
  /// The widths of both patterns read backwards.
  private static let (startBackwards, stopBackwards) = ([3, 1, 1, 1, 1, 1, 1, 8], [1, 2, 1, 1, 1, 3, 1, 1, 7])

  /// The module size in pixels below which edges are too coarse to identify codewords reliably by the distances between them.
  private static let fine = 2.4

  /// A start or stop pattern seen in several rows: the line along its outer border.
  private struct Side {
    /// The first point of the outer border; `bottom` is its last point.
    var top: Point2
    var bottom: Point2
    /// The size of a module along a row of the picture, in pixels.
    var module: Double
    /// True if the code is to the right of this side in the picture.
    var opensRight: Bool
    var isStart: Bool
    /// The number of searched rows in which the pattern was seen.
    var rows: Int
    /// True if the side was joined from collinear parts with a gap between them, or is one of these parts.
    var isUnsure = false
  }

  static func detections(_ search: inout MatrixSearch) -> [MatrixDetection] {
    let found = PDF417Reader(view: search.view, levels: search.levels, readsFine: search.isStill).read()
    return search.isStill && !found.contains(where: \.isRead) ? found + onItsSide(search.view) : found
  }

  /// Runs the reader, which scans rows, on the columns of the picture.
  private static func onItsSide(_ view: ImageView) -> [MatrixDetection] {
    let height = view.height
    return GrayImage(copying: view).oriented(.turn90).withView {
      PDF417Reader(view: $0, levels: BlockMean($0), readsFine: true).read()
    }.map { found in
      var finding = found
      finding.corners = found.corners.mapped { [$0.y, Double(height - 1) - $0.x] }
      return finding
    }
  }

  /// Reads symbols light on dark, upright or on their side.
  static func inverted(_ view: ImageView, _ levels: BlockMean) -> [MatrixDetection] {
    func turned<R>(_ body: (ImageView) -> R) -> R { GrayImage(copying: view).oriented(.turn90).withView(body) }
    let isLight = { (view: ImageView, levels: BlockMean) in
      PDF417Reader(view: view, levels: levels, readsFine: true).hasLightSides
    }
    var found: [MatrixDetection] = []
    if isLight(view, levels) {
      found = ToneMapping.invert(view).withView {
        PDF417Reader(view: $0, levels: BlockMean($0), readsFine: true).read()
      }
    } else if turned({ isLight($0, BlockMean($0)) }) {
      found = ToneMapping.invert(view).withView(onItsSide)
    }
    for i in found.indices { found[i].inverted = true }
    return found.filter(\.isRead)
  }

  func read() -> [MatrixDetection] {
    var detections: [MatrixDetection] = []
    let sides = self.sides()
    var failed = 0
    for side in sides.prefix(4 * Self.failures) where failed < Self.failures {
      let middle = (side.top + side.bottom) / 2 + Point2(side.opensRight ? 3 : -3, 0) * side.module
      if detections.contains(where: { $0.isRead && $0.corners.contains(middle) }) { continue }
      let opposite = sides.filter { other in
        other.isStart != side.isStart && other.opensRight != side.opensRight
          && (other.top.x > side.top.x) == side.opensRight
          && abs(other.module - side.module) < 0.5 * side.module
          && overlap(side, other) && 4 * other.rows >= side.rows
      }
      .min { distance($0, side) < distance($1, side) }
      var result = read(side, opposite)
      // The pattern taken for the opposite side may be a part of something else.
      if opposite != nil, result?.isRead != true, let alone = read(side, nil), alone.isRead { result = alone }
      if readsFine, side.module < Self.fine, result?.isRead != true,
        let near = read(side, opposite, takesNearest: true),
        near.isRead
      {
        result = near
      }
      if let found = result {
        if !found.isRead, !side.isUnsure { failed += 1 }
        detections.append(found)
      } else if !side.isUnsure {
        failed += 1
      }
    }
    // A symbol found by both sides is reported once.
    var distinct: [MatrixDetection] = []
    for finding in detections.sorted(by: { $0.isRead && !$1.isRead }) {
      if !distinct.contains(where: { $0.corners.overlaps(finding.corners) }) { distinct.append(finding) }
    }
    return distinct
  }

  /// Returns the distance of two sides. A side beside another counts as closer than a side above it.
  private func distance(_ a: Side, _ b: Side) -> Double {
    let d = (a.top + a.bottom - b.top - b.bottom) / 2
    return abs(d.x) + 3 * abs(d.y)
  }

  private func overlap(_ a: Side, _ b: Side) -> Bool {
    let slack = abs(a.top.x - b.top.x) * 0.7
    return a.top.y <= b.bottom.y + slack && b.top.y <= a.bottom.y + slack
  }

  // MARK: The sides

  /// A start or stop pattern in one row.
  private struct Hit {
    /// The outer border of the pattern.
    var at: Point2
    var module: Double
  }

  /// Hits of one pattern in successive rows; the key is explained at `match`.
  private typealias Group = (key: Int, hits: [Hit])

  /// Returns the sides that start and stop patterns in the rows of the picture form, the most likely first.
  private func sides() -> [Side] {
    var groups: [Group] = []
    var edges = [Int32](repeating: 0, count: view.width + 3)
    for y in stride(from: Self.step / 2, to: view.height, by: Self.step) {
      let count = levels.edges(of: view, row: y, into: &edges)
      guard count >= 11 else { continue }
      for i in stride(from: 1, to: count - 8, by: 2) {
        for (key, hit) in Self.match(edges, i, count, y: Double(y)) {
          if let g = groups.lastIndex(where: { group in
            guard group.key == key, let last = group.hits.last else { return false }
            let dy = Double(y) - last.at.y
            return dy > 0 && dy <= Double(6 * Self.step) && abs(last.at.x - hit.at.x) < 2.5 * dy + 2
              && abs(last.module - hit.module) < 0.35 * hit.module
          }) {
            groups[g].hits.append(hit)
          } else if groups.count < 256 {
            groups.append((key, [hit]))
          }
        }
      }
    }
    return Self.ordered(groups)
  }

  /// True if several rows show a start or stop pattern whose long bar is light.
  private var hasLightSides: Bool {
    var edges = [Int32](repeating: 0, count: view.width + 3)
    var hits = 0
    for y in stride(from: Self.step / 2, to: view.height, by: Self.step) {
      let count = levels.edges(of: view, row: y, into: &edges)
      guard count >= 12 else { continue }
      for i in stride(from: 2, to: count - 2, by: 2) {
        let (before, long, after) = (edges[i] - edges[i - 1], edges[i + 1] - edges[i], edges[i + 2] - edges[i + 1])
        let isFirst = 2 * long > 7 * after, isLast = 2 * long > 7 * before
        guard isFirst || isLast else { continue }
        let fits = { Self.module(edges, $0, from: $1, count) != nil }
        if isFirst && (fits(Self.startWidths, i) || fits(Self.stopWidths, i))
          || isLast && (fits(Self.startBackwards, i - 7) || fits(Self.stopBackwards, i - 8))
        {
          hits += 1
        }
      }
      if hits >= 4 { return true }
    }
    return false
  }

  /// Returns the sides that groups of hits form, the sides with the most hits first.
  private static func ordered(_ groups: [Group]) -> [Side] {
    var sides: [(side: Side, rank: Double)] = []
    for group in merged(groups) {
      guard group.parts.count > 1 else {
        if let side = side(group.key, group.hits) { sides.append((side, Double(side.rows))) }
        continue
      }
      // Collinear sides may belong to several symbols, one above another. If so, the parts have equal heights and are tried first.
      let parts = group.parts.compactMap { side(group.key, $0, isUnsure: true) }
      let (least, most) = (parts.map(\.rows).min() ?? 0, parts.map(\.rows).max() ?? 0)
      sides += parts.map { ($0, Double($0.rows)) }
      if let side = side(group.key, group.hits, isUnsure: true) {
        sides.append((side, 3 * least >= 2 * most ? Double(least) - 0.5 : Double(side.rows)))
      }
    }
    return sides.sorted { $0.rank > $1.rank }.map(\.side)
  }

  private static func side(_ key: Int, _ hits: [Hit], isUnsure: Bool = false) -> Side? {
    guard hits.count >= 3 else { return nil }
    let line = line(hits.map(\.at))
    return Side(
      top: line.0, bottom: line.1, module: hits.map(\.module).reduce(0, +) / Double(hits.count),
      opensRight: key & 1 == 0, isStart: key & 2 == 0, rows: hits.count, isUnsure: isUnsure)
  }

  /// Joins collinear groups, which may be the visible parts of a partly covered side.
  private static func merged(_ groups: [Group]) -> [(key: Int, hits: [Hit], parts: [[Hit]])] {
    var merged: [(key: Int, hits: [Hit], parts: [[Hit]])] = []
    for group in groups {
      guard group.hits.count >= 3, let first = group.hits.first, let last = group.hits.last else { continue }
      let whole = merged.firstIndex { other in
        guard other.key == group.key, let end = other.hits.last, end.at.y < first.at.y,
          abs(end.module - first.module) < 0.25 * end.module
        else { return false }
        let (a, b) = line(other.hits.map(\.at))
        let (c, d) = (b.y - a.y) > (last.at.y - first.at.y) ? (a, b) : line(group.hits.map(\.at))
        let gap = first.at.y - end.at.y
        let at = { (y: Double) in c.x + (d.x - c.x) * (y - c.y) / max(1, d.y - c.y) }
        return gap < 3 * max(b.y - a.y, last.at.y - first.at.y)
          && abs(at(first.at.y) - first.at.x - (at(end.at.y) - end.at.x)) < 2 * end.module + 0.03 * gap
      }
      if let whole {
        merged[whole].hits += group.hits
        merged[whole].parts.append(group.hits)
      } else {
        merged.append((group.key, group.hits, [group.hits]))
      }
    }
    return merged
  }

  /// Returns the size of a module if the runs from edge `first` have the given widths in modules; otherwise `nil`.
  private static func module(_ edges: [Int32], _ widths: [Int], from first: Int, _ count: Int) -> Double? {
    guard first >= 1, first + widths.count < count else { return nil }
    let modules = widths.reduce(0, +)
    let total = Double(edges[first + widths.count] - edges[first])
    let module = total / Double(modules)
    guard module >= 0.9 else { return nil }
    for k in widths.indices {
      let run = Double(edges[first + k + 1] - edges[first + k])
      // The tolerance allows ink spread of half a module and a fraction of a pixel.
      if abs(run - Double(widths[k]) * module) > 0.55 * module + 0.6 + (widths[k] > 5 ? 0.6 * module : 0) {
        return nil
      }
    }
    return module
  }

  /// Returns the patterns whose first dark run begins at edge `i`. Bit 0 of the key is set if the code is to the left of the
  /// pattern, bit 1 if it is a stop pattern.
  private static func match(_ edges: [Int32], _ i: Int, _ count: Int, y: Double) -> [(Int, Hit)] {
    func fits(_ widths: [Int], from first: Int) -> Double? { module(edges, widths, from: first, count) }
    var found: [(Int, Hit)] = []
    let long = Double(edges[i + 1] - edges[i])
    let next = Double(edges[i + 2] - edges[i + 1])
    // The start pattern of an upright code begins with a bar of eight modules and a space of one module.
    if long > 3.5 * next {
      if let module = fits(startWidths, from: i) {
        found.append((0, Hit(at: [Double(edges[i]) - 0.5, y], module: module)))
      }
    }
    if let module = fits(stopWidths, from: i) {
      found.append((3, Hit(at: [Double(edges[i + 9]) - 0.5, y], module: module)))
    }
    if let module = fits(stopBackwards, from: i) {
      found.append((2, Hit(at: [Double(edges[i]) - 0.5, y], module: module)))
    }
    // Read backwards, the start pattern begins with a space of three modules, so its first bar is one run later.
    if i > 1, let module = fits(startBackwards, from: i - 1) {
      found.append((1, Hit(at: [Double(edges[i + 7]) - 0.5, y], module: module)))
    }
    return found
  }

  /// Returns the ends of a line through points from top to bottom, without outliers.
  private static func line(_ points: [Point2]) -> (Point2, Point2) {
    var used = points
    var moments = PointMoments()
    for _ in 0..<3 {
      // The line is x as a function of y.
      moments = PointMoments(used.lazy.map { Point2($0.y, $0.x) })
      let off = used.map { abs($0.x - moments.y(at: $0.y)) }
      let limit = max(1.5, 2.5 * off.sorted()[off.count / 2])
      let kept = zip(used, off).filter { $0.1 <= limit }.map(\.0)
      guard kept.count >= 3, kept.count < used.count else { break }
      used = kept
    }
    let (y0, y1) = (points.first?.y ?? 0, points.last?.y ?? 0)
    return ([moments.y(at: y0), y0], [moments.y(at: y1), y1])
  }

  // MARK: The codewords

  private func read(_ side: Side, _ opposite: Side?, takesNearest: Bool = false) -> MatrixDetection? {
    let along = side.bottom - side.top
    guard along.length >= 3 else { return nil }
    // Without other evidence, rows are perpendicular to the side, in the direction of the code.
    var across = Point2(along.y, -along.x) / along.length
    if (across.x > 0) != side.opensRight { across = -across }
    // The size of a module along the row, in pixels.
    let module = side.module * abs(across.x)
    var collector = PDF417CodewordVotes(takesNearest: takesNearest)
    // The side may be longer than the part that was seen.
    let margin = 0.3
    // If rows are one pixel high, only lines through the centres of pixels are readable.
    let density = along.length < 100 ? 3.0 : 1
    let lines = min(400, max(24, Int(along.length * (1 + 2 * margin) * density)))
    // Sides of equal length end at the same rows. If one side was seen only in part, rows are assumed to be perpendicular to both.
    let whole = opposite.map { ($0.bottom - $0.top).length / along.length } ?? 0
    let isWhole = whole > 0.8 && whole < 1.25
    if let opposite, !isWhole {
      let other = opposite.bottom - opposite.top
      let mean = along / along.length + other / max(1, other.length)
      across = Point2(mean.y, -mean.x) / mean.length
      if (across.x > 0) != side.opensRight { across = -across }
    }
    let reach = Double(max(view.width, view.height)) * 1.5
    for k in 0..<lines {
      let t = -margin + (1 + 2 * margin) * Double(k) / Double(lines - 1)
      let p = side.top + along * t
      var q: Point2
      if let opposite {
        let other = opposite.bottom - opposite.top
        let sine = across.cross(other)
        if isWhole || abs(sine) < 1e-6 {
          // The corresponding point on the other side.
          q = opposite.top + other * t
        } else {
          q = p + across * max(0, (opposite.top - p).cross(other) / sine)
        }
        let d = q - p
        q += d / max(1, d.length) * (4 * module)
      } else {
        q = p + across * min(reach, 17 * 34 * module)
      }
      let d = (q - p) / max(1e-9, p.distance(to: q))
      let begin = p - d * (4 * module)
      guard let clipped = view.segment(from: begin, direction: d, length: p.distance(to: q) + 4 * module) else {
        continue
      }
      let line = ScanLine(view, from: clipped.0, to: clipped.1, window: 6 * module)
      // In reading direction: from the start to the stop.
      collector.add(
        line, place: t, module: module, offset: (clipped.0 - p).dot(d), isBackward: !side.isStart)
    }
    guard var result = collector.decode() else { return nil }
    let width = Double(17 * (result.columns + 4) + 1) * module
    var far: (Point2, Point2) =
      opposite.map { ($0.top, $0.bottom) } ?? (side.top + across * width, side.bottom + across * width)
    var near = (side.top, side.bottom)
    // The side may cover several symbols, or only a part of this symbol.
    if let (first, last) = result.extent, opposite == nil || isWhole, (-0.5...1.5).contains(first),
      (-0.5...1.5).contains(last)
    {
      let (from, to) = (min(first, last), max(first, last))
      near = (side.top + along * from, side.top + along * to)
      far = (far.0 + (far.1 - far.0) * from, far.0 + (far.1 - far.0) * to)
    }
    var quad = [near.0, far.0, far.1, near.1]
    if !side.isStart { quad = [far.0, near.0, near.1, far.1] }
    // An upright code is to the right of its start; in an upside-down code the last row is at the top.
    if side.opensRight != side.isStart { quad = [quad[3], quad[2], quad[1], quad[0]] }
    result.finding.corners = Quadrilateral(corners: quad)
    result.finding.module = module
    return result.finding
  }
}
