package import WaymarkGeometry
package import WaymarkImage

/// Estimates the illumination of a poster from the bare wall around it.
///
/// The poster itself cannot say whether a part of it is printed darker or lit less. A wall of one colour can: its gray levels around the
/// outline make a smooth surface of second degree, in logarithms because light multiplies. Where they do not (a patterned wall, a frame, a
/// shadow's edge), nothing is told.
package struct IlluminationModel: Sendable {
  /// The logarithm of the light; the rectangle is −1 to 1 both ways.
  private let light: QuadraticSurface
  /// How many times brighter the brightest place of the rectangle is lit than the darkest.
  let unevenness: Double
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
    var samples: [QuadraticSurface.Sample] = []
    var sides: Set<Int> = []
    for side in 0..<4 {
      for step in 0..<Self.steps {
        let along = 2.2 * (Double(step) + 0.5) / Double(Self.steps) - 1.1
        for distance in Self.distances {
          let out = 1 + 2 * distance
          let place = [Point2(along, -out), Point2(out, along), Point2(along, out), Point2(-out, along)][side]
          let p = map.apply(place)
          guard !others.contains(where: { $0.contains(p) }), let level = Self.level(picture, p) else { continue }
          samples.append(QuadraticSurface.Sample(place, Double.naturalLogarithm(level)))
          sides.insert(side)
        }
      }
    }
    guard samples.count >= 96, sides.count >= 3, let (surface, spread) = Self.fit(samples), spread < 0.04 else {
      return nil
    }
    light = surface
    var (low, high, sum) = (Double.infinity, -Double.infinity, 0.0)
    let grid = 9
    for i in 0..<(grid * grid) {
      let place = Point2(Double(i % grid), Double(i / grid)) / Double(grid - 1) * 2 - 1
      let value = surface.value(at: place)
      low = min(low, value)
      high = max(high, value)
      sum += value
    }
    unevenness = Double.exponential(high - low)
    mean = sum / Double(grid * grid)
    // More than any lamp does: something else was measured.
    guard unevenness < 8 else { return nil }
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
  private static func fit(_ samples: [QuadraticSurface.Sample]) -> (surface: QuadraticSurface, spread: Double)? {
    var samples = samples
    var found: QuadraticSurface?
    var spread = 0.0
    for _ in 0..<8 {
      if let found {
        for i in samples.indices {
          let share = (samples[i].value - found.value(at: samples[i].place)) / (6 * max(spread, 0.002))
          samples[i].weight = abs(share) < 1 ? (1 - share * share) * (1 - share * share) : 0
        }
      }
      guard let next = QuadraticSurface(samples) else { return nil }
      found = next
      let deviations = samples.map { abs($0.value - next.value(at: $0.place)) }.sorted()
      spread = deviations[deviations.count / 2]
    }
    return found.map { ($0, spread) }
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
            let value = light.value(at: Point2(2 * Double(x) / Double(width - 1) - 1, v))
            let gain = Double.exponential(mean - value)
            let at = 3 * (y * width + x)
            for c in 0..<3 { out[at + c] = UInt8(min(max((Double(bytes[at + c]) * gain).rounded(), 0), 255)) }
          }
        }
      }
    }
  }
}
