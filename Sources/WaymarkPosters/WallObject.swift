import WaymarkGeometry
import WaymarkImage

/// One connected thing on the wall, and the quadrilaterals that it may be.
struct WallObject {
  private let mask: [Bool]
  private let width: Int
  private let height: Int
  private let origin: (x: Int, y: Int)
  /// True if it goes on beyond the border of the photograph.
  let isCutOff: Bool
  let area: Int

  /// The things on a wall, the largest first.
  static func all(_ map: WallSegmentation) -> [WallObject] {
    let (w, h) = (map.width, map.height)
    // Single pixels are noise; gaps of a few are places that look like the wall.
    let counts = BoxSum.sums(of: map.isForeground.map { $0 ? Float(1) : 0 }, width: w, height: h, radius: 1)
    var clean = [Bool](repeating: false, count: w * h)
    for y in 1..<(h - 1) {
      for x in 1..<(w - 1) { clean[y * w + x] = counts[y * w + x] >= 5 }
    }
    let reach = max(1, w / 300)
    var flood = FloodFill(width: w, height: h)
    var objects: [WallObject] = []
    for start in clean.indices where clean[start] && flood.begin(x: start % w, y: start / w) {
      var members: [Int] = []
      flood.run(.square(reach)) { _, to in
        clean[to.index]
      } visit: {
        members.append($0.index)
        return .spread
      }
      if members.count * 200 >= w * h { objects.append(WallObject(members, w, h)) }
    }
    return objects.sorted { $0.area > $1.area }
  }

  private init(_ members: [Int], _ w: Int, _ h: Int) {
    var (x0, x1, y0, y1) = (w, 0, h, 0)
    for i in members {
      (x0, x1) = (min(x0, i % w), max(x1, i % w))
      (y0, y1) = (min(y0, i / w), max(y1, i / w))
    }
    origin = (x0, y0)
    (width, height) = (x1 - x0 + 1, y1 - y0 + 1)
    var filled = [Bool](repeating: false, count: width * height)
    for i in members { filled[(i / w - y0) * width + i % w - x0] = true }
    mask = filled
    area = members.count
    isCutOff = x0 <= 2 || y0 <= 2 || x1 >= w - 3 || y1 >= h - 3
  }

  // MARK: Its lines

  /// Of the angle between sides that meet.
  private static let leastSine = 0.35

  /// Where rows and columns first and last meet it.
  private func silhouette() -> [Point2] {
    var points: Set<SIMD2<Int>> = []
    for y in 0..<height {
      let row = mask[(y * width)..<((y + 1) * width)]
      if let a = row.firstIndex(of: true), let b = row.lastIndex(of: true) {
        points.insert(SIMD2(a - y * width, y))
        points.insert(SIMD2(b - y * width, y))
      }
    }
    for x in 0..<width {
      let column = stride(from: x, to: mask.count, by: width)
      if let a = column.first(where: { mask[$0] }) { points.insert(SIMD2(x, a / width)) }
      if let b = column.reversed().first(where: { mask[$0] }) { points.insert(SIMD2(x, b / width)) }
    }
    return points.sorted { ($0.y, $0.x) < ($1.y, $1.x) }.map { Point2(Double($0.x), Double($0.y)) }
  }

  /// Up to ten lines that the outline runs along, with hardly anything beyond them, their normals pointing outwards.
  private func lines(_ points: [Point2]) -> [StraightLine] {
    let middle = Point2(Double(width), Double(height)) / 2
    var random = RandomSource(seed: 7)
    var rest = points
    var lines: [StraightLine] = []
    let least = 0.12 * Double(min(width, height))
    while lines.count < 10, rest.count > 12 {
      var best: (line: StraightLine, support: Double)?
      for _ in 0..<400 {
        let (a, b) = (rest[random.below(rest.count)], rest[random.below(rest.count)])
        let along = b - a
        guard along.length > 0.1 * Double(min(width, height)), along.length > 8 else { continue }
        var line = StraightLine(through: a, along: along)
        if line.distance(to: middle) > 0 { line = line.reversed }
        var support = 0.0
        for p in rest {
          let d = abs(line.distance(to: p))
          if d < 1.2 { support += 1 - 0.5 * d / 1.2 }
        }
        guard support > best?.support ?? least else { continue }
        // A chord through its inside is not a side of it.
        guard points.count(where: { line.distance(to: $0) > 3 }) * 8 < points.count else { continue }
        best = (line, support)
      }
      guard let line = best.map({ refit($0.line, rest) }) else { break }
      rest.removeAll { abs(line.distance(to: $0)) < 2 }
      lines.append(line)
    }
    return lines
  }

