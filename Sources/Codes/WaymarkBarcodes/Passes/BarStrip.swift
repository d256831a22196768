import WaymarkImage

/// Straightens the bars of a region into a picture of few rows, each the mean of a band across the code: noise goes
/// down with the height of a band, and no scan line misses.
struct BarStrip {
  /// Pixels of the strip to a pixel of the picture.
  let scale: Double
  let bands: Int
  private let origin: Point2
  private let stepU: Point2
  private let stepV: Point2
  private let samples: Int
  let width: Int

  /// - Parameters:
  ///   - margin: added before and after the region, as a share of its length: quiet zones, and bars that were too
  ///     weak to be seen as such.
  ///   - depth: how many samples at most make the mean of a band.
  init(_ region: BarRegion, bands: Int = 9, scale: Double = 2, margin: Double = 0.12, depth: Int = 8) {
    let length = region.length * (1 + 2 * margin) + 16
    self.scale = min(scale, 4000 / length)
    self.bands = bands
    width = max(1, Int(length * self.scale))
    let height = max(1, region.height - 4)
    // One sample a pixel down a band.
    samples = min(depth, max(1, Int(height / Double(bands))))
    stepU = region.direction / self.scale
    stepV = region.upright * (height / Double(bands * samples))
    origin = region.center - region.direction * (length / 2) - region.upright * (height / 2) + stepV / 2
  }

  /// The place in the picture of a point of the strip.
  func place(_ x: Double, _ row: Double) -> Point2 { origin + x * stepU + (row * Double(samples)) * stepV }

  /// The row of the strip that shows a point of the picture.
  func row(of point: Point2) -> Double {
    let down = stepV * Double(samples)
    return (point - origin).dot(down) / down.dot(down)
  }

  /// The column of the strip that shows a point of the picture.
  func column(of point: Point2) -> Double { (point - origin).dot(stepU) / stepU.dot(stepU) }

  /// Where scan lines left a code, if they did so at both its ends.
  func span(of columns: [Double], in region: BarRegion) -> ClosedRange<Double>? {
    guard let first = columns.min(), let last = columns.max(), (last - first) / scale > 0.25 * region.length else {
      return nil
    }
    return first...last
  }

  /// All bands over a part of the width.
  func rectangle(_ span: ClosedRange<Double>) -> Quadrilateral {
    let rows = Double(bands)
    return Quadrilateral(
      topLeft: place(span.lowerBound, 0), topRight: place(span.upperBound, 0),
      bottomRight: place(span.upperBound, rows), bottomLeft: place(span.lowerBound, rows))
  }

  /// Every band twice, for a look from either end.
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

  /// So many edges has the shortest code, an EAN-8 of which half the bars melt, a Codabar of three characters.
  private static let leastEdges = 20

  /// Returns whether a strip, drawn and not changed, turns dark as often as a code does: in two bands beside each other. A fence has fewer
  /// bars, and a letter fewer strokes.
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

  /// How much alike changes of brightness are, of bands beside each other and of the next but one: correlations that blurred bars
  /// exceed, and half of the lines of text do not.
  private static let alike: [Float] = [0.75, 0.4]

  /// Returns whether a strip shows the same in a band, in the next one and in the one after that, as bars do, which may lean. Letters are
  /// another thing at each height.
  static func isContinuous(_ strip: GrayImage) -> Bool {
    let (width, bands) = (strip.width / 2 - 2, strip.height / 2)
    guard width > 16, bands > alike.count else { return true }
    // Changes between pixels of the picture, of which a strip has two each.
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

  /// A strip with the contrast around each place stretched by `gain` about the middle between the mean of blocks.
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

  /// Returns whether a place has four pixels of the picture around it, and none of them is beyond its rim.
  private static func holds(_ view: ImageView, _ p: Point2) -> Bool {
    p.x >= 1 && p.y >= 1 && p.x < Double(view.width) - 2 && p.y < Double(view.height) - 2
  }

  /// Adds what lies along a line that does not leave the picture, linear between pixels, in whole numbers.
  @inline(__always)
  private func add(_ view: ImageView, from begin: Point2, to line: UnsafeMutableBufferPointer<Float>) {
    // Places have 32 bits behind the point, of which eleven weigh pixels.
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
