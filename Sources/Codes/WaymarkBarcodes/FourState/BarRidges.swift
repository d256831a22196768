import WaymarkImage

/// Finds bars three to ten pixels apart: dark ridges, whose pixels are darker than the pixels on both sides along one direction.
/// `BarTiles` below has the parts of a picture in which bars may be.
struct BarRidges {
  /// A connected dark ridge, in coordinates along the direction (`s`) and at a right angle clockwise from it (`t`).
  struct Ridge {
    /// The mean of `s` over its pixels.
    var s: Double
    /// The range of `t` over its pixels.
    var t: ClosedRange<Double>
    /// The variance of `t` over the pixels, and the covariance of `s` and `t`, both times the number of pixels.
    var spread: Double
    var lean: Double

    var length: Double { t.upperBound - t.lowerBound + 1 }
    var middle: Double { (t.lowerBound + t.upperBound) / 2 }
  }

  /// The directions, about 30° apart, as offsets in pixels to the pixels that are compared.
  static let directions: [(x: Int, y: Int)] = [(2, 0), (2, 1), (1, 2), (0, 2), (-1, 2), (-2, 1)]

  /// The unit vectors of `s` and `t`.
  let along: Point2
  let across: Point2
  private(set) var ridges: [Ridge] = []
  /// The index of the next ridge along the direction, for each ridge; −1 without one.
  private var next: [Int32] = []

  /// The least sum of the contrasts on both sides, in gray levels.
  private static let leastContrast: Int16 = 24
  /// The largest number of ridges, and of pixels of a ridge.
  private static let most = (ridges: 120_000, pixels: 600)
  /// The lengths of ridges, and the distances of neighbours, in pixels.
  private static let (lengths, distances) = (2.0...64.0, 2.6...11.0)
  /// The least overlap of neighbours: an ascending and a descending bar share two fifths of their lengths, less if the row is inclined.
  private static let leastOverlap = 0.2
  /// The side, in pixels, of the cells of the grid that finds neighbours.
  private static let cell = 16.0

  /// - Parameter tiles: the tiles in which bars across the direction may be.
  init(_ view: ImageView, direction: (x: Int, y: Int), in tiles: BarTiles) {
    let step = Point2(Double(direction.x), Double(direction.y))
    along = step / step.length
    across = Point2(-along.y, along.x)
    let (width, height) = (view.width, view.height)
    let open = tiles.open(across: along)
    guard width > 16, height > 16, open.contains(true) else { return }
    var isRidge = Self.map(view, direction, open, columns: tiles.columns)
    ridges.reserveCapacity(4096)
    isRidge.withUnsafeMutableBufferPointer { collect($0, width: width, height: height) }
    link()
  }

  /// Returns for each pixel of open tiles whether it is darker than both sides, smoothed along the bars; a margin of four pixels is left
  /// out.
  private static func map(_ view: ImageView, _ direction: (x: Int, y: Int), _ open: [Bool], columns: Int) -> [Bool] {
    let (width, height, margin) = (view.width, view.height, 3)
    let isUpright = abs(direction.x) > abs(direction.y)
    var contrasts = [Int16](repeating: 0, count: width * height)
    var map = [Bool](repeating: false, count: width * height)
    contrasts.withUnsafeMutableBufferPointer { contrasts in
      guard let contrasts = contrasts.baseAddress else { return }
      for y in margin..<(height - margin) {
        let middle = view.row(y)
        let (before, after) = (view.row(y - direction.y) - direction.x, view.row(y + direction.y) + direction.x)
        let row = contrasts + y * width
        for x in margin..<(width - margin) {
          let sides = Int16(before[x]) &+ Int16(after[x])
          row[x] = sides &- Int16(middle[x]) &* 2
        }
      }
      let side = isUpright ? width : 1
      let least = 4 * Self.leastContrast
      map.withUnsafeMutableBufferPointer { map in
        guard let map = map.baseAddress else { return }
        for y in (margin + 1)..<(height - margin - 1) {
          let (middle, row) = (contrasts + y * width, map + y * width)
          let (before, after) = (middle - side, middle + side)
          for tile in 0..<columns where open[y / BarTiles.side * columns + tile] {
            let first = max(margin + 1, tile * BarTiles.side)
            let end = min(width - margin - 1, (tile + 1) * BarTiles.side)
            guard first < end else { continue }
            for x in first..<end { row[x] = before[x] &+ middle[x] &* 2 &+ after[x] >= least }
          }
        }
      }
    }
    return map
  }

