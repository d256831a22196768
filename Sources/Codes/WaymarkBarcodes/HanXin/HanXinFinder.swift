import WaymarkImage
import WaymarkSystem

/// A finder pattern of a Han Xin Code symbol: a block of three by three modules, and two nested right angles around one of its
/// corners. `SeenPlaces` below records the positions that were examined.
struct HanXinFinder {
  /// The centre of the block.
  var center: Point2
  /// The unit vector from the block to the vertices of the angles.
  var diagonal: Point2
  /// The size of a module in pixels.
  var module: Double
  var isLight: Bool
  /// The share of the modules of the pattern that have the right tone.
  private var agreement = 0.0

  /// A row or column that crosses a block and the angles of a pattern.
  struct Hit {
    /// About the size of a module in pixels.
    var width: Double
    var isLight: Bool
    /// The ray from the block to the angles.
    var ray: Int
  }

  /// A hit in a row, and the middle of the block in it.
  private struct Crossing {
    var x: Double
    var hit: Hit

    /// Returns whether a hit in another row may belong to the same pattern.
    func agrees(with other: Crossing) -> Bool {
      let (a, b) = (hit.width, other.hit.width)
      return hit.isLight == other.hit.isLight && hit.ray == other.hit.ray && abs(x - other.x) < 1.5 * a && a < 1.4 * b
        && b < 1.4 * a
    }
  }

  /// The largest numbers of finder patterns, of positions that are examined, and of rays in a sector.
  private static let most = (patterns: 60, places: 4000, length: 30)
  /// The least difference of the block and the light beside it, in gray levels.
  private static let contrast = 24
  /// The least share of the modules of a pattern that have the right tone.
  private static let leastAgreement = 0.7
  /// The number of rays from a block, about a third of which cross the two right angles of its pattern; the least number of rays in
  /// a sector that must cross them; and the largest number of consecutive rays in a sector that may miss them.
  private static let (all, least, gap) = (48, 11, 2)
  private static let directions = (0..<all).map { i -> Point2 in
    let angle = 2 * Double.pi * Double(i) / Double(all)
    return Point2(Double.cosine(angle), Double.sine(angle))
  }

  /// Returns the patterns that rows or columns cross from the block to the right angles, the clearest first. In any symbol, rows
  /// cross at least two patterns this way, so columns are examined only if rows have found one.
  static func find(_ view: ImageView, levels: BlockMean, step: Int) -> [HanXinFinder] {
    guard view.width >= 23, view.height >= 23 else { return [] }
    var found: [HanXinFinder] = []
    var seen = SeenPlaces(view)
    func look(_ view: ImageView, _ levels: BlockMean, _ examine: (Double, Double, Hit) -> Void) {
      var edges = [Int32](repeating: 0, count: view.width + 3)
      // The hits in this row and in the two before it.
      var (hits, before, earlier): ([Crossing], [Crossing], [Crossing]) = ([], [], [])
      for y in stride(from: step / 2, to: view.height, by: step) {
        (hits, before, earlier) = (earlier, hits, before)
        hits.removeAll(keepingCapacity: true)
        let (count, line) = (levels.edges(of: view, row: y, into: &edges), view.row(y))
        guard count >= 7 else { continue }
        // Run i is from edges[i] to edges[i + 1]; even runs are light.
        for i in 0..<(count - 5) {
          let total = edges[i + 5] - edges[i]
          guard total >= 9 else { continue }
          let (first, last) = (edges[i + 1] - edges[i], edges[i + 5] - edges[i + 4])
          let block = first > last ? 0 : 4
          guard 4 * max(first, last) > total, 9 * max(first, last) < 5 * total + 9 else { continue }
          let isEven = (0..<5).allSatisfy { k in
            let run = 35 * (edges[i + k + 1] - edges[i + k])
            return k == block || run > 3 * total - 14 && run < 8 * total + 21
          }
          guard isEven else { continue }
          let middle = Int(edges[i + block]) + Int(edges[i + block + 1]) - 1
          let beside = i + (block == 0 ? 1 : 3)
          let gap = Int(edges[beside] + edges[beside + 1] - 1) / 2
          // Noise on paper has such runs, too.
          guard abs(Int(line[middle / 2]) - Int(line[gap])) >= contrast else { continue }
          let hit = Hit(width: Double(total) / 7, isLight: i.isMultiple(of: 2), ray: block == 0 ? 0 : all / 2)
          let crossing = Crossing(x: Double(middle) / 2, hit: hit)
          if step <= 2 {
            // Several rows at such a distance cross a pattern; most other hits are single.
            hits.append(crossing)
            guard before.contains(where: crossing.agrees) || earlier.contains(where: crossing.agrees) else { continue }
          }
          examine(crossing.x, Double(y), hit)
        }
      }
    }
    func examine(_ p: Point2, _ hit: Hit) {
      guard seen.count < most.places, seen.isNew(p, hit) else { return }
      let patterns = patterns(view, levels, p, hit)
      seen.add(patterns.first?.center ?? p, hit, reach: patterns.isEmpty ? 0.4 : 2)
      found += patterns.filter { pattern in
        pattern.agreement >= leastAgreement
          && !found.contains { $0.isLight == hit.isLight && $0.center.distance(to: pattern.center) < pattern.module }
      }
    }
    look(view, levels) { examine([$0, $1], $2) }
    guard !found.isEmpty else { return [] }
    let turned = GrayImage(width: view.height, height: view.width) { pixels in
      for y in 0..<view.width { for x in 0..<view.height { pixels[y * view.height + x] = view[y, x] } }
    }
    turned.withView { view in
      look(view, BlockMean(view)) { y, x, hit in
        examine([x, y], Hit(width: hit.width, isLight: hit.isLight, ray: hit.ray + all / 4))
      }
    }
    return Array(found.sorted { $0.agreement > $1.agreement }.prefix(most.patterns))
  }

