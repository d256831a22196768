import WaymarkImage

/// Finds the finder patterns of QR codes, dark on light or light on dark.
///
/// The work in a picture made to cost as much as possible is bounded: a run of rows that look like a pattern is
/// compared with the few patterns that stand in that column, and no more than `capacity` patterns are kept.
struct FinderSearch {
  private let view: ImageView
  let levels: BlockMean
  /// Patterns of each polarity: dark on light first.
  private(set) var found: [[FinderPattern]] = [[], []]
  /// True if there was more to look at than one picture may cost.
  private(set) var isLimited = false
  /// Looks at places that a row pointed to.
  private(set) var looks = 0
  /// Rows between two looks: the core of a pattern is three modules high.
  private let step: Int
  /// For each stretch of 32 columns the patterns that reach into it and may go on below, by polarity.
  private var standing: [[[Int32]]]

  /// The most patterns that are kept of each polarity: those of a hundred codes, and as many accidents.
  static let capacity = 640
  private static let stretch = 32

  /// Rows from one that is looked at to the next, as a rule: a finder pattern of one pixel a module has seven.
  static let usualStep = 3

  init(_ view: ImageView, levels: BlockMean, step: Int = Self.usualStep) {
    self.view = view
    self.levels = levels
    self.step = step
    standing = Array(repeating: Array(repeating: [], count: view.width / Self.stretch + 1), count: 2)
    guard view.width >= 16, view.height >= 16 else { return }
    var runs = [Int32](repeating: 0, count: view.width + 3)
    let most = 2000 + view.width * view.height / 64
    var y = step / 2
    while y < view.height {
      scan(row: y, &runs)
      if looks > most {
        isLimited = true
        break
      }
      y += step
    }
    standing = []
    for polarity in 0..<2 {
      // Every row through a core is a hit: a quarter of what its height allows must be there.
      found[polarity].removeAll { Double($0.hits) < 0.75 * $0.moduleY / Double(step) }
      for i in found[polarity].indices { found[polarity][i].hits *= step }
      found[polarity].sort { $0.hits > $1.hits }
    }
  }

  @inline(__always)
  private func isDark(_ x: Int, _ y: Int) -> Bool { levels.isDark(view, x, y) }

  private mutating func scan(row y: Int, _ runs: inout [Int32]) {
    let count = levels.edges(of: view, row: y, into: &runs)
    // edges[i] is where the i-th run starts; the first run is light, perhaps of no length.
    guard count >= 7 else { return }
    for i in 0..<(count - 5) {
      let a = runs[i + 1] - runs[i]
      let b = runs[i + 2] - runs[i + 1]
      let c = runs[i + 3] - runs[i + 2]
      let d = runs[i + 4] - runs[i + 3]
      let e = runs[i + 5] - runs[i + 4]
      guard Self.isFinder(a, b, c, d, e) else { continue }
      confirm(
        x: (Double(runs[i + 2]) + Double(runs[i + 3]) - 1) / 2, y: y, width: runs[i + 5] - runs[i],
        polarity: i & 1 == 1 ? 0 : 1)
    }
  }

  /// Returns whether five runs stand 1:1:3:1:1, each within three quarters of a module and half a pixel.
  @inline(__always)
  static func isFinder(_ a: Int32, _ b: Int32, _ c: Int32, _ d: Int32, _ e: Int32) -> Bool {
    let total = a &+ b &+ c &+ d &+ e
    guard total >= 7, c > a, c > b, c > d, c > e else { return false }
    // Everything times 28: a module is 4·total, three quarters of it 3·total.
    let slack = 3 &* total &+ 10
    @inline(__always) func near(_ run: Int32, _ modules: Int32) -> Bool {
      abs(28 &* run &- 4 &* total &* modules) <= slack &* (modules == 3 ? 2 : 1)
    }
    return near(a, 1) && near(b, 1) && near(c, 3) && near(d, 1) && near(e, 1)
  }

