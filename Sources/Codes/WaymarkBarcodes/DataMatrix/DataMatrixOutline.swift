import WaymarkImage

/// The four sides of a Data Matrix symbol as curves, with a position for every column and row: for a symbol that is bent,
/// or whose columns and rows differ in width. The extensions below find its alternating sides and read it.
struct DataMatrixOutline {
  /// The map from modules to pixels, from the four corners.
  let map: Homography
  private let columns: Int
  private let rows: Int
  /// The centres of the modules along the top side, in modules of the map; the other properties have the centres along the other
  /// sides.
  private let top: [Point2]
  private let bottom: [Point2]
  private let left: [Point2]
  private let right: [Point2]

  /// - Returns: `nil` if the alternating sides have other numbers of modules than the size, or their modules are not in order.
  init?(_ c: DataMatrixCorner, _ size: DataMatrixSize, top: DataMatrixTiming, right: DataMatrixTiming) {
    guard top.modules == size.columns, right.modules == size.rows, let topEnd = top.changes.last,
      let rightEnd = right.changes.last
    else { return nil }
    (columns, rows) = (size.columns, size.rows)
    let (width, height) = (Double(columns), Double(rows))
    let pairs = [
      PointPair(reference: [0, height], frame: c.corner), PointPair(reference: [0, 0], frame: c.top),
      PointPair(reference: [width, height], frame: c.right),
      PointPair(reference: [width - 1, 0.5], frame: topEnd), PointPair(reference: [width - 0.5, 1], frame: rightEnd),
    ]
    guard let map = Homography.fit(pairs), let back = map.inverse else { return nil }
    self.map = map
    let along = top.changes.map(back.apply)
    let up = right.changes.map(back.apply)
    // The borders of bent strokes show their course; straight strokes follow the map.
    let aside = Self.course(c.left.map(back.apply).map { ($0.y, $0.x) })
    let below = Self.course(c.lower.map(back.apply).map { ($0.x, $0.y - height) })
    var first = Point2(0, along[0].y)
    first.x = aside(first.y)
    let across = [first] + along + [along[along.count - 1] * 2 - along[along.count - 2]]
    let top = (0..<size.columns).map { (across[$0] + across[$0 + 1]) / 2 }
    var lowest = Point2(up[0].x, height)
    lowest.y += below(lowest.x)
    let upright = [lowest] + up + [up[up.count - 1] * 2 - up[up.count - 2]]
    let right = (0..<size.rows).map { (upright[size.rows - 1 - $0] + upright[size.rows - $0]) / 2 }
    guard Self.isInOrder(top.map(\.x)), Self.isInOrder(right.map(\.y)) else { return nil }
    (self.top, self.right) = (top, right)
    bottom = top.map { Point2($0.x, height - 0.5 + below($0.x)) }
    left = right.map { Point2(0.5 + aside($0.y), $0.y) }
  }

  /// Returns an alternating side in place of an unseen one: all of its modules are equally wide, and it ends where the seen side
  /// ends, as measured from the L. `nil` if the seen side has no tone changes.
  ///
  /// - Parameters:
  ///   - known: the alternating side that was seen.
  ///   - isTop: true if the upper side was not seen.
  static func even(
    _ c: DataMatrixCorner, _ size: DataMatrixSize, beside known: DataMatrixTiming, isTop: Bool
  ) -> DataMatrixTiming? {
    let (width, height) = (Double(size.columns), Double(size.rows))
    guard let end = known.changes.last else { return nil }
    let pairs = [
      PointPair(reference: [0, height], frame: c.corner), PointPair(reference: [0, 0], frame: c.top),
      PointPair(reference: [width, height], frame: c.right),
      PointPair(reference: isTop ? [width - 0.5, 1] : [width - 1, 0.5], frame: end),
    ]
    guard let map = Homography.fit(pairs) else { return nil }
    return DataMatrixTiming(
      changes: isTop
        ? (1..<size.columns).map { map.apply([Double($0), 0.5]) }
        : (1..<size.rows).map { map.apply([width - 0.5, height - Double($0)]) })
  }

