import WaymarkImage

// MARK: - Refinement by known modules

/// A module of a fixed pattern, whose tone is known. The rest of the file fits a grid to such modules: its corners
/// (`GridRefinement`, `CornerRefinement`), its bends (`GridMesh`), and single patterns (`PatternWindow`).
struct KnownModule {
  /// The centre, in modules.
  var at: Point2
  var isDark: Bool
}

/// Moves the corners of a grid to the positions at which the known modules have the highest contrast.
struct GridRefinement {
  private let view: ImageView
  private let size: Point2
  private let inverted: Bool
  /// True for each known module that is dark.
  private let dark: [Bool]
  /// Four sample points of each known module.
  private let places: SamplePlaces
  /// The number of dark known modules.
  private let darks: Double

  /// Sample points of a module, relative to its centre, in modules.
  static let offsets: [Point2] = [[-0.3, -0.3], [0.3, -0.3], [0.3, 0.3], [-0.3, 0.3]]

  init(view: ImageView, size: Point2, known: [KnownModule], inverted: Bool) {
    (self.view, self.size, self.inverted) = (view, size, inverted)
    dark = known.map(\.isDark)
    darks = Double(dark.count { $0 })
    var places = SamplePlaces()
    // The sample points are off the centre: points well inside a module look alike, and only points near its edges show its
    // position.
    for module in known { for off in Self.offsets { places.append(module.at + off) } }
    self.places = places
  }

  /// Returns the mean difference between light and dark known modules under a map, in gray levels.
  func score(_ map: Homography) -> Double {
    let lights = Double(dark.count) - darks
    guard lights > 0, darks > 0 else { return 0 }
    var (lightSum, darkSum) = (0.0, 0.0)
    view.sample(map, at: places) { i, value in
      if dark[i / Self.offsets.count] { darkSum += value } else { lightSum += value }
    }
    let difference = (lightSum / lights - darkSum / darks) / Double(Self.offsets.count)
    return inverted ? -difference : difference
  }

  /// Returns the map with the highest score near a given one, and its score.
  ///
  /// - Parameters:
  ///   - start: the map from modules to pixels.
  ///   - module: the size of a module in pixels.
  func refine(_ start: Homography, module: Double) -> (map: Homography, score: Double) {
    let frame = Quadrilateral(width: size.x, height: size.y)
    let map = CornerRefinement.best(start, frame: frame, module: module, score: score)
    return (map, score(map))
  }
}

/// Moves the corners of a map, in decreasing steps, to maximize a score.
enum CornerRefinement {
  /// The corners that move together: each by itself, or the two of each side, which changes position and size before the shape.
  static let corners = [[0], [1], [2], [3]]
  static let sides = [[0, 1], [1, 2], [2, 3], [3, 0]]

  /// Returns the map with the highest score that was found.
  ///
  /// - Parameters:
  ///   - frame: the quadrilateral whose corners are moved, in modules.
  ///   - module: the size of a module in pixels.
  ///   - groups: `corners` or `sides`.
  static func best(
    _ start: Homography, frame: Quadrilateral, module: Double, groups: [[Int]] = corners, score: (Homography) -> Double
  ) -> Homography {
    var corners = start.apply(frame).corners
    var best = (map: start, score: score(start))
    for step in [0.5 * module, 0.25 * module, 0.12 * module, 0.06 * module] {
      for _ in 0..<3 {
        var improved = false
        for group in groups {
          for move in [Point2(step, 0), Point2(-step, 0), Point2(0, step), Point2(0, -step)] {
            var moved = corners
            for i in group { moved[i] += move }
            guard let map = Homography(from: frame, to: Quadrilateral(corners: moved)) else { continue }
            let score = score(map)
            if score > best.score + 1e-6 {
              best = (map, score)
              corners = moved
              improved = true
            }
          }
        }
        if !improved { break }
      }
    }
    return best.map
  }
}

