package import WaymarkGeometry
package import WaymarkImage

/// Estimates the illumination of a poster from the bare wall around it.
///
/// The poster itself cannot say whether a part of it is printed darker or lit less. A wall of one colour can: its gray levels around the
/// outline make a smooth surface of second degree, in logarithms because light multiplies. Where they do not (a patterned wall, a frame, a
/// shadow's edge), nothing is told.
package struct IlluminationModel: Sendable {
  /// Of 1, u, v, u², uv, v²; the rectangle is −1 to 1 both ways.
  private let weights: [Double]
  /// How many times brighter the brightest place of the rectangle is lit than the darkest.
  package let unevenness: Double
  private let mean: Double

  /// How much of the rectangle's size the ring around it is wide.
  private static let distances = [0.03, 0.06, 0.1, 0.15]
  private static let steps = 24

  /// - Parameters:
  ///   - outline: the poster's corners in the picture.
  ///   - others: what hangs beside it and is not a wall.
  /// - Returns: `nil` where too little wall is in the picture, or the wall does not tell.
  package init?(_ picture: ImageView, around outline: Quadrilateral, without others: [Quadrilateral] = []) {
    let unit = Quadrilateral(
      topLeft: Point2(-1, -1), topRight: Point2(1, -1), bottomRight: Point2(1, 1), bottomLeft: Point2(-1, 1))
    guard let map = Homography(from: unit, to: outline) else { return nil }
    let others = others.map { $0.grown(by: 1.15) }
    var samples: [(place: Point2, level: Double)] = []
    var sides: Set<Int> = []
    for side in 0..<4 {
      for step in 0..<Self.steps {
        let along = 2.2 * (Double(step) + 0.5) / Double(Self.steps) - 1.1
        for distance in Self.distances {
          let out = 1 + 2 * distance
          let place = [Point2(along, -out), Point2(out, along), Point2(along, out), Point2(-out, along)][side]
          let p = map.apply(place)
          guard !others.contains(where: { $0.contains(p) }), let level = Self.level(picture, p) else { continue }
          samples.append((place, Double.naturalLogarithm(level)))
          sides.insert(side)
        }
      }
    }
    guard samples.count >= 96, sides.count >= 3, let (weights, spread) = Self.fit(samples), spread < 0.04 else {
      return nil
    }
    self.weights = weights
    var (low, high, sum) = (Double.infinity, -Double.infinity, 0.0)
    let grid = 9
    for i in 0..<(grid * grid) {
      let place = Point2(Double(i % grid), Double(i / grid)) / Double(grid - 1) * 2 - 1
      let light = Self.value(weights, place)
      low = min(low, light)
      high = max(high, light)
      sum += light
    }
    unevenness = Double.exponential(high - low)
    mean = sum / Double(grid * grid)
    // More than any lamp does: something else was measured.
    guard unevenness < 8 else { return nil }
  }

  private static func terms(_ p: Point2) -> SIMD8<Double> { SIMD8(1, p.x, p.y, p.x * p.x, p.x * p.y, p.y * p.y, 0, 0) }

  private static func value(_ weights: [Double], _ p: Point2) -> Double {
    let terms = terms(p)
    return (0..<6).reduce(0) { $0 + weights[$1] * terms[$1] }
  }

  /// The mean of a few pixels; `nil` at the edge of the picture, and where it is too dark or too bright to tell.
  private static func level(_ picture: ImageView, _ p: Point2) -> Double? {
    guard p.x >= 3, p.y >= 3, p.x < Double(picture.width - 3), p.y < Double(picture.height - 3) else { return nil }
    var sum = 0
    for y in (Int(p.y) - 2)...(Int(p.y) + 2) {
      for x in (Int(p.x) - 2)...(Int(p.x) + 2) { sum += Int(picture.row(y)[x]) }
    }
    let level = Double(sum) / 25
    return level > 8 && level < 250 ? level : nil
  }

  /// Least squares, reweighted by Tukey's biweight; and the median deviation that is left.
  private static func fit(_ samples: [(place: Point2, level: Double)]) -> (weights: [Double], spread: Double)? {
    var weights: [Double]?
    var spread = 0.0
    for _ in 0..<8 {
      var equations = NormalEquations()
      for sample in samples {
        var trust = 1.0
        if let weights {
          let share = (sample.level - value(weights, sample.place)) / (6 * max(spread, 0.002))
          trust = abs(share) < 1 ? (1 - share * share) * (1 - share * share) : 0
        }
        equations.add(terms(sample.place), sample.level, weight: trust)
      }
      guard let solution = equations.solve(count: 6) else { return nil }
      let now = (0..<6).map { solution[$0] }
      weights = now
      let deviations = samples.map { abs($0.level - value(now, $0.place)) }.sorted()
      spread = deviations[deviations.count / 2]
    }
    return weights.map { ($0, spread) }
  }

  /// The rectified poster under even light of the same mean.
  package func evened(_ poster: RGBImage) -> RGBImage {
    let (width, height) = (poster.width, poster.height)
    guard width > 1, height > 1 else { return poster }
    return RGBImage(width: width, height: height) { out in
      poster.withBytes { bytes in
        for y in 0..<height {
          let v = 2 * Double(y) / Double(height - 1) - 1
          for x in 0..<width {
            let light = Self.value(weights, Point2(2 * Double(x) / Double(width - 1) - 1, v))
            let gain = Double.exponential(mean - light)
            let at = 3 * (y * width + x)
            for c in 0..<3 { out[at + c] = UInt8(min(max((Double(bytes[at + c]) * gain).rounded(), 0), 255)) }
          }
        }
      }
    }
  }
}

extension Quadrilateral {
  fileprivate func grown(by factor: Double) -> Quadrilateral {
    let c = center
    func out(_ p: Point2) -> Point2 { c + (p - c) * factor }
    return Quadrilateral(
      topLeft: out(topLeft), topRight: out(topRight), bottomRight: out(bottomRight), bottomLeft: out(bottomLeft))
  }
}
