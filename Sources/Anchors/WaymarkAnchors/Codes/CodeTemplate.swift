import WaymarkImage

/// The picture of a code that was read, by which the code is followed between readings.
///
/// The file also draws it from its modules (`CodeModules`), which are read from a frame (`CodeSampler`).
///
/// Once the grid of a matrix code is known, so are all of its modules, and the picture is redrawn with edges as sharp as printed.
/// All of these edges determine the position, not just the four outer ones, and the reference is as exact as the print. Other codes
/// are cut out of the frame.
struct CodeTemplate {
  /// The symbol with a margin around it.
  var image: GrayImage
  /// Pixels of the picture → pixels of the frame.
  var homography: Homography
  /// The outer edges of the symbol in pixels of the picture, whose pixel centres are integers.
  var outline: Quadrilateral
  /// True if the picture was drawn from modules.
  var isDrawn: Bool

  /// The longest side of a picture, in pixels.
  private static let side = 240

  /// Returns a picture drawn from the modules read in a frame.
  ///
  /// - Parameters:
  ///   - corners: The outer corners of the symbol in undistorted frame pixels, correct within half a module.
  ///   - grids: The possible numbers of columns and rows of modules.
  /// - Returns: The picture; `nil` if no grid fits, or light and dark modules are not clearly distinguishable.
  static func drawn(
    _ frame: ImageView, _ corners: Quadrilateral, _ grids: [SIMD2<Int>], lens: LensMap?
  ) -> CodeTemplate? {
    let sampler = CodeSampler(frame: frame, lens: lens)
    guard let grid = sampler.grid(of: corners, grids), let modules = sampler.modules(corners, grid) else { return nil }
    return CodeTemplate(modules, corners)
  }

  /// Returns the code drawn from its modules, which were read at another position; `nil` if they are not clearly distinguishable.
  func redrawn(
    _ frame: ImageView, at homography: Homography, modules: SIMD2<Int>, lens: LensMap?
  ) -> CodeTemplate? {
    let corners = homography.apply(outline)
    return CodeSampler(frame: frame, lens: lens).modules(corners, modules).flatMap { CodeTemplate($0, corners) }
  }

  /// The number of columns and rows of modules in the picture, without the margin.
  private(set) var modules = SIMD2(0, 0)

  private init?(_ modules: CodeModules, _ corners: Quadrilateral) {
    // A margin of one module, as seen around the symbol.
    let (columns, rows) = (modules.columns + 2, modules.rows + 2)
    let pixels = min(12, max(2, Self.side / max(columns, rows)))
    image = GrayImage(width: columns * pixels, height: rows * pixels) { out in
      for i in out.indices {
        let (x, y) = (i % (columns * pixels) / pixels, i / (columns * pixels) / pixels)
        out[i] = modules.isLight(x - 1, y - 1) ? 215 : 40
      }
    }
    let (w, h) = (Double(modules.columns * pixels), Double(modules.rows * pixels))
    let p = Double(pixels) - 0.5
    outline = Quadrilateral(width: w, height: h).mapped { $0 + p }
    guard let map = Homography(from: outline, to: corners) else { return nil }
    homography = map
    isDrawn = true
    self.modules = SIMD2(modules.columns, modules.rows)
  }

  /// Returns the picture blurred with a standard deviation of `softness` frame pixels.
  func softened(by softness: Double) -> CodeTemplate {
    let seen = homography.apply(outline).signedArea
    guard seen > 0 else { return self }
    let sigma = min(softness * (outline.signedArea / seen).squareRoot(), 16)
    var soft = self
    soft.image = GrayImage(width: image.width, height: image.height) { out in
      guard let pixels = out.baseAddress else { return }
      pixels.update(from: image.buffer.bytes, count: out.count)
      GaussianBlur.apply(pixels, width: image.width, height: image.height, sigma: sigma)
    }
    return soft
  }

