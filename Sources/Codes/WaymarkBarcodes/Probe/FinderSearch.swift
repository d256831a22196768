import CKernels
import WaymarkImage

/// Finds the finder patterns of QR codes, dark on light or light on dark, in one octave of a picture.
///
/// The file also has the patterns found (`FinderPattern`), their collection over all octaves (`FinderField`), and the
/// octaves (`Octaves`).
///
/// The work is bounded in any picture: a row that crosses a possible pattern is compared only with the few patterns that
/// continue in that column, and at most `capacity` patterns are kept.
struct FinderSearch {
  private let view: ImageView
  let levels: BlockMean
  /// The patterns of each polarity: dark on light first.
  private(set) var found: [[FinderPattern]] = [[], []]
  /// True if the search was cut short because the picture would have cost too much time.
  private(set) var isLimited = false
  /// The number of candidate positions that were examined.
  private(set) var looks = 0
  /// The distance of the searched rows, in pixels: the core of a pattern is three modules high.
  private let step: Int
  /// The indices of the patterns that may continue in the next rows, by polarity and by group of 32 columns.
  private var standing: [[[Int32]]]

  /// The largest number of patterns kept of each polarity: the patterns of a hundred codes, and about as many false ones.
  static let capacity = 640
  private static let stretch = 32

  /// The usual distance of the searched rows: a finder pattern of one pixel per module is seven rows high.
  static let usualStep = 3

  init(_ view: ImageView, levels: BlockMean, step: Int = Self.usualStep) {
    self.view = view
    self.levels = levels
    self.step = step
    standing = Array(repeating: Array(repeating: [], count: view.width / Self.stretch + 1), count: 2)
    guard view.width >= 16, view.height >= 16 else { return }
    var runs = [Int32](repeating: 0, count: view.width + 3)
    let most = 2000 + view.width * view.height / 64
    var y = step / 2
    while y < view.height {
      scan(row: y, &runs)
      if looks > most {
        isLimited = true
        break
      }
      y += step
    }
    standing = []
    for polarity in 0..<2 {
      // Every searched row through a core is a hit: at least a quarter of the rows of the core must be hits.
      found[polarity].removeAll { Double($0.hits) < 0.75 * $0.moduleY / Double(step) }
      for i in found[polarity].indices { found[polarity][i].hits *= step }
      found[polarity].sort { $0.hits > $1.hits }
    }
  }

  @inline(__always)
  private func isDark(_ x: Int, _ y: Int) -> Bool { levels.isDark(view, x, y) }

  private mutating func scan(row y: Int, _ runs: inout [Int32]) {
    let count = levels.edges(of: view, row: y, into: &runs)
    // runs[i] is the start of run i; run 0 is light and may be empty.
    guard count >= 7 else { return }
    for i in 0..<(count - 5) {
      let a = runs[i + 1] - runs[i]
      let b = runs[i + 2] - runs[i + 1]
      let c = runs[i + 3] - runs[i + 2]
      let d = runs[i + 4] - runs[i + 3]
      let e = runs[i + 5] - runs[i + 4]
      guard Self.isFinder(a, b, c, d, e) else { continue }
      confirm(
        x: (Double(runs[i + 2]) + Double(runs[i + 3]) - 1) / 2, y: y, width: runs[i + 5] - runs[i],
        polarity: i & 1 == 1 ? 0 : 1)
    }
  }

  /// Returns whether five runs have the ratio 1:1:3:1:1: the middle run within 1.5 modules plus two thirds of a pixel, the rest
  /// within half as much.
  @inline(__always)
  static func isFinder(_ a: Int32, _ b: Int32, _ c: Int32, _ d: Int32, _ e: Int32) -> Bool {
    let total = a &+ b &+ c &+ d &+ e
    guard total >= 7, c > a, c > b, c > d, c > e else { return false }
    // All values are multiplied by 28: a module is 4·total, three quarters of it 3·total.
    let slack = 3 &* total &+ 10
    @inline(__always) func near(_ run: Int32, _ modules: Int32) -> Bool {
      abs(28 &* run &- 4 &* total &* modules) <= slack &* (modules == 3 ? 2 : 1)
    }
    return near(a, 1) && near(b, 1) && near(c, 3) && near(d, 1) && near(e, 1)
  }