  /// Looks up and down from the middle of a core, then along the row again.
  private mutating func confirm(x: Double, y: Int, width: Int32, polarity: Int) {
    let wanted = polarity == 0
    // A row through a pattern that is known already counts as a hit.
    let module = Double(width) / 7
    let slot = min(max(0, Int(x) / Self.stretch), standing[polarity].count - 1)
    var isStale = false
    for known in standing[polarity][slot] {
      let i = Int(known)
      let p = found[polarity][i]
      if Double(y) - p.center.y > 2 * p.moduleY { isStale = true }
      if abs(p.center.x - x) < 1.5 * p.moduleX, abs(p.center.y - Double(y)) < 2 * p.moduleY,
        abs(p.moduleX - module) < 0.5 * p.moduleX
      {
        found[polarity][i].hits += 1
        return
      }
    }
    if isStale {
      let patterns = found[polarity]
      standing[polarity][slot].removeAll { Double(y) - patterns[Int($0)].center.y > 2 * patterns[Int($0)].moduleY }
    }
    looks += 1
    guard found[polarity].count < Self.capacity else {
      isLimited = true
      return
    }
    let column = Int(x.rounded())
    guard let vertical = runsThrough(column, y, dx: 0, dy: 1, limit: Int(width) * 2, dark: wanted) else { return }
    let ratio = Double(vertical.length) / Double(width)
    guard ratio > 0.35, ratio < 2.9 else { return }
    let cy = vertical.center
    let row = Int(cy.rounded())
    guard let horizontal = runsThrough(column, row, dx: 1, dy: 0, limit: Int(width) * 2, dark: wanted) else { return }
    // The core is a square: its diagonal is as dark, and the light ring closes around it.
    var rings = ringsSeen(column, row, Double(horizontal.length) / 7, Double(vertical.length) / 7, dark: wanted)
    if rings < 13 {
      // Seen from far aside and turned, the square is a narrow rhombus; every line through its middle still crosses
      // 1:1:3:1:1.
      guard rings >= 8, runsThrough(column, row, dx: 1, dy: 1, limit: Int(width) * 3, dark: wanted) != nil,
        runsThrough(column, row, dx: 1, dy: -1, limit: Int(width) * 3, dark: wanted) != nil
      else { return }
      rings = 13
    }
    found[polarity].append(
      FinderPattern(
        center: Point2(horizontal.center, cy), moduleX: Double(horizontal.length) / 7,
        moduleY: Double(vertical.length) / 7, hits: 1, rings: rings))
    let reach = 1.5 * Double(horizontal.length) / 7
    let first = max(0, Int(horizontal.center - reach) / Self.stretch)
    let last = min(standing[polarity].count - 1, Int(horizontal.center + reach) / Self.stretch)
    for slot in first...max(first, last) { standing[polarity][slot].append(Int32(found[polarity].count - 1)) }
  }

  /// How many of sixteen looks around a centre see what a finder pattern shows at any turn: dark within a module and a
  /// half, light at two and a half; a turned square is nearer at its sides than at its corners.
  private func ringsSeen(_ x: Int, _ y: Int, _ moduleX: Double, _ moduleY: Double, dark: Bool) -> Int {
    var right = 0
    for (ux, uy) in Self.compass {
      func look(_ radius: Double) -> Bool? {
        let px = Int((Double(x) + ux * radius * moduleX).rounded())
        let py = Int((Double(y) + uy * radius * moduleY).rounded())
        guard px >= 0, py >= 0, px < view.width, py < view.height else { return nil }
        return isDark(px, py) == dark
      }
      if look(1) == true { right += 1 }
      // Along the axes the light ring lies at 2 to 2.1, along the diagonals of an upright one at 2.8.
      let ring = look(2.0) == false || look(2.5) == false || look(2.9) == false
      if ring { right += 1 }
    }
    return right
  }

  private static let compass: [(Double, Double)] = [
    (1, 0), (0.707, 0.707), (0, 1), (-0.707, 0.707), (-1, 0), (-0.707, -0.707), (0, -1), (0.707, -0.707),
  ]

  /// The five runs around a pixel of the core, if they stand as they should: the middle of the core and the length of all.
  private func runsThrough(_ x: Int, _ y: Int, dx: Int, dy: Int, limit: Int, dark: Bool) -> (
    center: Double, length: Int32
  )? {
    @inline(__always) func walk(_ from: Int, _ direction: Int, _ want: Bool) -> Int {
      var n = 0
      var px = x + dx * direction * from
      var py = y + dy * direction * from
      while px >= 0, py >= 0, px < view.width, py < view.height, n <= limit, isDark(px, py) == want {
        n += 1
        px += dx * direction
        py += dy * direction
      }
      return n
    }
    guard x >= 0, x < view.width, y >= 0, y < view.height, isDark(x, y) == dark else { return nil }
    let c1 = walk(0, 1, dark)
    let d = walk(c1, 1, !dark)
    let e = walk(c1 + d, 1, dark)
    let c0 = walk(1, -1, dark)
    let b = walk(1 + c0, -1, !dark)
    let a = walk(1 + c0 + b, -1, dark)
    let core = c0 + c1
    guard a > 0, b > 0, d > 0, e > 0, Self.isFinder(Int32(a), Int32(b), Int32(core), Int32(d), Int32(e)) else {
      return nil
    }
    let origin = dx == 1 ? x : y
    return (Double(origin - c0) + Double(core - 1) / 2, Int32(a + b + core + d + e))
  }
}
