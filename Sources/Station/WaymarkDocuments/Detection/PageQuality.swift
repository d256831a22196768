package import WaymarkImage

/// How well a page can be read in a frame, by its luma.
package struct PageQuality: Hashable, Sendable {
  /// How steep edges are for their height, 0…1: 0.4 behind a blur of a pixel's standard deviation, 0.2 behind two.
  package struct Sharpness: Hashable, Sendable {
    /// From left to right.
    package var across: Double
    /// From top to bottom.
    package var down: Double

    /// A sharpness from its parts.
    package init(across: Double, down: Double) {
      self.across = across
      self.down = down
    }
  }

  /// How bright its paper is, 0…1: nine tenths of the page are darker.
  package var brightness = 0.0
  /// The same of the whole picture.
  package var light = 0.0
  /// The share of the page that glare makes white: saturated, where the rest of the page is not.
  package var glare = 0.0
  /// How sharp it is; nil where there is nothing to tell it by.
  package var sharpness: Sharpness?
  /// The share of the frame that it fills.
  package var share = 0.0
  /// Its shorter sides divided by those opposite, the worse pair: 1 seen from straight above.
  package var foreshortening = 0.0
  /// True if it goes on beyond the frame.
  package var isCut = false
  /// The marks on it.
  package var marks = PageFingerprint()

  private static let tile = 16

  /// Nothing known.
  package init() {}

  /// Looks at the page within `outline`, in pixels of `view`.
  package init(_ view: ImageView, outline: Quadrilateral) {
    guard let map = Homography(unitSquareTo: outline), view.width > 2 * Self.tile, view.height > 2 * Self.tile else {
      return
    }
    let c = outline.corners
    share = max(0, outline.signedArea) / Double(view.width * view.height)
    let lengths = (0..<4).map { c[$0].distance(to: c[($0 + 1) % 4]) }
    foreshortening =
      [(0, 2), (1, 3)].map { min(lengths[$0], lengths[$1]) / max(lengths[$0], lengths[$1], 1e-9) }.min() ?? 0
    // Half a hundredth: what tracing errs by.
    let slack = 0.005 * Double(max(view.width, view.height))
    isCut = c.contains {
      $0.x < slack || $0.y < slack || $0.x > Double(view.width - 1) - slack || $0.y > Double(view.height - 1) - slack
    }
    light = Self.light(view)
    let (luma, n, samples) = Self.luma(view, map)
    let sorted = luma.sorted()
    brightness = Double(sorted[sorted.count * 9 / 10]) / 255
    // Paper that is exposed to the limit all over is bright, not glaring.
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

  /// Means of luma over an even grid of `n` × `n` places of the page, and the nine values of which each is the mean.
  private static func luma(_ view: ImageView, _ map: Homography) -> (means: [Float], n: Int, samples: [UInt8]) {
    let n = PageFingerprint.side
    let fine = 3 * n
    let (right, bottom) = (Double(view.width - 1), Double(view.height - 1))
    var means = [Float](repeating: 0, count: n * n)
    var samples = [UInt8](repeating: 0, count: fine * fine)
    // Each the mean of four places: print is finer than the grid.
    let step = 0.5 / Double(fine)
    for y in 0..<fine {
      for x in 0..<fine {
        var sum = 0
        for part in 0..<4 {
          let (u, v) = ((Double(2 * x + (part & 1)) + 0.5) * step, (Double(2 * y + (part >> 1)) + 0.5) * step)
          let w = map.row2.x * u + map.row2.y * v + map.row2.z
          let px = (map.row0.x * u + map.row0.y * v + map.row0.z) / w
          let py = (map.row1.x * u + map.row1.y * v + map.row1.z) / w
          // Places that are not finite are the first.
          sum += Int(view.row(Int(max(0, min(py, bottom))))[Int(max(0, min(px, right)))])
        }
        means[y / 3 * n + x / 3] += Float(sum) / 36
        samples[y * fine + x] = UInt8(truncatingIfNeeded: sum / 4)
      }
    }
    return (means, n, samples)
  }

  /// The steepest step of each tile that has something on it, as a share of its range; of these the one that nine tenths stay below.
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