  /// Checks the column through the centre of a core, then the row again, and adds the pattern.
  private mutating func confirm(x: Double, y: Int, width: Int32, polarity: Int) {
    let wanted = polarity == 0
    // A row through a known pattern is a hit of it.
    let module = Double(width) / 7
    let slot = min(max(0, Int(x) / Self.stretch), standing[polarity].count - 1)
    var isStale = false
    for known in standing[polarity][slot] {
      let i = Int(known)
      let p = found[polarity][i]
      if Double(y) - p.center.y > 2 * p.moduleY { isStale = true }
      if abs(p.center.x - x) < 1.5 * p.moduleX, abs(p.center.y - Double(y)) < 2 * p.moduleY,
        abs(p.moduleX - module) < 0.5 * p.moduleX
      {
        found[polarity][i].hits += 1
        return
      }
    }
    if isStale {
      let patterns = found[polarity]
      standing[polarity][slot].removeAll { Double(y) - patterns[Int($0)].center.y > 2 * patterns[Int($0)].moduleY }
    }
    looks += 1
    guard found[polarity].count < Self.capacity else {
      isLimited = true
      return
    }
    let column = Int(x.rounded())
    guard let vertical = runsThrough(column, y, dx: 0, dy: 1, limit: Int(width) * 2, dark: wanted) else { return }
    let ratio = Double(vertical.length) / Double(width)
    guard ratio > 0.35, ratio < 2.9 else { return }
    let cy = vertical.center
    let row = Int(cy.rounded())
    guard let horizontal = runsThrough(column, row, dx: 1, dy: 0, limit: Int(width) * 2, dark: wanted) else { return }
    // The core is a square, so it is also dark along its diagonals, and the light ring around it is closed.
    var rings = ringsSeen(column, row, Double(horizontal.length) / 7, Double(vertical.length) / 7, dark: wanted)
    if rings < 13 {
      // Under a strong tilt and turn, the square is a narrow rhombus; every line through its centre still crosses
      // 1:1:3:1:1.
      guard rings >= 8, runsThrough(column, row, dx: 1, dy: 1, limit: Int(width) * 3, dark: wanted) != nil,
        runsThrough(column, row, dx: 1, dy: -1, limit: Int(width) * 3, dark: wanted) != nil
      else { return }
      rings = 13
    }
    found[polarity].append(
      FinderPattern(
        center: Point2(horizontal.center, cy), moduleX: Double(horizontal.length) / 7,
        moduleY: Double(vertical.length) / 7, hits: 1, rings: rings))
    let reach = 1.5 * Double(horizontal.length) / 7
    let first = max(0, Int(horizontal.center - reach) / Self.stretch)
    let last = min(standing[polarity].count - 1, Int(horizontal.center + reach) / Self.stretch)
    for slot in first...max(first, last) { standing[polarity][slot].append(Int32(found[polarity].count - 1)) }
  }

  /// Returns how many of sixteen tests in eight directions around a centre show the tone of a finder pattern: dark at one module,
  /// light at one of 2, 2.5 and 2.9 modules. Several distances are tested, because the sides of a square are closer than its corners
  /// and the pattern may be rotated.
  private func ringsSeen(_ x: Int, _ y: Int, _ moduleX: Double, _ moduleY: Double, dark: Bool) -> Int {
    var right = 0
    for (ux, uy) in Self.compass {
      func look(_ radius: Double) -> Bool? {
        let px = Int((Double(x) + ux * radius * moduleX).rounded())
        let py = Int((Double(y) + uy * radius * moduleY).rounded())
        guard px >= 0, py >= 0, px < view.width, py < view.height else { return nil }
        return isDark(px, py) == dark
      }
      if look(1) == true { right += 1 }
      // Along the axes of an upright pattern the middle of the light ring is at 2 modules, along its diagonals at 2.8.
      let ring = look(2.0) == false || look(2.5) == false || look(2.9) == false
      if ring { right += 1 }
    }
    return right
  }

