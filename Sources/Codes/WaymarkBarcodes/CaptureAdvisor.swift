import WaymarkImage

/// Advises how to take another picture of a code that was found but not read: closer, sharper, lighter, or with the whole code in it.
/// The advice is `nil` if no reason is known. `ModuleFloodFill` below determines whether the code is cut off.
enum CaptureAdvisor {
  /// Returns the advice for a QR code that was found but not decoded.
  static func advice(for candidate: QRReader.Candidate, in view: ImageView) -> UnreadCode.Advice? {
    let corners = candidate.grid.corners
    let (low, high) = (corners.bounds.min, corners.bounds.max)
    let (width, height) = (Double(view.width), Double(view.height))
    if low.x < -1 || low.y < -1 || high.x > width || high.y > height {
      return (high.x - low.x) * (high.y - low.y) > 0.8 * width * height ? .tooClose : .cutOff
    }
    let side = Double(candidate.grid.layout.side)
    let module = abs(corners.signedArea).squareRoot() / side
    if module < 2 { return .tooSmall }
    let tones = Tones(view, low, high)
    // Sharp print has full white between its black modules, which is not glare.
    let isPrint = tones.dark < 64 && !isBurnt(candidate.grid, in: view)
    return tones.advice(clipped: isPrint ? 1 : 0.35, module: module)
  }

  /// Returns whether a square of six by six modules is fully white. The masks of QR codes produce no such square.
  private static func isBurnt(_ grid: QRGrid, in view: ImageView) -> Bool {
    let side = grid.layout.side
    var burnt = [Bool](repeating: false, count: side * side)
    for y in 0..<side {
      for x in 0..<side {
        let place = grid.place(Double(x) + 0.5, Double(y) + 0.5)
        guard place.x >= 0, place.y >= 0, place.x < Double(view.width), place.y < Double(view.height) else { continue }
        burnt[y * side + x] = view.row(Int(place.y))[Int(place.x)] >= 254
      }
    }
    return (0...(side - 6)).contains { y in
      (0...(side - 6)).contains { x in
        (y..<(y + 6)).allSatisfy { row in (x..<(x + 6)).allSatisfy { burnt[row * side + $0] } }
      }
    }
  }

  /// Returns the advice for another matrix code that was found but not decoded.
  static func advice(for finding: MatrixDetection, in view: ImageView) -> UnreadCode.Advice? {
    let (low, high) = (finding.corners.bounds.min, finding.corners.bounds.max)
    if low.x < -1 || low.y < -1 || high.x > Double(view.width) || high.y > Double(view.height) { return .cutOff }
    if finding.module < 2 { return .tooSmall }
    if ModuleFloodFill.runsOut(of: view, from: finding.corners, module: finding.module) { return .cutOff }
    return Tones(view, low, high).advice(clipped: 0.6, module: finding.module)
  }

  /// Returns the advice for finder patterns of a QR code whose grid could not be determined.
  static func advice(for trace: FinderTrace, in view: ImageView) -> UnreadCode.Advice? {
    let module = trace.marks.map(\.module).reduce(0, +) / Double(trace.marks.count)
    if module < 2 { return .tooSmall }
    // The smallest code has 21 modules. If fewer fit between a lone finder pattern and two sides of the picture, the rest of the
    // code is outside.
    let (width, height) = (Double(view.width), Double(view.height))
    if trace.marks.count == 1, let p = trace.marks.first?.center {
      let room = 17.5 * module
      let across = p.x < room || p.x > width - room
      let down = p.y < room || p.y > height - room
      if across && down || min(width, height) < 21 * module { return .cutOff }
    }
    let third = thirdPattern(of: trace, in: view)
    if third == .outside || ModuleFloodFill.runsOut(of: view, from: trace.corners, module: module) {
      return .cutOff
    }
    let bounds = trace.corners.bounds
    let margin = Point2(8, 8) * module
    return Tones(view, bounds.min - margin, bounds.max + margin)
      .advice(clipped: 0.5, module: module, isBurnt: third == .burnt)
  }

  /// The position of the third finder pattern of a QR code that shows only two.
  private enum ThirdPattern {
    case outside
    /// Inside of the picture, where it is fully white: glare hides the pattern.
    case burnt
    case inside
  }

