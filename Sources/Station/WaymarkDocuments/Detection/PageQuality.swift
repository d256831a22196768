package import WaymarkImage

/// The legibility of a page in a frame, measured on its luma.
package struct PageQuality: Hashable, Sendable {
  /// The steepness of edges relative to their height, 0…1: 0.4 after a Gaussian blur with a standard deviation of one pixel,
  /// 0.2 with two pixels.
  package struct Sharpness: Hashable, Sendable {
    package var across: Double
    package var down: Double
  }

  /// The brightness of the paper, 0…1: the 90th percentile of the page's luma.
  package var brightness = 0.0
  /// The brightness of the whole picture, 0…1: the 90th percentile of its luma.
  package var light = 0.0
  /// The share of the page that is saturated by glare; 0 if the median of its luma is 225 or more: then the whole page is bright.
  package var glare = 0.0
  /// The sharpness; `nil` for a page without measurable edges.
  package var sharpness: Sharpness?
  /// The share of the frame that the page covers.
  package var share = 0.0
  /// The ratio of the shorter to the longer of two opposite sides, for the pair of sides with the smaller ratio; 1 if the page is
  /// seen perpendicularly.
  package var foreshortening = 0.0
  /// True if a corner is outside the frame or at its border, so that a part of the page may be missing.
  package var isCut = false
  package var marks = PageFingerprint()

  private static let tile = 16

  package init() {}

  /// Measures the page within `outline`, in pixels of `view`.
  package init(_ view: ImageView, outline: Quadrilateral) {
    guard let map = Homography(unitSquareTo: outline), view.width > 2 * Self.tile, view.height > 2 * Self.tile else {
      return
    }
    let c = outline.corners
    share = max(0, outline.signedArea) / Double(view.width * view.height)
    let lengths = (0..<4).map { c[$0].distance(to: c[($0 + 1) % 4]) }
    foreshortening =
      [(0, 2), (1, 3)].map { min(lengths[$0], lengths[$1]) / max(lengths[$0], lengths[$1], 1e-9) }.min() ?? 0
    // The error of tracing: 0.5 % of the frame's longer side.
    let slack = 0.005 * Double(max(view.width, view.height))
    isCut = c.contains {
      $0.x < slack || $0.y < slack || $0.x > Double(view.width - 1) - slack || $0.y > Double(view.height - 1) - slack
    }
    light = Self.light(view)
    let (luma, n, samples) = Self.luma(view, map)
    let sorted = luma.sorted()
    brightness = Double(sorted[sorted.count * 9 / 10]) / 255
    // Paper that is overexposed everywhere is bright, not glaring.
    if sorted[sorted.count / 2] < 225 { glare = Double(luma.count { $0 >= 252 }) / Double(luma.count) }
    sharpness = Self.sharpness(view, map)
    marks = PageFingerprint(luma, n, samples)
  }

  private static func light(_ view: ImageView) -> Double {
    let step = max(1, max(view.width, view.height) / 64)
    var histogram = GrayHistogram()
    for y in stride(from: step / 2, to: view.height, by: step) {
      let row = view.row(y)
      for x in stride(from: step / 2, to: view.width, by: step) { histogram.add(row[x]) }
    }
    return Double(histogram.level(behind: histogram.total * 9 / 10) ?? 0) / 255
  }

  /// Returns the mean luma of a uniform grid of `n` × `n` cells of the page, and the nine samples of each cell.
  private static func luma(_ view: ImageView, _ map: Homography) -> (means: [Float], n: Int, samples: [UInt8]) {
    let n = PageFingerprint.side
    let fine = 3 * n
    let (right, bottom) = (Double(view.width - 1), Double(view.height - 1))
    var means = [Float](repeating: 0, count: n * n)
    var samples = [UInt8](repeating: 0, count: fine * fine)
    // Each sample is the mean of four points, because print is finer than the grid.
    let step = 0.5 / Double(fine)
    for y in 0..<fine {
      for x in 0..<fine {
        var sum = 0
        for part in 0..<4 {
          let (u, v) = ((Double(2 * x + (part & 1)) + 0.5) * step, (Double(2 * y + (part >> 1)) + 0.5) * step)
          let w = map.row2.x * u + map.row2.y * v + map.row2.z
          let px = (map.row0.x * u + map.row0.y * v + map.row0.z) / w
          let py = (map.row1.x * u + map.row1.y * v + map.row1.z) / w
          // Coordinates that are not finite become 0.
          sum += Int(view.row(Int(max(0, min(py, bottom))))[Int(max(0, min(px, right)))])
        }
        means[y / 3 * n + x / 3] += Float(sum) / 36
        samples[y * fine + x] = UInt8(truncatingIfNeeded: sum / 4)
      }
    }
    return (means, n, samples)
  }

  /// Returns the steepest step as a share of the gray levels' range, at the 90th percentile of the tiles with marks; `nil` if fewer
  /// than six tiles have marks.
  private static func sharpness(_ view: ImageView, _ map: Homography) -> Sharpness? {
    var (across, down): ([Double], [Double]) = ([], [])
    let grid = 14
    for v in 0..<grid {
      for u in 0..<grid {
        let p = map.apply(Point2((Double(u) + 1) / Double(grid + 1), (Double(v) + 1) / Double(grid + 1)))
        guard p.x >= 0, p.y >= 0, p.x < Double(view.width - tile - 1), p.y < Double(view.height - tile - 1) else {
          continue
        }
        let (x0, y0) = (Int(p.x), Int(p.y))
        var (low, high): (UInt8, UInt8) = (255, 0)
        var (stepX, stepY) = (0, 0)
        for y in y0..<(y0 + tile) {
          let (row, next) = (view.row(y), view.row(y + 1))
          for x in x0..<(x0 + tile) {
            let value = row[x]
            low = min(low, value)
            high = max(high, value)
            stepX = max(stepX, abs(Int(row[x + 1]) - Int(value)))
            stepY = max(stepY, abs(Int(next[x]) - Int(value)))
          }
        }
        let range = Int(high) - Int(low)
        guard range >= 48 else { continue }
        across.append(min(1, Double(stepX) / Double(range)))
        down.append(min(1, Double(stepY) / Double(range)))
      }
    }
    guard across.count >= 6 else { return nil }
    across.sort()
    down.sort()
    return Sharpness(across: across[across.count * 9 / 10], down: down[down.count * 9 / 10])
  }
}
