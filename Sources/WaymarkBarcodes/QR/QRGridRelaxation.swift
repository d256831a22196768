import WaymarkGeometry
import WaymarkImage

/// Follows wrinkles: moves every part of a grid to where its modules show most contrast.
///
/// In the middle of a module the picture is as dark or as light as it gets; between modules it is gray. So the sum of
/// distances from the gray level tells how well a patch of the grid lies. Patches are settled from the finder patterns
/// inwards, each starting from its settled neighbours, so that the grid may drift further than half a module.
struct QRGridRelaxation {
  private let view: ImageView
  private let spacing = 3.0
  private let reach = 3

  init(_ view: ImageView) { self.view = view }

  func relax(_ grid: QRGrid) -> QRGrid {
    let side = Double(grid.layout.side)
    let count = Int((side / spacing).rounded(.up)) + 1
    var relaxed = grid
    relaxed.mesh = QRGrid.Mesh(spacing: spacing, count: count)
    let anchors: [Point2] = [[3.5, 3.5], [side - 3.5, 3.5], [3.5, side - 3.5]]
    let order = (0..<(count * count)).map { i -> (index: Int, at: Point2, distance: Double) in
      let at = Point2(Double(i % count), Double(i / count)) * spacing
      return (i, at, anchors.map { $0.distance(to: at) }.min() ?? 0)
    }.sorted { $0.distance < $1.distance }
    var settled = [Bool](repeating: false, count: count * count)
    for node in order {
      let (column, row) = (node.index % count, node.index / count)
      var start = Point2(0, 0)
      var neighbours = 0.0
      for y in max(0, row - 1)...min(count - 1, row + 1) {
        for x in max(0, column - 1)...min(count - 1, column + 1) where settled[y * count + x] {
          start += relaxed.mesh.shifts[y * count + x]
          neighbours += 1
        }
      }
      if neighbours > 0 { start /= neighbours }
      relaxed.mesh.shifts[node.index] = settle(node.at, start, grid)
      settled[node.index] = true
    }
    return relaxed
  }

  /// The shift, in modules, of the patch around a place.
  private func settle(_ at: Point2, _ start: Point2, _ grid: QRGrid) -> Point2 {
    let side = grid.layout.side
    let cx = Int(at.x)
    let cy = Int(at.y)
    let (x0, x1) = (max(0, cx - reach), min(side - 1, cx + reach - 1))
    let (y0, y1) = (max(0, cy - reach), min(side - 1, cy + reach - 1))
    guard x0 <= x1, y0 <= y1 else { return start }
    // Within a patch the map is as good as affine.
    let origin = grid.place(at.x, at.y)
    let u = grid.place(at.x + 1, at.y) - origin
    let v = grid.place(at.x, at.y + 1) - origin
    func values(_ shift: Point2) -> (mean: Double, spread: Double) {
      var sum = 0.0
      var squares = 0.0
      var count = 0.0
      for y in y0...y1 {
        for x in x0...x1 {
          let dx = Double(x) + 0.5 - at.x + shift.x
          let dy = Double(y) + 0.5 - at.y + shift.y
          let value = QRGrid.sample(view, origin + dx * u + dy * v)
          sum += value
          squares += value * value
          count += 1
        }
      }
      let mean = sum / count
      // The variance of samples is largest where none of them lies between a dark and a light module.
      return (mean, squares / count - mean * mean)
    }
    var best = start
    var bestScore = values(start).spread
    let floor = max(25, bestScore * 0.03)
    for step in [0.3, 0.15] {
      let center = best
      for dy in -2...2 {
        for dx in -2...2 where (dx, dy) != (0, 0) {
          let shift = center + Point2(Double(dx), Double(dy)) * step
          let away = shift - start
          let score = values(shift).spread - floor * away.dot(away)
          if score > bestScore { (best, bestScore) = (shift, score) }
        }
      }
    }
    return best
  }
}