  /// Returns where the third pattern may be if two are visible; `inside` for any other number.
  private static func thirdPattern(of trace: FinderTrace, in view: ImageView) -> ThirdPattern {
    guard trace.marks.count == 2 else { return .inside }
    let (a, b) = (trace.marks[0].center, trace.marks[1].center)
    let across = Point2(a.y - b.y, b.x - a.x)
    let reach = 3.5 * max(trace.marks[0].module, trace.marks[1].module)
    var leaves = false
    for side in [across, -across] {
      let thirds = [a + side, b + side]
      let inside = thirds.allSatisfy { p in
        p.x > reach && p.y > reach && p.x < Double(view.width) - reach && p.y < Double(view.height) - reach
      }
      if !inside { leaves = true }
      let glares = thirds.contains { p in
        inside && Tones(view, p - Point2(reach, reach), p + Point2(reach, reach)).clipped > 0.9
      }
      if glares { return .burnt }
    }
    return leaves ? .outside : .inside
  }

  /// Returns the advice for a 1-D code that was found but not read for certain.
  static func advice(forBars corners: Quadrilateral, in view: ImageView) -> UnreadCode.Advice? {
    let (low, high) = (corners.bounds.min, corners.bounds.max)
    if low.x < 4 || low.y < 0 || high.x > Double(view.width) - 5 || high.y > Double(view.height) { return .cutOff }
    let tones = Tones(view, low, high)
    if !tones.isDrawn {
      if tones.dark >= 235 || tones.clipped > 0.6 { return .tooBright }
      if tones.light <= 60 { return .tooDark }
    }
    // The shortest common codes have 67 modules, most about a hundred.
    if max(high.x - low.x, high.y - low.y) < 130 { return .tooSmall }
    return tones.steepest < 0.25 * (tones.light - tones.dark) ? .blurred : nil
  }

  /// The range of brightness and the sharpness in a part of a picture.
  private struct Tones {
    /// The 5th percentile of the gray levels; `light` is the 95th.
    var dark = 0.0
    var light = 255.0
    /// The share of pixels at full white.
    var clipped = 0.0
    /// True if nearly all pixels away from edges have one of two gray levels, as in a drawing. In a photograph, noise and shading
    /// spread the levels; glare makes only the light pixels uniform, darkness only the dark ones.
    var isDrawn = false
    /// The 98th percentile of the differences between neighbouring pixels, in gray levels.
    var steepest = 0.0

    init(_ view: ImageView, _ low: Point2, _ high: Point2) {
      var (histogram, steps) = (GrayHistogram(), GrayHistogram())
      let (x0, x1) = (max(0, Int(low.x)), min(view.width - 2, Int(high.x)))
      let (y0, y1) = (max(0, Int(low.y)), min(view.height - 1, Int(high.y)))
      guard x0 < x1, y0 < y1 else { return }
      for y in stride(from: y0, through: y1, by: 2) {
        let row = view.row(y)
        for x in x0...x1 {
          histogram.add(row[x])
          steps.add(UInt8(abs(Int(row[x + 1]) - Int(row[x]))))
        }
      }
      dark = Self.percentile(histogram, 0.05)
      light = Self.percentile(histogram, 0.95)
      clipped = Double(histogram.counts[254] + histogram.counts[255]) / Double(max(1, histogram.total))
      steepest = Self.percentile(steps, 0.98)
      let (least, most) = (Int(Self.percentile(histogram, 0.005)), Int(Self.percentile(histogram, 0.995)))
      let quarter = (most - least) / 4
      isDrawn =
        quarter >= 10 && Self.isUniform(histogram, 0...(least + quarter))
        && Self.isUniform(histogram, (most - quarter)...255)
    }

    /// Returns whether three quarters of the pixels in a range of levels are within two levels of the most frequent one.
    private static func isUniform(_ histogram: GrayHistogram, _ levels: ClosedRange<Int>) -> Bool {
      let counts = histogram.counts
      guard let mode = levels.max(by: { counts[$0] < counts[$1] }) else { return false }
      let near = levels.clamped(to: (mode - 2)...(mode + 2)).reduce(0) { $0 + counts[$1] }
      return 4 * near >= 3 * levels.reduce(0) { $0 + counts[$1] }
    }

    /// Returns the advice for these tones; `nil` if brightness and sharpness suffice.
    ///
    /// - Parameters:
    ///   - most: the share of fully white pixels above which the picture is too bright.
    ///   - module: the size of a module in pixels.
    ///   - isBurnt: true if glare hides a part of the code.
    func advice(clipped most: Double, module: Double, isBurnt: Bool = false) -> UnreadCode.Advice? {
      if isBurnt || !isDrawn {
        if dark >= 235 || clipped > most { return .tooBright }
        if light <= 60 { return .tooDark }
      }
      // A sharp edge is about a pixel wide. An edge wider than a module, or than two pixels, leaves no uniform area in a module to
      // sample.
      return steepest < 0.5 * (light - dark) / max(1, module / 2) ? .blurred : nil
    }

