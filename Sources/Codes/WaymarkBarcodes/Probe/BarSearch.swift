import WaymarkImage

/// Finds regions that may hold the bars of 1-D codes.
struct BarSearch {
  /// The largest first.
  private(set) var regions: [BarRegion] = []

  /// Below this mean square of neighbour differences there is only noise.
  private static let leastEnergy: Float = 12
  private static let leastCoherence: Float = 0.55

  init(_ tensor: StructureTensor, limit: Int = 8) {
    let (columns, rows) = (tensor.columns, tensor.rows)
    let count = columns * rows
    guard count > 0 else { return }
    // The direction as a vector of twice the angle, so that opposite directions are the same.
    var ux = [Float](repeating: 0, count: count)
    var uy = ux
    var open = [Bool](repeating: false, count: count)
    for i in 0..<count {
      let (a, b, c) = (tensor.xx[i], tensor.yy[i], tensor.xy[i])
      // 9 cells of 32 sampled pixels; differences were halved, so their squares count four times.
      let energy = (a + b) * (4 / (9 * 32))
      guard energy > Self.leastEnergy else { continue }
      let (dx, dy) = (a - b, 2 * c)
      let length = (dx * dx + dy * dy).squareRoot()
      guard length > Self.leastCoherence * (a + b) else { continue }
      ux[i] = dx / length
      uy[i] = dy / length
      open[i] = true
    }
    var flood = FloodFill(width: columns, height: rows)
    var cells: [Int] = []
    for seed in 0..<count where open[seed] {
      guard flood.begin(x: seed % columns, y: seed / columns) else { continue }
      cells.removeAll(keepingCapacity: true)
      flood.run { from, to in
        // Twice 15 degrees between neighbours.
        open[to.index] && ux[from.index] * ux[to.index] + uy[from.index] * uy[to.index] > 0.866
      } visit: {
        cells.append($0.index)
        return .spread
      }
      if let region = Self.region(cells, tensor) { regions.append(region) }
    }
    regions.sort { $0.length * $0.height * $0.coherence > $1.length * $1.height * $1.coherence }
    if regions.count > limit { regions.removeLast(regions.count - limit) }
  }

  private static func region(_ cells: [Int], _ tensor: StructureTensor) -> BarRegion? {
    guard cells.count >= 6 else { return nil }
    let side = Double(StructureTensor.side)
    var (a, b, c): (Double, Double, Double) = (0, 0, 0)
    for i in cells {
      a += Double(tensor.xx[i])
      b += Double(tensor.yy[i])
      c += Double(tensor.xy[i])
    }
    let total = SymmetricMatrix2(xx: a, xy: c, yy: b)
    guard var direction = total.principalAxis else { return nil }
    if direction.x < 0 || (direction.x == 0 && direction.y < 0) { direction = -direction }
    let upright = Point2(-direction.y, direction.x)
    var along: [Double] = []
    var across: [Double] = []
    for i in cells {
      let p = Point2(Double(i % tensor.columns) * side + side / 2, Double(i / tensor.columns) * side + side / 2)
      along.append(p.dot(direction))
      across.append(p.dot(upright))
    }
    along.sort()
    across.sort()
    // A few stray cells at the rims must not count.
    let cut = cells.count / 50
    let (u0, u1) = (along[cut] - side / 2, along[along.count - 1 - cut] + side / 2)
    let (v0, v1) = (across[cut] - side / 2, across[across.count - 1 - cut] + side / 2)
    guard u1 - u0 >= 24 else { return nil }
    return BarRegion(
      center: (u0 + u1) / 2 * direction + (v0 + v1) / 2 * upright, direction: direction, length: u1 - u0,
      height: v1 - v0, coherence: total.spread / (a + b), energy: (a + b) * 4 / (9 * 32 * Double(cells.count)))
  }
}
