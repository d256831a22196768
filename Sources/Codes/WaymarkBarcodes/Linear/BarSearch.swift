import WaymarkImage

/// Finds regions that may hold the bars of 1-D codes (`BarRegion`).
struct BarSearch {
  /// The regions in descending order of area times coherence; after them those that consist of several.
  private(set) var regions: [BarRegion] = []

  /// The least mean square of neighbour differences, in gray levels squared; less is noise.
  private static let leastEnergy: Float = 12
  /// The least coherence of a cell with its neighbours, as in `BarRegion.coherence`.
  private static let leastCoherence: Float = 0.55
  /// The least coherence of a cell without its neighbours.
  private static let leastOwnCoherence: Float = 0.8
  /// The height in cells below which bars are low. The ends of low bars distort the measured direction and extent.
  private static let low = 6.0
  /// The number of regions, the largest ones, among which pieces of one code are sought.
  private static let joinable = 24

  /// The pixels that show that a cell contains bars.
  private enum Evidence: Int, Comparable {
    case none
    /// Evidence in the pixels of the cell alone.
    case own
    /// The pixels of the cell and of its neighbours.
    case neighbours

    static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
  }

  init(_ tensor: StructureTensor, limit: Int = 8) {
    let (columns, rows) = (tensor.columns, tensor.rows)
    let count = columns * rows
    guard count > 0 else { return }
    // The direction as a unit vector of twice the angle, so that opposite directions are equal.
    var ux = [Float](repeating: 0, count: count)
    var uy = ux
    var evidence = [Evidence](repeating: .none, count: count)
    for i in 0..<count {
      // The tensor sums 9 cells of 32 sampled pixels. Its differences were halved, so the squares are multiplied by four.
      guard (tensor.xx[i] + tensor.yy[i]) * (4 / (9 * 32)) > Self.leastEnergy else { continue }
      var (a, b, c) = (tensor.xx[i], tensor.yy[i], tensor.xy[i])
      var (dx, dy) = (a - b, 2 * c)
      var length = (dx * dx + dy * dy).squareRoot()
      if length <= Self.leastCoherence * (a + b) {
        // At the ends of low bars, only the cell without its neighbours shows their direction.
        (a, b, c) = (tensor.inner[i].x, tensor.inner[i].y, tensor.inner[i].z)
        (dx, dy) = (a - b, 2 * c)
        length = (dx * dx + dy * dy).squareRoot()
        guard (a + b) / 6 > Self.leastEnergy, length > Self.leastOwnCoherence * (a + b) else { continue }
        evidence[i] = .own
      } else {
        evidence[i] = .neighbours
      }
      ux[i] = dx / length
      uy[i] = dy / length
    }
    func grown(_ kind: Evidence) -> [BarRegion] {
      var flood = FloodFill(width: columns, height: rows)
      var cells: [Int] = []
      return (0..<count).compactMap { seed in
        guard evidence[seed] == kind, flood.begin(x: seed % columns, y: seed / columns) else { return nil }
        cells.removeAll(keepingCapacity: true)
        flood.run { from, to in
          // Neighbours differ by at most 15 degrees: the cosine of twice that angle.
          evidence[to.index] >= kind && ux[from.index] * ux[to.index] + uy[from.index] * uy[to.index] > 0.866
        } visit: {
          cells.append($0.index)
          return .spread
        }
        return Self.region(cells, tensor)
      }
    }
    regions = grown(.neighbours)
    if evidence.contains(.own) {
      // This search adds low regions only: in a high region, cells with evidence of their own pixels alone would join the bars with
      // their surroundings.
      let low = grown(.own).filter { $0.height < Self.low * Double(StructureTensor.side) }
      regions.removeAll { known in low.contains { $0.corners.contains(known.center) } }
      regions += low
    }
    regions.sort { $0.length * $0.height * $0.coherence > $1.length * $1.height * $1.coherence }
    regions = regions.prefix(limit) + Self.joined(regions.prefix(Self.joinable))
  }

  /// Returns regions that consist of several in a line: in a code that is close, a wide bar or space has cells without a change of
  /// brightness, at which its region ends.
  private static func joined(_ regions: some Sequence<BarRegion>) -> [BarRegion] {
    var (rest, found) = (Array(regions), [BarRegion]())
    while !rest.isEmpty {
      var (whole, pieces) = (rest.removeFirst(), 1)
      while let next = rest.firstIndex(where: { whole.isInLine(with: $0) }) {
        whole = whole.joined(with: rest.remove(at: next))
        pieces += 1
      }
      if pieces > 1 { found.append(whole) }
    }
    return found
  }

