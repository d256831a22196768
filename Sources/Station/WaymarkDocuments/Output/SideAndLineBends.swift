import WaymarkImage

/// The deviations of a page's sides from the chords between its corners, in units of the page. `LineBends` below are the deviations
/// of its lines of text.
struct SideBends: Sendable {
  /// The coefficients a and b of the deviation t (1 - t) (a + b t), which is 0 at both corners.
  private var coefficients: [(a: Double, b: Double)]
  static let count = 8
  /// The least share of a side that must be seen to measure its bend.
  static let leastSeen = 0.8

  /// Two numbers per side: top, right, bottom, left.
  var numbers: [Double] { coefficients.flatMap { [$0.a, $0.b] } }

  /// Creates bends from their stored numbers; `nil` unless there are `count` numbers, all finite and below 4 in magnitude.
  init?(numbers: [Double]) {
    guard numbers.count == Self.count, numbers.allSatisfy({ $0.isFinite && abs($0) < 4 }) else { return nil }
    coefficients = stride(from: 0, to: Self.count, by: 2).map { (numbers[$0], numbers[$0 + 1]) }
  }

  /// Measures the bends of a page; `nil` if the sides are straight, or too little of them was seen.
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
    // Bends of less than a few pixels are within the error of tracing.
    guard largest > 0.004 else { return nil }
  }

  /// Returns the least-squares fit, repeated without outliers; `nil` if no more than twelve points are left.
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

/// The deviations of a page's lines of text from straight lines after its sides were straightened, in units of the page: a
/// smooth field of downward displacements, fitted to the lowest ink of characters ("feet") and to the sides.
///
/// On measuring curled paper by its lines of text: N. Stamatopoulos, B. Gatos, I. Pratikakis, S. Perantonis, "Goal-oriented
/// rectification of camera-based document images", IEEE Transactions on Image Processing 20 (2011); M. Zucker, "page_dewarp"
/// (2016).
struct LineBends: Hashable, Sendable {
  /// The intervals of the displacements' surface: finer than folds, and coarse enough to be determined by a few lines.
  private static let intervals = SplineSurface.Intervals(across: 12, down: 8)
  static let count = intervals.coefficientCount
  /// The largest displacement in units of the page.
  private static let most = 0.3
  /// The least spacing of neighbouring rows after displacement, relative to their spacing before, so that a page is not folded over
  /// itself.
  private static let leastStep = 0.3
  private let field: SplineSurface

  /// The coefficients of the displacements' spline surface, in units of the page's height.
  var numbers: [Double] { field.coefficients }

  /// Creates displacements from their stored numbers; `nil` if the number of them is wrong, or they are too large or fold the page.
  init?(numbers: [Double]) {
    guard let field = SplineSurface(Self.intervals, coefficients: numbers), Self.isPossible(field) else { return nil }
    self.field = field
  }

  private static func isPossible(_ field: SplineSurface) -> Bool {
    guard field.coefficients.allSatisfy({ abs($0) < most }) else { return false }
    let steps = 24
    return (0...steps).allSatisfy { i in
      let column = (0...steps).map { k in
        field.value(at: Point2(Double(i) / Double(steps), Double(k) / Double(steps)))
      }
      return zip(column, column.dropFirst()).allSatisfy { 1 + ($1 - $0) * Double(steps) > leastStep }
    }
  }

  /// The displacements along the row at `v`, for columns given as `taps`.
  struct Row {
    private let curve: [Double]

    init(_ bends: LineBends, at v: Double) { curve = bends.field.curve(down: v) }

    @inline(__always)
    func shift(_ taps: SplineSurface.Taps) -> Double { SplineSurface.value(taps, of: curve) }
  }

  static func taps(_ u: Double) -> SplineSurface.Taps { SplineSurface.Taps(u, intervals: intervals.across) }

  // MARK: - Measuring

  /// A side of the page: its traced points, and how far each is below a straight side.
  typealias Edge = [(place: Point2, shift: Double)]

  /// The least root mean square bend of the lines, in heights of a character, from which a page is straightened.
  private static let leastBend = 0.12
  /// If the sides are bent, the least deviation of the lines from level, in heights of a character. Skewed print on a flat page is
  /// left unchanged.
  private static let leastTilt = 0.3
  /// The least share of the sum of squared deviations that the field must remove.
  private static let leastGain = 0.5
  /// The least share of feet that must be at the positions given by the field, and the least number of lines.
  private static let leastAgreement = 0.6
  private static let leastLines = 3
  /// The weights of the field's second differences, and of its coefficients, as inverse squares of their usual size in units of the page.
  private static let bend = (across: 1 / (0.006 * 0.006), down: 1 / (0.004 * 0.004))
  private static let size = 1 / (0.1 * 0.1)
  /// The error of traced sides in units of the page.
  private static let edgeError = 0.003

  /// A line of text with its level after straightening.
  private struct Line {
    var feet: [Point2]
    var level: Double
  }

