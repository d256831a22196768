import WaymarkImage

/// How far the sides of a page bend away from the chords between its corners, in units of the page.
struct SideBends: Sendable {
  /// a + b t of t (1 - t) (a + b t): nothing at both corners.
  private var coefficients: [(a: Double, b: Double)]
  /// The number of `numbers`.
  static let count = 8
  /// Of a side so much must have been seen for its bend to be told.
  static let leastSeen = 0.8

  /// Two numbers for each side: top, right, bottom, left.
  var numbers: [Double] { coefficients.flatMap { [$0.a, $0.b] } }

  /// Bends that were kept as numbers; nil for what no page has.
  init?(numbers: [Double]) {
    guard numbers.count == Self.count, numbers.allSatisfy({ $0.isFinite && abs($0) < 4 }) else { return nil }
    coefficients = stride(from: 0, to: Self.count, by: 2).map { (numbers[$0], numbers[$0 + 1]) }
  }

  /// nil where the sides are straight, or too little of them was seen to tell.
  init?(_ page: DetectedPage) {
    guard page.sides.count == 4, page.seen.count == 4,
      let map = Homography(unitSquareTo: page.outline), let inverse = map.inverse
    else { return nil }
    coefficients = []
    var largest = 0.0
    for side in 0..<4 {
      var fit = (a: 0.0, b: 0.0)
      if page.seen[side] > Self.leastSeen {
        let points = page.sides[side].map { p -> (t: Double, d: Double) in
          let q = inverse.apply(p)
          return side % 2 == 0 ? (q.x, q.y - (side == 0 ? 0 : 1)) : (q.y, q.x - (side == 3 ? 0 : 1))
        }
        if let found = Self.fit(points) { fit = found }
      }
      largest = max(largest, abs(fit.a + fit.b / 2) / 4)
      coefficients.append(fit)
    }
    // Less than a few pixels of a page is what tracing errs by.
    guard largest > 0.004 else { return nil }
  }

  /// Least squares, once more without what lies far off.
  private static func fit(_ points: [(t: Double, d: Double)]) -> (a: Double, b: Double)? {
    var kept = points.filter { $0.t > 0.01 && $0.t < 0.99 && abs($0.d) < 0.12 }
    var fit: (a: Double, b: Double)?
    for _ in 0..<3 {
      guard kept.count > 12 else { return nil }
      var equations = NormalEquations()
      for (t, d) in kept {
        let p = t * (1 - t)
        equations.add(SIMD8(p, p * t, 0, 0, 0, 0, 0, 0), d)
      }
      guard let solution = equations.solve(count: 2) else { return nil }
      let (a, b) = (solution[0], solution[1])
      fit = (a, b)
      let errors = kept.map { abs($0.t * (1 - $0.t) * (a + b * $0.t) - $0.d) }
      let limit = max(0.004, 3 * errors.sorted()[errors.count / 2])
      kept = zip(kept, errors).filter { $0.1 < limit }.map(\.0)
    }
    return fit
  }

  private func value(_ side: Int, _ t: Double) -> Double {
    t * (1 - t) * (coefficients[side].a + coefficients[side].b * t)
  }

  func top(_ u: Double) -> Double { value(0, u) }
  func right(_ v: Double) -> Double { value(1, v) }
  func bottom(_ u: Double) -> Double { value(2, u) }
  func left(_ v: Double) -> Double { value(3, v) }
}