  private static func region(_ cells: [Int], _ tensor: StructureTensor) -> BarRegion? {
    guard cells.count >= 6 else { return nil }
    let side = Double(StructureTensor.side)
    func sum(_ sums: (Int) -> SIMD3<Float>) -> SymmetricMatrix2 {
      let all = cells.reduce(SIMD3<Double>.zero) { $0 + SIMD3<Double>(sums($1)) }
      return SymmetricMatrix2(xx: all.x, xy: all.z, yy: all.y)
    }
    var total = sum { [tensor.xx[$0], tensor.yy[$0], tensor.xy[$0]] }
    let energy = (total.xx + total.yy) * 4 / (9 * 32 * Double(cells.count))
    // The cells are connected, so each row and column between the outermost ones contains some.
    func extent(_ place: (Int) -> Int) -> Double {
      let (least, most) = cells.reduce((Int.max, 0)) { (min($0.0, place($1)), max($0.1, place($1))) }
      return Double(most - least + 1)
    }
    if min(extent { $0 / tensor.columns }, extent { $0 % tensor.columns }) < Self.low
      || total.spread < Double(leastCoherence) * (total.xx + total.yy)
    {
      // Only every other row is sampled, so the ends of low bars would turn the direction by degrees.
      total = sum { tensor.inner[$0] }
    }
    guard var direction = total.principalAxis else { return nil }
    if direction.x < 0 || (direction.x == 0 && direction.y < 0) { direction = -direction }
    let upright = Point2(-direction.y, direction.x)
    let places = cells.map { i in
      Point2(Double(i % tensor.columns) * side + side / 2, Double(i / tensor.columns) * side + side / 2)
    }
    let along = places.map { $0.dot(direction) }.sorted()
    var across = places.map { $0.dot(upright) }.sorted()
    let isLow = across[across.count - 1] - across[0] < Self.low * side
    if isLow {
      // Cells beside low bars also contain their edges.
      let mean = cells.reduce(0) { $0 + tensor.energy[$1] } / Float(cells.count)
      let own = zip(cells, places).filter { tensor.energy[$0.0] > 0.3 * mean }.map { $0.1.dot(upright) }
      if !own.isEmpty { across = own.sorted() }
    }
    // Ignores a few stray cells at the rims.
    let cut = cells.count / 50
    let (u0, u1) = (along[cut] - side / 2, along[along.count - 1 - cut] + side / 2)
    let rim = across.count / 50
    var (v0, v1) = (across[rim] - side / 2, across[across.count - 1 - rim] + side / 2)
    guard u1 - u0 >= 24 else { return nil }
    if isLow, min(abs(direction.x), abs(direction.y)) * (u1 - u0) < 2 {
      // Level bars end inside the outer rows of cells: the changes along the code show how much of these rows they fill.
      let isAcross = abs(direction.x) > abs(direction.y)
      var changes: [Int: Float] = [:]
      for (i, place) in zip(cells, places) {
        changes[Int((place.dot(upright) / side).rounded(.down)), default: 0] +=
          isAcross ? tensor.inner[i].x : tensor.inner[i].y
      }
      let most = max(1, changes.values.max() ?? 1)
      // Of the four sampled rows of a cell, `inner` leaves out the one in which bars end.
      func empty(_ at: Double) -> Double {
        let share = changes[Int((at / side).rounded(.down))] ?? most
        return 0.75 * side * Double(1 - share / most)
      }
      (v0, v1) = (v0 + empty(v0 + side / 2), v1 - empty(v1 - side / 2))
    }
    return BarRegion(
      center: (u0 + u1) / 2 * direction + (v0 + v1) / 2 * upright, direction: direction, length: u1 - u0,
      height: v1 - v0, coherence: total.spread / max(total.xx + total.yy, 1), energy: energy)
  }
}

// MARK: - Regions

/// A region in which brightness changes repeatedly in one direction only: perhaps the bars of a 1-D code.
struct BarRegion {
  var center: Point2
  /// The unit vector across the bars, in the direction of reading.
  var direction: Point2
  /// The extent along `direction`, in pixels.
  var length: Double
  /// The extent along the bars, in pixels.
  var height: Double
  /// The share of the brightness changes that are along `direction`, 0 to 1.
  var coherence: Double
  /// The mean square of the differences between neighbouring pixels, in gray levels squared.
  var energy: Double

  /// Returns the region in a picture of `factor` times the size.
  func scaled(by factor: Double) -> BarRegion {
    var other = self
    other.center = (center + 0.5) * factor - 0.5
    other.length *= factor
    other.height *= factor
    return other
  }

  /// Returns whether another region continues this one: beside it in its direction, as high, and not far away.
  fileprivate func isInLine(with other: BarRegion) -> Bool {
    let between = other.center - center
    let gap = abs(between.dot(direction)) - (length + other.length) / 2
    let (lower, higher) = (min(height, other.height), max(height, other.height))
    return abs(direction.cross(other.direction)) < 0.1 && lower > 0.6 * higher
      && abs(between.dot(upright)) < 0.3 * lower && gap > -16 && gap < 0.2 * (length + other.length)
  }

  /// Returns the region from the outer end of this one to that of another, as high as both are.
  fileprivate func joined(with other: BarRegion) -> BarRegion {
    let between = other.center - center
    let (along, across) = (between.dot(direction), between.dot(upright))
    let (left, right) = (min(-length / 2, along - other.length / 2), max(length / 2, along + other.length / 2))
    let (top, bottom) = (max(-height / 2, across - other.height / 2), min(height / 2, across + other.height / 2))
    var whole = self
    whole.center += (left + right) / 2 * direction + (top + bottom) / 2 * upright
    (whole.length, whole.height) = (right - left, bottom - top)
    whole.coherence = min(coherence, other.coherence)
    whole.energy = min(energy, other.energy)
    return whole
  }

  /// The unit vector along the bars.
  var upright: Point2 { Point2(-direction.y, direction.x) }

  /// The rectangle of the region, in pixels.
  var corners: Quadrilateral {
    let u = direction * (length / 2)
    let v = upright * (height / 2)
    return Quadrilateral(
      topLeft: center - u - v, topRight: center + u - v, bottomRight: center + u + v, bottomLeft: center - u + v)
  }
}

extension BarRegion {
  /// Creates the region of a code that was read, from its corners.
  init(covering corners: Quadrilateral) {
    let across = corners.topRight - corners.topLeft
    let length = max(1, across.length)
    self.init(
      center: corners.center, direction: across / length, length: length,
      height: max(8, corners.topLeft.distance(to: corners.bottomLeft)), coherence: 1, energy: 0)
  }
}
