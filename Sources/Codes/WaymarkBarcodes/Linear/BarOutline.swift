import WaymarkImage

/// Finds the extent of the bars of a code that was read.
///
/// The search for bars sees a region, which may hold more than the code and tells little of where bars are thin; the library tells
/// where its scan lines ended, which in an EAN or a UPC may be the middle. Here a line that was read is the template: along the
/// bars the code goes as far as lines look like it, and across them an EAN or UPC lies where its elements, known from its digits, fit.
struct BarOutline {
  private let image: ImageView
  private let region: BarRegion
  private let strip: BarStrip
  /// A row of the strip that was read.
  private let row: Double

  /// Where a code lies in the picture that the library read.
  ///
  /// - Parameters:
  ///   - places: where scan lines left it, in columns and rows of the strip.
  ///   - isUpsideDown: whether it was read from the end of the strip.
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

  /// A line across the bars: a sample for every pixel of the strip's width.
  private typealias Line = [Float]

  /// The corners of a code, the top left of the region first; `nil` where no line is like the one that was read.
  ///
  /// - Parameters:
  ///   - span: where the scan lines of the library began and ended, in pixels of the strip; `nil` where that is unknown.
  ///   - isUpsideDown: whether the code probably begins at the end of the strip.
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

  /// Where the first and the last bar end in one direction along the bars.
  ///
  /// Bars that are seen from aside do not end at right angles to themselves: both parts of the line go their own way.
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
      // From the middles of the two parts on to the ends.
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

  /// How far lines are like the template in one direction along the bars, in pixels of the picture, and how far they are shifted
  /// there because the bars are slanted.
  private func grow(_ template: Line, _ range: ClosedRange<Int>, _ way: Double) -> (reach: Double, shift: Double) {
    let step = max(1, region.height / 100)
    // A few hundred samples are enough to know bars again.
    let samples = stride(from: range.lowerBound, through: range.upperBound, by: max(1, range.count / 200))
    // Bars may be crossed by a scratch or a line of print.
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
        // Upright ones are the rule.
        if likeness > 0.9 { break }
      }
      guard let best else { break }
      if best.likeness >= least {
        // As clear as the lines beside the one that was read: noise is in all of them.
        if distance <= 3 * step { least = max(least, 0.5 * best.likeness) }
        (reach, shift) = (way * distance, best.shift)
      }
    }
    return (reach, shift)
  }

  /// A line beside the row that was read, sample by sample in the picture.
  private struct Way {
    let begin: Point2
    let step: Point2

    func level(_ i: Int, in image: ImageView) -> Float { Float(image.bilinear(begin + Double(i) * step)) }
  }

  /// The line that lies so far from the row that was read, along the bars, and is shifted so far along itself, both in pixels of the picture;
  /// `nil` where its middle is outside.
  private func way(across: Double, shift: Double) -> Way? {
    let begin = strip.place(0, row) + across * region.upright + shift * region.direction
    let step = region.direction / strip.scale
    let middle = begin + Double(strip.width / 2) * step
    guard middle.x >= 0, middle.y >= 0, middle.x < Double(image.width), middle.y < Double(image.height) else {
      return nil
    }
    return Way(begin: begin, step: step)
  }

  /// The correlation coefficient of a line with one in the picture, over some of their samples.
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
    // A deviation of less than one gray level is a plain line.
    return va > n && vb > n ? (ab - sa * sb / n) / (va * vb).squareRoot() : 0
  }

  // MARK: Across the bars

  /// Where elements of known widths lie in a line; `nil` where they fit nowhere.
  ///
  /// - Parameters:
  ///   - span: where the scan lines of the library began and ended.
  ///   - seen: where the bars seem to begin and end.
  private func fit(
    _ widths: [Int], to line: Line, span: ClosedRange<Double>?, seen: ClosedRange<Double>?
  ) -> ClosedRange<Double>? {
    let modules = Double(widths.reduce(0, +))
    // The scan lines saw all of it, one half or the other; or there are only the bars in the region.
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
      // Half steps around the best, down to a thirtieth of a module; modules are smaller towards the end that is farther away.
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

  /// Where a pattern lies in a line.
  private struct Fit {
    var likeness = 0.0
    var from = 0.0
    var module = 0.0
    /// By how much modules grow from the beginning to the end, as a share of the mean one, in half.
    var bend = 0.0

    /// Takes another place where the line is more like the pattern.
    ///
    /// - Parameter samples: how many of a module are compared at least.
    mutating func improve(with other: Fit, _ pattern: [Float], template: Line, samples: Double = .infinity) {
      let likeness = other.likeness(pattern, template, step: max(1, Int(other.module / samples)))
      guard likeness > self.likeness else { return }
      self = other
      self.likeness = likeness
    }

    /// How much a line is like a pattern of modules: the correlation coefficient.
    private func likeness(_ pattern: [Float], _ line: Line, step: Int) -> Double {
      let first = from - 3 * module
      let length = Double(pattern.count) * module
      let begin = max(0, Int(first.rounded(.up))), end = min(line.count, Int(first + length))
      // Half of it at least.
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

  /// Dark (−1) and light (1) by module, with three modules of quiet zone on either side.
  private static func pattern(_ widths: [Int]) -> [Float] {
    var pattern: [Float] = [1, 1, 1]
    for (i, width) in widths.enumerated() {
      pattern += Array(repeating: i.isMultiple(of: 2) ? -1 : 1, count: width)
    }
    return pattern + [1, 1, 1]
  }

  /// Widens the library's span to the outer edges of the code, of which it may leave out an element; or finds it without the library.
  private func widened(_ span: ClosedRange<Double>?, _ symbology: Symbology, _ line: Line) -> ClosedRange<Double>? {
    guard let span else { return trimmed(line, around: nil) }
    guard let all = trimmed(line, around: span) else { return span }
    // Those are read half by half.
    let isInHalves = symbology == .dataBar || Symbology.retail.contains(symbology)
    return isInHalves || all.upperBound - all.lowerBound < 1.2 * (span.upperBound - span.lowerBound) ? all : span
  }

  /// From what was seen, or else the middle, outwards to the first light that is as wide as a quiet zone.
  private func trimmed(_ line: Line, around span: ClosedRange<Double>?) -> ClosedRange<Double>? {
    let gray = GrayImage(width: line.count, height: 1) { pixels in
      for i in pixels.indices { pixels[i] = UInt8(min(max(line[i] / 5, 0), 255)) }
    }
    guard let bars = gray.withView({ LinearLine($0, row: 0) }) else { return nil }
    // Narrow elements are about as wide as a quarter of all are at most.
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
