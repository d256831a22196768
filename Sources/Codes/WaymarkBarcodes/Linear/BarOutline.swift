import WaymarkImage

/// Finds the corners of the bars of a code that was read.
///
/// The region of the bar search may contain more than the code and miss thin bars; the ends of libzbar's scan lines may be in the
/// middle of an EAN or UPC. A line that was read therefore serves as a template. Along the bars, the code extends as far as the
/// lines resemble the template. Across the bars, an EAN or UPC extends over the elements known from its digits.
struct BarOutline {
  private let image: ImageView
  private let region: BarRegion
  private let strip: BarStrip
  /// A row of the strip in which the code was read.
  private let row: Double

  /// Returns the corners of a code in the picture.
  ///
  /// - Parameters:
  ///   - places: the points where scan lines left the code, in columns and rows of the strip.
  ///   - isUpsideDown: true if the code was read from the end of the strip.
  static func corners(
    of symbol: Symbol, leftAt places: [Point2], isUpsideDown: Bool, in strip: BarStrip, of region: BarRegion,
    _ image: ImageView
  ) -> Quadrilateral {
    let span = strip.span(of: places.map(\.x), in: region)
    let rows = places.map { $0.y.rounded(.down) }.sorted()
    let outline = BarOutline(
      image: image, region: region, strip: strip, row: (rows.isEmpty ? 0 : rows[rows.count / 2]) + 0.5)
    let quad =
      outline.corners(of: symbol, span: span, isUpsideDown: isUpsideDown) ?? span.map(strip.rectangle) ?? region.corners
    return isUpsideDown ? quad.turned(by: 2) : quad
  }

  /// A line across the bars: one sample per pixel of the strip's width.
  private typealias Line = [Float]

  /// Returns the corners of a code, the top left of the region first; `nil` if the line that was read shows no bars, or if the
  /// corners enclose fewer than eight columns or three pixels of height.
  ///
  /// - Parameters:
  ///   - span: the columns of the strip between which libzbar's scan lines read the code; `nil` if unknown.
  ///   - isUpsideDown: true if the code probably begins at the end of the strip.
  private func corners(of symbol: Symbol, span: ClosedRange<Double>?, isUpsideDown: Bool) -> Quadrilateral? {
    var template = Line(repeating: 0, count: strip.width)
    for across in -2...2 {
      guard let beside = way(across: Double(across), shift: 0) else { return nil }
      for i in template.indices { template[i] += beside.level(i, in: image) }
    }
    let known = RetailPattern.widths(symbol.symbology, symbol.bytes)
    let seen = widened(span, symbol.symbology, template)
    let fitted = known.flatMap { fit(isUpsideDown ? $0.reversed() : $0, to: template, span: span, seen: seen) }
    guard let ends = fitted ?? seen else { return nil }
    let range = max(0, Int(ends.lowerBound))...min(template.count - 1, max(0, Int(ends.upperBound)))
    guard range.count >= 8 else { return nil }
    let top = edge(template, range, ends, -1), bottom = edge(template, range, ends, 1)
    guard region.upright.dot(bottom.left - top.left) >= 3, region.upright.dot(bottom.right - top.right) >= 3 else {
      return nil
    }
    return Quadrilateral(topLeft: top.left, topRight: top.right, bottomRight: bottom.right, bottomLeft: bottom.left)
  }

  /// Returns the upper ends of the first and the last bar if `way` is −1, and the lower ends if it is 1.
  ///
  /// If the code is tilted, the ends of the bars are not at right angles to the bars, so the two ends of the line are tracked
  /// separately.
  private func edge(
    _ template: Line, _ range: ClosedRange<Int>, _ ends: ClosedRange<Double>, _ way: Double
  ) -> (left: Point2, right: Point2) {
    func place(_ x: Double, _ reach: Double, _ shift: Double) -> Point2 {
      strip.place(x + shift * strip.scale, row) + reach * region.upright
    }
    let part = max(8, range.count * 2 / 5)
    if range.count > 40 {
      let (first, last) = (range.lowerBound...(range.lowerBound + part), (range.upperBound - part)...range.upperBound)
      let (a, b) = (grow(template, first, way), grow(template, last, way))
      // Extrapolates from the centres of the two parts to the ends.
      let (u, v) = (Double(first.lowerBound + first.upperBound) / 2, Double(last.lowerBound + last.upperBound) / 2)
      let slope = (b.reach - a.reach) / (v - u)
      if abs(slope) * strip.scale < 0.6, way * a.reach > 0, way * b.reach > 0 {
        let left = a.reach + slope * (ends.lowerBound - u), right = b.reach + slope * (ends.upperBound - v)
        return (place(ends.lowerBound, left, a.shift), place(ends.upperBound, right, b.shift))
      }
    }
    let whole = grow(template, range, way)
    return (
      place(ends.lowerBound, whole.reach, whole.shift), place(ends.upperBound, whole.reach, whole.shift)
    )
  }

  // MARK: Along the bars