  /// Cuts a picture out of the frame, with a margin of an eighth of the symbol's height; `nil` if a side has fewer than
  /// 8 pixels.
  ///
  /// - Parameter corners: The outer corners of the symbol in undistorted frame pixels.
  init?(_ frame: ImageView, cut corners: Quadrilateral, lens: LensMap?) {
    func mean(_ a: Double, _ b: Double) -> Double { 0.5 * (a + b) }
    let wide = mean(
      corners.topLeft.distance(to: corners.topRight), corners.bottomLeft.distance(to: corners.bottomRight))
    let high = mean(
      corners.topLeft.distance(to: corners.bottomLeft), corners.topRight.distance(to: corners.bottomRight))
    guard wide.isFinite, high.isFinite, wide >= 8, high >= 8 else { return nil }
    let scale = min(2, Double(Self.side) / max(wide, high))
    let (w, h) = ((wide * scale).rounded(), (high * scale).rounded())
    guard w >= 8, h >= 8 else { return nil }
    let margin = max(4, (0.125 * h).rounded())
    let p = margin - 0.5
    outline = Quadrilateral(width: w, height: h).mapped { $0 + p }
    guard let map = Homography(from: outline, to: corners) else { return nil }
    homography = map
    isDrawn = false
    let size = (width: Int(w + 2 * margin), height: Int(h + 2 * margin))
    let sampler = CodeSampler(frame: frame, lens: lens)
    image = GrayImage(width: size.width, height: size.height) { out in
      for i in out.indices {
        let level = sampler.gray(map.apply(Point2(Double(i % size.width), Double(i / size.width))))
        out[i] = UInt8(min(max(level.rounded(), 0), 255))
      }
    }
  }
}

/// The modules of a symbol, light or dark, with a margin of one module.
struct CodeModules {
  let columns: Int
  let rows: Int
  /// True for light modules: `rows + 2` rows of `columns + 2`.
  fileprivate let light: [Bool]

  /// Returns whether a module is light; the indices −1 and `columns` or `rows` are the margin.
  func isLight(_ x: Int, _ y: Int) -> Bool { light[(y + 1) * (columns + 2) + x + 1] }
}

/// Reads gray levels and modules of a symbol from a frame.
struct CodeSampler {
  let frame: ImageView
  let lens: LensMap?

  /// Returns the interpolated gray level at an undistorted point; beyond the frame, the gray level of the frame's
  /// nearest edge.
  func gray(_ straight: Point2) -> Double {
    frame.bilinear(lens?.bend(straight) ?? straight)
  }

  /// Returns the number of columns and rows of modules of a symbol: the candidate whose module borders have the largest changes of
  /// gray level, compared with the middles of its modules.
  ///
  /// - Returns: `nil` if no candidate fits or all modules would be smaller than about two pixels.
  func grid(of corners: Quadrilateral, _ candidates: [SIMD2<Int>]) -> SIMD2<Int>? {
    guard let map = Homography(unitSquareTo: corners) else { return nil }
    // A module must be about two frame pixels wide to be distinguished.
    let size = max(0, corners.signedArea).squareRoot()
    let plausible = candidates.filter { Double($0.x * $0.y).squareRoot() * 1.8 <= size }
    guard !plausible.isEmpty else { return nil }
    let across = Self.changes { u, v in gray(map.apply(Point2(u, v))) }
    let down = Self.changes { u, v in gray(map.apply(Point2(v, u))) }
    let scores = plausible.map { Self.contrast(across, $0.x) + Self.contrast(down, $0.y) }
    guard let best = scores.max(), best > 0.3 else { return nil }
    // A grid three times as coarse has all lines on lines of the correct grid, and all centres on centres. So of the grids that fit
    // nearly as well, the finest is chosen.
    return zip(plausible, scores).filter { $0.1 >= 0.85 * best }.max { $0.0.x * $0.0.y < $1.0.x * $1.0.y }?.0
  }

  private static let bins = 1024
  private static let lines = 24

  /// Returns the change of the gray level along `u` at `bins` positions, summed over `v`.
  private static func changes(_ gray: (Double, Double) -> Double) -> [Double] {
    var sums = [Double](repeating: 0, count: bins)
    for line in 0..<lines {
      let v = (Double(line) + 0.5) / Double(lines)
      var before = gray(-0.5 / Double(bins), v)
      for i in 0..<bins {
        let next = gray((Double(i) + 0.5) / Double(bins), v)
        sums[i] += abs(next - before)
        before = next
      }
    }
    return sums
  }

