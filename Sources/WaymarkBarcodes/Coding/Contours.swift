import WaymarkGeometry
import WaymarkImage

/// The borders between dark and light, followed along the cracks between pixels with the dark side to the right, and made
/// polygons.
///
/// Every border is followed once, whether it is the rim of something dark or of something light inside it. It becomes a polygon for each
/// size of things it may hold: where a symbol touches a shadow, its border is a small part of a long one.
struct Contours {
  /// A closed polygon; coordinates as of pixels, whose middles are whole numbers.
  struct Polygon {
    /// The points of the border between pixels, in order.
    var points: [Point2]
    /// The indices of the corners among them.
    var corners: [Int]
    /// The sides, in pixels, that are as straight as those of a symbol may be; shorter and longer ones are those of another polygon of
    /// the same border.
    var sides: ClosedRange<Double>
    /// True if the same points make another polygon of more corners after this one.
    var isFollowed = false
  }

  private(set) var polygons: [Polygon] = []
  /// True if the budget did not last to the last row.
  private(set) var isLimited = false

  /// - Parameters:
  ///   - levels: what parts dark from light.
  ///   - shortest: borders of fewer pixels are left out.
  ///   - budget: how many pixels of border may be followed.
  ///   - isFine: makes a polygon for each size of things, not only for that of the border itself.
  init(_ view: ImageView, levels: BlockMean, shortest: Int = 40, budget: Int = 400_000, isFine: Bool = true) {
    let (width, height) = (view.width, view.height)
    guard width > 2, height > 2 else { return }
    let picture = levels.threshold(view)
    let pixels = picture.unsafeView
    defer { withExtendedLifetime(picture) {} }
    var followed = [Bool](repeating: false, count: width * height)
    // Outside the picture it is light.
    @inline(__always) func isDark(_ x: Int, _ y: Int) -> Bool {
      x >= 0 && y >= 0 && x < width && y < height && pixels.row(y)[x] == 0
    }
    var budget = budget
    var path: [SIMD2<Int32>] = []
    for y in 0..<height {
      let row = pixels.row(y)
      for x in 0..<width where row[x] == 0 && (x == 0 || row[x - 1] != 0) && !followed[y * width + x] {
        guard budget > 0 else {
          isLimited = true
          return
        }
        path.removeAll(keepingCapacity: true)
        // Up along the left side of this pixel. Directions: right, down, left, up.
        var (px, py, direction) = (x, y + 1, 3)
        repeat {
          switch direction {
          case 0: px += 1
          case 1: py += 1
          case 2: px -= 1
          default:
            py -= 1
            followed[py * width + px] = true
          }
          path.append([Int32(px), Int32(py)])
          let left: Bool
          let right: Bool
          switch direction {
          case 0: (left, right) = (isDark(px, py - 1), isDark(px, py))
          case 1: (left, right) = (isDark(px, py), isDark(px - 1, py))
          case 2: (left, right) = (isDark(px - 1, py), isDark(px - 1, py - 1))
          default: (left, right) = (isDark(px - 1, py - 1), isDark(px, py - 1))
          }
          if !right { direction = (direction + 1) & 3 } else if left { direction = (direction + 3) & 3 }
        } while (px, py, direction) != (x, y + 1, 3) && path.count <= budget
        budget -= path.count
        if path.count >= shortest { polygons += Self.polygons(path, isFine: isFine) }
      }
    }
  }

  /// Sides may be bent by this share of the extent of their polygon, or by the least number of pixels.
  private static let bend = (share: 0.012, least: 1.3)

  private static func polygons(_ path: [SIMD2<Int32>], isFine: Bool) -> [Polygon] {
    // Middles of cracks, from the corners of pixels to their centres.
    let points = path.indices.map { i in
      let (a, b) = (path[i], path[(i + 1) % path.count])
      return Point2(Double(a.x + b.x) / 2 - 0.5, Double(a.y + b.y) / 2 - 0.5)
    }
    let mean = points.reduce(Point2(0, 0), +) / Double(points.count)
    func farthest(from p: Point2) -> Int {
      var best = (0, -1.0)
      for (i, q) in points.enumerated() {
        let d = (q - p).dot(q - p)
        if d > best.1 { best = (i, d) }
      }
      return best.0
    }
    let first = farthest(from: mean)
    let second = farthest(from: points[first])
    let coarsest = max(bend.least, bend.share * points[first].distance(to: points[second]))
    let finest = isFine ? bend.least : coarsest
    let (low, high) = (min(first, second), max(first, second))
    var corners = [Corner(index: low, distance: .infinity)]
    split(points, low, high, finest, into: &corners)
    corners.append(Corner(index: high, distance: .infinity))
    split(points, high, low + points.count, finest, into: &corners)
    var polygons: [Polygon] = []
    var tolerance = coarsest
    while true {
      // A symbol by itself is as wide as its polygon.
      let side = tolerance / (bend.share * 2.0.squareRoot())
      let isFinest = tolerance <= finest
      polygons.append(
        Polygon(
          points: points, corners: corners.filter { $0.distance > tolerance }.map { $0.index % points.count },
          sides: (isFinest || tolerance == coarsest ? 0 : 0.6 * side)...(tolerance == coarsest
            ? .infinity : 1.8 * side), isFollowed: !isFinest))
      if isFinest { return polygons }
      tolerance = max(finest, tolerance / 2)
    }
  }

  /// A point of a border, and the largest tolerance at which it is a corner, in pixels.
  private struct Corner {
    var index: Int
    var distance: Double
  }

  /// D. Douglas, T. Peucker, "Algorithms for the reduction of the number of points", Cartographica 10 (1973); without
  /// recursion. Adds what lies between two points, in order.
  private static func split(
    _ points: [Point2], _ from: Int, _ to: Int, _ tolerance: Double, into corners: inout [Corner]
  ) {
    var stack = [(from: from, to: to, distance: Double.infinity)]
    var found: [Corner] = []
    while let (a, b, limit) = stack.popLast() {
      guard b - a > 1 else { continue }
      let origin = points[a % points.count]
      let chord = points[b % points.count] - origin
      let square = max(1e-18, chord.dot(chord))
      // In squares, times that of the chord.
      var (index, most) = (a, tolerance * tolerance * square)
      for i in (a + 1)..<b {
        let d = points[i < points.count ? i : i - points.count] - origin
        let along = d.dot(chord)
        let across = chord.cross(d)
        // Beyond the ends of the chord its ends count.
        let distance =
          along < 0 ? d.dot(d) * square : along > square ? (d - chord).dot(d - chord) * square : across * across
        if distance > most { (index, most) = (i, distance) }
      }
      guard index > a else { continue }
      var best = Corner(index: index, distance: (most / square).squareRoot())
      // Coarser polygons end their search at the chord that has no point beyond their tolerance.
      best.distance = min(best.distance, limit)
      found.append(best)
      stack.append((a, best.index, best.distance))
      stack.append((best.index, b, best.distance))
    }
    corners += found.sorted { $0.index < $1.index }
  }
}