  /// Returns how far lines resemble the template along the bars, negative upwards (`way` −1) and positive downwards (`way` 1), and how
  /// far the last of these lines is shifted along itself, because bars may be slanted; both in pixels of the picture.
  private func grow(_ template: Line, _ range: ClosedRange<Int>, _ way: Double) -> (reach: Double, shift: Double) {
    let step = max(1, region.height / 100)
    // A few hundred samples are enough to recognise bars.
    let samples = stride(from: range.lowerBound, through: range.upperBound, by: max(1, range.count / 200))
    // A scratch or a line of print may cross the bars.
    let maximumGap = max(3, 0.06 * region.height)
    var (reach, shift, distance) = (0.0, 0.0, 0.0)
    var least = 0.35
    while distance - abs(reach) <= maximumGap, distance < 3 * region.height + 64 {
      distance += step
      var best: (likeness: Double, shift: Double)?
      for nearby in [shift, shift - 0.5 * step, shift + 0.5 * step] {
        guard let beside = self.way(across: way * distance, shift: nearby) else { continue }
        let likeness = likeness(template, beside, samples)
        if likeness > best?.likeness ?? -1 { best = (likeness, nearby) }
        // Most bars are not slanted: no other shift needs to be tried.
        if likeness > 0.9 { break }
      }
      guard let best else { break }
      if best.likeness >= least {
        // The threshold is taken from the lines close to the template, because all lines have the same noise.
        if distance <= 3 * step { least = max(least, 0.5 * best.likeness) }
        (reach, shift) = (way * distance, best.shift)
      }
    }
    return (reach, shift)
  }

  /// A line parallel to the row that was read, in the picture.
  private struct Way {
    let begin: Point2
    let step: Point2

    func level(_ i: Int, in image: ImageView) -> Float { Float(image.bilinear(begin + Double(i) * step)) }
  }

  /// Returns the line at a distance `across` from the row that was read, along the bars, shifted by `shift` along itself, both in pixels of
  /// the picture; `nil` if its centre is outside of the picture.
  private func way(across: Double, shift: Double) -> Way? {
    let begin = strip.place(0, row) + across * region.upright + shift * region.direction
    let step = region.direction / strip.scale
    let middle = begin + Double(strip.width / 2) * step
    guard middle.x >= 0, middle.y >= 0, middle.x < Double(image.width), middle.y < Double(image.height) else {
      return nil
    }
    return Way(begin: begin, step: step)
  }

  /// Returns the correlation coefficient of a line with one in the picture at some samples; 0 if either shows no bars.
  private func likeness(_ line: Line, _ way: Way, _ samples: StrideThrough<Int>) -> Double {
    var (sa, sb, aa, bb, ab, n) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for i in samples {
      n += 1
      let (x, y) = (Double(line[i]), Double(way.level(i, in: image)))
      sa += x
      sb += y
      aa += x * x
      bb += y * y
      ab += x * y
    }
    let (va, vb) = (aa - sa * sa / n, bb - sb * sb / n)
    // A line with a standard deviation below one gray level shows no bars.
    return va > n && vb > n ? (ab - sa * sb / n) / (va * vb).squareRoot() : 0
  }

  // MARK: Across the bars

  /// Returns the position of elements of known widths in a line; `nil` if they fit at no position.
  ///
  /// - Parameters:
  ///   - span: the part of the line that libzbar's scan lines read.
  ///   - seen: the part of the line that seems to contain the bars.
  private func fit(
    _ widths: [Int], to line: Line, span: ClosedRange<Double>?, seen: ClosedRange<Double>?
  ) -> ClosedRange<Double>? {
    let modules = Double(widths.reduce(0, +))
    // The scan lines read the whole code or one of its halves. Without scan lines, the bars of the region are used.
    var starts: [(from: Double, module: Double)] = []
    if let span, span.upperBound - span.lowerBound > 8 {
      let (from, length) = (span.lowerBound, span.upperBound - span.lowerBound)
      starts = [(from, length / modules), (from, 2 * length / modules), (from - length, 2 * length / modules)]
    }
    let margin = (Double(line.count) - region.length * strip.scale) / 2
    starts.append((margin, region.length * strip.scale / modules))
    if span == nil, let seen { starts.append((seen.lowerBound, (seen.upperBound - seen.lowerBound) / modules)) }
    var best = Fit()
    for elements in [widths, widths.reversed()] {
      let pattern = Self.pattern(elements)
      var own = Fit()
      for start in starts {
        for size in -4...4 {
          let module = start.module * (1 + 0.01 * Double(size))
          for shift in -6...6 {
            let from = start.from + (modules / 2) * (start.module - module) + 0.5 * Double(shift) * module
            for bend in -3...3 {
              let fit = Fit(from: from, module: module, bend: 0.05 * Double(bend))
              own.improve(with: fit, pattern, template: line, samples: 1.5)
            }
          }
        }
      }
      // Refines the best fit in steps that are halved from a quarter to 1/64 of a module; modules are smaller towards the more distant
      // end.
      var (shift, size, bend) = (0.25, 0.005, 0.02)
      for _ in 0..<5 where own.likeness > 0.3 {
        let center = own
        for i in -1...1 {
          for k in -1...1 {
            for b in -1...1 {
              let module = center.module * (1 + size * Double(k))
              let from = center.from + (modules / 2) * (center.module - module) + shift * Double(i) * module
              let fit = Fit(from: from, module: module, bend: center.bend + bend * Double(b))
              own.improve(with: fit, pattern, template: line)
            }
          }
        }
        (shift, size, bend) = (shift / 2, size / 2, bend / 2)
      }
      if own.likeness > best.likeness { best = own }
      if best.likeness > 0.7 { break }
    }
    guard best.likeness > 0.6 else { return nil }
    return best.from...(best.from + modules * best.module)
  }

