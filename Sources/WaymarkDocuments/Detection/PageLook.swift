public import WaymarkGeometry
public import WaymarkImage

/// How well a page can be read in a frame, by its luma.
public struct PageLook: Hashable, Sendable {
  /// How steep edges are for their height, 0…1: 0.4 behind a blur of a pixel's standard deviation, 0.2 behind two.
  public struct Sharpness: Hashable, Sendable {
    /// From left to right.
    public var across: Double
    /// From top to bottom.
    public var down: Double

    /// A sharpness from its parts.
    public init(across: Double, down: Double) {
      self.across = across
      self.down = down
    }
  }

  /// How bright its paper is, 0…1: nine tenths of the page are darker.
  public var brightness = 0.0
  /// The share of it that glare makes white: saturated, where the rest of the page is not.
  public var glare = 0.0
  /// How sharp it is; nil where there is nothing to tell it by.
  public var sharpness: Sharpness?
  /// The share of the frame that it fills.
  public var share = 0.0
  /// Its shorter sides divided by those opposite, the worse pair: 1 seen from straight above.
  public var foreshortening = 0.0
  /// Whether it goes on beyond the frame.
  public var isCut = false
  /// What is on it.
  public var marks = PageMarks()

  private static let tile = 16

  /// Nothing known.
  public init() {}

  /// Looks at the page within `outline`, in pixels of `view`.
  public init(_ view: ImageView, outline: Quadrilateral) {
    guard let map = PageRectifier.unitMap(to: outline), view.width > 2 * Self.tile, view.height > 2 * Self.tile else {
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
    let (luma, n) = Self.luma(view, map)
    let sorted = luma.sorted()
    brightness = Double(sorted[sorted.count * 9 / 10]) / 255
    // Paper that is exposed to the limit all over is bright, not glaring.
    if sorted[sorted.count / 2] < 225 { glare = Double(luma.count { $0 >= 252 }) / Double(luma.count) }
    sharpness = Self.sharpness(view, map)
    marks = PageMarks(luma, n)
  }

  /// Means of luma over an even grid of `n` × `n` places of the page, and how many those are.
  private static func luma(_ view: ImageView, _ map: Homography) -> (means: [Float], n: Int) {
    let n = PageMarks.side
    let fine = 3 * n
    let (right, bottom) = (view.width - 1, view.height - 1)
    var means = [Float](repeating: 0, count: n * n)
    for y in 0..<fine {
      for x in 0..<fine {
        let p = map.apply(Point2((Double(x) + 0.5) / Double(fine), (Double(y) + 0.5) / Double(fine)))
        guard p.x.isFinite, p.y.isFinite else { continue }
        let (px, py) = (Int(min(max(p.x, 0), Double(right))), Int(min(max(p.y, 0), Double(bottom))))
        means[y / 3 * n + x / 3] += Float(view.row(py)[px]) / 9
      }
    }
    return (means, n)
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

/// What is on a page, coarsely: by this a page that comes back is known again, in whatever light and whichever way up.
public struct PageMarks: Hashable, Sendable {
  static let side = 40
  /// Darkness against the surroundings, of zero mean and unit length; empty for a page with nothing on it.
  private var values: [Float] = []

  /// Nothing.
  public init() {}

  /// The marks in means of luma over `n` × `n` places of a page.
  init(_ luma: [Float], _ n: Int) {
    // Against the mean of the 9 × 9 places around, so that light and shadow do not count.
    var sums = [Float](repeating: 0, count: (n + 1) * (n + 1))
    for y in 0..<n {
      var row: Float = 0
      for x in 0..<n {
        row += luma[y * n + x]
        sums[(y + 1) * (n + 1) + x + 1] = sums[y * (n + 1) + x + 1] + row
      }
    }
    var marks = [Float](repeating: 0, count: n * n)
    // The outermost places show what lies beside the page when its outline is off by a hundredth.
    for y in 1..<(n - 1) {
      for x in 1..<(n - 1) {
        let (x0, x1, y0, y1) = (max(0, x - 4), min(n, x + 5), max(0, y - 4), min(n, y + 5))
        let sum = sums[y1 * (n + 1) + x1] - sums[y0 * (n + 1) + x1] - sums[y1 * (n + 1) + x0] + sums[y0 * (n + 1) + x0]
        let mean = sum / Float((x1 - x0) * (y1 - y0))
        marks[y * n + x] = max(-0.4, min(0.4, (luma[y * n + x] - mean) / (mean + 12)))
      }
    }
    let mean = marks.reduce(0, +) / Float(n * n)
    for i in marks.indices { marks[i] -= mean }
    let length = marks.reduce(0) { $0 + $1 * $1 }.squareRoot()
    // Noise of about a hundredth of the paper's luma at every place.
    guard length > 0.012 * Float(n) else { return }
    values = marks.map { $0 / length }
  }

  /// Whether there is anything on the page.
  public var isBlank: Bool { values.isEmpty }

  /// How much alike two pages are, -1…1: their correlation at the best of four ways up and of small shifts. Two blank pages are alike.
  public func similarity(to other: PageMarks) -> Double {
    guard !values.isEmpty, !other.values.isEmpty else { return isBlank == other.isBlank ? 1 : 0 }
    var best: Float = -1
    var turned = other.values
    for turn in 0..<4 {
      if turn > 0 { turned = Self.turn(turned) }
      for dy in -1...1 {
        for dx in -1...1 { best = max(best, correlation(turned, dx, dy)) }
      }
    }
    return Double(best)
  }

  private func correlation(_ other: [Float], _ dx: Int, _ dy: Int) -> Float {
    let n = Self.side
    var sum: Float = 0
    for y in max(0, dy)..<min(n, n + dy) {
      for x in max(0, dx)..<min(n, n + dx) { sum += values[y * n + x] * other[(y - dy) * n + x - dx] }
    }
    return sum
  }

  private static func turn(_ values: [Float]) -> [Float] {
    let n = side
    return (0..<n * n).map { values[(n - 1 - $0 % n) * n + $0 / n] }
  }
}