  /// Returns the pattern in a picture that is `scale` times as large.
  func placed(scale: Double) -> HanXinFinder {
    var other = self
    other.center = center * scale + (scale - 1) / 2
    other.module *= scale
    return other
  }

  /// Returns a pattern for each sector in which rays from the block around a point cross right angles. There may be several,
  /// because modules beside the block may look like such angles, too.
  private static func patterns(
    _ view: ImageView, _ levels: BlockMean, _ p: Point2, _ hit: Hit
  ) -> [HanXinFinder] {
    let (width, isLight) = (hit.width, hit.isLight)
    let (right, bottom) = (Double(view.width) - 0.5, Double(view.height) - 0.5)
    func isInk(_ x: Double, _ y: Double) -> Bool? {
      guard x >= -0.5, y >= -0.5, x < right, y < bottom else { return nil }
      return levels.isDark(view, Int(x + 0.5), Int(y + 0.5)) != isLight
    }
    // Moves to the middles of the chords through the point, down and across: they lead to the centre of the block.
    var center = p
    let wayDown = hit.ray % (all / 2) == 0
    for isDown in [wayDown, !wayDown, wayDown, !wayDown, wayDown, !wayDown] {
      func reach(_ sign: Double) -> Double? {
        for t in stride(from: 1, through: 4 * width + 2, by: 1) {
          let ink = isDown ? isInk(center.x, center.y + sign * t) : isInk(center.x + sign * t, center.y)
          if ink != true { return t - 0.5 }
        }
        return nil
      }
      guard let up = reach(-1), let down = reach(1), up + down > width else { return [] }
      let move = (down - up) / 2
      center += isDown ? Point2(0, move) : Point2(move, 0)
    }
    guard center.distance(to: p) < 3 * width else { return [] }
    let step = max(0.25, 0.1 * width)
    /// Returns the mean width of the four runs beside the block in a direction; nil if it crosses no such runs.
    func runs(along direction: Point2) -> Double? {
      var (first, last, count, isDark, t) = (0.0, 0.0, 0, true, 0.0)
      // The means that all runs so far allow.
      var (low, high) = (0.0, 2 * width + 0.5)
      while count < 5 {
        t += step
        guard t - last < (count == 0 ? 2.3 * high + 0.5 : 1.42 * high + 0.4) + step else { return nil }
        let q = center + direction * t
        // Beyond the border of the picture is the quiet zone.
        let ink = isInk(q.x, q.y) ?? false
        guard ink != isDark else { continue }
        isDark = ink
        if count == 0 {
          first = t
          (low, high) = (max(low, (t - 0.5) / 2.3), min(high, t / 0.8))
        } else {
          let run = t - last
          (low, high) = (max(low, (run - 0.4) / 1.42), min(high, (run + 0.4) / 0.58))
        }
        guard low < high else { return nil }
        last = t
        count += 1
      }
      let mean = (last - first) / 4
      return mean > low && mean < high ? mean : nil
    }
    // Every fourth ray around the direction in which a line crosses the pattern is tried first: at least two of these must cross
    // the right angles.
    var widths = [Double?](repeating: nil, count: all)
    func crosses(_ turn: Int) -> Bool {
      let ray = (hit.ray + turn + all) % all
      widths[ray] = runs(along: directions[ray])
      return widths[ray] != nil
    }
    let near = [0, 4, -4].count(where: crosses)
    guard near > 1 || near > 0 && [8, -8, 12, -12].contains(where: crosses) else { return [] }
    for ray in 0..<all where widths[ray] == nil { widths[ray] = runs(along: directions[ray]) }
    // Single rays in a sector may fail.
    var found: [HanXinFinder] = []
    for start in 0..<all where widths[start] != nil && (1...gap).allSatisfy({ widths[(start + all - $0) % all] == nil })
    {
      var (length, missed) = (0, 0)
      for k in 0..<all where missed <= gap {
        missed = widths[(start + k) % all] == nil ? missed + 1 : 0
        if missed == 0 { length = k + 1 }
      }
      let sector = (0..<length).map { (start + $0) % all }.filter { widths[$0] != nil }
      guard sector.count >= least, length <= most.length else { continue }
      let angle = Double.pi * Double(2 * start + length - 1) / Double(all)
      let diagonal = Point2(Double.cosine(angle), Double.sine(angle))
      // A ray that is not at right angles to a line of the angles crosses more than its width.
      let modules = sector.map { i -> Double in
        let along = directions[i].dot(diagonal)
        let across = (1 - min(1, along * along)).squareRoot()
        return (widths[i] ?? 0) * (along + across) / 2.0.squareRoot()
      }.sorted()
      var pattern = HanXinFinder(
        center: center, diagonal: diagonal, module: modules[modules.count / 2], isLight: isLight)
      pattern.agreement = pattern.agreement(isInk)
      found.append(pattern)
    }
    return found
  }