  /// Returns the position in pixels of a point in modules, interpolated between the four sides (S. Coons, "Surfaces for
  /// computer-aided design of space forms", MIT 1967).
  func place(_ x: Double, _ y: Double) -> Point2 {
    let (s, t) = ((x - 0.5) / Double(columns - 1), (y - 0.5) / Double(rows - 1))
    let (above, beneath) = (Self.at(top, x - 0.5), Self.at(bottom, x - 0.5))
    let (before, after) = (Self.at(left, y - 0.5), Self.at(right, y - 0.5))
    let a = (top[0] + left[0]) / 2
    let b = (top[columns - 1] + right[0]) / 2
    let c = (bottom[0] + left[rows - 1]) / 2
    let d = (bottom[columns - 1] + right[rows - 1]) / 2
    let corners = (a * (1 - s) + b * s) * (1 - t) + (c * (1 - s) + d * s) * t
    return map.apply(above * (1 - t) + beneath * t + before * (1 - s) + after * s - corners)
  }

  /// Interpolates linearly between points, and extrapolates beyond the first and the last.
  private static func at(_ points: [Point2], _ index: Double) -> Point2 {
    let i = min(max(0, Int(index)), points.count - 2)
    return points[i] + (points[i + 1] - points[i]) * (index - Double(i))
  }

  /// Returns the piecewise linear function through points in any order, constant beyond the outermost points; 0 if there are fewer
  /// than two points.
  private static func course(_ points: [(at: Double, value: Double)]) -> (Double) -> Double {
    let points = points.sorted { $0.at < $1.at }
    guard points.count > 1 else { return { _ in 0 } }
    return { at in
      let next = points.firstIndex { $0.at > at } ?? points.count - 1
      let (a, b) = (points[max(0, next - 1)], points[next])
      guard b.at > a.at else { return a.value }
      return a.value + (b.value - a.value) * min(max(0, (at - a.at) / (b.at - a.at)), 1)
    }
  }

  private static func isInOrder(_ values: [Double]) -> Bool {
    zip(values, values.dropFirst()).allSatisfy { $1 - $0 > 0.2 }
  }
}

// MARK: - Alternating sides that bend

extension DataMatrixTimingSearch {
  /// Returns the end of a stroke. The stroke may be longer or shorter than its border, which was seen between two points.
  ///
  /// - Parameters:
  ///   - inward: the vector of half a module into the symbol, in pixels.
  ///   - module: the size of a module along the stroke, in pixels.
  func end(from corner: Point2, to end: Point2, inward: Point2, module: Double) -> Point2 {
    let length = corner.distance(to: end)
    let direction = (end - corner) / max(1e-9, length)
    let step = min(1, module / 6)
    var (t, last) = (0.6 * length, 0.6 * length)
    while t < 1.5 * length, t - last < 0.8 * module {
      if isDark(corner + inward + direction * t) { last = t }
      t += step
    }
    return t - last < 0.8 * module || abs(last - length) < 0.5 * module ? end : corner + direction * (last + step / 2)
  }

  /// Looks for the alternating side that starts at the end of one side of the L, along a course that may bend: the outer
  /// borders of its dark modules determine its direction.
  ///
  /// - Parameters:
  ///   - end: the end of the side of the L; the pattern starts at its inner edge.
  ///   - back: the vector of one module from this end along the side towards the corner, in pixels.
  ///   - along: the vector of one module in the approximate direction of the pattern, in pixels.
  ///   - gaps: the number of modules without clear changes that may be skipped.
  /// - Returns: the most even pattern for each number of modules, at most four, the long and even ones first.
  func follow(from end: Point2, back: Point2, along: Point2, gaps: Int = 0) -> [DataMatrixTiming] {
    var found: [Int: (timing: DataMatrixTiming, quality: Double)] = [:]
    let straight = along / along.length
    let aside = Point2(-straight.y, straight.x)
    for i in -8...8 {
      let slope = 0.06 * Double(i)
      let direction = (straight + aside * slope) / (1 + slope * slope).squareRoot()
      for offset in [0.5, 0.3] {
        guard
          let course = course(from: end + back * offset, direction, module: along.length, outward: -back, gaps: gaps)
        else { continue }
        let modules = course.timing.modules
        let quality = Double(modules) * (1 - course.irregularity)
        if quality > found[modules]?.quality ?? 0 { found[modules] = (course.timing, quality) }
      }
    }
    return found.values.sorted { ($0.quality, $0.timing.modules) > ($1.quality, $1.timing.modules) }.prefix(4).map(
      \.timing)
  }

