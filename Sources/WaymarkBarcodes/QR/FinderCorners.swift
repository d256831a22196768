import WaymarkGeometry
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

  /// Floods the dark ring around the core.
  ///
  /// - Returns: `nil` where the ring runs into something else, as it does where it is blurred.
  init?(_ pattern: FinderPattern, in view: ImageView, levels: BlockMean, dark: Bool) {
    // Seven modules across; under a strong tilt what is measured along rows and columns understates the diagonal.
    let reach = Int(6 * max(pattern.moduleX, pattern.moduleY)) + 3
    let (cx, cy) = (Int(pattern.center.x.rounded()), Int(pattern.center.y.rounded()))
    let (x0, y0) = (max(0, cx - reach), max(0, cy - reach))
    let (x1, y1) = (min(view.width - 1, cx + reach), min(view.height - 1, cy + reach))
    guard x0 < cx, cx < x1, y0 < cy, cy < y1, reach < 400 else { return nil }
    center = pattern.center
    module = pattern.module
    // Through the core and the light ring to the dark one.
    var x = cx
    while x < x1, levels.isDark(view, x, cy) == dark { x += 1 }
    while x < x1, levels.isDark(view, x, cy) != dark { x += 1 }
    guard x < x1, Double(x - cx) < 5 * pattern.moduleX else { return nil }
    let width = x1 - x0 + 1
    // The ring has 24 modules; what merges with its surroundings has more. A sheared one covers less than its extents say.
    let ring = 24 * pattern.moduleX * pattern.moduleY
    let most = Int(1.7 * ring + 20)
    var seen = [Bool](repeating: false, count: width * (y1 - y0 + 1))
    var spans = [(first: Int, last: Int)](repeating: (Int.max, Int.min), count: y1 - y0 + 1)
    var stack = [(x, cy)]
    seen[(cy - y0) * width + x - x0] = true
    var area = 0
    while let (px, py) = stack.popLast() {
      area += 1
      guard area < most else { return nil }
      spans[py - y0].first = min(spans[py - y0].first, px)
      spans[py - y0].last = max(spans[py - y0].last, px)
      for (nx, ny) in [(px - 1, py), (px + 1, py), (px, py - 1), (px, py + 1)] {
        // A ring that leaves the picture has no corners there; one that leaves the reach is none.
        guard nx >= x0, ny >= y0, nx <= x1, ny <= y1 else { return nil }
        let i = (ny - y0) * width + nx - x0
        if !seen[i], levels.isDark(view, nx, ny) == dark {
          seen[i] = true
          stack.append((nx, ny))
        }
      }
    }
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
    let quad = Quadrilateral(topLeft: corners[0], topRight: corners[1], bottomRight: corners[2], bottomLeft: corners[3])
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

/// The corners of two or three finder patterns of a code: eight or twelve points.
struct TripletCorners {
  /// Which corner of the code a pattern stands in, as multiples of the far end: (0, 0), (1, 0) or (0, 1).
  typealias Place = Point2

  private let seen: [(place: Place, corners: [Point2])]

  /// - Returns: `nil` where a ring of the three was not found.
  init?(_ triplet: QRTriplet) {
    self.init(
      [([0, 0], triplet.topLeft), ([1, 0], triplet.topRight), ([0, 1], triplet.bottomLeft)],
      towards: triplet.topRight.center - triplet.topLeft.center, triplet.bottomLeft.center - triplet.topLeft.center)
  }

  init?(_ patterns: [(place: Place, pattern: FinderPattern)], towards u: Point2, _ v: Point2) {
    var seen: [(place: Place, corners: [Point2])] = []
    for (place, pattern) in patterns {
      guard let found = pattern.ring?.corners(towards: u, v) else { return nil }
      seen.append((place, found))
    }
    self.seen = seen
  }

  /// The mean area of the patterns, in pixels.
  var area: Double {
    let areas = seen.map { _, c in
      abs(Quadrilateral(topLeft: c[0], topRight: c[1], bottomRight: c[2], bottomLeft: c[3]).signedArea)
    }
    return areas.reduce(0, +) / Double(max(1, areas.count))
  }

  /// The map from the modules of a layout that takes the corners where they were seen, and how far off it is on average,
  /// in pixels.
  func map(_ layout: QRLayout) -> (map: Homography, error: Double)? { map(layout, extra: nil) }

  /// The same with the alignment pattern opposite the corner, where it can be seen: it alone tells where the side without a
  /// finder pattern lies.
  ///
  /// - Parameters:
  ///   - fit: of a picture in which `factor` pixels of the corners' picture make one.
  ///   - flat: the map to that picture without the alignment pattern.
  /// - Returns: the map to that picture.
  func map(_ layout: QRLayout, and fit: QRGridFit, _ flat: Homography, factor: Double, reach: Double = 2.5)
    -> Homography?
  {
    guard let last = layout.alignmentLines.last,
      let shift = fit.shift(of: (last, last), flat, Point2(0, 0), reach: reach, contrast: fit.contrast(flat))
    else { return nil }
    let module = Point2(Double(last) + 0.5, Double(last) + 0.5)
    let place = (flat.apply(module) + shift + 0.5) * factor - 0.5
    guard let map = map(layout, extra: PointPair(reference: module, frame: place))?.map else { return nil }
    return Homography.resize(Point2(1, 1) / factor) * map
  }

  private func map(_ layout: QRLayout, extra: PointPair?) -> (map: Homography, error: Double)? {
    let far = Double(layout.side - 7)
    var pairs: [PointPair] = []
    for (place, corners) in seen {
      let origin = place * far
      for (module, corner) in zip([Point2(0, 0), Point2(7, 0), Point2(7, 7), Point2(0, 7)], corners) {
        pairs.append(PointPair(reference: origin + module, frame: corner))
      }
    }
    if let extra { pairs += [extra, extra, extra, extra] }
    return pairs.withUnsafeBufferPointer { pairs in
      guard let map = Homography.fit(pairs) else { return nil }
      let error = pairs.reduce(0.0) { $0 + map.apply($1.reference).distance(to: $1.frame) } / Double(pairs.count)
      guard error.isFinite else { return nil }
      return (map: map, error: error)
    }
  }

  /// Layouts by how well the corners fit them: the sizes of the patterns in relation to their distance tell how many
  /// modules lie between.
  func layouts(around guess: QRLayout) -> [QRLayout] {
    let around = (-4...4).compactMap { QRLayout(version: guess.version + $0) }
    return around.compactMap { layout in map(layout).map { (layout, $0.error) } }
      .sorted { $0.1 < $1.1 }.map { $0.0 }
  }
}
