/// Homographies from corresponding points (`PointPair` below): exact from four corners, and fitted to any number of
/// pairs.
extension Homography {
  /// Creates the map from the corners of one quadrilateral to the corners of another; `nil` if three corners are on a line.
  ///
  /// Both are images of the projective basis: `H = B · A⁻¹` (Hartley and Zisserman, section 2.3; P. Heckbert,
  /// *Fundamentals of Texture Mapping*, 1989, section 2.2.3).
  public init?(from a: Quadrilateral, to b: Quadrilateral) {
    self.init(
      from: a.topLeft, a.topRight, a.bottomRight, a.bottomLeft, to: b.topLeft, b.topRight, b.bottomRight, b.bottomLeft)
  }

  /// Creates the map from the unit square to a quadrilateral (P. Heckbert, *Fundamentals of Texture Mapping*, 1989, section 2.2.3); `nil` if
  /// three corners are on a line.
  package init?(unitSquareTo q: Quadrilateral) {
    let (d1, d2) = (q.topRight - q.bottomRight, q.bottomLeft - q.bottomRight)
    let s = q.topLeft - q.topRight + q.bottomRight - q.bottomLeft
    let determinant = d1.cross(d2)
    guard abs(determinant) > 1e-9 else { return nil }
    let (g, h) = (s.cross(d2) / determinant, d1.cross(s) / determinant)
    let x = q.topRight - q.topLeft + q.topRight * g
    let y = q.bottomLeft - q.topLeft + q.bottomLeft * h
    self.init(SIMD3(x.x, y.x, q.topLeft.x), SIMD3(x.y, y.y, q.topLeft.y), SIMD3(g, h, 1))
  }

  /// Creates the map from four points to four others; `nil` if three points are on a line.
  package init?(
    from a0: Point2, _ a1: Point2, _ a2: Point2, _ a3: Point2, to b0: Point2, _ b1: Point2, _ b2: Point2, _ b3: Point2
  ) {
    guard let a = Self.basis(a0, a1, a2, a3), let b = Self.basis(b0, b1, b2, b3), let inverse = a.inverse else {
      return nil
    }
    let h = (b * inverse).normalized
    guard h.isFinite else { return nil }
    self = h
  }

  /// Returns the map from the projective basis (1,0,0), (0,1,0), (0,0,1), (1,1,1) to four points.
  private static func basis(_ p0: Point2, _ p1: Point2, _ p2: Point2, _ p3: Point2) -> Homography? {
    // p3 = λ0·p0 + λ1·p1 + λ2·p2 by Cramer's rule: ratios of triangle areas.
    let d = (p1 - p0).cross(p2 - p0)
    let l0 = (p1 - p3).cross(p2 - p3)
    let l1 = (p2 - p3).cross(p0 - p3)
    let l2 = (p0 - p3).cross(p1 - p3)
    // The limit is relative to the size of the figure, so that the test does not depend on the unit.
    let size = max((p1 - p0).dot(p1 - p0), (p2 - p0).dot(p2 - p0), (p3 - p0).dot(p3 - p0))
    let limit = 1e-9 * size
    guard size.isFinite, abs(d) > limit, abs(l0) > limit, abs(l1) > limit, abs(l2) > limit else { return nil }
    let (s0, s1, s2) = (l0 / d, l1 / d, l2 / d)
    return Homography(
      SIMD3(s0 * p0.x, s1 * p1.x, s2 * p2.x), SIMD3(s0 * p0.y, s1 * p1.y, s2 * p2.y), SIMD3(s0, s1, s2))
  }

  /// True if all nine numbers are finite.
  public var isFinite: Bool { (row0 + row1 + row2).sum().isFinite }

  /// Returns the derivatives of `apply` by x and by y.
  @inlinable
  public func derivative(at p: Point2) -> (dx: Point2, dy: Point2) {
    let v = SIMD3(p.x, p.y, 1)
    let w = 1 / row2.dot(v)
    let q = Point2(row0.dot(v), row1.dot(v)) * w
    return (
      Point2(row0.x - q.x * row2.x, row1.x - q.y * row2.x) * w, Point2(row0.y - q.x * row2.y, row1.y - q.y * row2.y) * w
    )
  }

  /// Returns the map of least squared distance in the frame over weighted pairs: the normalised linear solution (Hartley and Zisserman,
  /// algorithm 4.2, with the last element fixed), then Gauss–Newton steps on the distance itself.
  ///
  /// - Parameters:
  ///   - pairs: at least four pairs, not all on a line.
  ///   - weights: a weight of at least 0 for each pair; `nil` for equal weights.
  ///   - iterations: the greatest number of Gauss–Newton steps.
  /// - Returns: `nil` if the points do not determine a map.
  package static func fit(
    _ pairs: UnsafeBufferPointer<PointPair>, weights: UnsafePointer<Double>? = nil, iterations: Int = 5
  ) -> Homography? {
    guard pairs.count >= 4, let scaling = PairNormalization(pairs, weights: weights) else { return nil }
    var system = NormalEquations()
    for (i, pair) in pairs.enumerated() {
      let weight = weights?[i] ?? 1
      guard weight > 0 else { continue }
      let p = scaling.reference(pair.reference)
      let q = scaling.frame(pair.frame)
      system.add(SIMD8(p.x, p.y, 1, 0, 0, 0, -q.x * p.x, -q.x * p.y), q.x, weight: weight)
      system.add(SIMD8(0, 0, 0, p.x, p.y, 1, -q.y * p.x, -q.y * p.y), q.y, weight: weight)
    }
    guard let start = system.solve() else { return nil }
    return scaling.refined(Homography(packed: start), pairs, weights: weights, iterations: iterations)
  }

