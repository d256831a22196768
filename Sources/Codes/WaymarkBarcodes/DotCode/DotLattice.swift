import WaymarkImage

/// A chequerboard of dots, found from one dot outwards: every further place is predicted from the dots around it, so that bent surfaces and
/// shifted rows are followed.
///
/// A place has a column and a row in modules, both even or both odd; the first dot is at 0, 0.
struct DotLattice {
  /// The steps of a column and of a row, in pixels.
  typealias Basis = (across: Point2, down: Point2)

  private enum Site {
    static let unknown: Int32 = 0
    static let empty: Int32 = -1
  }

  private let field: DotField
  /// For each place the index of its dot plus one, or `empty` or `unknown`.
  private var sites: [Int32]
  /// For each place with a dot the steps of a column and of a row there, in pixels.
  private var bases: [SIMD4<Double>]
  /// The indices of the places that are not unknown.
  private var touched: [Int] = []
  /// The dots that belong to a lattice.
  private var isUsed: [Bool]
  /// For each dot the number of lattices with it that were not symbols.
  private var failures: [UInt8]
  /// The steps at the first dot.
  private(set) var basis: Basis = (.zero, .zero)
  /// The columns and rows of the dots that were found.
  private(set) var members: [(x: Int, y: Int)] = []
  /// The number of places that were looked at so far, in all lattices.
  private(set) var looks = 0

  private static let reach = DotCodeDecoder.sides.upperBound + 8
  private static let side = 2 * reach + 1
  /// The largest distance of a dot from its predicted place, as a share of the distance of dots.
  private static let tolerance = 0.36
  /// The reach of the places from which another is predicted, in modules.
  private static let window = 3

  init(_ field: DotField) {
    self.field = field
    sites = [Int32](repeating: Site.unknown, count: Self.side * Self.side)
    bases = [SIMD4<Double>](repeating: .zero, count: Self.side * Self.side)
    isUsed = [Bool](repeating: false, count: field.dots.count)
    failures = [UInt8](repeating: 0, count: field.dots.count)
  }

  private static func index(_ x: Int, _ y: Int) -> Int { (y + reach) * side + x + reach }

  /// Returns the index of the dot at a place; `nil` if there is none.
  func dot(_ x: Int, _ y: Int) -> Int? {
    guard abs(x) <= Self.reach, abs(y) <= Self.reach else { return nil }
    let site = sites[Self.index(x, y)]
    return site > 0 ? Int(site) - 1 : nil
  }

  // MARK: Growth

  /// A dot with neighbours as on a chequerboard.
  struct Seed {
    var dot: Int
    var basis: Basis
    /// The number of the eight places around it that have dots.
    var hits: Int
  }

  /// Returns the dots that may begin a lattice, those with the most neighbours first.
  func seeds() -> [Seed] {
    field.dots.indices.compactMap(seed).sorted { ($1.hits, $0.dot) < ($0.hits, $1.dot) }
  }

  /// Returns a dot as a seed, with the steps that two of its neighbours imply, if at least five of the eight places around it have dots;
  /// `nil` otherwise.
  private func seed(_ seed: Int) -> Seed? {
    let center = field.dots[seed]
    var near: [(place: Point2, distance: Double)] = []
    field.forEach(near: center, within: 7.5) { i, distance in
      if i != seed { near.append((field.dots[i] - center, distance)) }
    }
    guard near.count >= 4 else { return nil }
    near.sort { $0.distance < $1.distance }
    var best: (seed: Seed, area: Double)?
    for i in 0..<min(5, near.count) {
      for j in (i + 1)..<min(8, near.count) where j > i {
        let (u, v) = (near[i].place, near[j].place)
        guard near[j].distance < 2.3 * near[i].distance else { break }
        let area = abs(u.cross(v))
        guard area < best?.area ?? .infinity, abs(u.dot(v)) < 0.5 * (near[i].distance * near[j].distance).squareRoot()
        else { continue }
        let limit = 0.07 * near[i].distance
        var hits = 2
        for place in [-u, -v, u + v, u - v, v - u, -u - v] {
          if near.contains(where: { ($0.place - place).dot($0.place - place) < limit }) { hits += 1 }
        }
        // A dot in the middle of four means that a finer chequerboard goes through them.
        let middles = [(u + v) / 2, (u - v) / 2, (v - u) / 2, -(u + v) / 2]
        guard hits >= 5,
          !middles.contains(where: { m in near.contains { ($0.place - m).dot($0.place - m) < limit / 2 } })
        else { continue }
        // Neighbours are a column and a row away.
        let (a, b) = ((u + v) / 2, (u - v) / 2)
        best = (Seed(dot: seed, basis: a.cross(b) > 0 ? (a, b) : (b, a), hits: hits), area)
      }
    }
    return best?.seed
  }

