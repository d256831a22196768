import WaymarkImage

/// A coarse probability map of the page from `PageSegmenter`, stored as row sums so that outlines are compared with it quickly.
struct PageMask {
  /// The number of cells per side.
  private let cells: Int
  /// The sums of each row's probabilities to the left of each cell, then of the whole row: `cells` + 1 values a row.
  private let sums: [Float]
  private let probabilities: [Float]
  /// The sum of all probabilities: the expected number of cells of a page.
  private let total: Double
  /// The number of cells per pixel of the work picture.
  private let scale: Point2

  /// The agreement of an outline with the mask.
  struct Agreement {
    /// The area of the intersection as a share of the union, 0…1.
    var overlap = 0.0
    /// The mean probability inside the outline.
    var inside = 0.0
    /// The share of the mask's total probability that is inside the outline.
    var share = 0.0
    /// The difference of the probabilities just inside and just outside, along the side where it is least; it is small at a fold.
    var weakestSide = 0.0
  }

  /// - Parameters:
  ///   - probabilities: The probabilities of `cells` × `cells` parts of the picture.
  ///   - n: The number of parts a side.
  ///   - width: The width of the work picture in pixels.
  ///   - height: Its height in pixels.
  init(_ probabilities: [Float], cells n: Int, width: Int, height: Int) {
    cells = n
    var sums = [Float](repeating: 0, count: n * (n + 1))
    for y in 0..<n {
      for x in 0..<n { sums[y * (n + 1) + x + 1] = sums[y * (n + 1) + x] + probabilities[y * n + x] }
    }
    self.sums = sums
    self.probabilities = probabilities
    total = (0..<n).reduce(0) { $0 + Double(sums[$1 * (n + 1) + n]) }
    scale = Point2(Double(n) / Double(width), Double(n) / Double(height))
  }

  /// Returns the agreement of a convex outline, in pixels of the work picture, without that of its sides.
  func agreement(with outline: Quadrilateral) -> Agreement {
    let corners = outline.corners.map(cell)
    let n = cells
    var (inside, area) = (0.0, 0.0)
    for row in 0..<n {
      let y = Double(row) + 0.5
      var (left, right) = (Double.infinity, -Double.infinity)
      for i in 0..<4 {
        let (a, b) = (corners[i], corners[(i + 1) % 4])
        guard (a.y <= y) != (b.y <= y) else { continue }
        let x = a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y)
        left = min(left, x)
        right = max(right, x)
      }
      left = max(left, 0)
      right = min(right, Double(n))
      guard right > left else { continue }
      area += right - left
      inside += sum(row, to: right) - sum(row, to: left)
    }
    guard area > 0 else { return Agreement() }
    return Agreement(
      overlap: inside / max(total + area - inside, 1e-9), inside: inside / area, share: inside / max(total, 1))
  }

  /// Returns the agreement of an outline including its sides.
  ///
  /// - Parameter sides: The traced sides in pixels of the work picture; empty for straight lines between the corners.
  func agreement(with outline: Quadrilateral, alongSides sides: [[Point2]]) -> Agreement {
    var agreement = agreement(with: outline)
    let steps = (0..<4).map { side in
      let (a, b) = (cell(outline[side]), cell(outline[side + 1]))
      let along = b - a
      let inward = Point2(-along.y, along.x) / max(along.length, 1e-9) * Self.beside
      var sum = 0.0
      for i in 0..<Self.samples {
        let share = (Double(i) + 0.5) / Double(Self.samples)
        let p =
          sides.isEmpty
          ? a + along * share : cell(sides[side][Int(share * Double(sides[side].count))])
        sum += probability(p + inward) - probability(p - inward)
      }
      return sum / Double(Self.samples)
    }
    agreement.weakestSide = steps.min() ?? 0
    return agreement
  }

  /// The distance from a side in cells at which probabilities are compared, and the number of points along it.
  private static let beside = 1.5
  private static let samples = 12

  /// Converts a point of the work picture to cells.
  private func cell(_ p: Point2) -> Point2 { Point2((p.x + 0.5) * scale.x, (p.y + 0.5) * scale.y) }

  /// Returns the probability of the cell at a point; 0 outside the picture.
  private func probability(_ p: Point2) -> Double {
    guard p.x >= 0, p.y >= 0, p.x < Double(cells), p.y < Double(cells) else { return 0 }
    return Double(probabilities[Int(p.y) &* cells &+ Int(p.x)])
  }

  private func sum(_ row: Int, to x: Double) -> Double {
    let n = cells
    let cell = min(Int(x), n - 1)
    let base = row &* (n + 1) &+ cell
    return Double(sums[base]) + Double(sums[base + 1] - sums[base]) * (x - Double(cell))
  }

  /// Returns an outline, in pixels of the work picture, with sides and corners moved to agree best with the mask.
  func fitted(_ start: Quadrilateral) -> Quadrilateral {
    var best = (outline: start, overlap: agreement(with: start).overlap)
    let cell = 1 / min(scale.x, scale.y)
    for step in Self.steps {
      for _ in 0..<Self.rounds {
        let before = best.overlap
        for side in 0..<4 {
          let along = best.outline[side + 1] - best.outline[side]
          let unit = along / max(along.length, 1e-9) * (step * cell)
          let across = Point2(-unit.y, unit.x)
          for move in [across, across * -1] {
            attempt(&best, moving: [side, side + 1], by: move)
            attempt(&best, moving: [side], by: move)
            attempt(&best, moving: [side + 1], by: move)
          }
        }
        if best.overlap <= before { break }
      }
    }
    return best.outline
  }

  /// The steps in cells, and the number of passes with each.
  private static let steps = [1.5, 0.7, 0.3, 0.12]
  private static let rounds = 4

  private func attempt(_ best: inout (outline: Quadrilateral, overlap: Double), moving: [Int], by move: Point2) {
    var corners = best.outline.corners
    for corner in moving {
      let moved = corners[corner % 4] + move
      // Corners must stay in the picture: there is no mask outside, so area there would not lower the agreement.
      let place = cell(moved)
      guard place.x >= 0, place.y >= 0, place.x <= Double(cells), place.y <= Double(cells) else { return }
      corners[corner % 4] = moved
    }
    let outline = Quadrilateral(corners: corners)
    guard outline.isConvex else { return }
    let overlap = agreement(with: outline).overlap
    if overlap > best.overlap { best = (outline, overlap) }
  }
}