  private func course(
    from origin: Point2, _ direction: Point2, module: Double, outward: Point2, gaps: Int
  ) -> (timing: DataMatrixTiming, irregularity: Double)? {
    guard isDark(origin + direction * (0.3 * module)) else { return nil }
    let depth = outward.length
    let first = direction
    var (place, direction) = (origin, direction)
    var (expected, irregular) = (module, 0.0)
    var (isInDark, left) = (true, gaps)
    var changes: [Point2] = []
    var recent: [Double] = []
    while changes.count < 160 {
      var run = change(from: place, direction, whileDark: isInDark, expected: expected)
      if run == nil, left > 0 {
        // The module is covered: the pattern continues at the expected position.
        left -= 1
        run = expected
        irregular += 0.5
      }
      guard let run else { break }
      let ratio = run / expected
      guard ratio > 0.4 else { break }
      irregular += abs(ratio - 1)
      var next = place + direction * run
      if isInDark {
        let normal = Point2(-direction.y, direction.x) * (direction.cross(outward) > 0 ? 1 : -1)
        if let border = border(from: place + direction * (run / 2), normal, depth: depth) {
          let off = min(max(-0.5 * depth, border - 0.5 * depth), 0.5 * depth)
          next += normal * (0.5 * off)
          direction += normal * (0.15 * off / expected)
          direction /= direction.length
          guard direction.dot(first) > 0.4 else { break }
        }
      }
      changes.append(next)
      recent.append(run)
      place = next
      isInDark.toggle()
      // The pitch is computed from pairs of runs, because ink spread makes dark runs longer and light runs shorter.
      if recent.count >= 2 { expected = 0.5 * expected + 0.25 * (recent[recent.count - 1] + recent[recent.count - 2]) }
    }
    // The pattern ends with a dark module.
    if changes.count.isMultiple(of: 2), !changes.isEmpty { changes.removeLast() }
    guard changes.count >= 7 else { return nil }
    return (DataMatrixTiming(changes: changes), min(0.9, irregular / Double(changes.count)))
  }

  /// Returns the distance to the next tone change in pixels; `nil` if the run has another tone or is too long.
  private func change(from place: Point2, _ direction: Point2, whileDark isInDark: Bool, expected: Double) -> Double? {
    let step = min(1, expected / 6)
    var t = 0.25 * expected
    var previous = excess(place + direction * t)
    guard (previous < 0) == isInDark else { return nil }
    while t < 1.8 * expected {
      t += step
      let value = excess(place + direction * t)
      if (value < 0) != isInDark { return t - step * abs(value) / max(1e-9, abs(value) + abs(previous)) }
      previous = value
    }
    return nil
  }

  /// Returns the distance of the outer border of a dark module from a point near its centre, in pixels; negative if the
  /// point is outside of the module; `nil` if no border is found.
  private func border(from place: Point2, _ normal: Point2, depth: Double) -> Double? {
    let step = min(1, depth / 6)
    var t = -0.4 * depth
    var previous = excess(place + normal * t)
    guard previous < 0 else { return nil }
    while t < 1.2 * depth {
      t += step
      let value = excess(place + normal * t)
      if value >= 0 { return t - step * value / max(1e-9, value - previous) }
      previous = value
    }
    return nil
  }
}

// MARK: - Reading along sides that bend

