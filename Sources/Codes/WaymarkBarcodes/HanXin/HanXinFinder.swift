import WaymarkImage
import WaymarkSystem

/// A finder pattern of a Han Xin Code symbol: a block of three by three modules, and two nested right angles around one corner of it.
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

  /// The largest numbers of finder patterns, of positions that are examined, and of rays in a sector.
  private static let most = (patterns: 60, places: 4000, length: 30)
  /// The least difference of the block and the light beside it, in gray levels.
  private static let contrast = 24
  /// The number of rays from a block, about a third of which cross the angles; the least number of rays in a sector that must cross
  /// them; and the largest number of consecutive rays in a sector that may miss them.
  private static let (all, least, gap) = (48, 11, 2)
  private static let directions = (0..<all).map { i -> Point2 in
    let angle = 2 * Double.pi * Double(i) / Double(all)
    return Point2(Double.cosine(angle), Double.sine(angle))
  }

  /// Returns the patterns that rows or columns, `step` pixels apart, cross from the block to the angles, the clearest first.
  static func find(_ view: ImageView, levels: BlockMean, step: Int) -> [HanXinFinder] {
    guard view.width >= 23, view.height >= 23 else { return [] }
    var found: [HanXinFinder] = []
    var seen: [(center: Point2, width: Double, reach: Double, isLight: Bool)] = []
    func look(_ view: ImageView, _ levels: BlockMean, _ examine: (Double, Double, _ width: Double, Bool) -> Void) {
      var edges = [Int32](repeating: 0, count: view.width + 3)
      for y in stride(from: step / 2, to: view.height, by: step) {
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
            return k == block || run > 2 * total - 7 && run < 9 * total + 21
          }
          guard isEven else { continue }
          let middle = Int(edges[i + block]) + Int(edges[i + block + 1]) - 1
          let beside = i + (block == 0 ? 1 : 3)
          let gap = Int(edges[beside] + edges[beside + 1] - 1) / 2
          // Noise on paper has such runs, too.
          guard abs(Int(line[middle / 2]) - Int(line[gap])) >= contrast else { continue }
          examine(Double(middle) / 2, Double(y), Double(total) / 7, i.isMultiple(of: 2))
        }
      }
    }
    func examine(_ p: Point2, _ width: Double, _ isLight: Bool) {
      guard seen.count < most.places,
        !seen.contains(where: {
          $0.isLight == isLight && $0.center.distance(to: p) < $0.reach * $0.width && $0.width < 1.4 * width
            && width < 1.4 * $0.width
        })
      else { return }
      let patterns = patterns(view, levels, p, width: width, isLight: isLight)
      seen.append((patterns.first?.center ?? p, width, patterns.isEmpty ? 0.4 : 2, isLight))
      found += patterns.filter { pattern in
        !found.contains { $0.isLight == isLight && $0.center.distance(to: pattern.center) < pattern.module }
      }
    }
    look(view, levels) { examine([$0, $1], $2, $3) }
    let turned = GrayImage(width: view.height, height: view.width) { pixels in
      for y in 0..<view.width { for x in 0..<view.height { pixels[y * view.height + x] = view[y, x] } }
    }
    turned.withView { view in look(view, BlockMean(view)) { examine([$1, $0], $2, $3) } }
    return Array(found.sorted { $0.agreement > $1.agreement }.prefix(most.patterns))
  }

  /// Returns a pattern for each sector in which rays from the block around a point cross angles: modules beside the block may look like
  /// angles, too.
  private static func patterns(
    _ view: ImageView, _ levels: BlockMean, _ p: Point2, width: Double, isLight: Bool
  ) -> [HanXinFinder] {
    func isInk(_ x: Double, _ y: Double) -> Bool? {
      let (x, y) = (Int(x.rounded()), Int(y.rounded()))
      guard x >= 0, y >= 0, x < view.width, y < view.height else { return nil }
      return levels.isDark(view, x, y) != isLight
    }
    // Moves to the middles of the chords through the point, down and across: they lead to the centre of the block.
    var center = p
    for _ in 0..<3 {
      for isDown in [true, false] {
        func reach(_ sign: Double) -> Double? {
          for t in stride(from: 1, through: 4 * width + 2, by: 1) {
            let ink = isDown ? isInk(center.x, center.y + sign * t) : isInk(center.x + sign * t, center.y)
            if ink != true { return t - 0.5 }
          }
          return nil
        }
        guard let up = reach(-1), let down = reach(1) else { return [] }
        let move = (down - up) / 2
        center += isDown ? Point2(0, move) : Point2(move, 0)
      }
    }
    guard center.distance(to: p) < 3 * width else { return [] }
    /// Returns the mean width of the four runs beside the block in a direction; nil if it crosses no such runs.
    func runs(along direction: Point2) -> Double? {
      var (edges, isDark, t) = ([Double](), true, 0.0)
      while edges.count < 5, t < 13 * width {
        t += 0.25
        let q = center + direction * t
        // Beyond the border of the picture is the quiet zone.
        let ink = isInk(q.x, q.y) ?? false
        guard ink != isDark else { continue }
        isDark = ink
        edges.append(t)
      }
      guard edges.count == 5 else { return nil }
      let mean = (edges[4] - edges[0]) / 4
      let fits = (1..<5).allSatisfy { abs(edges[$0] - edges[$0 - 1] - mean) < 0.42 * mean + 0.4 }
      return fits && edges[0] > 0.8 * mean && edges[0] < 2.3 * mean + 0.5 ? mean : nil
    }
    // First every fourth ray: at least two of them cross the angles of a pattern, but at most one at most other positions.
    let fourths = stride(from: 0, to: all, by: 4).map { runs(along: directions[$0]) }
    guard fourths.count(where: { $0 != nil }) > 1 else { return [] }
    let widths = (0..<all).map { $0.isMultiple(of: 4) ? fourths[$0 / 4] : runs(along: directions[$0]) }
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

  /// Returns the share of the modules of the pattern, and of the light line beside it, that have the right tone.
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
