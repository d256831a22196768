import WaymarkImage

/// A gray picture with operations for finding ink, whose connected components are `InkComponent`.
struct InkPlane {
  let width: Int
  let height: Int
  var pixels: [UInt8]

  init(width: Int, height: Int, value: UInt8 = 255) {
    self.width = width
    self.height = height
    pixels = [UInt8](repeating: value, count: width * height)
  }

  init(_ view: ImageView) {
    self.init(width: view.width, height: view.height)
    for y in 0..<height {
      let row = view.row(y)
      for x in 0..<width { pixels[y * width + x] = row[x] }
    }
  }

  var image: GrayImage {
    GrayImage(width: width, height: height) { target in _ = target.update(from: pixels) }
  }

  /// Returns the quantile of the pixel values at a share of 0 to 1.
  func percentile(_ share: Double) -> UInt8 { percentile(share, x: 0..<width, y: 0..<height) }

  /// Returns the quantile of the pixel values in a part of the picture; the area beyond its border is ignored.
  private func percentile(_ share: Double, x: Range<Int>, y: Range<Int>) -> UInt8 {
    let (x, y) = (x.clamped(to: 0..<width), y.clamped(to: 0..<height))
    var histogram = GrayHistogram()
    for row in y {
      for column in x { histogram.add(pixels[row * width + column]) }
    }
    return histogram.level(behind: Int(Double(x.count * y.count) * share)).map(UInt8.init) ?? 255
  }

  /// The gray level that best separates ink from paper (Otsu).
  var threshold: UInt8 { GrayHistogram(pixels).otsuThreshold }

  /// True if the text is light on dark. Text covers less area than its background, so the differences between pixels and the mean
  /// of their surroundings, raised to the third power, add up to more than 0 for light text. Shading makes no local difference.
  var standsOutLight: Bool {
    let sums = summed()
    let reach = max(4, height / 2)
    var third = 0.0
    for y in 0..<height {
      for x in 0..<width {
        let (sum, count) = sums.window(x, y, reach: reach)
        let difference = Double(pixels[y * width + x]) - Double(sum) / Double(count)
        third += difference * difference * difference
      }
    }
    return third > 0
  }

  /// Returns the integral image, for sums of pixels over rectangles.
  func summed() -> IntegralImage<Int> {
    pixels.withUnsafeBufferPointer { pixels in
      IntegralImage(width: width, height: height) { Int(pixels[$1 &* width &+ $0]) }
    }
  }

  /// Stretches the gray values so that `low` becomes 10 and `high` 245.
  mutating func stretch(from low: UInt8, to high: UInt8) {
    let table = GrayStretch.table(from: Int(low), to: Int(high)) { $0.rounded(.towardZero) }
    for i in pixels.indices { pixels[i] = table[Int(pixels[i])] }
  }

  /// Removes shading and glare from a line that is dark on light: paper becomes 255 everywhere, and ink that is fainter than
  /// elsewhere on the line is darkened, up to three times.
  mutating func flatten() {
    let tile = max(4, height / 4)
    let (columns, rows) = ((width + tile - 1) / tile, (height + tile - 1) / tile)
    guard columns >= 3 else { return }
    /// Returns the two tiles whose centres are next to a pixel on each side, with their weights for interpolation.
    func place(_ pixel: Int, _ count: Int) -> LinearTap {
      LinearTap((Double(pixel) + 0.5) / Double(tile) - 0.5, count: count)
    }
    // The lightness of the paper, from windows as large as a character, so that each contains paper.
    var paper = [Double](repeating: 255, count: columns * rows)
    for row in 0..<rows {
      for column in 0..<columns {
        paper[row * columns + column] = Double(
          percentile(
            0.85, x: (column - 1) * tile..<(column + 2) * tile, y: (row - 1) * tile..<(row + 2) * tile))
      }
    }
    for y in 0..<height {
      let down = place(y, rows)
      for x in 0..<width {
        let across = place(x, columns)
        func light(_ row: Int) -> Double {
          let (a, b) = (paper[row * columns + across.low], paper[row * columns + across.high])
          return a + (b - a) * across.share
        }
        let (top, bottom) = (light(down.low), light(down.high))
        let value = Double(pixels[y * width + x]) + 255 - (top + (bottom - top) * down.share)
        pixels[y * width + x] = UInt8(max(0, min(255, value)))
      }
    }
    // The darkness of the ink, over a few characters along the line.
    let depth = (0..<columns).map { column in
      255 - Double(percentile(0.03, x: (column - 4) * tile..<(column + 5) * tile, y: 0..<height))
    }
    let deepest = depth.max() ?? 0
    guard deepest >= 12 else { return }
    for x in 0..<width {
      let across = place(x, columns)
      let (a, b) = (depth[across.low], depth[across.high])
      let dark = max(deepest / 3, a + (b - a) * across.share)
      for y in 0..<height {
        let value = 255 - (255 - Double(pixels[y * width + x])) * 235 / dark
        pixels[y * width + x] = UInt8(max(0, min(255, value)))
      }
    }
  }

