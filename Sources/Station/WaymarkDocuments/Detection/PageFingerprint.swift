import WaymarkImage

/// The marks on a page, by which the page is recognised in any light and orientation. `FinePageFingerprint` below
/// compares the contents of two pages in detail.
package struct PageFingerprint: Hashable, Sendable {
  static let side = 40
  /// The luma of each cell relative to the surroundings, normalised to mean 0 and length 1; empty for a blank page.
  private var values: [Float] = []
  /// The luma at three times as many points in each direction.
  private var samples: [UInt8] = []

  package init() {}

  /// Creates a fingerprint from the mean luma of `n` × `n` cells of a page, and its luma at 3 `n` × 3 `n` points.
  init(_ luma: [Float], _ n: Int, _ samples: [UInt8]) {
    // The outermost cells are ignored: they show the surroundings if the outline is off by 1 %.
    var marks = Self.marks(luma, n, reach: 4, margin: 1)
    let mean = marks.reduce(0, +) / Float(n * n)
    for i in marks.indices { marks[i] -= mean }
    let length = marks.reduce(0) { $0 + $1 * $1 }.squareRoot()
    // The limit is noise of about 1 % of the paper's luma in every cell.
    guard length > 0.012 * Float(n) else { return }
    values = marks.map { $0 / length }
    self.samples = samples
  }

  /// Returns the relative difference of each of `n` × `n` cells from the mean of the cells within `reach`, which removes light and
  /// shadow. The outermost `margin` cells are 0.
  fileprivate static func marks(_ luma: [Float], _ n: Int, reach: Int, margin: Int = 0) -> [Float] {
    let sums = IntegralImage<Float>(width: n, height: n) { luma[$1 * n + $0] }
    var marks = [Float](repeating: 0, count: n * n)
    for y in margin..<(n - margin) {
      for x in margin..<(n - margin) {
        let (sum, count) = sums.window(x, y, reach: reach)
        let mean = sum / Float(count)
        marks[y * n + x] = max(-0.4, min(0.4, (luma[y * n + x] - mean) / (mean + 12)))
      }
    }
    return marks
  }

  /// True if there are no marks on the page.
  package var isBlank: Bool { values.isEmpty }

  /// Returns the similarity of two pages, -1…1: the correlation at the best of four orientations and of small shifts. Two
  /// blank pages have similarity 1.
  package func similarity(to other: PageFingerprint) -> Double {
    guard !values.isEmpty, !other.values.isEmpty else { return isBlank == other.isBlank ? 1 : 0 }
    var best: Float = -1
    var turned = other.values
    for turn in 0..<4 {
      if turn > 0 { turned = Self.turn(turned) }
      for dy in -1...1 {
        for dx in -1...1 { best = max(best, correlation(turned, dx, dy)) }
      }
    }
    return Double(best)
  }

  /// Returns whether two pages are the same, in any orientation: when superimposed, with corners moved within the error of
  /// detection, they agree in most cells with marks. Pages of the same layout with different contents do not agree. Takes
  /// milliseconds.
  package func isSame(as other: PageFingerprint) -> Bool {
    let coarse = similarity(to: other)
    guard !isBlank, !other.isBlank, coarse >= Self.related else { return isBlank && other.isBlank }
    return FinePageFingerprint(samples).similarity(to: FinePageFingerprint(other.samples)) >= Self.agreeing
  }

  /// The coarse similarity below which pages are not compared in detail.
  private static let related = 0.3
  /// The least share of tiles in which two pictures of one page agree.
  private static let agreeing = 0.8

  private func correlation(_ other: [Float], _ dx: Int, _ dy: Int) -> Float {
    let n = Self.side
    var sum: Float = 0
    for y in max(0, dy)..<min(n, n + dy) {
      for x in max(0, dx)..<min(n, n + dx) { sum += values[y * n + x] * other[(y - dy) * n + x - dx] }
    }
    return sum
  }

  private static func turn(_ values: [Float]) -> [Float] {
    let n = side
    return (0..<n * n).map { values[(n - 1 - $0 % n) * n + $0 / n] }
  }
}

/// The marks on a page in as much detail as a frame shows.
struct FinePageFingerprint {
  private static let side = 120
  /// The step between compared cells.
  private static let stride = 2
  /// The luma relative to the surroundings, used to superimpose pages.
  private let values: [Float]
  /// `values` without lines of writing and ruled lines, used to compare pages.
  private let words: [Float]

