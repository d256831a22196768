import WaymarkImage

/// A smooth surface over the unit square: uniform cubic B-splines across and down, bent no more than what they are fitted to asks for
/// (P. Eilers, B. Marx, "Flexible smoothing with B-splines and penalties", Statistical Science 11, 1996).
struct SplineSurface: Hashable, Sendable {
  /// How many intervals the square has, across and down; there are three coefficients more.
  struct Intervals: Hashable, Sendable {
    var across: Int
    var down: Int

    /// How many coefficients a surface has.
    var coefficientCount: Int { columns * rows }
    fileprivate var columns: Int { across + 3 }
    fileprivate var rows: Int { down + 3 }
  }

  /// Four splines that are not 0 at a place of an axis: the first of them, and their values.
  struct Taps: Sendable {
    fileprivate var first: Int
    fileprivate var values: SIMD4<Double>

    /// - Parameters:
    ///   - place: 0 to 1; what lies beyond counts as the end.
    ///   - intervals: of the axis.
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
  /// Row by row.
  let coefficients: [Double]

  /// A surface of known coefficients; `nil` where their number is another one, or one is not finite.
  init?(_ intervals: Intervals, coefficients: [Double]) {
    guard coefficients.count == intervals.coefficientCount, coefficients.allSatisfy(\.isFinite) else { return nil }
    self.intervals = intervals
    self.coefficients = coefficients
  }

  /// The value at a place of the square.
  func value(at p: Point2) -> Double {
    let (across, down) = (Taps(p.x, intervals: intervals.across), Taps(p.y, intervals: intervals.down))
    var sum = 0.0
    for k in 0..<4 {
      let start = (down.first + k) * intervals.columns + across.first
      for i in 0..<4 { sum += coefficients[start + i] * across.values[i] * down.values[k] }
    }
    return sum
  }

  /// The coefficients across of the curve at a height: what `value(_:of:)` reads.
  func curve(down place: Double) -> [Double] {
    let down = Taps(place, intervals: intervals.down)
    return (0..<intervals.columns).map { column in
      var sum = 0.0
      for k in 0..<4 { sum += coefficients[(down.first + k) * intervals.columns + column] * down.values[k] }
      return sum
    }
  }

  /// The value at a place of a curve across.
  @inline(__always)
  static func value(_ taps: Taps, of curve: [Double]) -> Double {
    var sum = 0.0
    for i in 0..<4 { sum += curve[taps.first + i] * taps.values[i] }
    return sum
  }
}

extension SplineSurface {
  /// Weighted values along a way over the square.
  struct Samples: Sendable {
    var places: [Point2]
    var values: [Double]
    var weights: [Double]
    /// True where the values are known but for a constant that all of them share.
    var isFree: Bool
  }

  /// The surface of least weighted squares.
  ///
  /// - Parameters:
  ///   - bend: what the difference of differences of neighbouring coefficients weighs, across and down.
  ///   - size: what a coefficient weighs, which keeps near 0 what the samples do not tell.
  /// - Returns: `nil` where the samples determine none.
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
      // The constant of least squares is the weighted mean of what is left: its equation is taken out of the others.
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

/// The normal equations of a least-squares problem of any number of unknowns, of which each equation has a few.
private struct SymmetricSystem {
  let count: Int
  /// The lower half of the matrix, in full rows.
  private var rows: [Double]
  private var rhs: [Double]

  init(count: Int) {
    self.count = count
    rows = [Double](repeating: 0, count: count * count)
    rhs = [Double](repeating: 0, count: count)
  }

  /// Adds an equation; the indices of its terms rise.
  mutating func add(_ terms: [(index: Int, value: Double)], _ value: Double, weight: Double) {
    for (k, a) in terms.enumerated() {
      let weighted = a.value * weight
      rhs[a.index] += weighted * value
      let row = a.index * count
      for b in terms[...k] { rows[row + b.index] += weighted * b.value }
    }
  }

  /// By an LDLᵀ factorisation without pivoting, as `NormalEquations` does it; `nil` where the matrix is not positive definite.
  var solution: [Double]? {
    var l = rows
    var x = rhs
    let isSolved = l.withUnsafeMutableBufferPointer { l -> Bool in
      for j in 0..<count {
        let row = j * count
        let limit = l[row + j] * 1e-13
        for i in 0..<j {
          // Row i of L is divided by its diagonal element when it is used, so that each product is taken once.
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