  /// Returns the contrast between the changes at the lines of a grid and the changes in the middle of its modules, −1…1.
  private static func contrast(_ changes: [Double], _ count: Int) -> Double {
    func sum(_ offset: Double, _ range: Range<Int>) -> Double {
      // A tenth of a module to each side, because lines are never quite straight and the outline is imprecise.
      let reach = max(1, Int(0.1 * Double(bins) / Double(count)))
      var total = 0.0
      for k in range {
        let middle = Int(((Double(k) + offset) / Double(count) * Double(bins)).rounded())
        for i in max(0, middle - reach)...min(bins - 1, middle + reach) where i >= 0 { total += changes[i] }
      }
      return total / Double(range.count)
    }
    guard count >= 4 else { return 0 }
    let (at, between) = (sum(0, 1..<count), sum(0.5, 0..<count))
    return at + between > 0 ? (at - between) / (at + between) : 0
  }

  /// Returns the modules, classified by a local threshold; `nil` if more than a tenth are uncertain, the contrast is
  /// below 12 gray levels, or fewer than a fifth are light or dark.
  func modules(_ corners: Quadrilateral, _ grid: SIMD2<Int>) -> CodeModules? {
    guard let map = Homography(unitSquareTo: corners) else { return nil }
    let (columns, rows) = (grid.x + 2, grid.y + 2)
    var level = [Double](repeating: 0, count: columns * rows)
    for y in 0..<rows {
      for x in 0..<columns {
        var sum = 0.0
        for (dx, dy) in [(0.0, 0.0), (-0.2, -0.2), (0.2, -0.2), (-0.2, 0.2), (0.2, 0.2)] {
          let p = Point2((Double(x) - 0.5 + dx) / Double(grid.x), (Double(y) - 0.5 + dy) / Double(grid.y))
          sum += gray(map.apply(p))
        }
        level[y * columns + x] = sum / 5
      }
    }
    let thresholds = Self.thresholds(level, columns, rows)
    var light = [Bool](repeating: false, count: level.count)
    var (bright, dark) = ((sum: 0.0, count: 0.0), (sum: 0.0, count: 0.0))
    for i in level.indices {
      light[i] = level[i] > thresholds[i]
      if light[i] {
        bright = (bright.sum + level[i], bright.count + 1)
      } else {
        dark = (dark.sum + level[i], dark.count + 1)
      }
    }
    // Every symbology has a fair share of light and dark modules.
    guard min(bright.count, dark.count) >= 0.2 * Double(level.count) else { return nil }
    let contrast = bright.sum / bright.count - dark.sum / dark.count
    guard contrast >= 12 else { return nil }
    let doubtful = level.indices.count { abs(level[$0] - thresholds[$0]) < 0.1 * contrast }
    guard Double(doubtful) <= 0.1 * Double(level.count) else { return nil }
    return CodeModules(columns: grid.x, rows: grid.y, light: light)
  }

  /// Returns the threshold for each module: the mean of the darkest and the brightest module within five modules on
  /// each side.
  private static func thresholds(_ level: [Double], _ columns: Int, _ rows: Int) -> [Double] {
    func spread(_ values: [Double], _ better: (Double, Double) -> Double) -> [Double] {
      var out = values
      for y in 0..<rows {
        for x in 0..<columns {
          var best = values[y * columns + x]
          for k in max(0, x - 5)...min(columns - 1, x + 5) { best = better(best, values[y * columns + k]) }
          out[y * columns + x] = best
        }
      }
      var result = out
      for y in 0..<rows {
        for x in 0..<columns {
          var best = out[y * columns + x]
          for k in max(0, y - 5)...min(rows - 1, y + 5) { best = better(best, out[k * columns + x]) }
          result[y * columns + x] = best
        }
      }
      return result
    }
    return zip(spread(level, min), spread(level, max)).map { 0.5 * ($0 + $1) }
  }
}