  /// Finds bent lines on a page whose sides are straight.
  ///
  /// - Parameters:
  ///   - page: The page in gray, upright.
  ///   - edges: The traced points of its upper and lower side.
  ///   - hasBentSides: True if the page is known not to be flat.
  /// - Returns: The bends; `nil` if there is too little text, the lines are straight already, or no smooth field straightens them.
  init?(on page: GrayImage, edges: [Edge], hasBentSides: Bool) {
    let baselines = TextBaselines(in: Binarization.apply(page))
    let unit = Point2(1 / Double(page.width), 1 / Double(page.height))
    let height = baselines.height * unit.y
    var lines = baselines.lines.map { feet -> Line in
      let places = feet.map { ($0 + 0.5) * unit }
      return Line(feet: places, level: places.reduce(0) { $0 + $1.y } / Double(max(1, places.count)))
    }
    guard lines.count >= Self.leastLines else { return nil }
    var found: SplineSurface?
    // Letters with descenders, and lines joined by mistake, lose their weight once the field is approximately known.
    for scale in [Double.infinity, 1, 0.4, 0.2, 0.2] {
      func weight(_ error: Double, _ scale: Double) -> Double { 1 / (1 + error * error / (scale * scale)) }
      var samples: [SplineSurface.Samples] = []
      let precision = 1 / (0.1 * height * 0.1 * height)
      for i in lines.indices {
        let level = lines[i].level
        let places = lines[i].feet.map { Point2($0.x, level) }
        let weights = zip(places, lines[i].feet).map { place, foot in
          precision * (found.map { weight(foot.y - level - $0.value(at: place), scale * height) } ?? 1)
        }
        samples.append(
          .init(places: places, values: lines[i].feet.map { $0.y - level }, weights: weights, isFree: true))
      }
      for edge in edges {
        let weights = edge.map { seen in
          let error = found.map { seen.shift - $0.value(at: seen.place) } ?? 0
          return weight(error, max(2 * Self.edgeError, min(scale, 1) * height)) / (Self.edgeError * Self.edgeError)
        }
        samples.append(
          .init(places: edge.map(\.place), values: edge.map(\.shift), weights: weights, isFree: false))
      }
      guard let field = SplineSurface(Self.intervals, fitting: samples, bend: Self.bend, size: Self.size) else {
        return nil
      }
      found = field
      for i in lines.indices { lines[i].level = Self.level(of: lines[i], field, samples[i].weights) }
      // The first fields are smoother than the bend, so half of the final limit is enough.
      guard Self.isLarge(lines, field, height / 2, hasBentSides) else { return nil }
    }
    guard let found else { return nil }
    let rounded = SplineSurface(Self.intervals, coefficients: found.coefficients.map { ($0 * 1e6).rounded() / 1e6 })
    guard let rounded, Self.isPossible(rounded), Self.isLarge(lines, rounded, height, hasBentSides),
      Self.straightens(lines, rounded, height, hasBentSides)
    else { return nil }
    field = rounded
  }

  private static func level(of line: Line, _ field: SplineSurface, _ weights: [Double]) -> Double {
    var (sum, weight) = (0.0, 0.0)
    for (foot, w) in zip(line.feet, weights) {
      sum += w * (foot.y - field.value(at: Point2(foot.x, line.level)))
      weight += w
    }
    return weight > 0 ? sum / weight : line.level
  }

  /// Returns whether a field displaces lines by enough to change the page.
  private static func isLarge(_ lines: [Line], _ field: SplineSurface, _ height: Double, _ hasBentSides: Bool) -> Bool {
    displacement(of: lines, field, isTilt: false) >= leastBend * height
      || hasBentSides && displacement(of: lines, field, isTilt: true) >= leastTilt * height
  }

  /// Returns the root mean square deviation that the field causes at all feet, from straight lines or from level lines.
  private static func displacement(of lines: [Line], _ field: SplineSurface, isTilt: Bool) -> Double {
    var (sum, count) = (0.0, 0)
    for line in lines {
      let shifted = line.feet.map { Point2($0.x, field.value(at: Point2($0.x, line.level))) }
      for error in errors(of: shifted, fromLevel: isTilt) { sum += error * error }
      count += shifted.count
    }
    return count > 0 ? (sum / Double(count)).squareRoot() : 0
  }

  /// Returns the deviations of points from the straight line fitted to them, or from a level line, by least squares.
  private static func errors(of points: [Point2], fromLevel: Bool) -> [Double] {
    let mean = points.reduce(Point2(0, 0), +) / Double(max(1, points.count))
    let (xx, xy) = points.reduce((0.0, 0.0)) { sum, p in
      let step = p - mean
      return (sum.0 + step.x * step.x, sum.1 + step.x * step.y)
    }
    let slope = xx > 0 && !fromLevel ? xy / xx : 0
    return points.map { $0.y - mean.y - slope * ($0.x - mean.x) }
  }

  /// Returns whether the field straightens the lines: most feet are at the field's positions, and much nearer to these than to
  /// straight lines.
  private static func straightens(
    _ lines: [Line], _ field: SplineSurface, _ height: Double, _ hasBentSides: Bool
  ) -> Bool {
    var (before, after, near, count) = (0.0, 0.0, 0, 0)
    for line in lines {
      let rest = line.feet.map { $0.y - line.level - field.value(at: Point2($0.x, line.level)) }
      let kept = rest.indices.filter { abs(rest[$0]) < 0.5 * height }
      near += rest.count { abs($0) < 0.3 * height }
      count += rest.count
      for k in kept { after += rest[k] * rest[k] }
      for error in errors(of: kept.map { line.feet[$0] }, fromLevel: hasBentSides) { before += error * error }
    }
    return Double(near) >= leastAgreement * Double(count) && after < leastGain * before
  }
}
