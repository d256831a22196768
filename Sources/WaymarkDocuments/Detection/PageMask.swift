import WaymarkGeometry

/// A coarse probability map of the page from `PageSegmenter`, as an integral image, so that an outline is compared with it quickly.
struct PageMask {
  private static let cells = PageSegmenter.cells
  /// Of each row the sums of the probabilities before each cell, and before the row's end.
  private let sums: [Float]
  /// Cells in all that probably belong to a page.
  private let total: Double
  /// Cells for a pixel of the work picture.
  private let scale: Point2

  /// How an outline and the mask agree.
  struct Agreement {
    /// The area that both cover as a share of what either covers, 0…1.
    var overlap = 0.0
    /// How much of the inside probably belongs to a page.
    var inside = 0.0
    /// How much of what probably belongs to a page is inside.
    var share = 0.0
  }

  /// - Parameters:
  ///   - probabilities: of `cells` × `cells` parts of the picture.
  ///   - width: of the work picture, pixels; `height` alike.
  init(_ probabilities: [Float], width: Int, height: Int) {
    let n = Self.cells
    var sums = [Float](repeating: 0, count: n * (n + 1))
    for y in 0..<n {
      for x in 0..<n { sums[y * (n + 1) + x + 1] = sums[y * (n + 1) + x] + probabilities[y * n + x] }
    }
    self.sums = sums
    total = (0..<n).reduce(0) { $0 + Double(sums[$1 * (n + 1) + n]) }
    scale = Point2(Double(n) / Double(width), Double(n) / Double(height))
  }

  /// Of a convex outline in pixels of the work picture.
  func agreement(with outline: Quadrilateral) -> Agreement {
    let corners = outline.corners.map { Point2(($0.x + 0.5) * scale.x, ($0.y + 0.5) * scale.y) }
    let n = Self.cells
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

  private func sum(_ row: Int, to x: Double) -> Double {
    let n = Self.cells
    let cell = min(Int(x), n - 1)
    let base = row &* (n + 1) &+ cell
    return Double(sums[base]) + Double(sums[base + 1] - sums[base]) * (x - Double(cell))
  }
}
