/// The normal equations `A·x = b` of a least-squares problem with up to eight unknowns, kept on the stack. The file
/// also has `DampedDescent`, Levenberg and Marquardt's method, and `MarginalLoss`, the robust loss of MAGSAC++.
package struct NormalEquations: Sendable {
  /// The rows of the symmetric matrix A.
  package var rows: InlineArray<8, SIMD8<Double>>
  /// The right-hand side b.
  package var rhs: SIMD8<Double>

  package init() {
    rows = InlineArray(repeating: .zero)
    rhs = .zero
  }

  /// Adds one equation `jacobian · x = residual`.
  @inline(__always)
  package mutating func add(_ jacobian: SIMD8<Double>, _ residual: Double, weight: Double = 1) {
    let weighted = jacobian * weight
    for i in 0..<8 { rows[i] += jacobian * weighted[i] }
    rhs += weighted * residual
  }

  /// Solves for the first `count` unknowns by LDLᵀ factorisation without pivoting (G. Golub, C. Van Loan, *Matrix Computations*, section 4.1), with
  /// each diagonal element multiplied by 1 + `damping` first (Marquardt).
  ///
  /// - Returns: `nil` if the matrix is not positive definite to working precision.
  package func solve(count: Int = 8, damping: Double = 0) -> SIMD8<Double>? {
    var l = rows
    var d = SIMD8<Double>(repeating: 1)
    for j in 0..<count {
      var sum = l[j][j] * (1 + damping)
      let limit = sum * 1e-13
      for k in 0..<j { sum -= l[j][k] * l[j][k] * d[k] }
      guard sum > limit, sum.isFinite else { return nil }
      d[j] = sum
      for i in (j + 1)..<max(count, j + 1) {
        var value = l[i][j]
        for k in 0..<j { value -= l[i][k] * l[j][k] * d[k] }
        l[i][j] = value / sum
      }
    }
    var x = SIMD8<Double>.zero
    for i in 0..<count {
      var value = rhs[i]
      for k in 0..<i { value -= l[i][k] * x[k] }
      x[i] = value
    }
    for i in stride(from: count - 1, through: 0, by: -1) {
      var value = x[i] / d[i]
      for k in (i + 1)..<max(count, i + 1) { value -= l[k][i] * x[k] }
      x[i] = value
    }
    for i in 0..<count where !x[i].isFinite { return nil }
    return x
  }
}

// MARK: - Nonlinear problems

/// Minimises a cost over up to eight unknowns by Levenberg and Marquardt's method (J. Moré, "The Levenberg–Marquardt algorithm",
/// 1978). The damping is divided by ten after a step that lowers the cost, and otherwise multiplied by ten.
struct DampedDescent {
  /// The number of unknowns.
  var unknowns: Int
  /// The greatest number of steps.
  var iterations: Int
  /// The damping of the first step; the larger, the shorter the step.
  var damping: Double
  /// The least damping after a step that lowers the cost.
  var leastDamping = 0.0
  /// The least damping after a step that does not lower the cost.
  var leastRaised = 0.0
  /// The descent ends if a step with at least this damping does not lower the cost.
  var greatestDamping: Double
  /// The descent ends after a step that lowers the cost by at most this fraction.
  var gain: Double

  /// Minimises the cost from `start`.
  ///
  /// - Parameters:
  ///   - cost: the function to minimise; not finite for an invalid state.
  ///   - equations: the normal equations at a state.
  ///   - moved: returns a state moved by a solution of the normal equations.
  /// - Returns: the best state and its cost; `nil` if the cost of `start` is not finite.
  @inline(__always)
  func run<State>(
    from start: State, cost: (State) -> Double, equations: (State) -> NormalEquations,
    moved: (State, SIMD8<Double>) -> State
  ) -> (state: State, cost: Double)? {
    var (best, least, damping) = (start, cost(start), damping)
    guard least.isFinite else { return nil }
    for _ in 0..<iterations {
      guard let step = equations(best).solve(count: unknowns, damping: damping) else { break }
      let candidate = moved(best, step)
      let next = cost(candidate)
      if next < least {
        let isEnough = least - next <= gain * next
        (best, least) = (candidate, next)
        damping = max(leastDamping, damping * 0.1)
        if isEnough { break }
      } else {
        guard damping < greatestDamping else { break }
        damping = max(leastRaised, damping * 10)
      }
    }
    return (best, least)
  }
}

// MARK: - Robust loss

/// The weight and loss of a distance by MAGSAC++, if only an upper bound of the noise scale is known.
///
/// D. Barath et al., "MAGSAC++, a fast, reliable and accurate robust estimator", CVPR 2020, equations 6–8, for residuals
/// with two degrees of freedom: the weight is ∝ erfc(r/(√2·σ)) − erfc(k/√2), and the loss its integral
/// ρ(r) = ∫₀ʳ x·w(x) dx, constant beyond `k·σ`. Tabulated over r² so that no root is taken.
package struct MarginalLoss: Sendable {
  /// Residuals beyond this many σ have no weight: the square root of the 0.99 quantile of χ² with two degrees.
  static let cut = 3.034854
  private static let steps = 512
  /// The squared distance from which the weight is 0, in square pixels.
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

  /// The loss of a squared distance: 0 at zero, 1 from `limit` on and for NaN.
  @inline(__always)
  package func loss(_ squared: Double) -> Double {
    guard squared < limit else { return 1 }
    return Double(losses.withUnsafeBufferPointer { $0[Int(squared * scale)] })
  }
}
