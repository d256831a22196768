/// The normal equations `A·x = b` of a least-squares problem with up to eight unknowns, kept on the stack.
package struct NormalEquations: Sendable {
  /// The rows of the symmetric matrix A.
  package var rows: InlineArray<8, SIMD8<Double>>
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

  /// Solves for the first `count` unknowns by an LDLᵀ factorisation without pivoting (G. Golub, C. Van Loan, *Matrix
  /// Computations*, section 4.1), each diagonal element first raised by the share `damping` of itself (Marquardt).
  ///
  /// - Returns: `nil` where the matrix is not positive definite to working precision.
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
