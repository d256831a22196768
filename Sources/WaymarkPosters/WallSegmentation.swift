import WaymarkGeometry
import WaymarkImage

/// A colour by logarithms: how bright, and twice how coloured. Light multiplies, so that it adds to the first alone.
typealias LogColour = SIMD4<Float>

extension LogColour {
  init(red: Float, green: Float, blue: Float) {
    // The offset keeps the noise of dark pixels from growing without bounds.
    let (r, g, b) = (
      Float(Double.naturalLogarithm(Double(red) + 12)), Float(Double.naturalLogarithm(Double(green) + 12)),
      Float(Double.naturalLogarithm(Double(blue) + 12))
    )
    self.init((r + g + b) / 3, r - g, g - b, 0)
  }
}

/// Separates the wall in a photograph from the things that hang on it.
///
/// The wall is what most of the photograph's border shows. Its colour under uneven light is a surface of second degree, fitted to the
/// border first, then to all that agrees, and at last corrected by what is seen nearby. How much it varies (grain, a
/// pattern, noise) is measured on itself; what lies further off hangs on it.
struct WallSegmentation {
  /// Pixels of the photograph in one of these, both ways.
  let scale: Double
  let width: Int
  let height: Int
  /// True if something hangs there.
  private(set) var isForeground: [Bool]

  private static let side = 640
  /// How many deviations of the wall count as something else.
  private static let bound: Float = 4.5
  /// How far from the wall's surface its border may be.
  private static let loose = LogColour(0.12, 0.05, 0.05, 1)
  /// How often the light is corrected by the wall nearby, which goes on a radius at a time.
  private static let rounds = 5
  /// Of each of the three parts of a colour.
  private typealias Surface = [QuadraticSurface]

  /// - Returns: `nil` where the border shows no wall.
  init?(_ photo: RGBImage) {
    let long = max(photo.width, photo.height)
    // In strips there is no wall around anything.
    guard min(photo.width, photo.height) >= 64, 16 * min(photo.width, photo.height) >= long else { return nil }
    scale = max(1, Double(long) / Double(Self.side))
    width = Int(Double(photo.width) / scale)
    height = Int(Double(photo.height) / scale)
    isForeground = []
    let small = scale > 1 ? photo.resized(width: width, height: height) : photo
    var colours = [LogColour](repeating: .zero, count: width * height)
    small.withBytes { bytes in
      for i in colours.indices {
        colours[i] = LogColour(
          red: Float(bytes[3 * i]), green: Float(bytes[3 * i + 1]), blue: Float(bytes[3 * i + 2]))
      }
    }
    colours = Self.blurred(colours, width, height, radius: 1)
    guard let surface = surface(colours) else { return nil }
    var residuals = colours
    for y in 0..<height {
      for x in 0..<width { residuals[y * width + x] -= value(surface, x, y) }
    }
    isForeground = classified(residuals, colours)
  }

  // MARK: The surface

  private func place(_ x: Int, _ y: Int) -> Point2 {
    Point2(2 * Double(x) / Double(width - 1) - 1, 2 * Double(y) / Double(height - 1) - 1)
  }

  private func value(_ surface: Surface, _ x: Int, _ y: Int) -> LogColour {
    let p = place(x, y)
    return LogColour(
      Float(surface[0].value(at: p)), Float(surface[1].value(at: p)), Float(surface[2].value(at: p)), 0)
  }

  private func isBorder(_ x: Int, _ y: Int) -> Bool {
    let m = max(3, min(width, height) / 20)
    return x < m || y < m || x >= width - m || y >= height - m
  }

  /// How far a residual is from none, in the deviations given.
  private static func distance(_ r: LogColour, _ spread: LogColour) -> Float {
    let d = r / spread
    return (d * d).sum().squareRoot()
  }

  private func surface(_ colours: [LogColour]) -> Surface? {
    var places: [(x: Int, y: Int, isBorder: Bool)] = []
    let step = max(2, min(width, height) / 100)
    for y in stride(from: 1, to: height, by: step) {
      for x in stride(from: 1, to: width, by: step) { places.append((x, y, isBorder(x, y))) }
    }
    let border = places.filter(\.isBorder)
    guard border.count >= 40 else { return nil }
    // Planes through three places of the border: the one with which most of the border agrees.
    var random = RandomSource(seed: 1)
    var best: (surface: Surface, support: Double)?
    for _ in 0..<160 {
      let chosen = (0..<3).map { _ in border[random.below(border.count)] }
      guard let plane = fit(chosen.map { ($0.x, $0.y, 1) }, colours, isPlane: true) else { continue }
      // Steeper than light falls off.
      guard zip(plane, [1, 0.2, 0.2]).allSatisfy({ max(abs($0.slope.x), abs($0.slope.y)) < $1 }) else { continue }
      var support = 0.0
      for p in border {
        let d = Self.distance(colours[p.y * width + p.x] - value(plane, p.x, p.y), Self.loose)
        support += Double(max(0, 1 - d * d))
      }
      if support > best?.support ?? 0 { best = (plane, support) }
    }
    guard var found = best?.surface else { return nil }
    // The light's curvature follows from what agrees, of the border first and of all at last.
    for round in 0..<9 {
      let width = Self.loose * max(1, 2.2 - 0.2 * Float(round))
      var weighted: [(Int, Int, Double)] = []
      for p in round < 4 ? border : places {
        let d = Self.distance(colours[p.y * self.width + p.x] - value(found, p.x, p.y), width)
        if d < 1 { weighted.append((p.x, p.y, Double((1 - d * d) * (1 - d * d)))) }
      }
      guard weighted.count >= 30, let next = fit(weighted, colours) else { return round > 0 ? found : nil }
      found = next
    }
    return found
  }

