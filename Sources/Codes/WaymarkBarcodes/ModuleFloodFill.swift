import WaymarkImage

/// Floods modules from a place where a code is known, cell by cell of three modules: a code that is whole has
/// its quiet zone between its modules and the border of the picture.
enum ModuleFloodFill {
  /// Returns whether modules go on up to the border of the picture.
  ///
  /// - Parameters:
  ///   - start: a part of the code, such as a finder pattern.
  ///   - module: pixels a module.
  static func runsOut(of view: ImageView, from start: Quadrilateral, module: Double) -> Bool {
    let side = max(6, 3 * module)
    let (columns, rows) = (Int(Double(view.width) / side), Int(Double(view.height) / side))
    guard columns > 2, rows > 2, columns * rows <= 250_000 else { return false }
    let tones = Tones(view, start.bounds)
    guard tones.isClear else { return false }
    func cell(_ p: Point2) -> (Int, Int) {
      (min(columns - 1, max(0, Int(p.x / side))), min(rows - 1, max(0, Int(p.y / side))))
    }
    // The last cells reach to the border.
    func area(_ x: Int, _ y: Int) -> Bounds {
      Bounds(
        min: Point2(Double(x), Double(y)) * side,
        max: Point2(
          x == columns - 1 ? Double(view.width - 1) : Double(x + 1) * side,
          y == rows - 1 ? Double(view.height - 1) : Double(y + 1) * side))
    }
    let (first, last) = (cell(start.bounds.min), cell(start.bounds.max))
    // No code has more modules than this.
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
    // An area that runs on into a ground of its own fills no rectangle.
    let filled = Double(busy) / Double((high.0 - low.0 + 1) * (high.1 - low.1 + 1))
    return touching >= 2 && filled >= 0.45
  }

  /// The dark and light levels at the place that is known.
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

    /// Returns whether both occur, nearly as dark and as light as there.
    func vary(in bounds: Bounds) -> Bool {
      var (least, most) = (255, 0)
      visit(bounds) { value in
        least = min(least, value)
        most = max(most, value)
      }
      return 10 * (most - least) >= 6 * (light - dark)
    }

    /// At most a hundred pixels.
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
