import WaymarkImage

/// The dark ring of a finder pattern in the picture. Its outermost pixels are its corners. The twelve corners of three patterns
/// determine the perspective of a tilted code without a search; two patterns give eight corners. The file also has the similarity
/// of a position to a finder pattern (`FinderShape`), and the corners of the rings of other symbols (`RingCorners`).
final class FinderRing {
  /// The first and the last pixel of the ring in each row, relative to the centre of the pattern.
  private let rim: [Point2]
  private let center: Point2
  private let module: Double
  /// The size of a pixel of the picture in which the ring was flood-filled, in pixels of the current picture.
  private let pixel: Double

  /// Flood-fills the dark ring around the core of a pattern.
  ///
  /// - Parameters:
  ///   - middle: the centre of the pattern, in pixels.
  ///   - moduleX: the size of a module along the rows, in pixels; `moduleY` along the columns.
  ///   - dark: false if the ring is light on dark.
  /// - Returns: `nil` if the ring extends beyond the picture, or merges with its surroundings, as blur may cause.
  init?(around middle: Point2, moduleX: Double, moduleY: Double, in view: ImageView, levels: BlockMean, dark: Bool) {
    // The ring is seven modules wide; under a strong tilt its diagonal is longer than the sizes along rows and columns
    // suggest.
    let reach = Int(6 * max(moduleX, moduleY)) + 3
    let (cx, cy) = (Int(middle.x.rounded()), Int(middle.y.rounded()))
    let (x0, y0) = (max(0, cx - reach), max(0, cy - reach))
    let (x1, y1) = (min(view.width - 1, cx + reach), min(view.height - 1, cy + reach))
    guard x0 < cx, cx < x1, y0 < cy, cy < y1, reach < 400 else { return nil }
    center = middle
    module = (moduleX * moduleY).squareRoot()
    // Passes through the core and the light ring to the dark ring.
    var x = cx
    while x < x1, levels.isDark(view, x, cy) == dark { x += 1 }
    while x < x1, levels.isDark(view, x, cy) != dark { x += 1 }
    guard x < x1, Double(x - cx) < 5 * moduleX else { return nil }
    let width = x1 - x0 + 1
    // The ring has 24 modules. A ring that merges with its surroundings has more pixels, a sheared ring fewer than its extents
    // suggest.
    let ring = 24 * moduleX * moduleY
    let most = Int(1.7 * ring + 20)
    var spans = [(first: Int, last: Int)](repeating: (Int.max, Int.min), count: y1 - y0 + 1)
    var area = 0
    var flood = FloodFill(width: width, height: y1 - y0 + 1)
    flood.begin(x: x - x0, y: cy - y0)
    // A ring that extends beyond the picture lacks corners; a region beyond the reach is not a ring.
    let outcome = flood.run(endsAtBorder: true) { _, to in
      levels.isDark(view, x0 + to.x, y0 + to.y) == dark
    } visit: { place in
      area += 1
      spans[place.y].first = min(spans[place.y].first, x0 + place.x)
      spans[place.y].last = max(spans[place.y].last, x0 + place.x)
      return area < most ? .spread : .end
    }
    guard outcome == .filled else { return nil }
    guard Double(area) > 0.2 * ring else { return nil }
    var rim: [Point2] = []
    for (i, span) in spans.enumerated() where span.first <= span.last {
      rim.append(Point2(Double(span.first), Double(y0 + i)) - center)
      rim.append(Point2(Double(span.last), Double(y0 + i)) - center)
    }
    self.rim = rim
    pixel = 1
  }

  /// Returns the corners of the ring: top left, top right, bottom right, bottom left in the frame of its code; `nil` if it
  /// is too small, or not centred on the core.
  ///
  /// - Parameters:
  ///   - u: the direction to the right of the code; its length does not matter.
  ///   - v: the direction to the bottom of the code.
  func corners(towards u: Point2, _ v: Point2) -> [Point2]? {
    let area = u.cross(v)
    guard abs(area) > 0 else { return nil }
    // The coordinates of a point p in the frame of the code: p = a·u + b·v.
    let toA = Point2(v.y, -v.x) / area
    let toB = Point2(-u.y, u.x) / area
    var best = [(score: Double, at: Point2)](repeating: (-.infinity, .zero), count: 4)
    for d in rim {
      let (a, b) = (d.dot(toA), d.dot(toB))
      let scores = SIMD4(-a - b, a - b, a + b, b - a)
      for i in 0..<4 where scores[i] > best[i].score { best[i] = (scores[i], d) }
    }
    // From the centre of the outermost pixel to its outer edge.
    let corners = best.map { center + $0.at + $0.at * (0.5 * pixel / max(pixel, $0.at.length)) }
    let quad = Quadrilateral(corners: corners)
    // The ring must be centred on the core.
    guard abs(quad.signedArea) > 0.3 * 49 * module * module, quad.center.distance(to: center) < 1.5 * module
    else { return nil }
    return corners
  }

  /// Returns the ring in a copy of the picture of `factor` times the size.
  func scaled(by factor: Double) -> FinderRing { FinderRing(self, scaledBy: factor) }