  private func refit(_ line: StraightLine, _ points: [Point2]) -> StraightLine {
    let near = points.filter { abs(line.distance(to: $0)) < 1.5 }
    guard near.count > 4, let fitted = StraightLine(PointMoments(near)) else { return line }
    return fitted.normal.dot(line.normal) < 0 ? fitted.reversed : fitted
  }

  // MARK: Its quadrilaterals

  /// Returns the possible outlines, the best first, in pixels of the wall's map.
  func quads() -> [(quad: Quadrilateral, score: Double)] {
    let points = silhouette()
    let lines = lines(points)
    guard lines.count >= 4 else { return [] }
    var found: [(quad: Quadrilateral, score: Double)] = []
    let hull = rowsAndColumnsFilled()
    let slack = 0.5 * Double(max(width, height))
    func isNear(_ p: Point2) -> Bool {
      p.x > -slack && p.y > -slack && p.x < Double(width) + slack && p.y < Double(height) + slack
    }
    let four = FourLines(count: lines.count) { i, k in
      guard lines[i].normal.cross(lines[k].normal) > Self.leastSine else { return nil }
      return lines[i].crossing(lines[k], leastSine: Self.leastSine).flatMap { isNear($0) ? $0 : nil }
    }
    four.forEach(isDirected: true, side: { _, _, _ in 0 }) { candidate in
      let quad = candidate.corners.turned(by: candidate.corners.turnsToUpright)
      guard quad.isPlausible() else { return }
      let score = score(quad, points, hull)
      if score > 0.3 { found.append((quad, score)) }
    }
    let shift = Point2(Double(origin.x), Double(origin.y))
    return found.sorted { $0.score > $1.score }.prefix(8).map { best in
      (best.quad.mapped { $0 + shift }, best.score)
    }
  }

  /// The thing without the holes that no straight view from outside enters.
  private func rowsAndColumnsFilled() -> [Bool] {
    var filled = mask
    var rows = [(Int, Int)](repeating: (1, 0), count: height)
    for y in 0..<height {
      let row = mask[(y * width)..<((y + 1) * width)]
      if let a = row.firstIndex(of: true), let b = row.lastIndex(of: true) {
        rows[y] = (a - y * width, b - y * width)
      }
    }
    for x in 0..<width {
      let column = (0..<height).filter { mask[$0 * width + x] }
      for y in 0..<height {
        let inRow = x >= rows[y].0 && x <= rows[y].1
        let inColumn = column.first.map { y >= $0 } ?? false && column.last.map { y <= $0 } ?? false
        filled[y * width + x] = inRow || inColumn
      }
    }
    return filled
  }

  /// How much of the perimeter is seen, times how much the areas have in common.
  private func score(_ quad: Quadrilateral, _ points: [Point2], _ filled: [Bool]) -> Double {
    var perimeter = 0.0
    var seen = 0.0
    var least = 1.0
    for k in 0..<4 {
      let (a, b) = (quad[k], quad[k + 1])
      let length = a.distance(to: b)
      let along = (b - a) / length
      let normal = Point2(along.y, -along.x)
      let bins = max(4, Int(length / 4))
      var hit = [Bool](repeating: false, count: bins)
      for p in points where abs(normal.dot(p - a)) < 1.8 {
        let t = along.dot(p - a) / length
        if t >= 0, t < 1 { hit[Int(t * Double(bins))] = true }
      }
      let share = Double(hit.count { $0 }) / Double(bins)
      perimeter += length
      seen += share * length
      least = min(least, share)
    }
    var (both, either) = (0, 0)
    let reach = 2
    for y in stride(from: -height / 4, to: height + height / 4, by: reach) {
      for x in stride(from: -width / 4, to: width + width / 4, by: reach) {
        let inside = quad.contains(Point2(Double(x), Double(y)))
        let there = x >= 0 && y >= 0 && x < width && y < height && filled[y * width + x]
        if inside && there { both += 1 }
        if inside || there { either += 1 }
      }
    }
    guard either > 0 else { return 0 }
    let common = Double(both) / Double(either)
    return (0.7 * seen / perimeter + 0.3 * least) * common * common
  }
}
