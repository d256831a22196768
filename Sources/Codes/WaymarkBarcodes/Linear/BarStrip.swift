import WaymarkImage

/// Straightens the bars of a region into a picture of few rows. Each row is the mean of a band across the code: the averaging
/// reduces noise, and every scan line crosses the bars. `BarWindow` below is a part of a picture around regions of bars.
struct BarStrip: Hashable {
  /// The number of pixels of the strip per pixel of the picture, across the bars.
  let scale: Double
  let bands: Int
  private let origin: Point2
  private let stepU: Point2
  private let stepV: Point2
  private let samples: Int
  let width: Int

  /// - Parameters:
  ///   - margin: the extension before and after the region, as a share of its length: for quiet zones, and for bars too weak for the bar
  ///     search.
  ///   - depth: the largest number of samples averaged in a band.
  init(_ region: BarRegion, bands: Int = 9, scale: Double = 2, margin: Double = 0.12, depth: Int = 8) {
    let length = region.length * (1 + 2 * margin) + 16
    self.scale = min(scale, 4000 / length)
    self.bands = bands
    width = max(1, Int(length * self.scale))
    let height = max(1, region.height - 4)
    // One sample per pixel along the bars.
    samples = min(depth, max(1, Int(height / Double(bands))))
    stepU = region.direction / self.scale
    stepV = region.upright * (height / Double(bands * samples))
    origin = region.center - region.direction * (length / 2) - region.upright * (height / 2) + stepV / 2
  }

  /// Returns the position in the picture of a point of the strip.
  func place(_ x: Double, _ row: Double) -> Point2 { origin + x * stepU + (row * Double(samples)) * stepV }

  /// Returns the columns of a band inside the picture: beyond these, the border of the picture is repeated.
  func visible(band: Int, in image: ImageView) -> ClosedRange<Double> {
    let begin = place(0, Double(band) + 0.5) - stepV / 2
    var (low, high) = (-0.5, Double(width) - 0.5)
    for (at, step, size) in [(begin.x, stepU.x, image.width), (begin.y, stepU.y, image.height)] {
      let (near, far) = (-0.5 - at, Double(size) - 0.5 - at)
      if abs(step) < 1e-9 {
        if near > 0 || far < 0 { high = low }
      } else {
        low = max(low, min(near / step, far / step))
        high = min(high, max(near / step, far / step))
      }
    }
    return low...max(low, high)
  }

  /// Returns the row of the strip that shows a point of the picture.
  func row(of point: Point2) -> Double {
    let down = stepV * Double(samples)
    return (point - origin).dot(down) / down.dot(down)
  }

  /// Returns the column of the strip that shows a point of the picture.
  func column(of point: Point2) -> Double { (point - origin).dot(stepU) / stepU.dot(stepU) }

  /// Returns the range of the columns in which scan lines left a code; `nil` if it is at most a quarter as long as the region,
  /// because the lines then left the code at one end only.
  func span(of columns: [Double], in region: BarRegion) -> ClosedRange<Double>? {
    guard let first = columns.min(), let last = columns.max(), (last - first) / scale > 0.25 * region.length else {
      return nil
    }
    return first...last
  }

  /// Returns the outline of all bands over a range of columns, in pixels of the picture.
  func rectangle(_ span: ClosedRange<Double>) -> Quadrilateral {
    let rows = Double(bands)
    return Quadrilateral(
      topLeft: place(span.lowerBound, 0), topRight: place(span.upperBound, 0),
      bottomRight: place(span.upperBound, rows), bottomLeft: place(span.lowerBound, rows))
  }

  /// Draws the strip with every band twice, so that libzbar scans it in both directions.
  func draw(_ view: ImageView) -> GrayImage {
    var lines = [Float](repeating: 0, count: bands * width)
    lines.withUnsafeMutableBufferPointer { lines in
      for row in 0..<(bands * samples) {
        let begin = origin + Double(row) * stepV
        let line = UnsafeMutableBufferPointer(rebasing: lines[(row / samples * width)..<((row / samples + 1) * width)])
        if Self.holds(view, begin), Self.holds(view, begin + Double(width) * stepU) {
          add(view, from: begin, to: line)
          continue
        }
        var p = begin
        for x in 0..<width {
          line[x] += Float(view.bilinear(p))
          p += stepU
        }
      }
    }
    return GrayImage(width: width, height: bands * 2) { pixels in
      for band in 0..<bands {
        for x in 0..<width {
          let pixel = UInt8(min(max(lines[band * width + x] / Float(samples), 0), 255))
          pixels[2 * band * width + x] = pixel
          pixels[(2 * band + 1) * width + x] = pixel
        }
      }
    }
  }

