import WaymarkImage

/// Shifts in pixels at the crossings of lines of a grid, linear between them: bends a map to a surface that is not flat.
struct GridMesh {
  /// The lines, in modules; two at least in each direction.
  let columns: [Double]
  let rows: [Double]
  /// Row by row.
  var shifts: [Point2]
  /// True if the shifts go on beyond the outer lines as between the last two; false if they stay as they are there.
  var extrapolates = false

  init(columns: [Double], rows: [Double], shifts: [Point2], extrapolates: Bool = false) {
    self.columns = columns
    self.rows = rows
    self.shifts = shifts
    self.extrapolates = extrapolates
  }

  /// From the crossings that were found; the others lie as those beside them do.
  ///
  /// - Returns: `nil` where none was found.
  init?(columns: [Double], rows: [Double], found: [Point2?], extrapolates: Bool = false) {
    var found = found
    while let open = found.indices.first(where: {
      found[$0] == nil && Self.mean(around: $0, found, columns.count) != nil
    }) {
      found[open] = Self.mean(around: open, found, columns.count)
    }
    guard found.allSatisfy({ $0 != nil }) else { return nil }
    self.init(columns: columns, rows: rows, shifts: found.compactMap(\.self), extrapolates: extrapolates)
  }

  /// The same where crossings are found along the sides of cells only: within them they lie as the four sides say (S. Coons,
  /// "Surfaces for computer-aided design of space forms", MIT 1967).
  ///
  /// - Parameter cells: how many lines it is from one side of a cell to the next, across and down.
  init?(columns: [Double], rows: [Double], found: [Point2?], cells: [Int]) {
    let n = columns.count
    let (wide, high) = (cells[0], cells[1])
    let isSide = found.indices.map { ($0 % n).isMultiple(of: wide) || ($0 / n).isMultiple(of: high) }
    var sides = found.indices.map { isSide[$0] ? found[$0] : nil }
    while let open = sides.indices.first(where: {
      isSide[$0] && sides[$0] == nil && Self.mean(around: $0, sides, n) != nil
    }) {
      sides[open] = Self.mean(around: open, sides, n)
    }
    var shifts = sides
    for node in found.indices where !isSide[node] {
      let (x, y) = (node % n, node / n)
      let (x0, y0) = (x / wide * wide, y / high * high)
      let (x1, y1) = (x0 + wide, y0 + high)
      guard let left = sides[y * n + x0], let right = sides[y * n + x1], let top = sides[y0 * n + x],
        let bottom = sides[y1 * n + x], let a = sides[y0 * n + x0], let b = sides[y0 * n + x1],
        let c = sides[y1 * n + x0], let d = sides[y1 * n + x1]
      else { return nil }
      let (s, t) = (Double(x - x0) / Double(wide), Double(y - y0) / Double(high))
      let across = left * (1 - s) + right * s
      let down = top * (1 - t) + bottom * t
      let corners = (a * (1 - s) + b * s) * (1 - t) + (c * (1 - s) + d * s) * t
      shifts[node] = across + down - corners
    }
    self.init(columns: columns, rows: rows, found: shifts)
  }

  /// The mean of the shifts that are known of the eight crossings around one.
  static func mean(around node: Int, _ shifts: [Point2?], _ columns: Int) -> Point2? {
    let (x, y) = (node % columns, node / columns)
    var near: [Point2] = []
    for v in max(0, y - 1)...min(shifts.count / columns - 1, y + 1) {
      for u in max(0, x - 1)...min(columns - 1, x + 1) { if let s = shifts[v * columns + u] { near.append(s) } }
    }
    return near.isEmpty ? nil : near.reduce(Point2(0, 0), +) / Double(near.count)
  }

  mutating func scale(by factor: Double) { shifts = shifts.map { $0 * factor } }

  func shift(_ x: Double, _ y: Double) -> Point2 {
    let (i, fx) = segment(columns, x)
    let (j, fy) = segment(rows, y)
    let n = columns.count
    let top = shifts[j * n + i] * (1 - fx) + shifts[j * n + i + 1] * fx
    let bottom = shifts[(j + 1) * n + i] * (1 - fx) + shifts[(j + 1) * n + i + 1] * fx
    return top * (1 - fy) + bottom * fy
  }

  private func segment(_ lines: [Double], _ value: Double) -> (index: Int, share: Double) {
    var i = 0
    while i + 2 < lines.count, value > lines[i + 1] { i += 1 }
    let share = (value - lines[i]) / (lines[i + 1] - lines[i])
    return (i, extrapolates ? share : min(max(share, 0), 1))
  }
}

/// A few modules of which it is known whether they are dark, looked for around where a map has them.
struct PatternWindow {
  let known: [KnownModule]
  /// Where they belong: what the shift is told of.
  let center: Point2

  /// How far the modules lie from where a map has them, and their contrast there, in gray levels.
  ///
  /// - Parameters:
  ///   - map: from modules to pixels.
  ///   - guess: a shift in pixels, around which they are looked for.
  ///   - reach: in modules.
  ///   - penalty: gray levels that a module of distance from the guess costs.
  func shift(
    _ view: ImageView, _ map: (Point2) -> Point2, inverted: Bool, guess: Point2, reach: Double, penalty: Double
  ) -> (shift: Point2, contrast: Double)? {
    let flat = map(center)
    let u = map(center + Point2(1, 0)) - flat
    let v = map(center + Point2(0, 1)) - flat
    let places = known.map { map($0.at) + guess }
    let darks = Double(known.count { $0.isDark })
    let lights = Double(known.count) - darks
    guard darks > 0, lights > 0 else { return nil }
    let weights = known.map { ($0.isDark ? -1 / darks : 1 / lights) * (inverted ? -1 : 1) }
    func contrast(_ d: Point2) -> Double {
      var sum = 0.0
      for (place, weight) in zip(places, weights) { sum += weight * view.sample(place + d) }
      return sum
    }
    var best = (at: Point2(0, 0), score: -Double.infinity, contrast: 0.0)
    func look(around middle: Point2, _ reach: Double, _ step: Double) {
      for y in stride(from: -reach, through: reach, by: step) {
        for x in stride(from: -reach, through: reach, by: step) {
          let off = middle + Point2(x, y)
          let value = contrast(u * off.x + v * off.y)
          let score = value - penalty * off.length
          if score > best.score { best = (off, score, value) }
        }
      }
    }
    look(around: [0, 0], reach, 0.5)
    look(around: best.at, 0.25, 0.25)
    look(around: best.at, 0.125, 0.125)
    return (guess + u * best.at.x + v * best.at.y, best.contrast)
  }
}