  private static let compass: [(Double, Double)] = [
    (1, 0), (0.707, 0.707), (0, 1), (-0.707, 0.707), (-1, 0), (-0.707, -0.707), (0, -1), (0.707, -0.707),
  ]

  /// Returns the centre of the core along a line through a pixel of it, and the length of all five runs; `nil` if the runs
  /// do not have the ratio of a finder pattern.
  private func runsThrough(_ x: Int, _ y: Int, dx: Int, dy: Int, limit: Int, dark: Bool) -> (
    center: Double, length: Int32
  )? {
    @inline(__always) func walk(_ from: Int, _ direction: Int, _ want: Bool) -> Int {
      var n = 0
      var px = x + dx * direction * from
      var py = y + dy * direction * from
      while px >= 0, py >= 0, px < view.width, py < view.height, n <= limit, isDark(px, py) == want {
        n += 1
        px += dx * direction
        py += dy * direction
      }
      return n
    }
    guard x >= 0, x < view.width, y >= 0, y < view.height, isDark(x, y) == dark else { return nil }
    let c1 = walk(0, 1, dark)
    let d = walk(c1, 1, !dark)
    let e = walk(c1 + d, 1, dark)
    let c0 = walk(1, -1, dark)
    let b = walk(1 + c0, -1, !dark)
    let a = walk(1 + c0 + b, -1, dark)
    let core = c0 + c1
    guard a > 0, b > 0, d > 0, e > 0, Self.isFinder(Int32(a), Int32(b), Int32(core), Int32(d), Int32(e)) else {
      return nil
    }
    let origin = dx == 1 ? x : y
    return (Double(origin - c0) + Double(core - 1) / 2, Int32(a + b + core + d + e))
  }
}

// MARK: - Patterns

/// The square in a corner of a QR code: dark and light rings of 1:1:3:1:1 modules (ISO/IEC 18004 clause 6.3.3).
struct FinderPattern {
  var center: Point2
  /// The size of a module in pixels along the rows and along the columns of the picture.
  var moduleX: Double
  var moduleY: Double
  /// The number of rows of its octave that the pattern covers, estimated from the searched rows that crossed it.
  var hits: Int
  /// The octave that showed the pattern best; positions and sizes are in pixels of the whole picture.
  var octave = 0
  /// The number of sixteen tests around the centre that show the expected tone.
  var rings: Int

  /// The dark ring; `nil` if it is not isolated, or was not looked for yet.
  var ring: FinderRing?

  var module: Double { (moduleX * moduleY).squareRoot() }

  /// Returns the vector of one module along a direction, computed from the extents along rows and columns. These overstate the
  /// module of a rotated square.
  func module(along direction: Point2) -> Point2 {
    let d = direction / max(1e-9, direction.length)
    let x = d.x / moduleX
    let y = d.y / moduleY
    return d * (max(abs(d.x), abs(d.y)) / max(1e-9, (x * x + y * y).squareRoot()))
  }

  /// Returns the pattern in a copy of the picture of `factor` times the size.
  func scaled(by factor: Double) -> FinderPattern {
    var other = self
    other.center = (center + 0.5) * factor - 0.5
    other.moduleX *= factor
    other.moduleY *= factor
    other.ring = ring?.scaled(by: factor)
    return other
  }
}

/// The finder patterns of a picture, collected from its octaves. Each pattern is kept once, from the octave that shows it best.
struct FinderField {
  /// The patterns of each polarity, in pixels of the whole picture: dark on light first.
  private(set) var found: [[FinderPattern]] = [[], []]
  /// True if there were more patterns than are kept, or the search of an octave was cut short.
  private(set) var isLimited = false

