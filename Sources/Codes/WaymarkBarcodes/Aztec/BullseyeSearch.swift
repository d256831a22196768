import WaymarkImage

/// Looks for concentric rings of equal width: the centre of an Aztec Code symbol.
struct BullseyeSearch {
  struct Bullseye {
    var center: Point2
    /// The width of a ring along a row in pixels; `ringY` is that along a column.
    var ringX: Double
    var ringY: Double
    /// True if the centre is lighter than the ring around it.
    var isLight: Bool
    /// The number of twelve rays from the centre that cross the rings as expected.
    var rays: Int
    /// The number of searched rows in which it was seen.
    var rows = 1
  }

  private(set) var marks: [Bullseye] = []

  /// - Parameter step: the distance of the searched rows, in pixels.
  init(_ view: ImageView, levels: BlockMean, step: Int) {
    guard view.width >= 16, view.height >= 16 else { return }
    var edges = [Int32](repeating: 0, count: view.width + 3)
    for y in stride(from: step / 2, to: view.height, by: step) {
      let count = levels.edges(of: view, row: y, into: &edges)
      guard count >= 9 else { continue }
      // Run i is from edges[i] to edges[i + 1]; even runs are light.
      for i in 0..<(count - 8) {
        let total = edges[i + 8] - edges[i + 1]
        // The runs outside of the rings are not checked: the rings are surrounded by modules.
        let center = edges[i + 5] - edges[i + 4]
        guard total >= 10, center * 4 <= total, center * 16 >= total else { continue }
        var fits = true
        for k in 1...7 where k != 4 {
          let run = (edges[i + k + 1] - edges[i + k]) * 14
          // Each of the seven runs must be half to one and a half times as long as their mean.
          if run < total || run > 3 * total + 14 { fits = false }
        }
        guard fits else { continue }
        let x = Double(edges[i + 4] + edges[i + 5] - 1) / 2
        examine(view, levels, Point2(x, Double(y)), width: Double(total) / 7, isLight: (i + 4).isMultiple(of: 2))
      }
    }
    marks.sort { ($0.rays, $0.rows) > ($1.rays, $1.rows) }
  }

  private mutating func examine(
    _ view: ImageView, _ levels: BlockMean, _ p: Point2, width: Double, isLight: Bool
  ) {
    // Rows through the centre of one mark are adjacent.
    if let known = marks.firstIndex(where: {
      $0.isLight == isLight && abs($0.center.x - p.x) < 1.5 * width && abs($0.center.y - p.y) < 2 * width
    }) {
      marks[known].rows += 1
      return
    }
    guard marks.count < 400,
      let down = column(view, levels, p, width: width, isLight: isLight),
      abs(down.y - p.y) < 1.2 * width
    else { return }
    let center = Point2(p.x, down.y)
    let rays = Self.directions.count { crosses(view, levels, center, $0, Point2(width, down.width), isLight: isLight) }
    // Equal runs along a row and a column occur by chance among modules, but hardly in all directions.
    guard rays >= 7 else { return }
    marks.append(Bullseye(center: center, ringX: width, ringY: down.width, isLight: isLight, rays: rays))
  }

  private static let directions: [Point2] = [
    [0.71, 0.71], [-0.71, 0.71], [-0.71, -0.71], [0.71, -0.71], [0.92, 0.38], [0.38, 0.92], [-0.38, 0.92],
    [-0.92, 0.38], [-0.92, -0.38], [-0.38, -0.92], [0.38, -0.92], [0.92, -0.38],
  ]

  /// Returns whether a ray from the centre crosses three rings of about equal width.
  private func crosses(
    _ view: ImageView, _ levels: BlockMean, _ center: Point2, _ direction: Point2, _ ring: Point2, isLight: Bool
  ) -> Bool {
    let step = 0.25
    let ray = direction * ring * step
    var tone = !isLight
    var (last, t) = (0.0, 0.0)
    var runs: [Double] = []
    var p = center
    // Along the diagonals of a square, rings are farther apart than along its sides.
    while t < 6.5 {
      t += step
      p += ray
      let (x, y) = (Int(p.x.rounded()), Int(p.y.rounded()))
      guard x >= 0, y >= 0, x < view.width, y < view.height else { return false }
      guard levels.isDark(view, x, y) != tone else { continue }
      runs.append(t - last)
      last = t
      tone.toggle()
      if runs.count == 4 { break }
    }
    guard runs.count == 4 else { return false }
    // Ink spread makes dark rings wider and light ones narrower, but does not change the width of a dark and a light ring together.
    let (inner, outer) = (runs[1] + runs[2], runs[2] + runs[3])
    let pair = (inner + outer) / 2
    let slack = 0.3 * pair + 0.5 / min(ring.x, ring.y)
    return abs(inner - outer) < slack && abs(2 * runs[0] - pair / 2) < 1.4 * slack
      && runs.dropFirst().allSatisfy { abs($0 - pair / 2) < slack }
  }

  /// Returns the centre of the rings along the column through a point, and the width of a ring; `nil` if the column
  /// does not cross such rings.
  private func column(
    _ view: ImageView, _ levels: BlockMean, _ p: Point2, width: Double, isLight: Bool
  ) -> (y: Double, width: Double)? {
    let x = Int(p.x.rounded())
    let reach = Int(3.5 * width * 2.2) + 2
    func isDark(_ y: Int) -> Bool { levels.isDark(view, x, y) }
    func runs(_ direction: Int) -> [Int]? {
      var y = Int(p.y)
      var found: [Int] = []
      var tone = !isLight
      for _ in 0..<reach {
        y += direction
        guard y >= 0, y < view.height else { return nil }
        if isDark(y) != tone {
          found.append(abs(y - Int(p.y)))
          tone.toggle()
          if found.count == 4 { return found }
        }
      }
      return nil
    }
    guard isDark(Int(p.y)) == !isLight, let up = runs(-1), let down = runs(1) else { return nil }
    let total = Double(up[3] + down[3] - 1)
    let ring = total / 7
    guard ring < 2.2 * width, width < 2.2 * ring else { return nil }
    // Beside the centre of square rings, a column may run along a side of one of the rings.
    let middle = Double(up[0] + down[0] - 1)
    guard middle < 1.6 * ring + 0.7, middle > 0.4 * ring - 0.3 else { return nil }
    for side in [up, down] {
      for k in 1...3 {
        let run = Double(side[k] - side[k - 1])
        guard run > 0.45 * ring - 0.3, run < 1.6 * ring + 0.7 else { return nil }
      }
    }
    return (p.y + Double(down[0] - up[0]) / 2, ring)
  }
}
