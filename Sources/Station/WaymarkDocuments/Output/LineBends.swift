import WaymarkImage

/// How far the lines of text on a page are from straight after its sides were made so, in units of the page: a smooth field of displacements
/// downwards, fitted to the feet of characters and to the sides.
///
/// Lines of text as the clue to how paper is curled: N. Stamatopoulos, B. Gatos, I. Pratikakis, S. Perantonis, "Goal-oriented rectification of
/// camera-based document images", IEEE Transactions on Image Processing 20 (2011); M. Zucker, "page_dewarp" (2016).
struct LineBends: Hashable, Sendable {
  /// Finer than folds are seen, and coarse enough for a few lines to tell all of it.
  private static let intervals = SplineSurface.Intervals(across: 12, down: 8)
  /// The number of `numbers`.
  static let count = intervals.coefficientCount
  /// No place is displaced by more, in units of the page.
  private static let most = 0.3
  /// A page is not folded over itself: what is one below another stays so.
  private static let leastStep = 0.3
  private let field: SplineSurface

  /// The displacements, in units of the page's height.
  var numbers: [Double] { field.coefficients }

  /// Displacements that were kept as numbers; nil for what no page has.
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

  /// How a place of the page lies lower in the picture than straight lines have it: in a row at `v`, for places made by `taps`.
  struct Row {
    private let curve: [Double]

    init(_ bends: LineBends, at v: Double) { curve = bends.field.curve(down: v) }

    @inline(__always)
    func shift(_ taps: SplineSurface.Taps) -> Double { SplineSurface.value(taps, of: curve) }
  }

  static func taps(_ u: Double) -> SplineSurface.Taps { SplineSurface.Taps(u, intervals: intervals.across) }

  // MARK: - From what is seen

  /// A side of the page: the places of it that were traced, and how far these lie below a straight one.
  typealias Edge = [(place: Point2, shift: Double)]

  /// The lines' own bends must be this large, in heights of a character, for a page to be changed.
  private static let leastBend = 0.12
  /// Or, where its sides are bent, how far the lines are from level: print that is askew on a flat page stays so.
  private static let leastTilt = 0.3
  /// The share of them that the field takes away at least.
  private static let leastGain = 0.5
  /// So many feet at least are where the field has them.
  private static let leastAgreement = 0.6
  private static let leastLines = 3
  /// The weight of the field against feet: a fold rises by a fifth of the way at most.
  private static let bend = (across: 1 / (0.006 * 0.006), down: 1 / (0.004 * 0.004))
  private static let size = 1 / (0.1 * 0.1)
  /// How far traced sides are off, in units of the page.
  private static let edgeError = 0.003

  /// A line of text with where it stands if it is made straight.
  private struct Line {
    var feet: [Point2]
    var level: Double
  }

  /// Looks for bent lines on a page whose sides are straight.
  ///
  /// - Parameters:
  ///   - page: gray, upright.
  ///   - edges: what was seen of its upper and lower side.
  ///   - hasBentSides: true if the page is known not to be flat.
  /// - Returns: nil where there is too little text to tell, the lines are straight already, or no smooth field makes them so.
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
    // Letters that reach below the line, and lines that were joined, count little once the field is about known.
    for scale in [Double.infinity, 1, 0.4, 0.2, 0.2] {
      func weight(_ error: Double, _ scale: Double) -> Double { 1 / (1 + error * error / (scale * scale)) }
      var samples: [SplineSurface.Samples] = []
      let sureness = 1 / (0.1 * height * 0.1 * height)
      for i in lines.indices {
        let level = lines[i].level
        let places = lines[i].feet.map { Point2($0.x, level) }
        let weights = zip(places, lines[i].feet).map { place, foot in
          sureness * (found.map { weight(foot.y - level - $0.value(at: place), scale * height) } ?? 1)
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
      // The first field is soft, but takes up most of a bend.
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

  /// Returns whether a field displaces lines by enough to be worth a change of the page.
  private static func isLarge(_ lines: [Line], _ field: SplineSurface, _ height: Double, _ hasBentSides: Bool) -> Bool {
    displacement(of: lines, field, isTilt: false) >= leastBend * height
      || hasBentSides && displacement(of: lines, field, isTilt: true) >= leastTilt * height
  }

  /// How far the field takes lines away from straight ones, or from level ones, in the root of the mean square over all feet.
  private static func displacement(of lines: [Line], _ field: SplineSurface, isTilt: Bool) -> Double {
    var (sum, count) = (0.0, 0)
    for line in lines {
      let shifted = line.feet.map { Point2($0.x, field.value(at: Point2($0.x, line.level))) }
      for error in errors(of: shifted, fromLevel: isTilt) { sum += error * error }
      count += shifted.count
    }
    return count > 0 ? (sum / Double(count)).squareRoot() : 0
  }

  /// How far points are above or below the straight line through them, or the level one, by least squares.
  private static func errors(of points: [Point2], fromLevel: Bool) -> [Double] {
    let mean = points.reduce(Point2(0, 0), +) / Double(max(1, points.count))
    let (xx, xy) = points.reduce((0.0, 0.0)) { sum, p in
      let step = p - mean
      return (sum.0 + step.x * step.x, sum.1 + step.x * step.y)
    }
    let slope = xx > 0 && !fromLevel ? xy / xx : 0
    return points.map { $0.y - mean.y - slope * ($0.x - mean.x) }
  }

  /// Returns whether feet stand straighter by the field: most of them where it has them, and those much nearer than to straight lines.
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
