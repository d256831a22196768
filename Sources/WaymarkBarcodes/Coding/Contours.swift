import WaymarkGeometry
import WaymarkImage

/// The borders between dark and light, followed along the cracks between pixels with the dark side to the right, and made
/// polygons.
///
/// Every border is followed once, whether it is the rim of something dark or of something light inside it.
struct Contours {
  /// A closed polygon; coordinates as of pixels, whose middles are whole numbers.
  struct Polygon {
    /// The points of the border between pixels, in order.
    var points: [Point2]
    /// The indices of the corners among them.
    var corners: [Int]
  }

  private(set) var polygons: [Polygon] = []

  /// - Parameters:
  ///   - levels: what parts dark from light.
  ///   - shortest: borders of fewer pixels are left out.
  ///   - budget: how many pixels of border may be followed.
  init(_ view: ImageView, levels: BlockMean, shortest: Int = 40, budget: Int = 400_000) {
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
        guard budget > 0 else { return }
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
        if path.count >= shortest { polygons.append(Self.polygon(path)) }
      }
    }
  }

  private static func polygon(_ path: [SIMD2<Int32>]) -> Polygon {
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
    let extent = points[first].distance(to: points[second])
    let tolerance = max(1.3, 0.012 * extent)
    let (low, high) = (min(first, second), max(first, second))
    var corners = [low]
    split(points, low, high, tolerance, into: &corners)
    corners.append(high)
    split(points, high, low + points.count, tolerance, into: &corners)
    return Polygon(points: points, corners: corners.map { $0 % points.count })
  }

  /// D. Douglas, T. Peucker, "Algorithms for the reduction of the number of points", Cartographica 10 (1973); without
  /// recursion. Adds what lies between two points, in order.
  private static func split(_ points: [Point2], _ from: Int, _ to: Int, _ tolerance: Double, into corners: inout [Int])
  {
    var stack = [(from, to)]
    var found: [Int] = []
    while let (a, b) = stack.popLast() {
      guard b - a > 1 else { continue }
      let origin = points[a % points.count]
      let chord = points[b % points.count] - origin
      let length = max(1e-9, chord.length)
      var best = (index: a, distance: tolerance)
      for i in (a + 1)..<b {
        let d = points[i % points.count] - origin
        let along = d.dot(chord) / length
        // Beyond the ends of the chord its ends count.
        let distance = along < 0 ? d.length : along > length ? (d - chord).length : abs(chord.cross(d)) / length
        if distance > best.distance { best = (i, distance) }
      }
      if best.index > a {
        found.append(best.index)
        stack.append((a, best.index))
        stack.append((best.index, b))
      }
    }
    corners += found.sorted()
  }
}