  /// The position of a pattern in a line.
  private struct Fit {
    var likeness = 0.0
    var from = 0.0
    var module = 0.0
    /// Half the growth of the modules from the beginning to the end, as a share of the mean module.
    var bend = 0.0

    /// Replaces the fit by another if the line resembles the pattern more at the other.
    ///
    /// - Parameter samples: the least number of samples to compare per module; infinity for every pixel.
    mutating func improve(with other: Fit, _ pattern: [Float], template: Line, samples: Double = .infinity) {
      let likeness = other.likeness(pattern, template, step: max(1, Int(other.module / samples)))
      guard likeness > self.likeness else { return }
      self = other
      self.likeness = likeness
    }

    /// Returns the correlation coefficient of a line and a pattern of modules.
    private func likeness(_ pattern: [Float], _ line: Line, step: Int) -> Double {
      let first = from - 3 * module
      let length = Double(pattern.count) * module
      let begin = max(0, Int(first.rounded(.up))), end = min(line.count, Int(first + length))
      // At least half of the pattern must be inside the line.
      guard module > 0.5, Double(end - begin) > 0.5 * length else { return 0 }
      var (sa, sb, aa, bb, ab) = (Float(0), Float(0), Float(0), Float(0), Float(0))
      let scale = 1 / length
      for i in stride(from: begin, to: end, by: step) {
        let t = (Double(i) - first) * scale
        let x = line[i]
        let y = pattern[max(0, min(pattern.count - 1, Int((t + bend * t * (1 - t)) * Double(pattern.count))))]
        sa += x
        sb += y
        aa += x * x
        bb += y * y
        ab += x * y
      }
      let n = Float((end - begin + step - 1) / step)
      let (va, vb) = (aa - sa * sa / n, bb - sb * sb / n)
      return va > n && vb > 0 ? Double((ab - sa * sb / n) / (va * vb).squareRoot()) : 0
    }
  }

  /// Returns dark (−1) or light (1) for each module, with three modules of quiet zone on either side.
  private static func pattern(_ widths: [Int]) -> [Float] {
    var pattern: [Float] = [1, 1, 1]
    for (i, width) in widths.enumerated() {
      pattern += Array(repeating: i.isMultiple(of: 2) ? -1 : 1, count: width)
    }
    return pattern + [1, 1, 1]
  }

  /// Returns libzbar's span, which may lack an element, widened to the outer edges of the code; without a span, the range of the
  /// bars around the middle of the line.
  private func widened(_ span: ClosedRange<Double>?, _ symbology: Symbology, _ line: Line) -> ClosedRange<Double>? {
    guard let span else { return trimmed(line, around: nil) }
    guard let all = trimmed(line, around: span) else { return span }
    // libzbar reads these by halves.
    let isInHalves = symbology == .dataBar || Symbology.retail.contains(symbology)
    return isInHalves || all.upperBound - all.lowerBound < 1.2 * (span.upperBound - span.lowerBound) ? all : span
  }

  /// Returns the range from the span, or from the middle of the line, outwards to the first light runs of at least 9.5 modules; `nil` if
  /// the line has no bars there.
  private func trimmed(_ line: Line, around span: ClosedRange<Double>?) -> ClosedRange<Double>? {
    let gray = GrayImage(width: line.count, height: 1) { pixels in
      for i in pixels.indices { pixels[i] = UInt8(min(max(line[i] / 5, 0), 255)) }
    }
    guard let bars = gray.withView({ LinearLine($0, row: 0) }) else { return nil }
    // The module is about the lower quartile of the widths of all elements.
    let module = bars.widths.sorted()[bars.widths.count / 4]
    let middle = Double(line.count) / 2
    let (lower, upper) = (span?.lowerBound ?? middle, span?.upperBound ?? middle)
    guard let before = bars.widths.indices.last(where: { bars.edges[$0] <= lower + module }),
      let behind = bars.widths.indices.first(where: { bars.edges[$0 + 1] >= upper - module })
    else { return nil }
    var (first, last) = (min(before, behind), max(before, behind))
    while first > 0, bars.widths[first - 1] < 9.5 * module || !first.isMultiple(of: 2) { first -= 1 }
    while last < bars.widths.count - 1, bars.widths[last + 1] < 9.5 * module || !last.isMultiple(of: 2) { last += 1 }
    guard first.isMultiple(of: 2), last.isMultiple(of: 2), last < bars.widths.count else { return nil }
    return bars.edges[first]...bars.edges[last + 1]
  }
}