  /// Darkens the gray values by an exponent above 1; black and white stay.
  mutating func darken(_ exponent: Double) {
    let table = (0..<256).map { UInt8(clamping: Int((255 * Double.power(Double($0) / 255, exponent)).rounded())) }
    for i in pixels.indices { pixels[i] = table[Int(pixels[i])] }
  }

  mutating func invert() {
    for i in pixels.indices { pixels[i] = 255 - pixels[i] }
  }

  /// Returns the picture blurred by a Gaussian with a standard deviation in pixels, the border repeated.
  func softened(_ deviation: Double) -> InkPlane {
    guard deviation > 0.05, width > 0, height > 0 else { return self }
    var soft = self
    soft.pixels.withUnsafeMutableBufferPointer { pixels in
      guard let pixels = pixels.baseAddress else { return }
      GaussianBlur.applyRounding(pixels, width: width, height: height, sigma: deviation)
    }
    return soft
  }

  /// Returns a part of the picture; the area beyond the border is white.
  func cropped(x: Int, y: Int, width w: Int, height h: Int) -> InkPlane {
    var part = InkPlane(width: w, height: h)
    for row in max(0, -y)..<max(max(0, -y), min(h, height - y)) {
      for column in max(0, -x)..<max(max(0, -x), min(w, width - x)) {
        part.pixels[row * w + column] = pixels[(y + row) * width + x + column]
      }
    }
    return part
  }
}

/// A connected component of ink: its bounding box, its area in pixels and its moments.
struct InkComponent {
  var left: Int
  var top: Int
  var right: Int
  var bottom: Int
  var area = 0
  /// The moments of its pixel positions.
  var spread = PointMoments()

  /// Adds a range of pixels of a row.
  private mutating func add(_ y: Int, _ x: Range<Int>) {
    left = min(left, x.lowerBound)
    right = max(right, x.upperBound - 1)
    top = min(top, y)
    bottom = max(bottom, y)
    area += x.count
    for place in x { spread.add(Point2(Double(place), Double(y))) }
  }

  var width: Int { right - left + 1 }
  var height: Int { bottom - top + 1 }
  var centerX: Double { Double(left + right) / 2 }
  var centerY: Double { Double(top + bottom) / 2 }

  /// Returns the 8-connected components of a mask, and for each pixel the index of its component, -1 for none.
  static func find(_ mask: [Bool], width: Int, height: Int) -> (pieces: [InkComponent], labels: [Int32]) {
    var components = ComponentLabels()
    mask.withUnsafeBufferPointer { mask in
      components.label(width: width, height: height, isEightConnected: true) { mask[$0] }
    }
    var labels = [Int32](repeating: -1, count: mask.count)
    var pieces = [InkComponent](
      repeating: InkComponent(left: width, top: height, right: -1, bottom: -1), count: components.count)
    for run in components.runs {
      let (component, y, x) = (Int(run.component), Int(run.y), Int(run.from)..<Int(run.to))
      for place in x { labels[y * width + place] = run.component }
      pieces[component].add(y, x)
    }
    return (pieces, labels)
  }
}

/// Stretches gray levels so that two ends become 10 and 245; levels beyond them are clamped to 0 and 255.
enum GrayStretch {
  /// Returns the new level of each gray level from 0 to 255; `low` becomes 10, and `high` 245.
  ///
  /// - Parameter round: Rounds the distance from the dark end; networks were trained with different roundings.
  static func table(from low: Int, to high: Int, round: (Double) -> Double) -> [UInt8] {
    let range = Double(max(1, high - low))
    return (0..<256).map { level in UInt8(max(0, min(255, 10 + round(235 * Double(level - low) / range)))) }
  }
}