  /// Returns the share of correct tones among the modules of the pattern and of the light line beside it.
  private func agreement(_ isInk: (_ x: Double, _ y: Double) -> Bool?) -> Double {
    let half = 0.5.squareRoot() * module
    let across = Point2(diagonal.y - diagonal.x, -diagonal.x - diagonal.y) * half
    let down = Point2(-diagonal.x - diagonal.y, diagonal.x - diagonal.y) * half
    var right = 0
    for y in 0..<8 {
      for x in 0..<8 {
        let place = center + across * (Double(x) - 5) + down * (Double(y) - 5)
        if (isInk(place.x, place.y) ?? false) == HanXinLayout.tone(x, y, 23) { right += 1 }
      }
    }
    return Double(right) / 64
  }
}

/// The positions where a finder pattern was looked for, by squares.
private struct SeenPlaces {
  private typealias Place = (center: Point2, width: Double, reach: Double, isLight: Bool)

  private(set) var count = 0
  private var squares: [[Place]]
  private let columns: Int
  private let rows: Int
  /// The side of a square in pixels, and the largest ratio of module sizes that count as the same pattern.
  private static let (side, ratio) = (16.0, 1.4)

  init(_ view: ImageView) {
    (columns, rows) = (Int(Double(view.width) / Self.side) + 1, Int(Double(view.height) / Self.side) + 1)
    squares = Array(repeating: [], count: columns * rows)
  }

  private func square(_ p: Point2) -> (x: Int, y: Int) {
    (min(max(0, Int(p.x / Self.side)), columns - 1), min(max(0, Int(p.y / Self.side)), rows - 1))
  }

  func isNew(_ p: Point2, _ hit: HanXinFinder.Hit) -> Bool {
    let (x, y) = square(p)
    return !squares[y * columns + x].contains {
      $0.isLight == hit.isLight && $0.center.distance(to: p) < $0.reach * $0.width && $0.width < Self.ratio * hit.width
        && hit.width < Self.ratio * $0.width
    }
  }

  mutating func add(_ center: Point2, _ hit: HanXinFinder.Hit, reach: Double) {
    count += 1
    let distance = Point2(reach * hit.width, reach * hit.width)
    let (first, last) = (square(center - distance), square(center + distance))
    for y in first.y...last.y {
      for x in first.x...last.x { squares[y * columns + x].append((center, hit.width, reach, hit.isLight)) }
    }
  }
}