  private func fit(_ places: [(Int, Int, Double)], _ colours: [LogColour], isPlane: Bool = false) -> Surface? {
    let parts = (0..<3).compactMap { part in
      let samples = places.lazy.map { x, y, weight in
        QuadraticSurface.Sample(place(x, y), Double(colours[y * width + x][part]), weight: weight)
      }
      // Places of which the border alone tells nothing count as flat.
      return QuadraticSurface(samples, isPlane: isPlane, damping: isPlane ? 0 : 1e-3)
    }
    return parts.count == 3 ? parts : nil
  }

  // MARK: What is not the wall

  private func classified(_ residuals: [LogColour], _ colours: [LogColour]) -> [Bool] {
    // Noise of a gray level and a half, which weighs more where it is dark.
    let noise = colours.map { c -> Float in Float(1.0 / Double.exponential(Double(c.x))) }
    var local = [LogColour](repeating: .zero, count: residuals.count)
    var thing = [Bool](repeating: false, count: residuals.count)
    let radius = max(6, width / 36)
    for round in 0..<Self.rounds {
      let spread = deviations(residuals, local)
      for i in residuals.indices {
        let n = noise[i]
        let d = Self.distance(residuals[i] - local[i], spread + LogColour(n, 1.5 * n, 1.5 * n, 0))
        thing[i] = d > Self.bound
      }
      guard round < Self.rounds - 1 else { break }
      let wall = connectedToBorder(thing)
      var sums = [LogColour](repeating: .zero, count: residuals.count)
      for i in residuals.indices where wall[i] {
        sums[i] = residuals[i]
        sums[i].w = 1
      }
      let means = Self.blurred(sums, width, height, radius: radius)
      for i in local.indices {
        local[i] = means[i] / (means[i].w + 0.02)
        local[i].w = 0
      }
    }
    return thing
  }

  /// The median deviations of the border's wall from its mean, as those of a normal distribution.
  private func deviations(_ residuals: [LogColour], _ local: [LogColour]) -> LogColour {
    var all: [[Float]] = [[], [], []]
    for y in stride(from: 0, to: height, by: 2) {
      for x in stride(from: 0, to: width, by: 2) where isBorder(x, y) {
        let i = y * width + x
        guard Self.distance(residuals[i], Self.loose) < 2 else { continue }
        let r = residuals[i] - local[i]
        for k in 0..<3 { all[k].append(abs(r[k])) }
      }
    }
    var spread = LogColour(0.004, 0.004, 0.004, 1)
    for k in 0..<3 where !all[k].isEmpty {
      let sorted = all[k].sorted()
      // A pattern of two colours has no tails; the 85th hundredth stands for it where the median does not.
      spread[k] = max(spread[k], 1.48 * sorted[sorted.count / 2], 0.7 * sorted[sorted.count * 17 / 20])
    }
    return spread
  }

  /// The wall that goes on to the border: what looks like it within a picture does not tell of its light.
  private func connectedToBorder(_ thing: [Bool]) -> [Bool] {
    var flood = FloodFill(width: width, height: height)
    func begin(_ x: Int, _ y: Int) { if !thing[y * width + x] { flood.begin(x: x, y: y) } }
    for x in 0..<width {
      begin(x, 0)
      begin(x, height - 1)
    }
    for y in 0..<height {
      begin(0, y)
      begin(width - 1, y)
    }
    flood.run { _, to in !thing[to.index] }
    return flood.isReached
  }

  /// Means of squares of `2 · radius + 1` pixels; beyond the border as at it.
  private static func blurred(_ from: [LogColour], _ width: Int, _ height: Int, radius: Int) -> [LogColour] {
    let share = 1 / Float((2 * radius + 1) * (2 * radius + 1))
    return BoxSum.sums(of: from, width: width, height: height, radius: radius).map { $0 * share }
  }
}
