import WaymarkImage

/// The quiet zone of a symbology whose symbols may contain a shorter valid symbol: light beside the bars shows that no bar is
/// missing. The extensions below verify codes of libzbar on their scan lines.
struct QuietZone {
  /// The width that the standard prescribes, in modules.
  var modules: Double
  /// At least one in this many bars, and one in this many spaces, is narrow in every symbol.
  var narrowest = 2
  /// The sufficient width in modules for a content whose length and check digit are prescribed by the standard; nil without such
  /// contents.
  var named: Double?

  /// The share of the quiet zone that must be light before the next bars, less than 1 because of blur and pixel sampling, and before
  /// the border of the picture, where labels are cropped closer.
  private static let share = (bars: 0.97, border: 0.78)
  /// The end of a label: at least `light` modules of light, then a dark run of at least `modules` modules that is at least `bars`
  /// times as wide as the widest bar.
  private static let ground = (light: 1.5, modules: 5.0, bars: 1.6)
  /// The number of runs at the end of a symbol from which its module is measured.
  private static let measured = 30
  /// The width of the light beside a symbol, in modules, from which bars beyond it belong to another symbol. A reflection of less
  /// than ten modules within a symbol must not count: the spaces beside it are light, too, and widen the gap.
  private static let separate = 16.0

  /// Returns whether there is a quiet zone on both sides of the runs of a symbol.
  func holds(_ line: LinearLine, first: Int, last: Int) -> Bool {
    let count = min(Self.measured, last - first + 1)
    return lies(beside: first, towards: -1, runs: count, line) && lies(beside: last, towards: 1, runs: count, line)
  }

  /// Returns whether there is a quiet zone between the last dark run of a symbol and the next dark run or the end of the picture.
  ///
  /// - Parameters:
  ///   - step: 1 towards the end of the line, -1 towards its beginning.
  ///   - runs: the number of runs from `run` in the opposite direction that certainly belong to the symbol.
  private func lies(beside run: Int, towards step: Int, runs: Int, _ line: LinearLine) -> Bool {
    let inner = (0..<runs).map { line.widths[run - step * $0] }
    let (bars, spaces) = (
      stride(from: 0, to: runs, by: 2).map { inner[$0] }, stride(from: 1, to: runs, by: 2).map { inner[$0] }
    )
    // Ink spread makes bars wider and spaces narrower.
    let module = (narrow(bars) + narrow(spaces)) / 2
    let (edge, next) = step > 0 ? (run + 1, run + 2) : (run, run - 1)
    let hasNext = line.edges.indices.contains(next)
    let end = hasNext ? line.edges[next] : step > 0 ? line.visible.upperBound : line.visible.lowerBound
    let light = Double(step) * (end - line.edges[edge])
    if light >= (hasNext ? Self.share.bars : Self.share.border) * modules * module {
      return light >= Self.separate * module || !continues(beside: run + 2 * step, towards: step, (bars, spaces), line)
    }
    return hasNext && light >= Self.ground.light * module
      && line.widths[run + 2 * step] >= max(Self.ground.modules * module, Self.ground.bars * (bars.max() ?? 0))
  }

  /// Returns whether the runs beyond the light beside a symbol have the same widths as its own runs. Then the light is a reflection
  /// that cuts a longer symbol in two.
  private func continues(
    beside run: Int, towards step: Int, _ own: (bars: [Double], spaces: [Double]), _ line: LinearLine
  ) -> Bool {
    let longest = Self.ground.bars * (own.spaces.max() ?? 0)
    var (seen, alike) = (0, 0)
    // The light may cover a part of the first bar.
    for i in 1..<Self.measured {
      let at = run + step * i
      guard line.widths.indices.contains(at), i.isMultiple(of: 2) || line.widths[at] < longest else { break }
      seen += 1
      if (i.isMultiple(of: 2) ? own.bars : own.spaces).contains(where: { abs(line.widths[at] - $0) < 0.2 * $0 }) {
        alike += 1
      }
    }
    return seen >= 2 && 4 * alike >= 3 * seen
  }

  /// Returns the mean of the narrow widths. Narrow is less than 1.6 times the mean of the narrowest widths, which are one in
  /// `narrowest` of all.
  private func narrow(_ widths: [Double]) -> Double {
    let lower = widths.sorted().prefix((widths.count + narrowest - 1) / narrowest)
    let limit = 1.6 * lower.reduce(0, +) / Double(max(1, lower.count))
    let narrow = widths.filter { $0 < limit }
    return narrow.reduce(0, +) / Double(max(1, narrow.count))
  }

