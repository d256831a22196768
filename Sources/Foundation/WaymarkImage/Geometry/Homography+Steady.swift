extension Homography {
  /// The map moved by an affine map of the frame until pairs agree with it, no further than they tell.
  ///
  /// Few pairs determine eight numbers badly: a map through six of them may be bent anywhere else. What is known beforehand, that
  /// the map is nearly right, counts as well here: with few pairs it is hardly more than shifted, with many it is turned, resized and
  /// sheared as they say. Pairs that disagree lose their weight (S. Geman, D. McClure, 1987).
  ///
  /// - Parameters:
  ///   - pairs: some of them may be wrong.
  ///   - looseness: the deviation of the map's shape, as a share of it.
  ///   - sigma: the deviation of a right pair, in pixels of the frame.
  /// - Returns: `nil` where fewer than three pairs can be seen.
  package func steadied(
    by pairs: UnsafeBufferPointer<PointPair>, looseness: Double, sigma: Double, iterations: Int = 6
  ) -> Homography? {
    var center = Point2.zero
    var count = 0
    for pair in pairs where depth(pair.reference) > 0 {
      center += apply(pair.reference)
      count += 1
    }
    guard count >= 3 else { return nil }
    center /= Double(count)
    // A point of the frame goes to itself and (x.x, x.y) · (its place from the centre) + x.z across, likewise down.
    var (across, down) = (SIMD3<Double>.zero, SIMD3<Double>.zero)
    let square = sigma * sigma
    for round in 0..<iterations {
      var system = NormalEquations()
      var other = SIMD8<Double>.zero
      for pair in pairs where depth(pair.reference) > 0 {
        let q = apply(pair.reference)
        let d = SIMD3(q.x - center.x, q.y - center.y, 1)
        let r = pair.frame - q
        let e = Point2(r.x - (across * d).sum(), r.y - (down * d).sum())
        // The first rounds take what is farther away, too.
        let wide = square * (round < 2 ? 4 : 1)
        let ratio = wide / (wide + e.dot(e))
        let jacobian = SIMD8(d.x, d.y, 1, 0, 0, 0, 0, 0)
        system.add(jacobian, r.x, weight: ratio * ratio / square)
        other += jacobian * (ratio * ratio / square * r.y)
      }
      for k in 0..<2 { system.rows[k][k] += 1 / (looseness * looseness) }
      guard let x = system.solve(count: 3) else { return nil }
      system.rhs = other
      guard let y = system.solve(count: 3) else { return nil }
      (across, down) = (SIMD3(x[0], x[1], x[2]), SIMD3(y[0], y[1], y[2]))
    }
    let moved = Homography(
      SIMD3(1 + across.x, across.y, across.z - across.x * center.x - across.y * center.y),
      SIMD3(down.x, 1 + down.y, down.z - down.x * center.x - down.y * center.y), SIMD3(0, 0, 1))
    let result = (moved * self).normalized
    return result.isFinite ? result : nil
  }
}