  /// Appends the ridges of a map, and clears the map.
  private mutating func collect(_ map: UnsafeMutableBufferPointer<Bool>, width: Int, height: Int) {
    var waiting: [Int] = []
    for start in (width + 1)..<((height - 1) * width - 1) where map[start] {
      map[start] = false
      waiting.append(start)
      var (count, s, t, tt, st) = (0.0, 0.0, 0.0, 0.0, 0.0)
      var (low, high) = (Double.infinity, -Double.infinity)
      // Coordinates are relative to the first pixel, so that the sums stay small.
      let (x0, y0) = (start % width, start / width)
      while let i = waiting.popLast() {
        let (dx, dy) = (Double(i % width - x0), Double(i / width - y0))
        let (a, b) = (Point2(dx, dy).dot(along), Point2(dx, dy).dot(across))
        count += 1
        s += a
        t += b
        tt += b * b
        st += a * b
        (low, high) = (min(low, b), max(high, b))
        for row in [i - width, i, i + width] {
          for next in (row - 1)...(row + 1) where map[next] {
            map[next] = false
            waiting.append(next)
          }
        }
      }
      guard count >= 3, count <= Double(Self.most.pixels), Self.lengths.contains(high - low + 1),
        count <= 5 * (high - low + 1), ridges.count < Self.most.ridges
      else { continue }
      let origin = Point2(Double(x0), Double(y0))
      let (s0, t0) = (origin.dot(along), origin.dot(across))
      let place = s / count
      ridges.append(
        Ridge(
          s: s0 + place, t: (t0 + low)...(t0 + high), spread: tt - t * t / count, lean: st - s * t / count))
    }
  }

  /// Finds the neighbour of each ridge: the next ridge that overlaps it.
  private mutating func link() {
    next = [Int32](repeating: -1, count: ridges.count)
    guard let s0 = ridges.map(\.s).min(), let t0 = ridges.map(\.middle).min(), let s1 = ridges.map(\.s).max() else {
      return
    }
    let columns = Int((s1 - s0) / Self.cell) + 1
    func place(_ ridge: Ridge) -> (x: Int, y: Int) {
      let (x, y) = ((ridge.s - s0) / Self.cell, (ridge.middle - t0) / Self.cell)
      return (Int(x), Int(y))
    }
    let rows = (ridges.map { place($0).y }.max() ?? 0) + 1
    var starts = [Int32](repeating: 0, count: columns * rows + 1)
    let cells = ridges.map { place($0).y * columns + place($0).x }
    for cell in cells { starts[cell + 1] += 1 }
    for i in 1..<starts.count { starts[i] += starts[i - 1] }
    var (order, fill) = ([Int32](repeating: 0, count: ridges.count), starts)
    for (i, cell) in cells.enumerated() {
      order[Int(fill[cell])] = Int32(i)
      fill[cell] += 1
    }
    for (i, ridge) in ridges.enumerated() {
      let (x, y) = place(ridge)
      var nearest = Self.distances.upperBound
      for v in max(0, y - 1)...min(rows - 1, y + 1) {
        for k in starts[v * columns + max(0, x - 1)]..<starts[v * columns + min(columns - 1, x + 1) + 1] {
          let j = Int(order[Int(k)])
          let other = ridges[j]
          let low = max(other.t.lowerBound, ridge.t.lowerBound)
          let overlap = min(other.t.upperBound, ridge.t.upperBound) - low + 1
          guard overlap > max(1, Self.leastOverlap * min(other.length, ridge.length)) else { continue }
          let distance = Self.distance(ridge, other)
          guard distance > Self.distances.lowerBound, distance < nearest else { continue }
          nearest = distance
          next[i] = Int32(j)
        }
      }
    }
  }

  /// Returns the distance of two ridges where they are beside each other: the middles of leaning bars are shifted.
  private static func distance(_ a: Ridge, _ b: Ridge) -> Double {
    let spread = a.spread + b.spread
    let lean = spread > 0 ? max(-0.7, min(0.7, (a.lean + b.lean) / spread)) : 0
    return b.s - a.s + lean * (a.middle - b.middle)
  }