extension DataMatrixReader {
  /// Reads a symbol along sides that bend, or whose modules differ in width.
  ///
  /// - Parameters:
  ///   - top, right: the alternating sides as found along straight lines; `nil` if not found.
  ///   - u, v: the vectors of one module along the lower and the left side, from the corner outwards.
  ///   - downwards, backwards: the vectors of one module from the ends of the L back along its sides.
  func followed(
    _ corner: DataMatrixCorner, _ search: DataMatrixTimingSearch, _ top: DataMatrixTiming?,
    _ right: DataMatrixTiming?, _ u: Point2, _ v: Point2, _ downwards: Point2, _ backwards: Point2
  ) -> MatrixDetection? {
    var c = corner
    // A side that seems straight may be longer than the found part of its border.
    if c.left.isEmpty {
      c.top = search.end(from: c.corner, to: c.top, inward: u / 2, module: v.length)
      c.right = search.end(from: c.corner, to: c.right, inward: v / 2, module: u.length)
    }
    var (tops, rights) = ([top].compactMap(\.self), [right].compactMap(\.self))
    for gaps in [0, 3] {
      let others = search.follow(from: c.top, back: downwards, along: u, gaps: gaps)
      let beside = search.follow(from: c.right, back: backwards, along: v, gaps: gaps)
      for (i, top) in (others + tops).enumerated() {
        for (j, right) in (beside + rights).enumerated() where i < others.count || j < beside.count {
          let size = DataMatrixSize.both.first { $0.columns == top.modules && $0.rows == right.modules }
          if let size, let found = examine(c, size, top, right: right) { return found }
        }
      }
      tops = others + tops
      rights = beside + rights
    }
    // If one side is unclear, the other one limits the possible sizes.
    for (known, isTop) in rights.prefix(2).map({ ($0, true) }) + tops.prefix(2).map({ ($0, false) }) {
      for size in DataMatrixSize.both
      where (isTop ? size.rows : size.columns) == known.modules && isLikely(size, c) {
        guard let other = DataMatrixOutline.even(c, size, beside: known, isTop: isTop) else { continue }
        if let found = examine(c, size, isTop ? other : known, right: isTop ? known : other) { return found }
      }
    }
    return nil
  }

  /// Returns whether the modules would be about square for a size.
  private func isLikely(_ size: DataMatrixSize, _ c: DataMatrixCorner) -> Bool {
    let wide = c.corner.distance(to: c.right) / Double(size.columns)
    let high = c.corner.distance(to: c.top) / Double(size.rows)
    return wide < 1.6 * high && high < 1.6 * wide
  }

  private func examine(
    _ c: DataMatrixCorner, _ size: DataMatrixSize, _ top: DataMatrixTiming, right: DataMatrixTiming
  ) -> MatrixDetection? {
    guard let outline = DataMatrixOutline(c, size, top: top, right: right) else { return nil }
    let (columns, rows) = (Double(size.columns), Double(size.rows))
    var finding = MatrixDetection(
      symbology: .dataMatrix, corners: outline.map.apply(Quadrilateral(width: columns, height: rows)),
      module: c.length / min(columns, rows), certainty: 0, inverted: c.inverted)
    let sampler = ModuleSampler(view, columns: size.columns, rows: size.rows, place: outline.place)
    if read(sampler, size, &finding) { return finding }
    // Inside a large symbol the patterns between its regions correct the positions.
    guard size.regionColumns > 1 || size.regionRows > 1, finding.certainty > 0.85 else { return nil }
    let contrast = sampler.contrast { size.fixed($0, $1) }
    let place: (Point2) -> Point2 = { outline.place($0.x, $0.y) }
    let parts = [size.regionWidth, size.regionHeight].map { max(3, ($0 + 2) / 5) }
    guard contrast > 6, let mesh = bend(size, place, contrast: contrast, inverted: c.inverted, parts: parts) else {
      return nil
    }
    let bent = ModuleSampler(view, columns: size.columns, rows: size.rows) {
      outline.place($0, $1) + mesh.shift($0, $1)
    }
    return read(bent, size, &finding) ? finding : nil
  }
}
