import WaymarkImage

/// A chequerboard of dots, found from one dot outwards. Each further position is predicted from the dots around it, so that the
/// lattice follows bent surfaces and shifted rows.
///
/// A position in the lattice has a column and a row in modules, both even or both odd; the first dot is at 0, 0.
struct DotLattice {
  /// The steps of a column and of a row, in pixels.
  typealias Basis = (across: Point2, down: Point2)

  private enum Site {
    static let unknown: Int32 = 0
    static let empty: Int32 = -1
  }

  private let field: DotField
  /// For each position the index of its dot plus one, or `unknown` or `empty`.
  private var sites: [Int32] = []
  private var bases: [SIMD4<Double>] = []
  private var touched: [Int] = []
  /// For each dot, true if it belongs to a lattice.
  private var isUsed: [Bool]
  /// For each dot the number of lattices with it that were not symbols.
  private var failures: [UInt8]
  /// The steps at the first dot.
  private(set) var basis: Basis = (.zero, .zero)
  /// The columns and rows of the dots that were found.
  private(set) var members: [(x: Int, y: Int)] = []
  /// The number of positions that were examined so far, in all lattices.
  private(set) var looks = 0

  private static let reach = DotCodeDecoder.sides.upperBound + 8
  private static let side = 2 * reach + 1
  /// The largest distance of a dot from its predicted position, as a share of the distance between dots.
  private static let tolerance = 0.36
  /// The distance, in modules, up to which dots predict a position.
  private static let window = 3

  init(_ field: DotField) {
    self.field = field
    isUsed = [Bool](repeating: false, count: field.dots.count)
    failures = [UInt8](repeating: 0, count: field.dots.count)
  }

  private static func index(_ x: Int, _ y: Int) -> Int { (y + reach) * side + x + reach }

  /// Returns the index of the dot at a position; `nil` for an empty position.
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
    /// The quality of the fit: the sum, over the dots at the eight positions around the seed, of 1 minus the squared distance of
    /// the dot from its position, as a share of the largest allowed squared distance.
    var fit: Double
    /// The number of seeds around it with the same steps.
    var support = 0

