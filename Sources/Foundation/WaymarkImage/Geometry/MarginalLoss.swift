/// The MAGSAC++ weight and loss of a distance when the noise scale is only known to lie below a greatest value.
///
/// D. Barath et al., "MAGSAC++, a fast, reliable and accurate robust estimator", CVPR 2020, equations 6–8, for residuals
/// with two degrees of freedom: the weight is ∝ erfc(r/(√2·σ)) − erfc(k/√2), and the loss its integral
/// ρ(r) = ∫₀ʳ x·w(x) dx, constant beyond `k·σ`. Tabulated over r² so that no root is taken.
package struct MarginalLoss: Sendable {
  /// Beyond this many σ a residual tells nothing: the square root of the 0.99 quantile of χ² with two degrees.
  static let cut = 3.034854
  private static let steps = 512
  /// The squared distance from which on a point does not count, in square pixels.
  package let limit: Double
  private let scale: Double
  private let weights: [Float]
  private let losses: [Float]

  /// - Parameter sigma: the greatest noise scale, in pixels.
  package init(sigma: Double) {
    limit = (Self.cut * sigma) * (Self.cut * sigma)
    scale = Double(Self.steps) / limit
    let tail = Double.complementaryError(Self.cut / 2.0.squareRoot())
    var weights: [Float] = []
    var losses: [Float] = []
    // ∫ x·w dx = ½ ∫ w d(x²), by the trapezium rule over finer steps.
    let fine = 8
    var integral = 0.0
    func weight(_ step: Double) -> Double {
      let r = (step / Double(Self.steps)).squareRoot() * Self.cut
      return (Double.complementaryError(r / 2.0.squareRoot()) - tail) / (1 - tail)
    }
    for i in 0...Self.steps {
      weights.append(Float(max(0, weight(Double(i)))))
      losses.append(Float(integral))
      for j in 0..<fine {
        let a = Double(i) + Double(j) / Double(fine)
        integral += 0.5 * (weight(a) + weight(a + 1 / Double(fine))) / Double(fine)
      }
    }
    let full = losses[Self.steps]
    self.weights = weights
    self.losses = losses.map { $0 / full }
  }

  /// The weight of a squared distance: 1 at zero, 0 from `limit` on.
  @inline(__always)
  package func weight(_ squared: Double) -> Double {
    guard squared < limit else { return 0 }
    return Double(weights.withUnsafeBufferPointer { $0[Int(squared * scale)] })
  }

  /// The loss of a squared distance: 0 at zero, 1 from `limit` on (and for what is not a number).
  @inline(__always)
  package func loss(_ squared: Double) -> Double {
    guard squared < limit else { return 1 }
    return Double(losses.withUnsafeBufferPointer { $0[Int(squared * scale)] })
  }
}