  /// - Parameter samples: The luma at `side` × `side` points.
  init(_ samples: [UInt8]) {
    let n = Self.side
    guard samples.count == n * n else {
      (values, words) = ([], [])
      return
    }
    let marks = PageFingerprint.marks(samples.map(Float.init), n, reach: 7)
    // Edges that are sharp in one frame may be blurred in another.
    values = BoxSum.sums(of: marks, width: n, height: n, radius: 1).map { $0 / 9 }
    words = Self.withoutLines(values)
  }

  /// Returns the share of the contents that two pages have in common, 0…1, at the best orientation and the best shifts of the
  /// corners.
  ///
  /// Pages of the same layout agree in most of their print, so only the rest can decide. The result is therefore the share of
  /// agreeing tiles among the tiles with marks. Fingers on a page affect only the tiles that they cover.
  func similarity(to other: FinePageFingerprint) -> Double {
    guard !values.isEmpty, !other.values.isEmpty else { return 0 }
    var starts: [(value: Float, turn: Int, corners: [Point2])] = []
    for turn in 0..<4 {
      for dy in -1...1 {
        for dx in -1...1 {
          let corners = [Point2](repeating: Point2(Double(dx), Double(dy)) * 0.7, count: 4)
          starts.append((correlation(other, turn, corners), turn, corners))
        }
      }
    }
    starts.sort { $0.value > $1.value }
    let fits = starts.prefix(3).map { refined(other, $0.turn, $0.corners, $0.value) }
    guard let best = fits.max(by: { $0.value < $1.value }), best.value > 0.25 else { return 0 }
    return agreement(other, best.turn, best.corners)
  }

  /// Returns the share of tiles with marks that are alike, each moved by up to one cell.
  private func agreement(_ other: FinePageFingerprint, _ turn: Int, _ corners: [Point2]) -> Double {
    let (n, tile) = (Self.side, Self.tile)
    var theirs = [Float](repeating: 0, count: n * n)
    for y in 0..<n {
      for x in 0..<n {
        if let at = Self.place(x, y, turn, corners) { theirs[y * n + x] = other.words[at] }
      }
    }
    var tiles: [(energy: Float, alike: Float)] = []
    for y in Swift.stride(from: 4, through: n - tile - 4, by: tile) {
      for x in Swift.stride(from: 4, through: n - tile - 4, by: tile) {
        var best: (energy: Float, alike: Float) = (0, -1)
        for dy in -1...1 {
          for dx in -1...1 {
            var (aa, bb, ab): (Float, Float, Float) = (0, 0, 0)
            for row in 0..<tile {
              let (i, j) = ((y + row) * n + x, (y + row + dy) * n + x + dx)
              for k in 0..<tile {
                let (a, b) = (words[i + k], theirs[j + k])
                aa += a * a
                bb += b * b
                ab += a * b
              }
            }
            let alike = aa > 0 && bb > 0 ? ab / (aa * bb).squareRoot() : 0
            best = (max(best.energy, aa, bb), max(best.alike, alike))
          }
        }
        tiles.append(best)
      }
    }
    // Empty tiles agree by chance, so they are ignored.
    let full = (tiles.map(\.energy).max() ?? 0) * 0.15
    let used = tiles.filter { $0.energy > full }
    guard used.count >= 4 else { return Double(used.map(\.alike).max() ?? 0) }
    return Double(used.count { $0.alike > Self.alike }) / Double(used.count)
  }

  private static let tile = 14
  /// The correlation from which tiles count as alike.
  private static let alike: Float = 0.6

  /// Returns the correlation after each corner was moved to where it is greatest.
  private func refined(_ other: FinePageFingerprint, _ turn: Int, _ start: [Point2], _ value: Float)
    -> (value: Float, turn: Int, corners: [Point2])
  {
    var (best, corners) = (value, start)
    for step in [2.4, 1.6, 1.6, 0.8, 0.8, 0.4] {
      for corner in 0..<4 {
        for move in [Point2(step, 0), Point2(-step, 0), Point2(0, step), Point2(0, -step)] {
          var moved = corners
          moved[corner] = moved[corner] + move
          let shift = (moved[0] + moved[1] + moved[2] + moved[3]) / 4
          guard moved[corner].length < Self.farthest, shift.length < Self.farthestShift else { continue }
          let value = correlation(other, turn, moved)
          if value > best { (best, corners) = (value, moved) }
        }
      }
    }
    return (best, turn, corners)
  }

