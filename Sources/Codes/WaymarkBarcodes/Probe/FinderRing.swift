import WaymarkImage

/// The dark ring of a finder pattern as it lies in the picture: its outermost pixels are its corners, so that three patterns
/// give twelve points, from which the perspective of a tilted code follows without a search, and two give eight.
final class FinderRing {
  /// The first and the last pixel of the ring in each row, from the middle of the pattern.
  private let rim: [Point2]
  private let center: Point2
  private let module: Double
  /// The size of the pixels in which it was flooded.
  private let pixel: Double

  /// Floods the dark ring around the core of a pattern.
  ///
  /// - Parameters:
  ///   - middle: of the pattern, in pixels.
  ///   - moduleX: the size of a module along the rows, in pixels; `moduleY` along the columns.
  /// - Returns: `nil` where the ring runs into something else, as it does where it is blurred.
  init?(around middle: Point2, moduleX: Double, moduleY: Double, in view: ImageView, levels: BlockMean, dark: Bool) {
    // Seven modules across; under a strong tilt what is measured along rows and columns understates the diagonal.
    let reach = Int(6 * max(moduleX, moduleY)) + 3
    let (cx, cy) = (Int(middle.x.rounded()), Int(middle.y.rounded()))
    let (x0, y0) = (max(0, cx - reach), max(0, cy - reach))
    let (x1, y1) = (min(view.width - 1, cx + reach), min(view.height - 1, cy + reach))
    guard x0 < cx, cx < x1, y0 < cy, cy < y1, reach < 400 else { return nil }
    center = middle
    module = (moduleX * moduleY).squareRoot()
    // Through the core and the light ring to the dark one.
    var x = cx
    while x < x1, levels.isDark(view, x, cy) == dark { x += 1 }
    while x < x1, levels.isDark(view, x, cy) != dark { x += 1 }
    guard x < x1, Double(x - cx) < 5 * moduleX else { return nil }
    let width = x1 - x0 + 1
    // The ring has 24 modules; what merges with its surroundings has more. A sheared one covers less than its extents say.
    let ring = 24 * moduleX * moduleY
    let most = Int(1.7 * ring + 20)
    var spans = [(first: Int, last: Int)](repeating: (Int.max, Int.min), count: y1 - y0 + 1)
    var area = 0
    var flood = FloodFill(width: width, height: y1 - y0 + 1)
    flood.begin(x: x - x0, y: cy - y0)
    // A ring that leaves the picture has no corners there; one that leaves the reach is none.
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

  /// Top left, top right, bottom right, bottom left of the pattern in the frame of its code.
  ///
  /// - Parameters:
  ///   - u: towards the right of the code; its length does not matter.
  ///   - v: towards its bottom.
  func corners(towards u: Point2, _ v: Point2) -> [Point2]? {
    let area = u.cross(v)
    guard abs(area) > 0 else { return nil }
    // The same point in the frame of the code: p = a·u + b·v.
    let toA = Point2(v.y, -v.x) / area
    let toB = Point2(-u.y, u.x) / area
    var best = [(score: Double, at: Point2)](repeating: (-.infinity, .zero), count: 4)
    for d in rim {
      let (a, b) = (d.dot(toA), d.dot(toB))
      let scores = SIMD4(-a - b, a - b, a + b, b - a)
      for i in 0..<4 where scores[i] > best[i].score { best[i] = (scores[i], d) }
    }
    // From the middle of the outermost pixel to its rim.
    let corners = best.map { center + $0.at + $0.at * (0.5 * pixel / max(pixel, $0.at.length)) }
    let quad = Quadrilateral(corners: corners)
    // The core is in the middle.
    guard abs(quad.signedArea) > 0.3 * 49 * module * module, quad.center.distance(to: center) < 1.5 * module
    else { return nil }
    return corners
  }

  /// The same in a picture of `factor` times the size.
  func scaled(by factor: Double) -> FinderRing { FinderRing(self, scaledBy: factor) }

  private init(_ other: FinderRing, scaledBy factor: Double) {
    center = (other.center + 0.5) * factor - 0.5
    module = other.module * factor
    pixel = other.pixel * factor
    rim = other.rim.map { $0 * factor }
  }
}