  /// Returns whether there is a quiet zone on both sides of a symbol, in at least half of the lines across it that show its elements; true
  /// if no line shows them.
  func surrounds(_ symbol: Symbol, in image: ImageView) -> Bool {
    let strip = BarStrip(BarRegion(covering: symbol.corners), bands: Self.bands, margin: Self.beyond)
    let drawn = strip.draw(image)
    let isInverted = [.stripInverted, .inverted].contains(symbol.pass)
    let held = (isInverted ? ToneMapping.invert(drawn.unsafeView) : drawn).withView { view in
      (0..<Self.bands).compactMap { band -> Bool? in
        guard let line = LinearLine(view, row: 2 * band, visible: strip.visible(band: band, in: image)),
          let runs = line.runs(of: symbol.symbology, symbol.bytes)
        else { return nil }
        return holds(line, first: runs.lowerBound, last: runs.upperBound - 1)
      }
    }
    return 2 * held.count(where: \.self) >= held.count
  }

  /// The number of lines across a symbol, and the share of its length that they extend beyond either end: more than `separate` modules.
  private static let (bands, beyond) = (5, 0.45)

  // MARK: Codes of libzbar

  /// Returns whether there is a quiet zone on both sides of a code of libzbar: in at least half of the scan lines that ended on that side,
  /// and in at least one.
  ///
  /// - Parameter visible: returns the part of a row inside the picture.
  func surrounds(_ code: ZBarScanner.Raw, in view: ImageView, visible: ((_ row: Int) -> ClosedRange<Double>)?) -> Bool {
    var sides = [(held: 0, seen: 0), (held: 0, seen: 0)]
    for (line, at) in code.lines(in: view, visible: visible) {
      guard let (run, isEnd) = line.outermost(at) else { continue }
      let inner = isEnd ? run + 1 : line.widths.count - run
      guard inner >= Self.measured / 2 else { continue }
      let side = isEnd ? 1 : 0
      sides[side].seen += 1
      if lies(beside: run, towards: isEnd ? 1 : -1, runs: min(inner, Self.measured), line) { sides[side].held += 1 }
    }
    return sides.allSatisfy { $0.held > 0 && 2 * $0.held >= $0.seen }
  }
}

// MARK: - Verification of codes of libzbar

extension ZBarScanner.Raw {
  /// About this many scan lines of a code are checked, at most twice as many.
  private static let checked = 40

  /// Returns scan lines in which libzbar read the code, each with the position where the line left the code.
  func lines(
    in view: ImageView, visible: ((_ row: Int) -> ClosedRange<Double>)?
  ) -> [(line: LinearLine, at: Double)] {
    let along = points.map { isAlongRows ? $0.x : $0.y }
    guard let first = along.min(), let last = along.max() else { return [] }
    // The radius of the threshold's neighbourhood in pixels: about fourteen modules of an EAN-13.
    let window = max(60, 0.15 * (last - first))
    // An odd step, because the lines alternate in direction.
    return stride(from: 0, to: points.count, by: points.count / Self.checked | 1).compactMap { i in
      let (x, y) = (Int(points[i].x), Int(points[i].y))
      guard x >= 0, y >= 0, x < view.width, y < view.height else { return nil }
      let line =
        isAlongRows
        ? LinearLine(view, row: y, window: window, visible: visible?(y)) : LinearLine(view, column: x, window: window)
      return line.map { ($0, along[i]) }
    }
  }

  // MARK: Known misreadings

  /// Returns the code as the readers of this module decode it, for the symbologies that libzbar is known to misread; nil if they
  /// decode another code.
  ///
  /// libzbar ignores FNC4 in a Code 128, corrupts text after a separator of a DataBar Expanded, and reads damaged digits of ITF, EAN and
  /// UPC as others. It reports a UPC-E of which only one end was seen.
  func verified(in view: ImageView, visible: ((_ row: Int) -> ClosedRange<Double>)?) -> ZBarScanner.Raw? {
    switch symbology {
    case .code128:
      var isRead = false
      for (line, _) in lines(in: view, visible: visible) {
        guard
          let read = Code128Line.read(isUpsideDown ? line.reversed : line)
            ?? Code128Line.read(isUpsideDown ? line : line.reversed)
        else { continue }
        isRead = true
        guard read.bytes.map({ $0 & 0x7F }) == bytes else { continue }
        var other = self
        other.bytes = read.bytes
        return other
      }
      return isRead ? nil : self
    case .dataBarExpanded:
      var reader = DataBarExpandedReader()
      for (line, _) in lines(in: view, visible: visible) { reader.add([line]) }
      return reader.read().map { Array($0.text.utf8) } == bytes ? self : nil
    case .itf:
      let runs = lines(in: view, visible: visible).map { $0.line.runs(of: symbology, bytes) }
      return 3 * runs.count { $0 != nil } >= runs.count ? self : nil
    default:
      guard let widths = RetailPattern.widths(symbology, bytes) else { return self }
      let lines = lines(in: view, visible: visible)
      // Outside of a strip, whose bars are outlined, only the ends that were seen show whether the light beside them is in the picture.
      if visible == nil, symbology.row.linear?.inside != 0 {
        guard Set(lines.compactMap { $0.line.outermost($0.at)?.isEnd }).count == 2 else { return nil }
      }
      let shown = lines.compactMap { $0.line.shows(retail: widths) }
      return 2 * shown.count(where: \.self) >= shown.count ? self : nil
    }
  }
}