    private static func percentile(_ histogram: GrayHistogram, _ share: Double) -> Double {
      let wanted = share * Double(histogram.total)
      return Double(histogram.level(behind: Int(wanted.rounded(.up)) - 1) ?? 255)
    }
  }
}

/// Flood-fills the modules of a code from a known part of it, in cells of three modules: a complete code has its quiet zone between
/// its modules and the border of the picture.
enum ModuleFloodFill {
  /// Returns whether the modules of a code continue to the border of the picture, so that a part of it is outside.
  ///
  /// - Parameters:
  ///   - start: the outline of a part of the code, such as a finder pattern.
  ///   - module: the size of a module in pixels.
  static func runsOut(of view: ImageView, from start: Quadrilateral, module: Double) -> Bool {
    let side = max(6, 3 * module)
    let (columns, rows) = (Int(Double(view.width) / side), Int(Double(view.height) / side))
    guard columns > 2, rows > 2, columns * rows <= 250_000 else { return false }
    let tones = Tones(view, start.bounds)
    guard tones.isClear else { return false }
    func cell(_ p: Point2) -> (Int, Int) {
      (min(columns - 1, max(0, Int(p.x / side))), min(rows - 1, max(0, Int(p.y / side))))
    }
    // The last cells extend to the border of the picture.
    func area(_ x: Int, _ y: Int) -> Bounds {
      Bounds(
        min: Point2(Double(x), Double(y)) * side,
        max: Point2(
          x == columns - 1 ? Double(view.width - 1) : Double(x + 1) * side,
          y == rows - 1 ? Double(view.height - 1) : Double(y + 1) * side))
    }
    let (first, last) = (cell(start.bounds.min), cell(start.bounds.max))
    // The largest extent of a code is 180 modules, here in cells.
    let reach = Int(180 * module / side)
    var flood = FloodFill(width: columns, height: rows)
    for y in first.1...last.1 {
      for x in first.0...last.0 { flood.begin(x: x, y: y) }
    }
    let strip = 1.5 * module
    var (busy, touching) = (0, 0)
    var (low, high) = (first, last)
    flood.run { _, to in
      to.x >= first.0 - reach && to.x <= last.0 + reach && to.y >= first.1 - reach && to.y <= last.1 + reach
    } visit: { place in
      let (x, y) = (place.x, place.y)
      let own = area(x, y)
      guard tones.vary(in: own) else { return .halt }
      busy += 1
      low = (min(low.0, x), min(low.1, y))
      high = (max(high.0, x), max(high.1, y))
      var edge = own
      if x == 0 { edge.max.x = strip }
      if x == columns - 1 { edge.min.x = own.max.x - strip }
      if y == 0 { edge.max.y = strip }
      if y == rows - 1 { edge.min.y = own.max.y - strip }
      if x == 0 || y == 0 || x == columns - 1 || y == rows - 1, tones.vary(in: edge) { touching += 1 }
      return .spread
    }
    // A structured background around the code does not fill its bounding rectangle.
    let filled = Double(busy) / Double((high.0 - low.0 + 1) * (high.1 - low.1 + 1))
    return touching >= 2 && filled >= 0.45
  }

  /// The dark and light gray levels at the known part of the code.
  private struct Tones {
    private let view: ImageView
    private var dark = 255
    private var light = 0

    init(_ view: ImageView, _ bounds: Bounds) {
      self.view = view
      visit(bounds) { value in
        dark = min(dark, value)
        light = max(light, value)
      }
    }

    var isClear: Bool { light - dark >= 40 }

    /// Returns whether the gray levels in `bounds` vary by at least 60 % of the contrast of the known part.
    func vary(in bounds: Bounds) -> Bool {
      var (least, most) = (255, 0)
      visit(bounds) { value in
        least = min(least, value)
        most = max(most, value)
      }
      return 10 * (most - least) >= 6 * (light - dark)
    }

    /// Calls `body` with a sample of at most 18 by 18 pixels in `bounds`.
    private func visit(_ bounds: Bounds, _ body: (Int) -> Void) {
      let (x0, x1) = (max(0, Int(bounds.min.x)), min(view.width - 1, Int(bounds.max.x)))
      let (y0, y1) = (max(0, Int(bounds.min.y)), min(view.height - 1, Int(bounds.max.y)))
      guard x0 <= x1, y0 <= y1 else { return }
      for y in stride(from: y0, through: y1, by: max(1, (y1 - y0) / 9)) {
        let row = view.row(y)
        for x in stride(from: x0, through: x1, by: max(1, (x1 - x0) / 9)) { body(Int(row[x])) }
      }
    }
  }
}
