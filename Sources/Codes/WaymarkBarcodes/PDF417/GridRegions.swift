import WaymarkImage

/// Regions in which brightness changes in two perpendicular directions, and hardly in others: they may contain rows of bars
/// that are not much higher than the bars are wide.
struct GridRegions {
  struct Region {
    var center: Point2
    /// The unit vector of one of the two directions.
    var direction: Point2
    /// The extent along this direction in pixels; `height` is the extent at right angles to it.
    var length: Double
    var height: Double
    /// The sum of the squared brightness changes in the region.
    var energy: Double
  }

  /// The regions, the one with the most edges first.
  private(set) var regions: [Region] = []

  /// The side of a cell in pixels.
  private static let side = 16
  /// The least mean square, in gray levels squared, of the differences between pixels two apart in a cell. Cells below it contain
  /// nothing readable.
  private static let leastEnergy: Float = 300
  /// The least share of the changes that are along two perpendicular directions, 0 to 1.
  private static let leastCoherence: Float = 0.3
  /// The square of the largest change at a pixel that is noise.
  private static let least: Float = 100

  /// - Parameter limit: the largest number of regions.
  init(_ view: ImageView, limit: Int) {
    let side = Self.side
    let (columns, rows) = ((view.width - 2) / side, (view.height - 2) / side)
    guard columns > 0, rows > 0 else { return }
    // The directions are vectors at four times their angle, so that perpendicular directions are equal.
    var vectors = [SIMD2<Float>](repeating: [0, 0], count: columns * rows)
    var energies = [Float](repeating: 0, count: columns * rows)
    var open = [Bool](repeating: false, count: columns * rows)
    for cy in 0..<rows {
      for cx in 0..<columns {
        var (vectorX, vectorY, sum) = (SIMD16<Float>(), SIMD16<Float>(), SIMD16<Float>())
        for y in stride(from: cy * side + 1, to: cy * side + side, by: 2) {
          let x = cx * side + 1
          let here = view.row(y)
          let gx = Self.pixels(here + x + 1) - Self.pixels(here + x - 1)
          let gy = Self.pixels(view.row(y + 1) + x) - Self.pixels(view.row(y - 1) + x)
          let (xx, yy) = (gx * gx, gy * gy)
          let power = xx + yy
          let weight = (1 / power).replacing(with: 0, where: power .<= Self.least)
          let difference = xx - yy
          sum += power.replacing(with: 0, where: power .<= Self.least)
          vectorX += (difference * difference - 4 * xx * yy) * weight
          vectorY += 4 * gx * gy * difference * weight
        }
        let energy = sum.sum()
        let vector = SIMD2(vectorX.sum(), vectorY.sum())
        let i = cy * columns + cx
        let length = (vector * vector).sum().squareRoot()
        guard energy > Self.leastEnergy * Float(side * side / 2), length > Self.leastCoherence * energy else {
          continue
        }
        vectors[i] = vector / length
        energies[i] = energy
        open[i] = true
      }
    }
    var flood = FloodFill(width: columns, height: rows)
    var cells: [Int] = []
    for seed in open.indices where open[seed] {
      guard flood.begin(x: seed % columns, y: seed / columns) else { continue }
      cells.removeAll(keepingCapacity: true)
      flood.run(.square(1)) { from, to in
        // Neighbours differ by at most ten degrees: the cosine of four times that angle.
        open[to.index] && (vectors[from.index] * vectors[to.index]).sum() > 0.77
      } visit: {
        cells.append($0.index)
        return .spread
      }
      if cells.count >= 3 { regions.append(Self.region(cells, columns, vectors, energies)) }
    }
    regions.sort { $0.energy > $1.energy }
    if regions.count > limit { regions.removeLast(regions.count - limit) }
  }

  /// Returns the pixels of a row of a cell.
  @inline(__always)
  private static func pixels(_ first: UnsafePointer<UInt8>) -> SIMD16<Float> {
    SIMD16<Float>(UnsafeRawPointer(first).loadUnaligned(as: SIMD16<UInt8>.self))
  }

  private static func region(
    _ cells: [Int], _ columns: Int, _ vectors: [SIMD2<Float>], _ energies: [Float]
  ) -> Region {
    var sum = SIMD2<Float>(0, 0)
    for i in cells { sum += vectors[i] * energies[i] }
    let angle = Double.arcTangent(y: Double(sum.y), x: Double(sum.x)) / 4
    let direction = Point2(Double.cosine(angle), Double.sine(angle))
    let upright = Point2(-direction.y, direction.x)
    var (low, high) = (Point2(.infinity, .infinity), Point2(-.infinity, -.infinity))
    for i in cells {
      let p = Point2(Double(i % columns * side + side / 2), Double(i / columns * side + side / 2))
      let q = Point2(p.dot(direction), p.dot(upright))
      low = pointwiseMin(low, q)
      high = pointwiseMax(high, q)
    }
    let middle = (low + high) / 2
    return Region(
      center: direction * middle.x + upright * middle.y, direction: direction, length: high.x - low.x + Double(side),
      height: high.y - low.y + Double(side), energy: cells.reduce(0) { $0 + Double(energies[$1]) })
  }
}