  /// Returns `self` refined to the least squared distance in the frame over weighted pairs, by Gauss–Newton with Marquardt damping.
  /// The result is never worse than `self`.
  package func refined(
    _ pairs: UnsafeBufferPointer<PointPair>, weights: UnsafePointer<Double>? = nil, iterations: Int = 5
  ) -> Homography? {
    guard let scaling = PairNormalization(pairs, weights: weights) else { return nil }
    return scaling.refined(scaling.scale(self), pairs, weights: weights, iterations: iterations)
  }

  /// Creates a map from the first eight elements of the matrix; the last element is 1.
  init(packed h: SIMD8<Double>) {
    self.init(SIMD3(h[0], h[1], h[2]), SIMD3(h[3], h[4], h[5]), SIMD3(h[6], h[7], 1))
  }

  /// The first eight elements of the matrix, scaled so that the last is 1.
  var packed: SIMD8<Double> {
    let s = 1 / row2.z
    return SIMD8(row0.x, row0.y, row0.z, row1.x, row1.y, row1.z, row2.x, row2.y) * s
  }
}

/// The change of coordinates that centres the points of both sides and scales their root mean square distance from the centre to
/// √2. Without this change, the equations are badly conditioned (R. Hartley, "In defense of the eight-point algorithm", PAMI 19
/// (1997)).
struct PairNormalization {
  private var referenceCenter: Point2
  private var referenceScale: Double
  private var frameCenter: Point2
  private var frameScale: Double

  init?(_ pairs: UnsafeBufferPointer<PointPair>, weights: UnsafePointer<Double>?) {
    var total = 0.0
    var (a, b) = (Point2.zero, Point2.zero)
    for (i, pair) in pairs.enumerated() {
      let weight = weights?[i] ?? 1
      total += weight
      a += pair.reference * weight
      b += pair.frame * weight
    }
    guard total > 0, total.isFinite else { return nil }
    a /= total
    b /= total
    var (da, db) = (0.0, 0.0)
    for (i, pair) in pairs.enumerated() {
      let weight = weights?[i] ?? 1
      da += (pair.reference - a).dot(pair.reference - a) * weight
      db += (pair.frame - b).dot(pair.frame - b) * weight
    }
    guard da > 0, db > 0, da.isFinite, db.isFinite else { return nil }
    referenceCenter = a
    frameCenter = b
    referenceScale = (2 * total / da).squareRoot()
    frameScale = (2 * total / db).squareRoot()
  }

  @inline(__always)
  func reference(_ p: Point2) -> Point2 { (p - referenceCenter) * referenceScale }

  @inline(__always)
  func frame(_ p: Point2) -> Point2 { (p - frameCenter) * frameScale }

  /// Converts a map between pixels to a map between normalised coordinates.
  func scale(_ h: Homography) -> Homography {
    let toFrame = Homography(
      SIMD3(frameScale, 0, -frameCenter.x * frameScale), SIMD3(0, frameScale, -frameCenter.y * frameScale),
      SIMD3(0, 0, 1))
    let fromReference = Homography(
      SIMD3(1 / referenceScale, 0, referenceCenter.x), SIMD3(0, 1 / referenceScale, referenceCenter.y), SIMD3(0, 0, 1))
    return (toFrame * h * fromReference).normalized
  }

  /// Converts a map between normalised coordinates to a map between pixels.
  func unscale(_ h: Homography) -> Homography {
    let fromFrame = Homography(
      SIMD3(1 / frameScale, 0, frameCenter.x), SIMD3(0, 1 / frameScale, frameCenter.y), SIMD3(0, 0, 1))
    let toReference = Homography(
      SIMD3(referenceScale, 0, -referenceCenter.x * referenceScale),
      SIMD3(0, referenceScale, -referenceCenter.y * referenceScale), SIMD3(0, 0, 1))
    return (fromFrame * h * toReference).normalized
  }