// MARK: - Meshes

/// Shifts in pixels at the crossings of grid lines, interpolated linearly: bends a map to a surface that is not flat.
struct GridMesh {
  /// The positions of the vertical lines, in modules; `rows` has the horizontal lines. At least two of each.
  let columns: [Double]
  let rows: [Double]
  /// The shifts at the crossings in pixels, row by row.
  var shifts: [Point2]
  /// True if the shifts are extrapolated linearly beyond the outer lines; false if they are constant there.
  var extrapolates = false
}

extension GridMesh {
  /// Returns the map from modules to pixels that fits fixed points and the positions of the crossings found.
  static func fit(_ fixed: [PointPair], columns: [Double], rows: [Double], _ places: [Point2?]) -> Homography? {
    let n = columns.count
    return Homography.fit(
      fixed
        + places.indices.compactMap { node in
          places[node].map { PointPair(reference: [columns[node % n], rows[node / n]], frame: $0) }
        })
  }

  /// Creates a mesh of the shifts of crossings from their positions under a map; `nil` if no crossing was found.
  ///
  /// - Parameter places: the positions of the crossings in pixels, row by row; `nil` for a crossing that was not found.
  init?(columns: [Double], rows: [Double], _ places: [Point2?], _ map: Homography, extrapolates: Bool = false) {
    let n = columns.count
    let shifts = places.indices.map { node in places[node].map { $0 - map.apply([columns[node % n], rows[node / n]]) } }
    self.init(columns: columns, rows: rows, found: shifts, extrapolates: extrapolates)
  }

  /// Creates a mesh from the shifts of the crossings found; the other crossings get the mean shift of their neighbours.
  ///
  /// - Returns: `nil` if no crossing was found.
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

  /// Creates a mesh from crossings along the sides of cells only: inside a cell, the shifts are interpolated from its four
  /// sides (S. Coons, "Surfaces for computer-aided design of space forms", MIT 1967).
  ///
  /// - Parameter cells: the number of lines from one side of a cell to the next, across and down.
  /// - Returns: `nil` if no crossing along the sides was found.
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

  /// Returns the mean of the known shifts at a crossing and the eight crossings around it; `nil` if none is known.
  static func mean(around node: Int, _ shifts: [Point2?], _ columns: Int) -> Point2? {
    let (x, y) = (node % columns, node / columns)
    var near: [Point2] = []
    for v in max(0, y - 1)...min(shifts.count / columns - 1, y + 1) {
      for u in max(0, x - 1)...min(columns - 1, x + 1) { if let s = shifts[v * columns + u] { near.append(s) } }
    }
    return near.isEmpty ? nil : near.reduce(Point2(0, 0), +) / Double(near.count)
  }

  /// Changes the unit of the shifts to a pixel of a picture of `factor` times the size.
  mutating func scale(by factor: Double) { shifts = shifts.map { $0 * factor } }

  /// Returns the shift at a point in modules, in pixels.
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

// MARK: - Patterns

/// A few modules whose tone is known, searched for around their position under a map.
struct PatternWindow {
  let known: [KnownModule]
  /// The point to which the shift applies, in modules.
  let center: Point2

  /// Returns the shift of the modules from their position under a map, in pixels, and their contrast at the shifted position, in
  /// gray levels; `nil` if the known modules are all dark or all light.
  ///
  /// - Parameters:
  ///   - map: the map from modules to pixels.
  ///   - guess: the expected shift in pixels, around which the modules are searched for.
  ///   - reach: the largest distance from the guess, in modules.
  ///   - penalty: the gray levels subtracted per module of distance from the guess.
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

extension Homography {
  /// Returns the least-squares map of pairs; `nil` if they do not determine one.
  static func fit(_ pairs: [PointPair]) -> Homography? {
    guard let map = pairs.withUnsafeBufferPointer({ fit($0) }), map.isFinite else { return nil }
    return map
  }
}