  private init(_ other: FinderRing, scaledBy factor: Double) {
    center = (other.center + 0.5) * factor - 0.5
    module = other.module * factor
    pixel = other.pixel * factor
    rim = other.rim.map { $0 * factor }
  }
}

// MARK: - Likeness

/// The similarity of a position to a finder pattern with its light border: nine by nine modules in a given frame.
enum FinderShape {
  /// Returns the correlation of brightness with the pattern, −1 to 1, positive for dark on light, and the mean contrast in
  /// gray levels; both are 0 if fewer than 45 of the 81 samples are inside the picture.
  ///
  /// - Parameters:
  ///   - u: the vector of one module along a row of the code, in pixels.
  ///   - v: the vector of one module along a column, in pixels.
  static func likeness(_ view: ImageView, _ center: Point2, _ u: Point2, _ v: Point2) -> (
    correlation: Double, contrast: Double
  ) {
    var (n, sum, squares, pattern, product) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for dy in -4...4 {
      for dx in -4...4 {
        let p = center + Double(dx) * u + Double(dy) * v
        guard p.x >= 0, p.y >= 0, p.x < Double(view.width - 1), p.y < Double(view.height - 1) else { continue }
        let ring = max(abs(dx), abs(dy))
        let expected = ring == 2 || ring == 4 ? 1.0 : 0
        let value = view.sample(p)
        n += 1
        sum += value
        squares += value * value
        pattern += expected
        product += expected * value
      }
    }
    // More than half of the samples must be inside the picture, and both dark and light samples among them.
    guard n >= 45, pattern >= 12, n - pattern >= 12 else { return (0, 0) }
    let spread = (squares - sum * sum / n) * (pattern - pattern * pattern / n)
    guard spread > 0 else { return (0, 0) }
    let light = product / pattern
    let dark = (sum - product) / (n - pattern)
    return ((product - sum * pattern / n) / spread.squareRoot(), light - dark)
  }
}

// MARK: - Corners of other rings

/// Finds the four outer corners of a square ring around a point, in any rotation.
enum RingCorners {
  /// Returns the corners of the ring, clockwise; `nil` if no closed square ring of about this size surrounds the centre.
  ///
  /// - Parameters:
  ///   - unit: the width of a ring along rows and along columns, in pixels.
  ///   - isDark: true if the ring is dark.
  ///   - tones: the areas from the centre to the right up to the ring: true for an area with the tone of the ring.
  ///   - modules: the outer width of the ring in units.
  static func find(
    _ view: ImageView, levels: BlockMean, around center: Point2, unit: Point2, isDark: Bool, past tones: [Bool],
    modules: Double
  ) -> Quadrilateral? {
    let reach = Int(9 * max(unit.x, unit.y)) + 4
    let (cx, cy) = (Int(center.x.rounded()), Int(center.y.rounded()))
    let (x0, y0) = (max(0, cx - reach), max(0, cy - reach))
    let (x1, y1) = (min(view.width - 1, cx + reach), min(view.height - 1, cy + reach))
    guard x0 < x1, y0 < y1, reach < 600, cx >= x0, cx <= x1, cy >= y0, cy <= y1 else { return nil }
    func isRing(_ x: Int, _ y: Int) -> Bool { levels.isDark(view, x, y) == isDark }
    var x = cx
    for tone in tones { while x < x1, isRing(x, cy) == tone { x += 1 } }
    guard x < x1, Double(x - cx) < 5 * unit.x + 2 else { return nil }
    var pixels: [Point2] = []
    let most = Int(2.5 * 24 * unit.x * unit.y) + 40
    var flood = FloodFill(width: x1 - x0 + 1, height: y1 - y0 + 1)
    flood.begin(x: x - x0, y: cy - y0)
    let outcome = flood.run(endsAtBorder: true) { _, to in
      isRing(x0 + to.x, y0 + to.y)
    } visit: { place in
      pixels.append(Point2(Double(x0 + place.x), Double(y0 + place.y)))
      return pixels.count <= most ? .spread : .end
    }
    guard outcome == .filled else { return nil }
    guard pixels.count > 12 else { return nil }
    func farthest(_ measure: (Point2) -> Double) -> Point2 {
      pixels.max { measure($0) < measure($1) } ?? center
    }
    let a = farthest { ($0 - center).dot($0 - center) }
    let c = farthest { ($0 - a).dot($0 - a) }
    let b = farthest { (c - a).cross($0 - a) }
    let d = farthest { -(c - a).cross($0 - a) }
    // From the centre of the outermost pixel to its outer edge.
    let quad = [a, b, c, d].map { p in p + (p - center) * (0.5 / max(1, (p - center).length)) }
    let result = Quadrilateral(corners: quad)
    // A round ring has no corners: a circle fills its outline more than a square ring can.
    let fill = Double(pixels.count) / max(1, abs(result.signedArea))
    guard abs(result.signedArea) > 0.3 * modules * modules * unit.x * unit.y, fill > 0.3, fill < 0.72 else {
      return nil
    }
    return result.clockwise
  }
}