  /// Replaces the lattice by the chequerboard around a dot.
  ///
  /// - Parameter limit: the largest number of places to look at.
  mutating func grow(from seed: Seed, limit: Int) {
    for i in touched { sites[i] = Site.unknown }
    touched = []
    members = []
    basis = seed.basis
    take(seed.dot, 0, 0, SIMD4(lowHalf: basis.across, highHalf: basis.down))
    var queue = Self.around(0, 0)
    let first = looks
    while !queue.isEmpty {
      var next = 0
      while next < queue.count, looks - first < limit {
        let (x, y) = queue[next]
        next += 1
        guard abs(x) < Self.reach - 3, abs(y) < Self.reach - 3, sites[Self.index(x, y)] == Site.unknown else {
          continue
        }
        // Empty places are crossed as far as a dot predicts the next one.
        if look(x, y) != nil { queue += Self.around(x, y) }
        // In a texture, few of the places that its first dots imply have dots.
        if looks - first >= 100, (looks - first) > 9 * members.count { return }
      }
      // The places around are known better now.
      queue = []
      for i in touched where sites[i] == Site.empty && looks - first < limit {
        let (x, y) = (i % Self.side - Self.reach, i / Self.side - Self.reach)
        if look(x, y) == true { queue += Self.around(x, y) }
      }
    }
  }

  private static func around(_ x: Int, _ y: Int) -> [(x: Int, y: Int)] {
    [
      (x + 1, y + 1), (x + 1, y - 1), (x - 1, y + 1), (x - 1, y - 1), (x + 2, y), (x - 2, y), (x, y + 2), (x, y - 2),
    ]
  }

  /// Releases the dots of the last lattice, which was not a symbol, so that other lattices may use them.
  mutating func release() {
    for (x, y) in members {
      guard let dot = dot(x, y) else { continue }
      isUsed[dot] = false
      failures[dot] &+= 1
    }
  }

  /// Returns whether a dot may begin a lattice: it does not belong to one, and fewer than three lattices with it have failed.
  func isFree(_ dot: Int) -> Bool { !isUsed[dot] && failures[dot] < 3 }

  private mutating func take(_ dot: Int, _ x: Int, _ y: Int, _ basis: SIMD4<Double>) {
    let i = Self.index(x, y)
    sites[i] = Int32(dot) + 1
    bases[i] = basis
    touched.append(i)
    isUsed[dot] = true
    members.append((x, y))
  }

  /// Looks for the dot of a place; returns whether there is one, `nil` if no dot predicts the place.
  private mutating func look(_ x: Int, _ y: Int) -> Bool? {
    looks += 1
    guard let (place, basis) = predict(x, y) else { return nil }
    let (across, down) = (basis.lowHalf, basis.highHalf)
    let step = min((across + down).length, (across - down).length)
    if let dot = field.nearest(place, within: Self.tolerance * step), !isUsed[dot] {
      take(dot, x, y, basis)
      return true
    }
    let i = Self.index(x, y)
    if sites[i] == Site.unknown {
      sites[i] = Site.empty
      touched.append(i)
    }
    return false
  }

  /// Returns the position of a place and the steps there, fitted to the dots around it; the steps of the nearest dot complete the fit. `nil`
  /// if there is no dot within `reach`.
  ///
  /// - Parameter reach: the reach of the window in modules.
  private func predict(_ x: Int, _ y: Int, reach: Int = window) -> (place: Point2, basis: SIMD4<Double>)? {
    var (w, wx, wy, wxx, wxy, wyy) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    var (p, px, py) = (Point2.zero, Point2.zero, Point2.zero)
    var prior = (basis: SIMD4<Double>.zero, distance: Int.max)
    for dy in -reach...reach {
      guard abs(y + dy) <= Self.reach else { continue }
      // Only places whose column and row have an even sum hold dots.
      for dx in -reach...reach where (x + y + dx + dy) % 2 == 0 && abs(x + dx) <= Self.reach {
        let i = Self.index(x + dx, y + dy)
        guard sites[i] > 0 else { continue }
        let distance = dx * dx + dy * dy
        if distance < prior.distance { prior = (bases[i], distance) }
        let weight = 4 / (4 + Double(distance))
        let (u, v) = (Double(dx) * weight, Double(dy) * weight)
        let place = field.dots[Int(sites[i]) - 1]
        w += weight
        wx += u
        wy += v
        wxx += u * Double(dx)
        wxy += u * Double(dy)
        wyy += v * Double(dy)
        p += place * weight
        px += place * u
        py += place * v
      }
    }
    guard w > 0 else { return nil }
    // The steps are drawn towards those of the nearest dot.
    let (ridge, across, down) = (1.5, prior.basis.lowHalf, prior.basis.highHalf)
    let (mean, mx, my) = (p / w, wx / w, wy / w)
    let (xx, xy, yy) = (wxx - wx * mx + ridge, wxy - wx * my, wyy - wy * my + ridge)
    let (bx, by) = (px - mean * wx + across * ridge, py - mean * wy + down * ridge)
    let determinant = xx * yy - xy * xy
    let u = (bx * yy - by * xy) / determinant
    let v = (by * xx - bx * xy) / determinant
    return (mean - u * mx - v * my, SIMD4(lowHalf: u, highHalf: v))
  }

  /// Returns the position of a place in pixels, from the dots within 24 modules; `nil` if there are none.
  func place(_ x: Int, _ y: Int) -> Point2? {
    for reach in [Self.window, 6, 12, 24] {
      if let found = predict(x, y, reach: reach) { return found.place }
    }
    return nil
  }
}
