import WaymarkGeometry

/// Finds quadrilaterals as areas that are brighter, or darker, than what surrounds them: pages whose sides are bent or whose edges
/// are too blurred for lines.
final class RegionSearch {
  private struct Run {
    var y: Int32
    var from: Int32
    var to: Int32
    var parent: Int32
  }

  /// Pixels in which a place of a mask is looked at, across and down.
  private static let refinement = 4

  private var levels: [UInt8] = []
  private var runs: [Run] = []
  private var width = 0
  private var height = 0

  /// Quadrilaterals in pixels of the work picture.
  func quadrilaterals(_ picture: WorkingPicture) -> [Quadrilateral] {
    reduce(picture)
    guard width >= 16, height >= 16 else { return [] }
    var found: [Quadrilateral] = []
    for threshold in thresholds() {
      for isBright in [true, false] {
        label(threshold, isBright)
        for component in largeComponents() {
          guard let q = quadrilateral(component), QuadSearch.looksLikeRectangle(q) else { continue }
          // From half the resolution back to that of the work picture.
          let quad = q.scaled(by: 2)
          if !found.contains(where: { $0.largestCornerDistance(to: quad) < 5 }) { found.append(quad) }
        }
      }
    }
    return found
  }

  /// The quadrilateral of the largest area where a page probably is, in pixels of a work picture of that size.
  ///
  /// - Parameter probabilities: of `side` × `side` equal parts of the picture, row by row.
  func quadrilateral(of probabilities: [Float], side: Int, width: Int, height: Int) -> Quadrilateral? {
    // Finer than the mask, so that the border between two of its places is found by their values.
    self.width = side * Self.refinement
    self.height = side * Self.refinement
    let count = self.width * self.height
    if levels.count != count { levels = [UInt8](repeating: 0, count: count) }
    func place(_ i: Int) -> (low: Int, share: Float) {
      let at = min(max(0, (Float(i) + 0.5) / Float(Self.refinement) - 0.5), Float(side - 1))
      let low = min(Int(at), side - 2)
      return (low, at - Float(low))
    }
    let places = (0..<self.width).map(place)
    for (y, down) in places.enumerated() {
      for (x, across) in places.enumerated() {
        func row(_ y: Int) -> Float {
          let i = y * side + across.low
          return probabilities[i] * (1 - across.share) + probabilities[i + 1] * across.share
        }
        let value = row(down.low) * (1 - down.share) + row(down.low + 1) * down.share
        levels[y &* self.width &+ x] = UInt8(max(0, min(255, value * 255)))
      }
    }
    label(127, true)
    guard let component = largeComponents().first else { return nil }
    let corners = quadrilateral(component)?.corners.map {
      Point2(
        ($0.x + 0.5) * Double(width) / Double(self.width) - 0.5,
        ($0.y + 0.5) * Double(height) / Double(self.height) - 0.5)
    }
    guard let c = corners else { return nil }
    let quad = Quadrilateral(topLeft: c[0], topRight: c[1], bottomRight: c[2], bottomLeft: c[3])
    return QuadSearch.looksLikeRectangle(quad) ? quad : nil
  }

  /// Half the resolution; of three channels the darkest: white paper is bright in all of them, coloured ground is not.
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

  /// Levels between the dark and the bright end of what occurs.
  private func thresholds() -> [Int] {
    var histogram = [Int](repeating: 0, count: 256)
    for level in levels { histogram[Int(level)] += 1 }
    func quantile(_ share: Double) -> Int {
      var rest = Int(share * Double(levels.count))
      for (level, count) in histogram.enumerated() {
        rest -= count
        if rest <= 0 { return level }
      }
      return 255
    }
    let (low, high) = (quantile(0.03), quantile(0.97))
    guard high - low >= 12 else { return [] }
    let steps = 8
    return (1..<steps).map { low + (high - low) * $0 / steps }
  }

  /// Runs of pixels on one side of the threshold, joined where they touch.
  private func label(_ threshold: Int, _ isBright: Bool) {
    runs.removeAll(keepingCapacity: true)
    var previous = 0..<0
    levels.withUnsafeBufferPointer { levels in
      for y in 0..<height {
        let start = runs.count
        let row = y &* width
        var x = 0
        while x < width {
          if (Int(levels[row &+ x]) > threshold) == isBright {
            let from = x
            while x < width, (Int(levels[row &+ x]) > threshold) == isBright { x &+= 1 }
            runs.append(Run(y: Int32(y), from: Int32(from), to: Int32(x), parent: Int32(runs.count)))
          } else {
            x &+= 1
          }
        }
        var k = previous.lowerBound
        for i in start..<runs.count {
          while k < previous.upperBound, runs[k].to <= runs[i].from { k += 1 }
          var j = k
          while j < previous.upperBound, runs[j].from < runs[i].to {
            let (a, b) = (root(i), root(j))
            if a != b { runs[max(a, b)].parent = Int32(min(a, b)) }
            j += 1
          }
        }
        previous = start..<runs.count
      }
    }
  }

  private func root(_ index: Int) -> Int {
    var i = index
    while Int(runs[i].parent) != i {
      runs[i].parent = runs[Int(runs[i].parent)].parent
      i = Int(runs[i].parent)
    }
    return i
  }

  /// The ends of the runs of the largest areas.
  private func largeComponents() -> [(points: [Point2], area: Double)] {
    var areas: [Int: Int] = [:]
    var roots = [Int](repeating: 0, count: runs.count)
    for i in runs.indices {
      roots[i] = root(i)
      areas[roots[i], default: 0] += Int(runs[i].to - runs[i].from)
    }
    let all = width * height
    let large = areas.filter { $0.value > all / 25 && $0.value < all * 19 / 20 }
      .sorted { ($0.value, $0.key) > ($1.value, $1.key) }.prefix(2)
    return large.map { component in
      var points: [Point2] = []
      var row: Int32 = -1
      for i in runs.indices where roots[i] == component.key {
        let run = runs[i]
        if run.y == row, !points.isEmpty {
          points[points.count - 1].x = Double(run.to - 1)
        } else {
          points.append(Point2(Double(run.from), Double(run.y)))
          points.append(Point2(Double(run.to - 1), Double(run.y)))
          row = run.y
        }
      }
      return (points, Double(component.value))
    }
  }

  /// The largest quadrilateral in the convex hull, if the area fills it.
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
    let c = best.corners.map { hull[$0] }
    var quad = Quadrilateral(topLeft: c[0], topRight: c[1], bottomRight: c[2], bottomLeft: c[3])
    if quad.signedArea < 0 { quad = Quadrilateral(topLeft: c[0], topRight: c[3], bottomRight: c[2], bottomLeft: c[1]) }
    return quad.isConvex ? quad : nil
  }

  /// A. M. Andrew, "Another efficient algorithm for convex hulls in two dimensions", 1979.
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
