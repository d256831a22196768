/// A smooth surface of second degree over a rectangle whose sides are −1 and 1: how light falls, in logarithms, because light multiplies.
package struct QuadraticSurface: Sendable {
  /// Of 1, u, v, u², uv, v².
  private let coefficients: SIMD8<Double>

  /// A weighted value at a place.
  package struct Sample: Sendable {
    package var place: Point2
    package var value: Double
    package var weight: Double

    package init(_ place: Point2, _ value: Double, weight: Double = 1) {
      self.place = place
      self.value = value
      self.weight = weight
    }
  }

  /// The surface of least weighted squares.
  ///
  /// - Parameters:
  ///   - isPlane: true if it is not bent.
  ///   - damping: the share by which each diagonal element is raised, which keeps what the samples do not tell near 0.
  /// - Returns: `nil` where the samples determine none.
  package init?(_ samples: some Sequence<Sample>, isPlane: Bool = false, damping: Double = 0) {
    var equations = NormalEquations()
    for sample in samples { equations.add(Self.terms(sample.place), sample.value, weight: sample.weight) }
    let count = isPlane ? 3 : 6
    guard var solution = equations.solve(count: count, damping: damping) else { return nil }
    for i in count..<8 { solution[i] = 0 }
    coefficients = solution
  }

  /// How much it rises along u and along v at the middle.
  package var slope: Point2 { Point2(coefficients[1], coefficients[2]) }

  /// Its value at a place.
  package func value(at p: Point2) -> Double { (coefficients * Self.terms(p)).sum() }

  private static func terms(_ p: Point2) -> SIMD8<Double> {
    SIMD8(1, p.x, p.y, p.x * p.x, p.x * p.y, p.y * p.y, 0, 0)
  }
}
