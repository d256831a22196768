import WaymarkImage

/// A smooth surface over the unit square: uniform cubic B-splines across and down, with a penalty on bending (P. Eilers, B. Marx,
/// "Flexible smoothing with B-splines and penalties", Statistical Science 11, 1996). `SymmetricSystem` below solves the normal
/// equations of the fit.
struct SplineSurface: Hashable, Sendable {
  /// The number of intervals across and down; each axis has three coefficients more than intervals.
  struct Intervals: Hashable, Sendable {
    var across: Int
    var down: Int

    var coefficientCount: Int { columns * rows }
    fileprivate var columns: Int { across + 3 }
    fileprivate var rows: Int { down + 3 }
  }

  /// The four splines that are not 0 at a position on an axis: the index of the first, and their values.
  struct Taps: Sendable {
    fileprivate var first: Int
    fileprivate var values: SIMD4<Double>

    /// - Parameters:
    ///   - place: The position, clamped to 0…1.
    ///   - intervals: The number of intervals of the axis.
    init(_ place: Double, intervals: Int) {
      let t = min(max(0, place), 1) * Double(intervals)
      first = min(Int(t), intervals - 1)
      let s = t - Double(first)
      let r = 1 - s
      values =
        SIMD4(
          r * r * r, 3 * s * s * s - 6 * s * s + 4, 3 * r * r * r - 6 * r * r + 4, s * s * s) / 6
    }
  }

  let intervals: Intervals
  /// The coefficients, row by row.
  let coefficients: [Double]

  /// Creates a surface with given coefficients; `nil` if their number is wrong or a coefficient is not finite.
  init?(_ intervals: Intervals, coefficients: [Double]) {
    guard coefficients.count == intervals.coefficientCount, coefficients.allSatisfy(\.isFinite) else { return nil }
    self.intervals = intervals
    self.coefficients = coefficients
  }

  /// Returns the value at a point of the square.
  func value(at p: Point2) -> Double {
    let (across, down) = (Taps(p.x, intervals: intervals.across), Taps(p.y, intervals: intervals.down))
    var sum = 0.0
    for k in 0..<4 {
      let start = (down.first + k) * intervals.columns + across.first
      for i in 0..<4 { sum += coefficients[start + i] * across.values[i] * down.values[k] }
    }
    return sum
  }

  /// Returns the coefficients of the curve across at the height `place`, for `value(_:of:)`.
  func curve(down place: Double) -> [Double] {
    let down = Taps(place, intervals: intervals.down)
    return (0..<intervals.columns).map { column in
      var sum = 0.0
      for k in 0..<4 { sum += coefficients[(down.first + k) * intervals.columns + column] * down.values[k] }
      return sum
    }
  }

  /// Returns the value at a position of a curve across.
  @inline(__always)
  static func value(_ taps: Taps, of curve: [Double]) -> Double {
    var sum = 0.0
    for i in 0..<4 { sum += curve[taps.first + i] * taps.values[i] }
    return sum
  }
}

extension SplineSurface {
  /// Weighted values along a path over the square.
  struct Samples: Sendable {
    var places: [Point2]
    var values: [Double]
    var weights: [Double]
    /// True if the values are known except for a constant common to all of them.
    var isFree: Bool
  }

  /// Fits a surface by weighted least squares.
  ///
  /// - Parameters:
  ///   - bend: The weights of the second differences of neighbouring coefficients, across and down.
  ///   - size: The weight of each coefficient. It keeps coefficients near 0 that the samples do not determine.
  /// - Returns: The surface; `nil` if the equations cannot be solved.
  init?(_ intervals: Intervals, fitting samples: [Samples], bend: (across: Double, down: Double), size: Double) {
    let (columns, rows) = (intervals.columns, intervals.rows)
    var system = SymmetricSystem(count: columns * rows)
    for list in samples {
      var (mean, meanValue, weight) = ([Int: Double](), 0.0, 0.0)
      for (place, (value, w)) in zip(list.places, zip(list.values, list.weights)) {
        let (across, down) = (Taps(place.x, intervals: intervals.across), Taps(place.y, intervals: intervals.down))
        let terms = (0..<16).map { k -> (index: Int, value: Double) in
          ((down.first + k / 4) * columns + across.first + k % 4, across.values[k % 4] * down.values[k / 4])
        }
        system.add(terms, value, weight: w)
        guard list.isFree else { continue }
        for term in terms { mean[term.index, default: 0] += w * term.value }
        meanValue += w * value
        weight += w
      }
      // The least-squares constant is the weighted mean of the residuals, so its equation is eliminated from all others.
      guard weight > 0 else { continue }
      let terms = mean.sorted { $0.key < $1.key }.map { (index: $0.key, value: $0.value / weight) }
      system.add(terms, meanValue / weight, weight: -weight)
    }
    for row in 0..<rows {
      for column in 0..<columns {
        let at = row * columns + column
        system.add([(at, 1)], 0, weight: size)
        if column + 2 < columns { system.add([(at, 1), (at + 1, -2), (at + 2, 1)], 0, weight: bend.across) }
        if row + 2 < rows { system.add([(at, 1), (at + columns, -2), (at + 2 * columns, 1)], 0, weight: bend.down) }
      }
    }
    guard let solution = system.solution else { return nil }
    self.init(intervals, coefficients: solution)
  }
}

/// The normal equations of a least-squares problem with any number of unknowns; each equation has only a few of them.
private struct SymmetricSystem {
  let count: Int
  /// The lower triangle of the matrix, in full rows.
  private var rows: [Double]
  private var rhs: [Double]

  init(count: Int) {
    self.count = count
    rows = [Double](repeating: 0, count: count * count)
    rhs = [Double](repeating: 0, count: count)
  }

  /// Adds an equation; the indices of its terms must increase.
  mutating func add(_ terms: [(index: Int, value: Double)], _ value: Double, weight: Double) {
    for (k, a) in terms.enumerated() {
      let weighted = a.value * weight
      rhs[a.index] += weighted * value
      let row = a.index * count
      for b in terms[...k] { rows[row + b.index] += weighted * b.value }
    }
  }

  /// The solution by an LDLᵀ factorisation without pivoting, as in `NormalEquations`; `nil` if the matrix is not positive definite.
  var solution: [Double]? {
    var l = rows
    var x = rhs
    let isSolved = l.withUnsafeMutableBufferPointer { l -> Bool in
      for j in 0..<count {
        let row = j * count
        let limit = l[row + j] * 1e-13
        for i in 0..<j {
          // Row i of L is divided by its diagonal element on use, so that each product is computed once.
          var sum = l[row + i]
          for k in 0..<i { sum -= l[row + k] * l[i * count + k] }
          l[row + i] = sum
        }
        for i in 0..<j {
          let value = l[row + i] / l[i * count + i]
          l[row + j] -= value * l[row + i]
          l[row + i] = value
        }
        guard l[row + j] > limit, l[row + j].isFinite else { return false }
      }
      for i in 0..<count { for k in 0..<i { x[i] -= l[i * count + k] * x[k] } }
      for i in 0..<count { x[i] /= l[i * count + i] }
      for i in stride(from: count - 1, through: 0, by: -1) {
        for k in (i + 1)..<max(count, i + 1) { x[i] -= l[k * count + i] * x[k] }
      }
      return true
    }
    return isSolved ? x : nil
  }
}
