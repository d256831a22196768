import WaymarkImage

/// The tiles of a picture in which the brightness changes in one direction, as it does across bars.
struct BarTiles {
  /// The side of a tile in pixels.
  static let side = 16

  let columns: Int
  private let rows: Int
  /// The direction of the changes in each tile as a vector at twice its angle. Its length is 1 if all changes have the same
  /// direction, less if they differ, and 0 without changes.
  private var vectors: [SIMD2<Float>]

  /// The least mean square of the changes over two pixels, and the least length of a vector.
  private static let (energy, coherence): (Float, Float) = (60, 0.2)
  /// The cosine of twice the largest angle between the direction of the changes and that of a row. The angle is the sum of half the
  /// angle between the tried directions and as much again for bars that lean.
  private static let closeness: Float = 0.5

  init(_ view: ImageView) {
    let side = Self.side
    columns = (view.width + side - 1) / side
    rows = (view.height + side - 1) / side
    vectors = [SIMD2<Float>](repeating: .zero, count: columns * rows)
    guard view.width > side + 1, view.height > side + 1 else { return }
    for row in 0..<rows {
      for column in 0..<columns {
        // The outer tiles are moved inside the picture.
        let (x, y) = (
          max(1, min(column * side, view.width - side - 1)), max(1, min(row * side, view.height - side - 1))
        )
        var (difference, product, sum) = (SIMD16<Float>(), SIMD16<Float>(), SIMD16<Float>())
        for v in stride(from: y, to: y + side - 1, by: 2) {
          let here = view.row(v) + x
          let gx = Self.pixels(here + 1) - Self.pixels(here - 1)
          let gy = Self.pixels(view.row(v + 1) + x) - Self.pixels(view.row(v - 1) + x)
          difference += gx * gx - gy * gy
          product += 2 * gx * gy
          sum += gx * gx + gy * gy
        }
        let energy = sum.sum()
        guard energy > Self.energy * Float(side * side / 2) else { continue }
        vectors[row * columns + column] = SIMD2(difference.sum(), product.sum()) / energy
      }
    }
  }

  @inline(__always)
  private static func pixels(_ first: UnsafePointer<UInt8>) -> SIMD16<Float> {
    SIMD16<Float>(UnsafeRawPointer(first).loadUnaligned(as: SIMD16<UInt8>.self))
  }

  /// Returns for each tile whether it may contain bars across a direction, or be next to such a tile, where bars end.
  func open(across direction: Point2) -> [Bool] {
    let double = SIMD2(
      Float(direction.x * direction.x - direction.y * direction.y), Float(2 * direction.x * direction.y))
    var open = [Bool](repeating: false, count: columns * rows)
    for row in 0..<rows {
      for column in 0..<columns {
        let vector = vectors[row * columns + column]
        let along = (vector * double).sum()
        guard along > Self.coherence, along * along > Self.closeness * Self.closeness * (vector * vector).sum() else {
          continue
        }
        for v in max(0, row - 1)...min(rows - 1, row + 1) {
          for u in max(0, column - 1)...min(columns - 1, column + 1) { open[v * columns + u] = true }
        }
      }
    }
    return open
  }
}
