import WaymarkImage

// Strips of drawings in two tones: `HardLine` finds the edges along a line, `ModuleGrids` moves them to the grid of
// modules.

extension BarStrip {
  /// Draws the strip of a drawing in two tones, with the edges moved to the grid of its modules: at few pixels per module, edges rounded
  /// to pixels change the widths of elements.
  ///
  /// - Returns: nil if the bars are not along rows or columns, have more than two tones, show no grid, or are partly outside the
  ///   picture.
  func drawOnGrid(_ view: ImageView) -> GrayImage? {
    let along = place(1, 0) - place(0, 0)
    let isAlongRows = abs(along.y) < Self.slope * abs(along.x)
    guard isAlongRows || abs(along.x) < Self.slope * abs(along.y) else { return nil }
    func coordinates(_ point: Point2) -> (along: Double, across: Double) {
      isAlongRows ? (point.x, point.y) : (point.y, point.x)
    }
    let (length, height) = isAlongRows ? (view.width, view.height) : (view.height, view.width)
    let (begin, step) = (coordinates(place(0, 0)).along, coordinates(along).along)
    let end = begin + step * Double(width)
    let (low, high) = (max(0, Int(min(begin, end))), min(length, Int(max(begin, end)) + 1))
    guard low < high else { return nil }
    var grids = ModuleGrids()
    var known: (edges: [Int], borders: [Double]) = ([], [])
    var rows: [[UInt8]] = []
    for band in 0..<bands {
      let at = Int(coordinates(place(Double(width) / 2, Double(band) + 0.5)).across.rounded())
      guard (0..<height).contains(at), let line = HardLine(low..<high, { isAlongRows ? view[$0, at] : view[at, $0] })
      else { return nil }
      if line.edges != known.edges || band == 0 { known = (line.edges, grids.borders(of: line.edges)) }
      guard grids.misses < Self.misses else { return nil }
      // A border is half a pixel before the centre of the pixel behind it.
      let edges = known.borders.map { ($0 - 0.5 - begin) / step }
      rows.append(line.drawn(step > 0 ? edges : edges.reversed(), isReversed: step < 0, width: width))
    }
    guard !grids.found.isEmpty else { return nil }
    return GrayImage(width: width, height: 2 * bands) { pixels in
      for row in 0..<(2 * bands) {
        for x in 0..<width { pixels[row * width + x] = rows[row / 2][x] }
      }
    }
  }

  /// The largest slope of bars along rows or columns: one row crosses all of them.
  private static let slope = 0.02
  /// The number of parts of lines that may lack a grid before the search ends.
  private static let misses = 4
}

/// The module grids of the codes along the lines of a strip.
private struct ModuleGrids {
  private(set) var found: [ModuleGrid] = []
  /// The number of parts of lines that show no grid.
  private(set) var misses = 0

  /// The least number of edges from which a grid is estimated.
  private static let fewest = 16
  /// The width of a run that separates codes, as a multiple of the shortest run plus one pixel: wider than any element of DataBar.
  private static let separate = 9.5

  /// Returns the edges moved to the grids of their codes; edges of parts without a grid are unchanged.
  mutating func borders(of edges: [Int]) -> [Double] {
    let runs = zip(edges, edges.dropFirst()).map { $1 - $0 }
    let least = Self.separate * (Double(runs.min() ?? 0) + 1)
    var borders: [Double] = []
    var from = 0
    for i in edges.indices where i == runs.count || Double(runs[i]) > least {
      let part = edges[from...i]
      borders += placed(part) ?? part.map { Double($0) }
      from = i + 1
    }
    return borders
  }

  private mutating func placed(_ edges: ArraySlice<Int>) -> [Double]? {
    guard edges.count >= Self.fewest else { return nil }
    for grid in found { if let borders = grid.borders(of: edges) { return borders } }
    guard let grid = ModuleGrid(edges) else {
      misses += 1
      return nil
    }
    found.append(grid)
    return grid.borders(of: edges)
  }
}

/// A line of pixels that have one of two tones, dark or light.
private struct HardLine {
  /// The indices of the pixels before which the tone changes, in ascending order.
  private(set) var edges: [Int] = []
  private let low: UInt8
  private let high: UInt8
  private let isLight: (first: Bool, last: Bool)

  /// The least difference between dark and light in a line with both. A pixel differs from its tone by at most an eighth of the
  /// difference.
  private static let contrast = 64

  /// - Returns: nil if a pixel has another tone, or dark and light differ too little.
  init?(_ range: Range<Int>, _ tone: (Int) -> UInt8) {
    var (low, high) = (UInt8.max, UInt8.min)
    for i in range { (low, high) = (min(low, tone(i)), max(high, tone(i))) }
    guard Int(high) - Int(low) >= Self.contrast || low == high else { return nil }
    let slack = (high - low) / 8
    let first = tone(range.lowerBound) >= high - slack
    var wasLight = first
    for i in range {
      let level = tone(i)
      let isLight = level >= high - slack
      guard isLight || level <= low + slack else { return nil }
      if isLight != wasLight { edges.append(i) }
      wasLight = isLight
    }
    (self.low, self.high, isLight) = (low, high, (first, wasLight))
  }

  /// Returns a row with edges at positions in pixels, in ascending order.
  ///
  /// - Parameter isReversed: true if the row runs from the end of the line.
  func drawn(_ edges: [Double], isReversed: Bool, width: Int) -> [UInt8] {
    var isLight = isReversed ? self.isLight.last : self.isLight.first
    // An edge partly changes the pixel that it divides, and fully changes the pixels after it.
    var changes = [Double](repeating: 0, count: width + 1)
    let contrast = Double(high - low)
    var level = Double(isLight ? high : low)
    for edge in edges {
      isLight.toggle()
      let change = isLight ? contrast : -contrast
      let pixel = Int((edge + 0.5).rounded(.down))
      if pixel < 0 {
        level += change
      } else if pixel < width {
        let part = Double(pixel) + 0.5 - edge
        changes[pixel] += change * part
        changes[pixel + 1] += change * (1 - part)
      }
    }
    return changes.prefix(width).map { change in
      level += change
      return UInt8(min(max(level.rounded(), 0), 255))
    }
  }
}