// MARK: - Runs of known codes

extension LinearLine {
  /// Returns the dark run whose edge a scan line passed when it left a symbol, and whether this is the last run of the symbol. It
  /// is the first run if the symbol was read towards the beginning of the line.
  fileprivate func outermost(_ at: Double) -> (run: Int, isEnd: Bool)? {
    edges.indices.min { abs(edges[$0] - at) < abs(edges[$1] - at) }.map { edge in
      let isEnd = !edge.isMultiple(of: 2)
      return (isEnd ? edge - 1 : edge, isEnd)
    }
  }

  /// Returns the runs that are the elements of a code: narrow and wide runs for ITF, runs of the widths of its digits for EAN and
  /// UPC; nil if no runs fit, or for another symbology.
  fileprivate func runs(of symbology: Symbology, _ bytes: [UInt8]) -> Range<Int>? {
    if let widths = RetailPattern.widths(symbology, bytes) { return best(widths)?.runs }
    guard symbology == .itf else { return nil }
    let elements = TwoOfFive.elements(bytes)
    return ranges(elements.count).first { runs in
      let own = Array(widths[runs])
      return [elements, elements.reversed()].contains { wide in
        (0..<2).allSatisfy { kind in
          let kind = stride(from: kind, to: own.count, by: 2)
          let (narrow, broad) = (kind.filter { !wide[$0] }.map { own[$0] }, kind.filter { wide[$0] }.map { own[$0] })
          guard let least = broad.min(), let most = broad.max(), let widest = narrow.max() else { return false }
          return widest < least && most < Self.uniform * least
        }
      }
    }
  }

  /// The largest ratio of two wide elements of an ITF.
  private static let uniform = 2.0

  /// Returns the ranges of `count` runs that begin with a dark run.
  private func ranges(_ count: Int) -> [Range<Int>] {
    widths.count < count ? [] : stride(from: 0, through: widths.count - count, by: 2).map { $0..<($0 + count) }
  }

  /// Deviations of elements from their widths, in modules. An element that deviates by `other` or more belongs to another digit,
  /// because a moved edge changes two widths by one module. A line is sharp enough to judge each digit if the median of the
  /// deviations of its digits is below `clear`.
  private static let (other, clear) = (0.6, 0.2)

  /// Returns whether the runs have the widths of the digits of an EAN or UPC symbol: false if most digits match and at least one
  /// clearly does not; nil if the line is too unclear to judge.
  fileprivate func shows(retail elements: [Int]) -> Bool? {
    guard let digits = best(elements)?.digits, let worst = digits.last, digits[digits.count / 2] < Self.clear else {
      return nil
    }
    return worst < Self.other
  }

  /// Returns the runs that come closest to the elements of an EAN or UPC symbol, and the largest deviation of an element in each digit,
  /// in modules, sorted; nil if the median of these deviations reaches one module.
  private func best(_ elements: [Int]) -> (runs: Range<Int>, digits: [Double])? {
    // A digit has four elements and seven modules; of two halves the second begins after the guard in the middle.
    let middle = elements.count == 33 ? elements.count : (elements.count - 11) / 2 + 3
    let starts = stride(from: 3, to: elements.count - 4, by: 4).map { $0 < middle ? $0 : $0 + 5 }.filter {
      $0 + 4 <= elements.count - 3
    }
    var best: (runs: Range<Int>, digits: [Double])?
    for (modules, starts) in [(elements, starts), (elements.reversed(), starts.map { elements.count - 4 - $0 })] {
      for runs in ranges(elements.count) {
        let own = Array(widths[runs])
        let module = own.reduce(0, +) / Double(elements.reduce(0, +))
        // Ink spread makes bars wider and spaces narrower.
        let excess = own.indices.reduce(0) {
          $0 + (own[$1] / module - Double(modules[$1])) * ($1.isMultiple(of: 2) ? 1 : -1)
        }
        let spread = excess / Double(own.count) * module
        let digits = starts.map { start in
          let size = own[start..<(start + 4)].reduce(0, +) / 7
          return (start..<(start + 4)).reduce(0) {
            max($0, abs((own[$1] + ($1.isMultiple(of: 2) ? -spread : spread)) / size - Double(modules[$1])))
          }
        }.sorted()
        if digits[digits.count / 2] < best?.digits[digits.count / 2] ?? 1 { best = (runs, digits) }
      }
    }
    return best
  }
}
