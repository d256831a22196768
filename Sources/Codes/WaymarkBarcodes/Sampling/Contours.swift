import WaymarkImage

/// The borders between dark and light as polygons, traced along the cracks between pixels with the dark side to the right.
///
/// Every border is traced once, around dark regions and around the light regions inside them. It becomes several polygons, one for
/// each size that a symbol may have, because the border of a symbol that touches a shadow is a small part of a long border.
struct Contours {
  /// A closed polygon in pixels; the centres of pixels have integer coordinates.
  struct Polygon {
    /// The points of the border between pixels, in order.
    var points: [Point2]
    /// The indices of the corners among the points.
    var corners: [Int]
    /// The side lengths in pixels for which the corners have the right tolerance. Shorter and longer sides are in another polygon
    /// of the same border.
    var sides: ClosedRange<Double>
    /// True if the next polygon has the same points and more corners.
    var isFollowed = false
  }

  private(set) var polygons: [Polygon] = []
  /// True if the budget was spent before the last row.
  private(set) var isLimited = false

  /// The least length of a border in pixels; shorter borders are dropped.
  private static let shortest = 40

  /// Traces the borders of a picture.
  ///
  /// - Parameters:
  ///   - levels: the local thresholds between dark and light.
  ///   - budget: the largest number of border pixels to trace.
  ///   - isFine: true to make a polygon for each size of symbols, not only for the size of the border itself.
  init(_ view: ImageView, levels: BlockMean, budget: Int = 400_000, isFine: Bool = true) {
    let (width, height) = (view.width, view.height)
    guard width > 2, height > 2 else { return }
    // A border of one light pixel around the picture saves the checks for its edges.
    let picture = levels.threshold(view, border: 1)
    let pixels = UnsafeRawPointer(picture.unsafeView.row(0))
    defer { withExtendedLifetime(picture) {} }
    let row = width + 2
    var followed = [Bool](repeating: false, count: row * (height + 2))
    @inline(__always) func isDark(_ pixel: Int) -> Bool { pixels.load(fromByteOffset: pixel, as: UInt8.self) == 0 }
    // A corner between pixels has the index of the pixel to its upper left. Directions: right, down, left, up.
    let steps: InlineArray<4, Int> = [1, row, -1, -row]
    let toLeft: InlineArray<4, Int> = [1, row + 1, row, 0]
    let toRight: InlineArray<4, Int> = [row + 1, row, 0, 1]
    var budget = budget
    var path: [Int] = []
    for y in 1...height {
      var pixel = y * row
      let end = pixel + width + 1
      while true {
        pixel = Self.nextBorder(pixels, from: pixel + 1, to: end)
        guard pixel < end else { break }
        if followed[pixel] { continue }
        guard budget > 0 else {
          isLimited = true
          return
        }
        path.removeAll(keepingCapacity: true)
        // The trace starts upwards along the left side of this pixel.
        let first = pixel - 1
        var (corner, direction) = (first, 3)
        repeat {
          corner &+= steps[direction]
          if direction == 3 { followed[corner &+ row &+ 1] = true }
          path.append(corner)
          if !isDark(corner &+ toRight[direction]) {
            direction = (direction &+ 1) & 3
          } else if isDark(corner &+ toLeft[direction]) {
            direction = (direction &+ 3) & 3
          }
        } while (corner, direction) != (first, 3) && path.count <= budget
        budget -= path.count
        if path.count >= Self.shortest { polygons += Self.polygons(path, row: row, isFine: isFine) }
      }
    }
  }

  /// Returns the index of the next dark pixel with a light pixel to its left in a black and white picture, or `end`.
  @inline(__always)
  private static func nextBorder(_ pixels: UnsafeRawPointer, from start: Int, to end: Int) -> Int {
    var pixel = start
    while pixel &+ 8 <= end {
      let here = UInt64(littleEndian: pixels.loadUnaligned(fromByteOffset: pixel, as: UInt64.self))
      let before = UInt64(littleEndian: pixels.loadUnaligned(fromByteOffset: pixel &- 1, as: UInt64.self))
      let borders = ~here & before
      if borders != 0 { return pixel &+ borders.trailingZeroBitCount >> 3 }
      pixel &+= 8
    }
    while pixel < end {
      if pixels.load(fromByteOffset: pixel, as: UInt8.self) == 0,
        pixels.load(fromByteOffset: pixel &- 1, as: UInt8.self) != 0
      {
        return pixel
      }
      pixel &+= 1
    }
    return end
  }

  /// The tolerance of straight sides: a share of the extent of their polygon, at least `least` pixels.
  private static let bend = (share: 0.012, least: 1.3)

  /// Returns the polygons of a border, the one with the fewest corners first.
  ///
  /// - Parameters:
  ///   - path: the corners between pixels. Each is given by the index of the pixel to its upper left, in a picture with a border of
  ///   one pixel.
  ///   - row: the width of that picture in pixels.
  private static func polygons(_ path: [Int], row: Int, isFine: Bool) -> [Polygon] {
    // The coordinates of a corner between pixels. The points below are the centres of cracks, in pixel coordinates.
    func place(_ corner: Int) -> Point2 {
      let (y, x) = corner.quotientAndRemainder(dividingBy: row)
      return Point2(Double(x), Double(y))
    }
    var previous = place(path[0])
    var points: [Point2] = []
    points.reserveCapacity(path.count)
    for corner in path.dropFirst() {
      let next = place(corner)
      points.append((previous + next) / 2 - 0.5)
      previous = next
    }
    points.append((previous + place(path[0])) / 2 - 0.5)
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
      // An isolated symbol is as wide as its polygon.
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

  /// Appends the corners between two points in order, by the algorithm of D. Douglas and T. Peucker ("Algorithms for the reduction of
  /// the number of points", Cartographica 10 (1973)) without recursion.
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
      // Squared distances, multiplied by the squared length of the chord.
      var (index, most) = (a, tolerance * tolerance * square)
      for i in (a + 1)..<b {
        let d = points[i < points.count ? i : i - points.count] - origin
        let along = d.dot(chord)
        let across = chord.cross(d)
        // Beyond the ends of the chord, the distance is that from the end.
        let distance =
          along < 0 ? d.dot(d) * square : along > square ? (d - chord).dot(d - chord) * square : across * across
        if distance > most { (index, most) = (i, distance) }
      }
      guard index > a else { continue }
      var best = Corner(index: index, distance: (most / square).squareRoot())
      // Coarser polygons stop at a chord that has no point beyond their tolerance.
      best.distance = min(best.distance, limit)
      found.append(best)
      stack.append((a, best.index, best.distance))
      stack.append((best.index, b, best.distance))
    }
    corners += found.sorted { $0.index < $1.index }
  }
}