  /// Returns the rows of at least `count` ridges at nearly equal distances, the longest first.
  func rows(of count: Int) -> [[Ridge]] {
    var rows: [[Ridge]] = []
    var isUsed = [Bool](repeating: false, count: ridges.count)
    var isFollowing = isUsed
    for j in next where j >= 0 { isFollowing[Int(j)] = true }
    // Ridges without a predecessor come first, so that rows begin at their ends.
    let order = ridges.indices.filter { !isFollowing[$0] } + ridges.indices.filter { isFollowing[$0] }
    for first in order where !isUsed[first] {
      var (row, i, pitch) = ([ridges[first]], first, 0.0)
      isUsed[first] = true
      while next[i] >= 0 {
        let j = Int(next[i])
        guard !isUsed[j] else { break }
        let distance = Self.distance(ridges[i], ridges[j])
        if row.count > 1, abs(distance - pitch) > 0.3 * pitch {
          if row.count >= count { rows.append(row) }
          row = [ridges[i]]
        }
        pitch = row.count > 1 ? pitch + 0.3 * (distance - pitch) : distance
        row.append(ridges[j])
        isUsed[j] = true
        i = j
      }
      if row.count >= count { rows.append(row) }
    }
    return rows.sorted { $0.count > $1.count }
  }
}

/// The tiles of a picture in which the brightness changes in one direction, as it does across bars.
struct BarTiles {
  /// The side of a tile in pixels.
  static let side = 16

  let columns: Int
  private let rows: Int
  /// The direction of the changes in each tile as a vector at twice its angle. Its length is 1 if all changes have the same
  /// direction, less if they differ, and 0 without changes.
  private var vectors: [SIMD2<Float>]

  /// The least mean square of the changes over two pixels, and the least length of a vector.
  private static let (energy, coherence): (Float, Float) = (60, 0.2)
  /// The cosine of twice the largest angle between the direction of the changes and that of a row. The angle is the sum of half the
  /// angle between the tried directions and as much again for bars that lean.
  private static let closeness: Float = 0.5

  init(_ view: ImageView) {
    let side = Self.side
    columns = (view.width + side - 1) / side
    rows = (view.height + side - 1) / side
    vectors = [SIMD2<Float>](repeating: .zero, count: columns * rows)
    guard view.width > side + 1, view.height > side + 1 else { return }
    for row in 0..<rows {
      for column in 0..<columns {
        // The outer tiles are moved inside the picture.
        let (x, y) = (
          max(1, min(column * side, view.width - side - 1)), max(1, min(row * side, view.height - side - 1))
        )
        var (difference, product, sum) = (SIMD16<Float>(), SIMD16<Float>(), SIMD16<Float>())
        for v in stride(from: y, to: y + side - 1, by: 2) {
          let here = view.row(v) + x
          let gx = Self.pixels(here + 1) - Self.pixels(here - 1)
          let gy = Self.pixels(view.row(v + 1) + x) - Self.pixels(view.row(v - 1) + x)
          difference += gx * gx - gy * gy
          product += 2 * gx * gy
          sum += gx * gx + gy * gy
        }
        let energy = sum.sum()
        guard energy > Self.energy * Float(side * side / 2) else { continue }
        vectors[row * columns + column] = SIMD2(difference.sum(), product.sum()) / energy
      }
    }
  }

  @inline(__always)
  private static func pixels(_ first: UnsafePointer<UInt8>) -> SIMD16<Float> {
    SIMD16<Float>(UnsafeRawPointer(first).loadUnaligned(as: SIMD16<UInt8>.self))
  }

  /// Returns for each tile whether it may contain bars across a direction, or be next to such a tile, where bars end.
  func open(across direction: Point2) -> [Bool] {
    let double = SIMD2(
      Float(direction.x * direction.x - direction.y * direction.y), Float(2 * direction.x * direction.y))
    var open = [Bool](repeating: false, count: columns * rows)
    for row in 0..<rows {
      for column in 0..<columns {
        let vector = vectors[row * columns + column]
        let along = (vector * double).sum()
        guard along > Self.coherence, along * along > Self.closeness * Self.closeness * (vector * vector).sum() else {
          continue
        }
        for v in max(0, row - 1)...min(rows - 1, row + 1) {
          for u in max(0, column - 1)...min(columns - 1, column + 1) { open[v * columns + u] = true }
        }
      }
    }
    return open
  }
}
