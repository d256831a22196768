import WaymarkImage

/// Finds quadrilateral areas that are brighter or darker than their surroundings: pages whose sides are bent or whose edges
/// are too blurred for lines.
final class RegionSearch {
  /// The number of pixels per cell of a mask in each direction.
  private static let refinement = 4
  /// The probabilities, scaled to 0…255, above which cells form an area of the page.
  private static let probabilities = [127, 64, 191]

  private var levels: [UInt8] = []
  private var areas = ComponentLabels()
  private var width = 0
  private var height = 0

  /// Returns the quadrilaterals of large areas above or below several gray levels, in pixels of the work picture.
  func quadrilaterals(_ picture: WorkingPicture) -> [Quadrilateral] {
    reduce(picture)
    guard width >= 16, height >= 16 else { return [] }
    var found: [Quadrilateral] = []
    for threshold in thresholds() {
      for isBright in [true, false] {
        label(threshold, isBright)
        for component in largeComponents() {
          guard let q = quadrilateral(component), QuadSearch.looksLikeRectangle(q) else { continue }
          // Scaled from half resolution to the resolution of the work picture.
          let quad = q.scaled(by: 2)
          if !found.contains(where: { $0.largestCornerDistance(to: quad) < 5 }) { found.append(quad) }
        }
      }
    }
    return found
  }

  /// Returns the quadrilateral of the largest area above each of three probabilities, in pixels of a work picture of the given
  /// size.
  ///
  /// - Parameter probabilities: The probabilities of `side` × `side` equal parts of the picture, row by row.
  func quadrilaterals(of probabilities: [Float], side: Int, width: Int, height: Int) -> [Quadrilateral] {
    // The grid is finer than the mask's, so that borders between cells are interpolated.
    self.width = side * Self.refinement
    self.height = side * Self.refinement
    let count = self.width * self.height
    if levels.count != count { levels = [UInt8](repeating: 0, count: count) }
    let taps = (0..<self.width).map { LinearTap(middleOf: $0, of: self.width, in: side) }
    for (y, down) in taps.enumerated() {
      for (x, across) in taps.enumerated() {
        func row(_ y: Int) -> Double {
          across.mix(Double(probabilities[y * side + across.low]), Double(probabilities[y * side + across.high]))
        }
        let value = down.mix(row(down.low), row(down.high))
        levels[y &* self.width &+ x] = UInt8(max(0, min(255, value * 255)))
      }
    }
    let scale = Point2(Double(width) / Double(self.width), Double(height) / Double(self.height))
    return Self.probabilities.compactMap { level in
      label(level, true)
      guard let component = largeComponents().first else { return nil }
      return quadrilateral(component)?.mapped { ($0 + 0.5) * scale - 0.5 }
    }
  }

  /// Reduces the picture to half resolution with the darkest of three channels. White paper is bright in all three; a coloured
  /// background is not.
  private func reduce(_ picture: WorkingPicture) {
    width = picture.width / 2
    height = picture.height / 2
    if levels.count != width * height { levels = [UInt8](repeating: 0, count: width * height) }
    levels.withUnsafeMutableBufferPointer { levels in
      for y in 0..<height {
        for x in 0..<width {
          let i = 2 &* y &* picture.width &+ 2 &* x
          var least = picture.closed[0].pixels[i]
          for c in 1..<max(1, picture.planeCount) { least = min(least, picture.closed[c].pixels[i]) }
          levels[y &* width &+ x] = least
        }
      }
    }
  }

  /// Returns thresholds between the dark and the bright end of the histogram.
  private func thresholds() -> [Int] {
    let histogram = GrayHistogram(levels)
    func quantile(_ share: Double) -> Int {
      histogram.level(behind: Int(share * Double(levels.count)) - 1) ?? 255
    }
    let (low, high) = (quantile(0.03), quantile(0.97))
    guard high - low >= 12 else { return [] }
    let steps = 8
    return (1..<steps).map { low + (high - low) * $0 / steps }
  }

  /// Labels the areas on one side of the threshold.
  private func label(_ threshold: Int, _ isBright: Bool) {
    levels.withUnsafeBufferPointer { levels in
      areas.label(width: width, height: height, isEightConnected: false) { (Int(levels[$0]) > threshold) == isBright }
    }
  }

  /// Returns the two largest areas that fill 4 to 95 % of the picture: the outermost points of each row, and the size in pixels.
  private func largeComponents() -> [(points: [Point2], area: Double)] {
    var sizes = [Int](repeating: 0, count: areas.count)
    for run in areas.runs { sizes[Int(run.component)] += Int(run.to - run.from) }
    let all = width * height
    let large = sizes.enumerated().filter { $0.element > all / 25 && $0.element < all * 19 / 20 }
      .sorted { ($0.element, $0.offset) > ($1.element, $1.offset) }.prefix(2)
    return large.map { component in
      var points: [Point2] = []
      var row: Int32 = -1
      for run in areas.runs where Int(run.component) == component.offset {
        if run.y == row, !points.isEmpty {
          points[points.count - 1].x = Double(run.to - 1)
        } else {
          points.append(Point2(Double(run.from), Double(run.y)))
          points.append(Point2(Double(run.to - 1), Double(run.y)))
          row = run.y
        }
      }
      return (points, Double(component.element))
    }
  }

  /// Returns the largest quadrilateral in an area's convex hull; `nil` unless the area is 0.7 to 1.25 times as large.
  private func quadrilateral(_ component: (points: [Point2], area: Double)) -> Quadrilateral? {
    let hull = Self.convexHull(component.points)
    let n = hull.count
    guard n >= 4 else { return nil }
    var best = (area: 0.0, corners: [0, 0, 0, 0])
    for i in 0..<n {
      var (j, l) = (i + 1, i + 2)
      for k in (i + 2)..<max(i + 2, n) {
        let diagonal = hull[k] - hull[i]
        func height(_ m: Int) -> Double { abs(diagonal.cross(hull[m % n] - hull[i])) }
        while j + 1 < k, height(j + 1) > height(j) { j += 1 }
        l = max(l, k + 1)
        while l + 1 < i + n, height(l + 1) > height(l) { l += 1 }
        guard l < i + n else { continue }
        let area = 0.5 * (height(j) + height(l))
        if area > best.area { best = (area, [i, j, k, l % n]) }
      }
    }
    guard best.area > 0, component.area > 0.7 * best.area, component.area < 1.25 * best.area else { return nil }
    let quad = Quadrilateral(corners: best.corners.map { hull[$0] }).clockwise
    return quad.isConvex ? quad : nil
  }

  /// Returns the convex hull (A. M. Andrew, "Another efficient algorithm for convex hulls in two dimensions", 1979).
  static func convexHull(_ points: [Point2]) -> [Point2] {
    let sorted = points.sorted { ($0.x, $0.y) < ($1.x, $1.y) }
    guard sorted.count > 2 else { return sorted }
    func half(_ list: some Sequence<Point2>) -> [Point2] {
      var hull: [Point2] = []
      for p in list {
        while hull.count >= 2, (hull[hull.count - 1] - hull[hull.count - 2]).cross(p - hull[hull.count - 2]) <= 0 {
          hull.removeLast()
        }
        hull.append(p)
      }
      return hull.dropLast()
    }
    return half(sorted) + half(sorted.reversed())
  }
}
