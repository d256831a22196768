import WaymarkGeometry
import WaymarkImage

/// The four outer corners of a finder pattern as it lies in the picture: three patterns give twelve points, from which the
/// perspective of a tilted code follows without a search.
struct FinderCorners {
  /// Top left, top right, bottom right, bottom left of the pattern in the frame of its code.
  let corners: [Point2]

  /// Floods the dark ring around the core, and takes its outermost pixels towards the four diagonals of the code.
  ///
  /// - Parameters:
  ///   - u: towards the right of the code; its length does not matter.
  ///   - v: towards its bottom.
  /// - Returns: `nil` where the ring runs into something else, as it does where it is blurred.
  init?(
    _ pattern: FinderPattern, towards u: Point2, _ v: Point2, in view: ImageView, levels: BlockMean, dark: Bool
  ) {
    // Seven modules across; under a strong tilt what is measured along rows and columns understates the diagonal.
    let reach = Int(6 * max(pattern.moduleX, pattern.moduleY)) + 3
    let (cx, cy) = (Int(pattern.center.x.rounded()), Int(pattern.center.y.rounded()))
    let (x0, y0) = (max(0, cx - reach), max(0, cy - reach))
    let (x1, y1) = (min(view.width - 1, cx + reach), min(view.height - 1, cy + reach))
    guard x0 < cx, cx < x1, y0 < cy, cy < y1, reach < 400, abs(u.cross(v)) > 0 else { return nil }
    func isDark(_ x: Int, _ y: Int) -> Bool { levels.isDark(view, x, y) == dark }
    // Through the core and the light ring to the dark one.
    var x = cx
    while x < x1, isDark(x, cy) { x += 1 }
    while x < x1, !isDark(x, cy) { x += 1 }
    guard x < x1, Double(x - cx) < 5 * pattern.moduleX else { return nil }
    let width = x1 - x0 + 1
    var seen = [Bool](repeating: false, count: width * (y1 - y0 + 1))
    var stack = [(x, cy)]
    seen[(cy - y0) * width + x - x0] = true
    var area = 0
    var best = [(score: Double, at: Point2)](repeating: (-.infinity, pattern.center), count: 4)
    // The same point in the frame of the code: p = a·u + b·v.
    let scale = 1 / u.cross(v)
    while let (px, py) = stack.popLast() {
      area += 1
      let d = Point2(Double(px), Double(py)) - pattern.center
      let a = d.cross(v) * scale
      let b = u.cross(d) * scale
      let scores = [-a - b, a - b, a + b, b - a]
      for i in 0..<4 where scores[i] > best[i].score { best[i] = (scores[i], Point2(Double(px), Double(py))) }
      for (nx, ny) in [(px - 1, py), (px + 1, py), (px, py - 1), (px, py + 1)] {
        // A ring that leaves the picture has no corners there; one that leaves the reach is none.
        guard nx >= x0, ny >= y0, nx <= x1, ny <= y1 else { return nil }
        let i = (ny - y0) * width + nx - x0
        if !seen[i], isDark(nx, ny) {
          seen[i] = true
          stack.append((nx, ny))
        }
      }
    }
    // The ring has 24 modules; what merges with its surroundings has more. A sheared one covers less than its extents say.
    let ring = 24 * pattern.moduleX * pattern.moduleY
    guard Double(area) > 0.2 * ring, Double(area) < 1.7 * ring + 20 else { return nil }
    // From the middle of the outermost pixel to its rim.
    corners = best.map { corner in
      let d = corner.at - pattern.center
      return corner.at + d * (0.5 / max(1, d.length))
    }
    let quad = Quadrilateral(topLeft: corners[0], topRight: corners[1], bottomRight: corners[2], bottomLeft: corners[3])
    // The core is in the middle.
    guard abs(quad.signedArea) > 0.3 * 49 * pattern.moduleX * pattern.moduleY,
      quad.center.distance(to: pattern.center) < 1.5 * max(pattern.moduleX, pattern.moduleY)
    else { return nil }
  }
}

/// The twelve corners of three finder patterns.
struct TripletCorners {
  private let seen: [[Point2]]

  init?(_ triplet: QRTriplet, in view: ImageView, levels: BlockMean, inverted: Bool) {
    let u = triplet.topRight.center - triplet.topLeft.center
    let v = triplet.bottomLeft.center - triplet.topLeft.center
    var seen: [[Point2]] = []
    for pattern in [triplet.topLeft, triplet.topRight, triplet.bottomLeft] {
      guard let found = FinderCorners(pattern, towards: u, v, in: view, levels: levels, dark: !inverted) else {
        return nil
      }
      seen.append(found.corners)
    }
    self.seen = seen
  }

  /// The map from the modules of a layout that takes the corners where they were seen, and how far off it is on average,
  /// in pixels.
  func map(_ layout: QRLayout) -> (map: Homography, error: Double)? {
    let far = Double(layout.side - 7)
    var pairs: [PointPair] = []
    for (origin, corners) in zip([Point2(0, 0), Point2(far, 0), Point2(0, far)], seen) {
      for (module, place) in zip([Point2(0, 0), Point2(7, 0), Point2(7, 7), Point2(0, 7)], corners) {
        pairs.append(PointPair(reference: origin + module, frame: place))
      }
    }
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
