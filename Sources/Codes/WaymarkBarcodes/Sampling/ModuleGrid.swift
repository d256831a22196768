/// The grid of modules along one side of a drawing that has only dark and light pixels.
///
/// The edges of such a drawing are rounded to the borders of pixels: at 1.5 pixels per module, one module is one or two pixels
/// wide. All edges together determine the grid, and the grid the widths of the runs in modules.
struct ModuleGrid {
  /// The width of a module in pixels.
  let module: Double
  /// The position of a border between two modules, in pixels; 0 is the outer border of the first pixel.
  private let origin: Double

  /// The largest number of edges that are fitted to a grid.
  static let most = 400
  /// The widths of a module in pixels that are tried: the edges of smaller modules fit any grid, and larger modules can be measured
  /// without one.
  static let modules = 1.45...4.0
  /// The largest distances of an edge from the grid in pixels. `slack`, for most edges, exceeds half a pixel because encoders
  /// round, too; `cut` is for the two outermost edges, where encoders may cut off a pixel.
  private static let (slack, cut) = (0.7, 1.3)
  /// The largest extent of the edges in pixels.
  private static let longest = 2000
  /// The largest range of the positions of edges modulo a module, in modules (`spread`) and in pixels (`rounding`): random edges have
  /// all positions.
  private static let (spread, rounding) = (0.8, 1.2)
  /// The step between the module widths that are tried: the change of the total extent, in pixels.
  private static let step = 0.1

  /// Finds the grid of ascending edges, where edge `n` lies before pixel `n`; nil if they fit no grid.
  ///
  /// - Parameter near: the widths of a module to try; nil if the shortest run has one module.
  init?(_ edges: ArraySlice<Int>, near: ClosedRange<Double>? = nil) {
    let inner = edges.dropFirst().dropLast()
    guard inner.count > 1, inner.count <= Self.most, let first = inner.first, let last = inner.last,
      last - first <= Self.longest, let shortest = zip(inner, inner.dropFirst()).map({ $1 - $0 }).min()
    else { return nil }
    let (places, length) = (inner.map { Double($0 - first) }, Double(last - first))
    // The shortest of many runs of one module is the width of a module rounded down.
    let least = max(near?.lowerBound ?? Double(shortest) - 0.1, Self.modules.lowerBound)
    var module = min(near?.upperBound ?? Double(shortest) + 1, Self.modules.upperBound)
    var best: (pixels: Double, module: Double, numbers: [Double]) = (Self.rounding, 0, [])
    while module > least {
      // All edges fit a grid of two pixels, so such modules prove nothing and need no grid.
      if abs(module - 2) > 0.03, let own = Self.spread(places, module), own.spread < Self.spread,
        own.spread * module < best.pixels
      {
        let numbers = places.map { ($0 / module - own.middle).rounded() }
        // Each edge must be on another border of the grid. Otherwise a wide module would fit any drawing.
        if zip(numbers, numbers.dropFirst()).allSatisfy({ $0 < $1 }) {
          best = (own.spread * module, module, numbers)
        }
      }
      module *= 1 - Self.step / length
    }
    // A module narrower than the shortest run is ambiguous: the same edges also fit other modules.
    guard near != nil || best.module >= Double(shortest) else { return nil }
    // The line of least squares through the edges over the numbers of their borders.
    let (numbers, count) = (best.numbers, Double(best.numbers.count))
    guard count > 1 else { return nil }
    let (meanX, meanY) = (numbers.reduce(0, +) / count, places.reduce(0, +) / count)
    let (xy, xx) = zip(numbers, places).reduce((0.0, 0.0)) {
      ($0.0 + ($1.0 - meanX) * ($1.1 - meanY), $0.1 + ($1.0 - meanX) * ($1.0 - meanX))
    }
    self.module = xy / xx
    origin = Double(first) + meanY - self.module * meanX
    guard borders(of: edges) != nil else { return nil }
  }

  /// Finds the grid of ascending edges whose modules have a known width in pixels; nil if the positions of the edges modulo this width have
  /// a range of a pixel or more.
  init?(_ edges: ArraySlice<Int>, module: Double) {
    let inner = edges.dropFirst().dropLast()
    guard inner.count > 1, inner.count <= Self.most, let first = inner.first,
      let own = Self.spread(inner.map { Double($0 - first) }, module), own.spread * module < 1
    else { return nil }
    self.module = module
    origin = Double(first) + own.middle * module
    guard borders(of: edges) != nil else { return nil }
  }

  /// Returns the range of all positions modulo `module`, and its middle, both in modules; nil if they leave no gap of
  /// at least 5/32 of a module.
  private static func spread(_ places: [Double], _ module: Double) -> (spread: Double, middle: Double)? {
    let scale = 1 / module
    var taken: UInt32 = 0
    for place in places {
      let at = place * scale
      taken |= 1 << UInt32(32 * (at - at.rounded(.down)))
      if taken == .max { return nil }
    }
    // At least five adjacent parts of 32 are free.
    func turned(_ bits: UInt32, _ by: UInt32) -> UInt32 { bits << by | bits >> (32 - by) }
    var free = ~taken
    for by: UInt32 in [1, 2, 1] { free &= turned(free, by) }
    guard free != 0 else { return nil }
    let sorted = places.map { $0 * scale - ($0 * scale).rounded(.down) }.sorted()
    var (gap, end) = (0.0, 0.0)
    for (i, at) in sorted.enumerated() {
      let own = i == 0 ? at + 1 - sorted[sorted.count - 1] : at - sorted[i - 1]
      if own > gap { (gap, end) = (own, at) }
    }
    return (1 - gap, end + (1 - gap) / 2)
  }

  /// Returns the border between modules that is nearest to each edge; nil if an edge is not on the grid, or two are at the same border.
  func borders(of edges: ArraySlice<Int>) -> [Double]? {
    var borders = edges.map { origin + ((Double($0) - origin) / module).rounded() * module }
    let last = borders.count - 1
    guard last > 1 else { return nil }
    borders[0] = min(borders[0], borders[1] - module)
    borders[last] = max(borders[last], borders[last - 1] + module)
    let isOnGrid = zip(borders, edges).enumerated().allSatisfy { i, pair in
      abs(pair.0 - Double(pair.1)) <= (i == 0 || i == last ? Self.cut : Self.slack)
    }
    return isOnGrid && zip(borders, borders.dropFirst()).allSatisfy { $1 - $0 > module / 2 } ? borders : nil
  }
}
