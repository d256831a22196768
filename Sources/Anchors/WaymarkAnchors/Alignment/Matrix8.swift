import WaymarkImage

/// A matrix of eight rows and columns.
package struct Matrix8: Sendable {
  var rows: InlineArray<8, SIMD8<Double>>

  init() { rows = InlineArray(repeating: .zero) }

  init(rows: InlineArray<8, SIMD8<Double>>) { self.rows = rows }

  package init(diagonal: SIMD8<Double>) {
    self.init()
    for i in 0..<8 { rows[i][i] = diagonal[i] }
  }

  var transposed: Matrix8 {
    var result = Matrix8()
    for i in 0..<8 { for k in 0..<8 { result.rows[i][k] = rows[k][i] } }
    return result
  }

  /// The mean of the matrix and its transpose: without rounding errors, a symmetric one itself.
  var symmetric: Matrix8 { (self + transposed) * 0.5 }

  /// The inverse of a symmetric matrix; `nil` if it is not positive definite to working precision.
  var inverse: Matrix8? {
    var result = Matrix8()
    for i in 0..<8 {
      var unit = SIMD8<Double>.zero
      unit[i] = 1
      guard let row = solve(unit) else { return nil }
      result.rows[i] = row
    }
    return result
  }

  /// Returns the vector that a symmetric matrix maps to `v`; `nil` if it is not positive definite to working precision.
  func solve(_ v: SIMD8<Double>) -> SIMD8<Double>? {
    var system = NormalEquations()
    (system.rows, system.rhs) = (rows, v)
    return system.solve()
  }

  static func + (a: Matrix8, b: Matrix8) -> Matrix8 {
    var result = a
    for i in 0..<8 { result.rows[i] += b.rows[i] }
    return result
  }

  static func - (a: Matrix8, b: Matrix8) -> Matrix8 { a + b * -1 }

  static func * (a: Matrix8, s: Double) -> Matrix8 {
    var result = a
    for i in 0..<8 { result.rows[i] *= s }
    return result
  }

  static func * (a: Matrix8, b: Matrix8) -> Matrix8 {
    var result = Matrix8()
    for i in 0..<8 { for k in 0..<8 { result.rows[i] += b.rows[k] * a.rows[i][k] } }
    return result
  }

  static func * (a: Matrix8, v: SIMD8<Double>) -> SIMD8<Double> {
    var result = SIMD8<Double>.zero
    for i in 0..<8 { result[i] = (a.rows[i] * v).sum() }
    return result
  }
}