  /// Adds the patterns of one octave.
  mutating func add(_ search: FinderSearch, octave: Int, factor: Double) {
    if search.isLimited { isLimited = true }
    for polarity in 0..<2 {
      for seen in search.found[polarity] {
        var pattern = seen.scaled(by: factor)
        pattern.octave = octave
        if let i = found[polarity].firstIndex(where: { Self.isSame($0, pattern) }) {
          if Self.distance(pattern) < Self.distance(found[polarity][i]) {
            pattern.rings = max(pattern.rings, found[polarity][i].rings)
            found[polarity][i] = pattern
          }
        } else if found[polarity].count < FinderSearch.capacity {
          found[polarity].append(pattern)
        } else {
          isLimited = true
        }
      }
    }
  }

  private static func isSame(_ a: FinderPattern, _ b: FinderPattern) -> Bool {
    abs(a.center.x - b.center.x) < 1.5 * a.moduleX && abs(a.center.y - b.center.y) < 1.5 * a.moduleY
      && a.module < 1.7 * b.module && b.module < 1.7 * a.module
  }

  /// Returns the ratio between a pattern's module on its octave and five pixels, the size measured best: 1 is best, otherwise more.
  private static func distance(_ pattern: FinderPattern) -> Double {
    let pixels = pattern.module / Double(1 << pattern.octave)
    return max(pixels / 5, 5 / pixels)
  }
}

// MARK: - Octaves

/// A picture at 1, 1/2, 1/4 … of its size. Finder patterns of any size appear on some octave at three to seven pixels per
/// module, where the local mean separates dark from light best, and noise and screen rasters are averaged out.
final class Octaves {
  /// The largest number of pixels of the octave that is searched for finder patterns first. A code of 49 modules of two pixels each
  /// is a twentieth as wide as such an octave.
  static let searched = 3_200_000
  /// The largest number of pixels of the octave in which bars and unexplained edges are looked for.
  static let barred = 1_600_000

  /// The picture at one of the sizes.
  struct Octave {
    let view: ImageView
    let levels: BlockMean
    /// The number of pixels of the source per pixel of this octave, along a side.
    let factor: Double
  }

  private let image: ImageView
  private var pictures: [GrayImage] = []
  private var made: [Octave?] = []
  private var searches: [FinderSearch?] = []

  /// The least contrast of an edge, in gray levels.
  private let flat: UInt8

  /// Creates the octaves of a picture, which is borrowed and must outlive them.
  init(_ image: ImageView, flat: UInt8 = BlockMean.plain) {
    self.image = image
    self.flat = flat
    let (width, height) = (image.width, image.height)
    var count = 1
    while min(width, height) >> count >= Self.leastSide, count < 6 { count += 1 }
    made = Array(repeating: nil, count: count)
    searches = Array(repeating: nil, count: count)
  }

  /// The least side of an octave in pixels: a code of 21 modules with its border is 29 modules wide, at two pixels each.
  private static let leastSide = 60

  var count: Int { made.count }

  /// An octave, made at first use.
  subscript(_ index: Int) -> Octave {
    if let known = made[index] { return known }
    let view = self.view(index)
    let octave = Octave(view: view, levels: BlockMean(view, flat: flat), factor: Double(1 << index))
    made[index] = octave
    return octave
  }

  /// Returns the finder patterns of an octave in rows at the usual distance; searched for once, at first use.
  func finders(_ index: Int) -> FinderSearch {
    if let known = searches[index] { return known }
    let octave = self[index]
    let search = FinderSearch(octave.view, levels: octave.levels)
    searches[index] = search
    return search
  }

  /// Returns whether an octave was made before and therefore costs nothing.
  func isMade(_ index: Int) -> Bool { made[index] != nil }

  /// Returns the pixels of an octave.
  func view(_ index: Int) -> ImageView {
    if index == 0 { return image }
    while pictures.count < index {
      pictures.append((pictures.last?.unsafeView ?? image).shrunk(by: 2))
    }
    return pictures[index - 1].unsafeView
  }

  /// Returns the index of the finest octave of at most `pixels` pixels, or of the coarsest octave.
  func index(ofAtMost pixels: Int) -> Int {
    (0..<count).first { (image.width >> $0) * (image.height >> $0) <= pixels } ?? count - 1
  }
}
