/// The direction and the strength of brightness changes in each cell of 8×8 pixels.
///
/// J. Bigün, G. H. Granlund, "Optimal orientation detection of linear symmetry", ICCV 1987. The differences are taken between
/// neighbours, because bars one pixel wide would vanish in central differences.
package struct StructureTensor: Sendable {
  /// The side of a cell, in pixels.
  package static let side = 8
  /// The numbers of cells in a row and in a column.
  package let columns: Int
  package let rows: Int
  /// The sums over each cell of gx², gy² and gx·gy, where gx and gy are half the differences; smoothed over 3×3 cells.
  package private(set) var xx: [Float]
  package private(set) var yy: [Float]
  package private(set) var xy: [Float]
  /// The mean square of the differences between neighbours in each cell, not smoothed, in squared gray levels.
  package private(set) var energy: [Float]
  /// The energy below which `inner` sums the whole cell, in squared gray levels.
  private static let leastEnergy: Float = 8
  /// The sums xx, yy and xy of each cell, not smoothed. Either the row with the largest downward change or the column with the
  /// largest change across is left out, because bars may end there.
  package private(set) var inner: [SIMD3<Float>]

  /// Computes the tensor of each cell of a picture; empty if the picture is smaller than a cell.
  package init(_ view: ImageView) {
    let side = Self.side
    columns = max(0, (view.width - 1) / side)
    rows = max(0, (view.height - 1) / side)
    let count = columns * rows
    xx = [Float](repeating: 0, count: count)
    yy = xx
    xy = xx
    energy = xx
    inner = [SIMD3<Float>](repeating: .zero, count: count)
    guard count > 0 else { return }
    for cy in 0..<rows {
      for cx in 0..<columns {
        var sxx = SIMD8<Int32>(repeating: 0)
        var syy = sxx
        var sxy = sxx
        // Every other row suffices, because bars are higher than wide.
        for y in 0..<(side / 2) {
          let (across, down, both) = Self.changes(view, cx &* side, cy &* side &+ 2 &* y)
          sxx &+= across
          syy &+= down
          sxy &+= both
        }
        let i = cy &* columns &+ cx
        xx[i] = Float(sxx.wrappedSum())
        yy[i] = Float(syy.wrappedSum())
        xy[i] = Float(sxy.wrappedSum())
        // The sum over 32 pixels of squares of half differences: divided by 32 and multiplied by 4.
        energy[i] = (xx[i] + yy[i]) / 8
        let whole = SIMD3(xx[i], yy[i], xy[i])
        inner[i] = whole
        guard energy[i] >= Self.leastEnergy else { continue }
        var (most, row) = (Int32(-1), whole)
        for y in 0..<(side / 2) {
          let (across, down, both) = Self.changes(view, cx &* side, cy &* side &+ 2 &* y)
          let change = down.wrappedSum()
          guard change > most else { continue }
          most = change
          row = whole - [Float(across.wrappedSum()), Float(change), Float(both.wrappedSum())]
        }
        var end = 0
        for x in 1..<side where sxx[x] > sxx[end] { end = x }
        let column = whole - [Float(sxx[end]), Float(syy[end]), Float(sxy[end])]
        inner[i] =
          abs(row.x - row.y) * (column.x + column.y) >= abs(column.x - column.y) * (row.x + row.y) ? row : column
      }
    }
    xx = BoxSum.sums(of: xx, width: columns, height: rows, radius: 1)
    yy = BoxSum.sums(of: yy, width: columns, height: rows, radius: 1)
    xy = BoxSum.sums(of: xy, width: columns, height: rows, radius: 1)
  }

  /// Returns gx², gy² and gx·gy of the eight pixels that begin at (x, y).
  @inline(__always)
  private static func changes(
    _ view: ImageView, _ x: Int, _ y: Int
  ) -> (across: SIMD8<Int32>, down: SIMD8<Int32>, both: SIMD8<Int32>) {
    let p = UnsafeRawPointer(view.row(y) + x)
    let here = SIMD8<Int16>(truncatingIfNeeded: p.loadUnaligned(as: SIMD8<UInt8>.self))
    let right = SIMD8<Int16>(truncatingIfNeeded: (p + 1).loadUnaligned(as: SIMD8<UInt8>.self))
    let below = SIMD8<Int16>(truncatingIfNeeded: (p + view.stride).loadUnaligned(as: SIMD8<UInt8>.self))
    let (gx, gy) = ((right &- here) &>> 1, (below &- here) &>> 1)
    return (
      SIMD8(truncatingIfNeeded: gx &* gx), SIMD8(truncatingIfNeeded: gy &* gy), SIMD8(truncatingIfNeeded: gx &* gy)
    )
  }
}