  /// The least number of edges in a strip of a code: slightly less than half of the 44 of an EAN-8, whose bars may merge.
  private static let leastEdges = 20

  /// Returns whether an unprocessed strip has as many dark runs as a code, in two adjacent bands. A fence has fewer bars, and a letter
  /// fewer strokes.
  static func isRuled(_ strip: GrayImage) -> Bool {
    strip.withView { view in
      var wasRuled = false
      for row in stride(from: 0, to: view.height, by: 2) {
        let isRuled = LinearLine(turnsOf: view, row: row).map { $0.edges.count >= leastEdges } ?? false
        if isRuled, wasRuled { return true }
        wasRuled = isRuled
      }
      return false
    }
  }

  /// The least correlations of the brightness changes between adjacent bands, and between a band and the next but one. Blurred bars
  /// exceed them, half of the lines of text do not.
  private static let alike: [Float] = [0.75, 0.4]

  /// Returns whether a strip looks alike in some band and the next, and in some band and the next but one. Even slanted bars do;
  /// letters differ at each height.
  static func isContinuous(_ strip: GrayImage) -> Bool {
    let (width, bands) = (strip.width / 2 - 2, strip.height / 2)
    guard width > 16, bands > alike.count else { return true }
    // The brightness changes between pixels of the picture; two pixels of a strip are one pixel of the picture.
    let changes = (0..<bands).map { band in
      strip.withView { view in
        let row = view.row(2 * band)
        return (1...width).map { Float(row[2 * $0 + 2]) - Float(row[2 * $0 - 2]) }
      }
    }
    let powers = changes.map { $0.reduce(0) { $0 + $1 * $1 } }
    return alike.enumerated().allSatisfy { i, least in
      let gap = i + 1
      return (0..<(bands - gap)).contains { band in
        let needed = least * (powers[band] * powers[band + gap]).squareRoot()
        return needed > 0
          && (-2 * gap...2 * gap).contains { shift in
            changes[band].withUnsafeBufferPointer { one in
              changes[band + gap].withUnsafeBufferPointer { other in
                var sum: Float = 0
                for x in max(0, shift)..<min(width, width + shift) { sum += one[x] * other[x - shift] }
                return sum >= needed
              }
            }
          }
      }
    }
  }

  /// Returns a strip with its contrast multiplied by `gain` about the local mean, taken over a block of `block` pixels and two
  /// blocks on either side.
  static func stretch(_ strip: GrayImage, block: Int, gain: Int) -> GrayImage {
    let width = strip.width
    let blocks = max(1, width / block)
    return GrayImage(width: width, height: strip.height) { pixels in
      var levels = [Int](repeating: 0, count: blocks)
      for y in 0..<strip.height {
        for b in 0..<blocks {
          var sum = 0
          let end = b + 1 == blocks ? width : (b + 1) * block
          for x in (b * block)..<end { sum += Int(strip[x, y]) }
          levels[b] = sum / max(1, end - b * block)
        }
        for b in 0..<blocks {
          let around = levels[max(0, b - 2)...min(blocks - 1, b + 2)]
          let level = around.reduce(0, +) / around.count
          let end = b + 1 == blocks ? width : (b + 1) * block
          for x in (b * block)..<end {
            pixels[y * width + x] = UInt8(min(max(0, (Int(strip[x, y]) - level) * gain + 128), 255))
          }
        }
      }
    }
  }

  /// Returns whether all four pixels around a point are inside the picture, with a margin of one pixel.
  private static func holds(_ view: ImageView, _ p: Point2) -> Bool {
    p.x >= 1 && p.y >= 1 && p.x < Double(view.width) - 2 && p.y < Double(view.height) - 2
  }

  /// Adds the samples along a line inside the picture, interpolated linearly in fixed-point numbers.
  @inline(__always)
  private func add(_ view: ImageView, from begin: Point2, to line: UnsafeMutableBufferPointer<Float>) {
    // Positions are fixed-point numbers with 32 fractional bits, of which eleven weight the pixels.
    let one = 4_294_967_296.0
    var (x, y) = (Int(begin.x * one), Int(begin.y * one))
    let (dx, dy) = (Int(stepU.x * one), Int(stepU.y * one))
    for i in 0..<width {
      let (fx, fy) = ((x >> 21) & 2047, (y >> 21) & 2047)
      let value = Bilinear.fixed(view.row(y >> 32) + (x >> 32), stride: view.stride, fx: fx, fy: fy, bits: 11)
      line[i] += Float(value) * (1 / 4_194_304)
      x &+= dx
      y &+= dy
    }
  }
}