  /// The largest shift of a corner in cells.
  private static let farthest = 5.5
  /// The largest mean shift of all corners in cells. Single corners may be misplaced, but not whole pages. The limit prevents a
  /// repeating pattern from matching its neighbour.
  private static let farthestShift = 1.1

  /// Returns the index of the other page's cell that coincides with a cell of this page; `nil` if no cell coincides with it.
  private static func place(_ x: Int, _ y: Int, _ turn: Int, _ corners: [Point2]) -> Int? {
    let n = side
    let (u, v) = (Double(x) / Double(n - 1), Double(y) / Double(n - 1))
    let left = corners[0] * (1 - v) + corners[3] * v
    let right = corners[1] * (1 - v) + corners[2] * v
    let moved = Point2(Double(x), Double(y)) + left * (1 - u) + right * u
    let (px, py) = (Int(moved.x.rounded()), Int(moved.y.rounded()))
    guard px >= 0, py >= 0, px < n, py < n else { return nil }
    return index(px, py, turn)
  }

  /// Returns the index of a cell of a page rotated by quarter turns.
  @inline(__always)
  private static func index(_ x: Int, _ y: Int, _ turn: Int) -> Int {
    let last = side &- 1
    return switch turn {
    case 0: y &* side &+ x
    case 1: (last &- x) &* side &+ y
    case 2: (last &- y) &* side &+ last &- x
    default: x &* side &+ last &- y
    }
  }

  /// Returns the correlation with another page that is rotated by quarter turns and whose corners are moved.
  private func correlation(_ other: FinePageFingerprint, _ turn: Int, _ corners: [Point2]) -> Float {
    let n = Self.side
    let (a, b, c, d) = (corners[0], corners[1], corners[2], corners[3])
    var (count, sx, sy, sxx, syy, sxy): (Float, Float, Float, Float, Float, Float) = (0, 0, 0, 0, 0, 0)
    values.withUnsafeBufferPointer { mine in
      other.values.withUnsafeBufferPointer { others in
        for y in Swift.stride(from: 4, to: n - 4, by: Self.stride) {
          let v = Float(y) / Float(n - 1)
          let left = (Float(a.x) * (1 - v) + Float(d.x) * v, Float(a.y) * (1 - v) + Float(d.y) * v)
          let right = (Float(b.x) * (1 - v) + Float(c.x) * v, Float(b.y) * (1 - v) + Float(c.y) * v)
          for x in Swift.stride(from: 4, to: n - 4, by: Self.stride) {
            let u = Float(x) / Float(n - 1)
            let px = Int((Float(x) + left.0 + (right.0 - left.0) * u).rounded())
            let py = Int((Float(y) + left.1 + (right.1 - left.1) * u).rounded())
            guard px >= 3, py >= 3, px < n - 3, py < n - 3 else { continue }
            let (p, q) = (mine[y &* n &+ x], others[Self.index(px, py, turn)])
            count += 1
            sx += p
            sy += q
            sxx += p * p
            syy += q * q
            sxy += p * q
          }
        }
      }
    }
    guard count > 100 else { return 0 }
    let (vx, vy) = (sxx - sx * sx / count, syy - sy * sy / count)
    guard vx > 1e-4, vy > 1e-4 else { return 0 }
    return (sxy - sx * sy / count) / (vx * vy).squareRoot()
  }

  /// Subtracts the mean of every row and column within reach. Lines of writing and ruled tables are alike on all pages of the same
  /// layout, words are not.
  private static func withoutLines(_ values: [Float]) -> [Float] {
    let (n, reach) = (side, 12)
    var out = values
    var (rows, columns) = (values, values)
    for i in 0..<n {
      var (row, column): (Float, Float) = (0, 0)
      var count: Float = 0
      for k in -reach..<(n + reach) {
        if k + reach < n {
          row += values[i * n + k + reach]
          column += values[(k + reach) * n + i]
          count += 1
        }
        if k - reach - 1 >= 0 {
          row -= values[i * n + k - reach - 1]
          column -= values[(k - reach - 1) * n + i]
          count -= 1
        }
        guard (0..<n).contains(k) else { continue }
        rows[i * n + k] = row / count
        columns[k * n + i] = column / count
      }
    }
    for i in out.indices { out[i] -= rows[i] + columns[i] }
    return out
  }
}