  func refined(
    _ start: Homography, _ pairs: UnsafeBufferPointer<PointPair>, weights: UnsafePointer<Double>?, iterations: Int
  ) -> Homography? {
    // Without damping at first: near the solution, full Gauss–Newton steps converge fastest.
    let descent = DampedDescent(
      unknowns: 8, iterations: iterations, damping: 0, leastRaised: 1e-4, greatestDamping: 1.5, gain: 1e-9)
    let least = descent.run(
      from: start, cost: { cost($0, pairs, weights) },
      equations: { h in
        var system = NormalEquations()
        for (i, pair) in pairs.enumerated() {
          let weight = weights?[i] ?? 1
          guard weight > 0 else { continue }
          let p = reference(pair.reference)
          let w = 1 / h.depth(p)
          let q = h.apply(p)
          let r = frame(pair.frame) - q
          let u = p * w
          system.add(SIMD8(u.x, u.y, w, 0, 0, 0, -q.x * u.x, -q.x * u.y), r.x, weight: weight)
          system.add(SIMD8(0, 0, 0, u.x, u.y, w, -q.y * u.x, -q.y * u.y), r.y, weight: weight)
        }
        return system
      },
      moved: { h, step in Homography(packed: h.packed + step) })
    guard let (h, _) = least else { return nil }
    let result = unscale(h)
    return result.isFinite ? result : nil
  }

  private func cost(_ h: Homography, _ pairs: UnsafeBufferPointer<PointPair>, _ weights: UnsafePointer<Double>?)
    -> Double
  {
    var sum = 0.0
    for (i, pair) in pairs.enumerated() {
      let weight = weights?[i] ?? 1
      guard weight > 0 else { continue }
      let p = reference(pair.reference)
      // A map that moves a point behind the horizon is invalid.
      guard h.depth(p) > 0 else { return .infinity }
      let r = frame(pair.frame) - h.apply(p)
      sum += weight * r.dot(r)
    }
    return sum
  }
}

/// A point of the reference and its position in the frame.
public struct PointPair: Hashable, Sendable {
  /// The position on the reference, in pixels of the reference.
  public var reference: Point2
  /// The position in the frame, in pixels of the frame.
  public var frame: Point2

  /// Creates a pair from its two positions.
  public init(reference: Point2, frame: Point2) {
    self.reference = reference
    self.frame = frame
  }
}

extension Homography {
  /// Creates the similarity that maps two points to two others; `nil` if the two points coincide.
  package init?(similarityFrom a0: Point2, _ a1: Point2, to b0: Point2, _ b1: Point2) {
    self.init(similarityOver: [PointPair(reference: a0, frame: b0), PointPair(reference: a1, frame: b1)])
  }

  /// Creates the similarity of least squared distance over the pairs (K. Arun, T. Huang, S. Blostein, "Least-squares
  /// fitting of two 3-D point sets", 1987, in the plane and with scale); `nil` if all points of one side coincide.
  package init?(similarityOver pairs: [PointPair]) {
    let count = Double(pairs.count)
    guard pairs.count >= 2 else { return nil }
    let from = pairs.reduce(Point2.zero) { $0 + $1.reference } / count
    let to = pairs.reduce(Point2.zero) { $0 + $1.frame } / count
    var (dot, cross, square) = (0.0, 0.0, 0.0)
    for pair in pairs {
      let (a, b) = (pair.reference - from, pair.frame - to)
      dot += a.dot(b)
      cross += a.cross(b)
      square += a.dot(a)
    }
    guard square > 0, dot * dot + cross * cross > 0 else { return nil }
    let (c, s) = (dot / square, cross / square)
    self.init(
      SIMD3(c, -s, to.x - c * from.x + s * from.y), SIMD3(s, c, to.y - s * from.x - c * from.y), SIMD3(0, 0, 1))
    guard isFinite else { return nil }
  }
}

extension Homography {
  /// Returns the map followed by an affine correction in the frame that brings it closer to the pairs, as far as they determine the
  /// correction.
  ///
  /// Few pairs determine eight parameters badly: a map fitted to six pairs may be far off elsewhere. The fit therefore has a prior
  /// that the map is nearly right. Few pairs do little more than translate it; many also rotate, scale and shear it. Pairs that
  /// disagree lose their weight (S. Geman, D. McClure, 1987).
  ///
  /// - Parameters:
  ///   - pairs: the pairs, some of which may be wrong.
  ///   - looseness: the standard deviation of the correction's linear part, without unit.
  ///   - sigma: the standard deviation of a correct pair, in pixels of the frame.
  /// - Returns: `nil` if fewer than three pairs are in front of the horizon.
  package func steadied(
    by pairs: UnsafeBufferPointer<PointPair>, looseness: Double, sigma: Double
  ) -> Homography? {
    var center = Point2.zero
    var count = 0
    for pair in pairs where depth(pair.reference) > 0 {
      center += apply(pair.reference)
      count += 1
    }
    guard count >= 3 else { return nil }
    center /= Double(count)
    // The correction adds across.x · d.x + across.y · d.y + across.z to a point's x, where d is the point relative to the centre,
    // and likewise for `down` and its y.
    var (across, down) = (SIMD3<Double>.zero, SIMD3<Double>.zero)
    let square = sigma * sigma
    for round in 0..<6 {
      var system = NormalEquations()
      var other = SIMD8<Double>.zero
      for pair in pairs where depth(pair.reference) > 0 {
        let q = apply(pair.reference)
        let d = SIMD3(q.x - center.x, q.y - center.y, 1)
        let r = pair.frame - q
        let e = Point2(r.x - (across * d).sum(), r.y - (down * d).sum())
        // The first two iterations double the scale of the loss, so that more distant pairs have weight as well.
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