// MARK: - Windows

/// A part of a picture around regions that look like bars, and the directions of the scan lines that may read them.
struct BarWindow {
  /// The directions of scan lines that may read bars.
  enum Ways { case rows, columns, both }

  /// The bounds in pixels of the picture.
  private(set) var bounds: Bounds
  private(set) var ways: Ways
  /// True if it is the whole picture.
  let isWhole: Bool

  /// Creates the window of the whole picture.
  init(_ image: ImageView, _ ways: Ways = .both) {
    bounds = Bounds(min: [0, 0], max: [Double(image.width), Double(image.height)])
    self.ways = ways
    isWhole = true
  }

  private init(_ region: BarRegion, in image: ImageView) {
    // Includes quiet zones, and bars that were too weak for the bar search or are isolated because modules are large.
    let reach = Point2(region.length * 0.75 + region.height * 0.1 + 16, region.height * 0.55 + 16)
    let (u, v) = (region.direction, region.upright)
    let half = Point2(abs(u.x) * reach.x + abs(v.x) * reach.y, abs(u.y) * reach.x + abs(v.y) * reach.y)
    let all = Point2(Double(image.width), Double(image.height))
    bounds = Bounds(
      min: pointwiseMax([0, 0], region.center - half), max: pointwiseMin(all, region.center + half))
    // Scan lines read bars that they cross at up to 30° from a right angle.
    ways = abs(u.x) > 1.7 * abs(u.y) ? .rows : abs(u.y) > 1.7 * abs(u.x) ? .columns : .both
    isWhole = false
  }

  /// Returns the windows around regions; overlapping windows are joined if that adds little area.
  static func windows(around regions: [BarRegion], in image: ImageView) -> [BarWindow] {
    var windows: [BarWindow] = []
    for region in regions {
      var window = BarWindow(region, in: image)
      guard window.area > 0 else { continue }
      while let other = windows.firstIndex(where: { window.joined($0) != nil }) {
        if let joined = window.joined(windows[other]) { window = joined }
        windows.remove(at: other)
      }
      windows.append(window)
    }
    return windows
  }

  var area: Double { max(0, bounds.max.x - bounds.min.x) * max(0, bounds.max.y - bounds.min.y) }

  /// Returns a window around both; `nil` if they do not overlap, or the area of the joined window is more than 1.4 times the sum of
  /// theirs.
  private func joined(_ other: BarWindow) -> BarWindow? {
    var whole = self
    whole.bounds = Bounds(
      min: pointwiseMin(bounds.min, other.bounds.min), max: pointwiseMax(bounds.max, other.bounds.max))
    if ways != other.ways { whole.ways = .both }
    return whole.area <= 1.4 * (area + other.area) && overlaps(other) ? whole : nil
  }

  private func overlaps(_ other: BarWindow) -> Bool {
    bounds.min.x < other.bounds.max.x && other.bounds.min.x < bounds.max.x && bounds.min.y < other.bounds.max.y
      && other.bounds.min.y < bounds.max.y
  }

  /// Returns the window in a copy of the picture of `factor` times the size.
  func scaled(by factor: Double) -> BarWindow {
    var other = self
    other.bounds = Bounds(min: bounds.min * factor, max: bounds.max * factor)
    return other
  }

  /// Returns a copy of the window's part of a picture, and its top left corner. The corner is a multiple of the block sizes used in
  /// the whole picture, its half and its third, so that a block has the same pixels in the copy as in the picture.
  func cut(from view: ImageView) -> (image: GrayImage, corner: Point2) {
    let grid = 48
    let (x, y) = (Int(bounds.min.x) / grid * grid, Int(bounds.min.y) / grid * grid)
    let part = view.cropped(
      x: x, y: y, width: (Int(bounds.max.x.rounded(.up)) - x + grid - 1) / grid * grid,
      height: (Int(bounds.max.y.rounded(.up)) - y + grid - 1) / grid * grid)
    return (GrayImage(copying: part), Point2(Double(x), Double(y)))
  }
}
