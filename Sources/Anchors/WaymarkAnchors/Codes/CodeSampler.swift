import WaymarkImage

/// The modules of a symbol, light or dark, and one more on every side.
struct CodeModules {
  let columns: Int
  let rows: Int
  private let light: [Bool]

  /// - Parameter light: `columns + 2` a row, `rows + 2` rows.
  init(columns: Int, rows: Int, light: [Bool]) {
    self.columns = columns
    self.rows = rows
    self.light = light
  }

  /// Returns whether a module is light; −1 and the number of modules are the margin.
  func isLight(_ x: Int, _ y: Int) -> Bool { light[(y + 1) * (columns + 2) + x + 1] }
}

/// Looks at a frame through the outline of a symbol.
struct CodeSampler {
  let frame: ImageView
  let lens: LensMap?

  /// The gray level at a straight point, between pixels; beyond the frame that of its edge.
  func gray(_ straight: Point2) -> Double {
    frame.bilinear(lens?.bend(straight) ?? straight)
  }

  /// The unit square → straight pixels.
  private func map(_ corners: Quadrilateral) -> Homography? {
    Homography(unitSquareTo: corners)
  }

  /// How many modules a symbol has in a row and a column: gray levels change where modules meet and not within them.
  ///
  /// - Returns: `nil` where nothing speaks for any of the candidates.
  func grid(of corners: Quadrilateral, _ candidates: [SIMD2<Int>]) -> SIMD2<Int>? {
    guard let map = map(corners) else { return nil }
    // A module must be seen: two pixels of the frame at least.
    let size = max(0, corners.signedArea).squareRoot()
    let plausible = candidates.filter { Double($0.x * $0.y).squareRoot() * 1.8 <= size }
    guard !plausible.isEmpty else { return nil }
    let across = Self.changes { u, v in gray(map.apply(Point2(u, v))) }
    let down = Self.changes { u, v in gray(map.apply(Point2(v, u))) }
    let scores = plausible.map { Self.contrast(across, $0.x) + Self.contrast(down, $0.y) }
    guard let best = scores.max(), best > 0.3 else { return nil }
    // A grid three times as coarse has all its lines on lines of the right one and all its centres on centres: of
    // those that fit nearly as well the finest is meant.
    return zip(plausible, scores).filter { $0.1 >= 0.85 * best }.max { $0.0.x * $0.0.y < $1.0.x * $1.0.y }?.0
  }

  private static let bins = 1024
  private static let lines = 24

  /// How much the gray level changes along `u` at each of many places, all `v` together.
  private static func changes(_ gray: (Double, Double) -> Double) -> [Double] {
    var sums = [Double](repeating: 0, count: bins)
    for line in 0..<lines {
      let v = (Double(line) + 0.5) / Double(lines)
      var before = gray(-0.5 / Double(bins), v)
      for i in 0..<bins {
        let next = gray((Double(i) + 0.5) / Double(bins), v)
        sums[i] += abs(next - before)
        before = next
      }
    }
    return sums
  }

  /// By how much the changes at the lines of a grid exceed those in the middle of its modules, −1…1.
  private static func contrast(_ changes: [Double], _ count: Int) -> Double {
    func sum(_ offset: Double, _ range: Range<Int>) -> Double {
      // A tenth of a module to each side: lines are never quite straight, nor the outline quite right.
      let reach = max(1, Int(0.1 * Double(bins) / Double(count)))
      var total = 0.0
      for k in range {
        let middle = Int(((Double(k) + offset) / Double(count) * Double(bins)).rounded())
        for i in max(0, middle - reach)...min(bins - 1, middle + reach) where i >= 0 { total += changes[i] }
      }
      return total / Double(range.count)
    }
    guard count >= 4 else { return 0 }
    let (at, between) = (sum(0, 1..<count), sum(0.5, 0..<count))
    return at + between > 0 ? (at - between) / (at + between) : 0
  }

  /// Which modules are light, by a threshold that follows the light; `nil` where too many are in doubt.
  func modules(_ corners: Quadrilateral, _ grid: SIMD2<Int>) -> CodeModules? {
    guard let map = map(corners) else { return nil }
    let (columns, rows) = (grid.x + 2, grid.y + 2)
    var level = [Double](repeating: 0, count: columns * rows)
    for y in 0..<rows {
      for x in 0..<columns {
        var sum = 0.0
        for (dx, dy) in [(0.0, 0.0), (-0.2, -0.2), (0.2, -0.2), (-0.2, 0.2), (0.2, 0.2)] {
          let p = Point2((Double(x) - 0.5 + dx) / Double(grid.x), (Double(y) - 0.5 + dy) / Double(grid.y))
          sum += gray(map.apply(p))
        }
        level[y * columns + x] = sum / 5
      }
    }
    let thresholds = Self.thresholds(level, columns, rows)
    var light = [Bool](repeating: false, count: level.count)
    var (bright, dark) = ((sum: 0.0, count: 0.0), (sum: 0.0, count: 0.0))
    for i in level.indices {
      light[i] = level[i] > thresholds[i]
      if light[i] {
        bright = (bright.sum + level[i], bright.count + 1)
      } else {
        dark = (dark.sum + level[i], dark.count + 1)
      }
    }
    // Every symbology has a fair share of both.
    guard min(bright.count, dark.count) >= 0.2 * Double(level.count) else { return nil }
    let contrast = bright.sum / bright.count - dark.sum / dark.count
    guard contrast >= 12 else { return nil }
    let doubtful = level.indices.count { abs(level[$0] - thresholds[$0]) < 0.1 * contrast }
    guard Double(doubtful) <= 0.1 * Double(level.count) else { return nil }
    return CodeModules(columns: grid.x, rows: grid.y, light: light)
  }

  /// The middle between the darkest and the brightest module within five to each side.
  private static func thresholds(_ level: [Double], _ columns: Int, _ rows: Int) -> [Double] {
    func spread(_ values: [Double], _ better: (Double, Double) -> Double) -> [Double] {
      var out = values
      for y in 0..<rows {
        for x in 0..<columns {
          var best = values[y * columns + x]
          for k in max(0, x - 5)...min(columns - 1, x + 5) { best = better(best, values[y * columns + k]) }
          out[y * columns + x] = best
        }
      }
      var result = out
      for y in 0..<rows {
        for x in 0..<columns {
          var best = out[y * columns + x]
          for k in max(0, y - 5)...min(rows - 1, y + 5) { best = better(best, out[k * columns + x]) }
          result[y * columns + x] = best
        }
      }
      return result
    }
    return zip(spread(level, min), spread(level, max)).map { 0.5 * ($0 + $1) }
  }
}
