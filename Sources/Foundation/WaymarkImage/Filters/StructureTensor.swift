/// In which direction brightness changes, and how much, for each cell of 8×8 pixels.
///
/// J. Bigün, G. H. Granlund, "Optimal orientation detection of linear symmetry", ICCV 1987. Differences of neighbours,
/// not central ones: bars one pixel wide would vanish from those.
package struct StructureTensor: Sendable {
  /// Pixels of a cell along a side.
  package static let side = 8
  /// How many cells lie side by side, and how many above each other.
  package let columns: Int
  package let rows: Int
  /// Sums over each cell, smoothed over 3×3 cells: gx², gy², gx·gy of differences halved.
  package private(set) var xx: [Float]
  package private(set) var yy: [Float]
  package private(set) var xy: [Float]
  /// The mean square of differences between neighbours in each cell alone, in gray levels squared.
  package private(set) var energy: [Float]

  /// That of each cell of a picture; of none where it is smaller than a cell.
  package init(_ view: ImageView) {
    let side = Self.side
    columns = max(0, (view.width - 1) / side)
    rows = max(0, (view.height - 1) / side)
    let count = columns * rows
    xx = [Float](repeating: 0, count: count)
    yy = xx
    xy = xx
    energy = xx
    guard count > 0 else { return }
    for cy in 0..<rows {
      for cx in 0..<columns {
        var sxx = SIMD8<Int32>(repeating: 0)
        var syy = sxx
        var sxy = sxx
        // Every other row is enough: bars are higher than they are wide.
        var y = 0
        while y < side {
          let p = UnsafeRawPointer(view.row(cy &* side &+ y) + cx &* side)
          let here = SIMD8<Int16>(truncatingIfNeeded: p.loadUnaligned(as: SIMD8<UInt8>.self))
          let right = SIMD8<Int16>(truncatingIfNeeded: (p + 1).loadUnaligned(as: SIMD8<UInt8>.self))
          let below = SIMD8<Int16>(truncatingIfNeeded: (p + view.stride).loadUnaligned(as: SIMD8<UInt8>.self))
          let gx = (right &- here) &>> 1
          let gy = (below &- here) &>> 1
          sxx &+= SIMD8<Int32>(truncatingIfNeeded: gx &* gx)
          syy &+= SIMD8<Int32>(truncatingIfNeeded: gy &* gy)
          sxy &+= SIMD8<Int32>(truncatingIfNeeded: gx &* gy)
          y &+= 2
        }
        let i = cy &* columns &+ cx
        xx[i] = Float(sxx.wrappedSum())
        yy[i] = Float(syy.wrappedSum())
        xy[i] = Float(sxy.wrappedSum())
        // 32 pixels; differences were halved, so their squares count four times.
        energy[i] = (xx[i] + yy[i]) / 8
      }
    }
    xx = BoxSum.sums(of: xx, width: columns, height: rows, radius: 1)
    yy = BoxSum.sums(of: yy, width: columns, height: rows, radius: 1)
    xy = BoxSum.sums(of: xy, width: columns, height: rows, radius: 1)
  }
}