    /// Returns whether another seed has the same steps, in any of the four directions.
    fileprivate func agrees(with other: Seed) -> Bool {
      let (a, b) = basis
      let limit = 0.06 * (a.dot(a) + b.dot(b))
      return [(a, b), (b, -a), (-a, -b), (-b, a)].contains { across, down in
        let (p, q) = (across - other.basis.across, down - other.basis.down)
        return p.dot(p) + q.dot(q) < limit
      }
    }
  }

  /// The distance, in modules, up to which seeds are compared with a seed.
  private static let beside = 7.0

  /// Returns the dots that may begin a lattice, in descending order of the number of seeds beside them with the same steps.
  func seeds() -> [Seed] {
    var near = Neighbours()
    var seeds: [Seed] = []
    var index = [Int32](repeating: -1, count: field.dots.count)
    for dot in field.dots.indices {
      near.take(around: dot, field)
      guard let seed = near.seed(dot) else { continue }
      index[dot] = Int32(seeds.count)
      seeds.append(seed)
    }
    for i in seeds.indices {
      let own = seeds[i]
      let reach = Self.beside * max(own.basis.across.length, own.basis.down.length)
      var count = 0
      field.forEach(near: field.dots[own.dot], within: reach) { dot, _ in
        let other = Int(index[dot])
        if other >= 0, other != i, own.agrees(with: seeds[other]) { count += 1 }
      }
      seeds[i].support = count
    }
    return seeds.sorted { ($1.support, $1.fit, $0.dot) < ($0.support, $0.fit, $1.dot) }
  }

  /// The dots close to a dot, the nearest first, relative to this dot.
  private struct Neighbours {
    private var places: [(place: Point2, distance: Double)] = []

    /// The largest distance of a neighbour in pixels, and the largest number of neighbours.
    private static let (reach, most) = (7.5, 16)
    /// The least number of the eight positions around a dot that must hold dots, and the largest distance of a dot from its
    /// position: its square as a share of the squared distance to the nearest dot.
    private static let (hits, limit) = (5, 0.07)
    /// The square of the least distance of neighbours in pixels: closer dots would merge.
    private static let closest = 4.5

    mutating func take(around dot: Int, _ field: DotField) {
      places.removeAll(keepingCapacity: true)
      let center = field.dots[dot]
      field.forEach(near: center, within: Self.reach) { i, distance in
        guard i != dot, places.count < Self.most || distance < places[Self.most - 1].distance else { return }
        if places.count == Self.most { places.removeLast() }
        var at = places.count
        places.append((field.dots[i] - center, distance))
        while at > 0, places[at - 1].distance > distance {
          places.swapAt(at, at - 1)
          at -= 1
        }
      }
    }

    /// Returns the square of the distance from a position to the closest dot.
    private func nearest(_ place: Point2) -> Double {
      var least = Double.infinity
      for (other, _) in places {
        let off = other - place
        least = min(least, off.x * off.x + off.y * off.y)
      }
      return least
    }

    /// Two neighbours of a dot imply the steps of a chequerboard with eight positions around the dot. Returns the steps if enough
    /// of these positions hold dots.
    func seed(_ dot: Int) -> Seed? {
      guard places.count >= Self.hits else { return nil }
      var best: (seed: Seed, area: Double)?
      for i in 0..<5 {
        for j in (i + 1)..<min(8, places.count) where j > i {
          let (u, v) = (places[i].place, places[j].place)
          guard places[i].distance > Self.closest, places[j].distance < 2.3 * places[i].distance else { break }
          let (area, product) = (abs(u.cross(v)), u.dot(v))
          guard area < best?.area ?? .infinity, product * product < 0.25 * places[i].distance * places[j].distance
          else { continue }
          let limit = Self.limit * places[i].distance
          var (hits, fit) = (2, 2.0)
          func look(_ place: Point2) {
            let off = nearest(place)
            if off < limit { (hits, fit) = (hits + 1, fit + 1 - off / limit) }
          }
          look(-u)
          look(-v)
          look(u + v)
          look(u - v)
          guard hits + 2 >= Self.hits else { continue }
          look(v - u)
          look(-u - v)
          // A dot in the middle of four others shows that these belong to a finer chequerboard.
          let between = limit / 2
          guard hits >= Self.hits, nearest((u + v) / 2) >= between, nearest((u - v) / 2) >= between,
            nearest((v - u) / 2) >= between, nearest(-(u + v) / 2) >= between
          else { continue }
          // Neighbours are a column and a row away.
          let (a, b) = ((u + v) / 2, (u - v) / 2)
          best = (Seed(dot: dot, basis: a.cross(b) > 0 ? (a, b) : (b, a), fit: fit), area)
        }
      }
      return best?.seed
    }
  }

  /// Replaces the lattice by the chequerboard around a dot.
  ///
  /// - Parameter limit: the largest number of positions to examine.
  mutating func grow(from seed: Seed, limit: Int) {
    if sites.isEmpty {
      sites = [Int32](repeating: Site.unknown, count: Self.side * Self.side)
      bases = [SIMD4<Double>](repeating: .zero, count: Self.side * Self.side)
    }
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
        // Empty positions are crossed as long as a dot predicts the next position.
        if look(x, y) != nil { queue += Self.around(x, y) }
        // In a texture, few of the positions implied by its first dots hold dots.
        if looks - first >= 100, (looks - first) > 9 * members.count { return }
      }
      // More dots are known now and predict the empty positions better, so these are examined again.
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

  /// Looks for the dot at a position; returns whether there is one, or `nil` if no dot predicts the position.
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

  /// Returns where a position of the lattice is in the picture, and the steps there, fitted to the dots around it and supplemented
  /// by the steps of the nearest dot. `nil` without a dot within `reach`.
  ///
  /// - Parameter reach: the reach of the window in modules.
  private func predict(_ x: Int, _ y: Int, reach: Int = window) -> (place: Point2, basis: SIMD4<Double>)? {
    var (w, wx, wy, wxx, wxy, wyy) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    var (p, px, py) = (Point2.zero, Point2.zero, Point2.zero)
    var prior = (basis: SIMD4<Double>.zero, distance: Int.max)
    let side = Self.side
    sites.withUnsafeBufferPointer { sites in
      for dy in max(-reach, -Self.reach - y)...min(reach, Self.reach - y) {
        // Only positions whose column and row have an even sum hold dots.
        let first = max(-reach, -Self.reach - x)
        let odd = (x + y + dy + first) & 1
        for dx in stride(from: first + odd, through: min(reach, Self.reach - x), by: 2) {
          let i = (y + dy + Self.reach) &* side &+ x &+ dx &+ Self.reach
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
    }
    guard w > 0 else { return nil }
    // The fit is regularised (ridge regression) towards the steps of the nearest dot.
    let (ridge, across, down) = (1.5, prior.basis.lowHalf, prior.basis.highHalf)
    let (mean, mx, my) = (p / w, wx / w, wy / w)
    let (xx, xy, yy) = (wxx - wx * mx + ridge, wxy - wx * my, wyy - wy * my + ridge)
    let (bx, by) = (px - mean * wx + across * ridge, py - mean * wy + down * ridge)
    let determinant = xx * yy - xy * xy
    let u = (bx * yy - by * xy) / determinant
    let v = (by * xx - bx * xy) / determinant
    return (mean - u * mx - v * my, SIMD4(lowHalf: u, highHalf: v))
  }

  /// Returns where a position of the lattice is in the picture, in pixels, from the dots within 24 modules; `nil` without such
  /// dots.
  func place(_ x: Int, _ y: Int) -> Point2? {
    for reach in [Self.window, 6, 12, 24] {
      if let found = predict(x, y, reach: reach) { return found.place }
    }
    return nil
  }
}
