import WaymarkImage

/// The marks on a page in as much detail as a frame shows, to be compared with those of another.
struct FinePageFingerprint {
  private static let side = 120
  /// Every so many places are compared.
  private static let stride = 2
  /// Darkness against the surroundings: by this pages are laid over each other.
  private let values: [Float]
  /// The same without lines of writing and ruled lines: by this they are compared.
  private let words: [Float]

  /// - Parameter samples: luma at `side` × `side` places.
  init(_ samples: [UInt8]) {
    let (n, reach) = (Self.side, 7)
    guard samples.count == n * n else {
      (values, words) = ([], [])
      return
    }
    let sums = IntegralImage<Float>(width: n, height: n) { Float(samples[$1 * n + $0]) }
    var values = [Float](repeating: 0, count: n * n)
    for y in 0..<n {
      for x in 0..<n {
        let (sum, count) = sums.window(x, y, reach: reach)
        let mean = sum / Float(count)
        values[y * n + x] = max(-0.4, min(0.4, (Float(samples[y * n + x]) - mean) / (mean + 12)))
      }
    }
    // Edges that are sharp in one frame may be soft in the other.
    self.values = BoxSum.sums(of: values, width: n, height: n, radius: 1).map { $0 / 9 }
    words = Self.withoutLines(self.values)
  }

  /// How much of what is on two pages is the same, whichever way up and with corners moved as fits best; 0…1.
  ///
  /// Pages of one layout agree in most of what is printed, so that what they are filled with must decide: the share of the places
  /// with something on them where the two agree. Fingers over a page spoil only the places that they hide.
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

  /// The share of tiles with something on them that are alike, each moved by up to a place.
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
    // Empty paper agrees with empty paper by chance.
    let full = (tiles.map(\.energy).max() ?? 0) * 0.15
    let used = tiles.filter { $0.energy > full }
    guard used.count >= 4 else { return Double(used.map(\.alike).max() ?? 0) }
    return Double(used.count { $0.alike > Self.alike }) / Double(used.count)
  }

  private static let tile = 14
  /// Tiles that correlate by more are alike.
  private static let alike: Float = 0.6

  /// The correlation once each corner was moved to where it is greatest.
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

  /// How far a corner may be moved, in places.
  private static let farthest = 5.5
  /// And how far all of them on average: single corners are misplaced, not whole pages. What repeats on a page is not to be found in its neighbour.
  private static let farthestShift = 1.1

  /// Which place of another page lies over one of this.
  private static func place(_ x: Int, _ y: Int, _ turn: Int, _ corners: [Point2]) -> Int? {
    let n = side
    let (u, v) = (Double(x) / Double(n - 1), Double(y) / Double(n - 1))
    let left = corners[0] * (1 - v) + corners[3] * v
    let right = corners[1] * (1 - v) + corners[2] * v
    let moved = Point2(Double(x), Double(y)) + left * (1 - u) + right * u
    let (px, py) = (Int(moved.x.rounded()), Int(moved.y.rounded()))
    guard px >= 0, py >= 0, px < n, py < n else { return nil }
    switch turn {
    case 0: return py * n + px
    case 1: return (n - 1 - px) * n + py
    case 2: return (n - 1 - py) * n + n - 1 - px
    default: return px * n + n - 1 - py
    }
  }

  /// The correlation of what lies one over the other when another page is turned by quarters and its corners are moved.
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
            let at =
              switch turn {
              case 0: py &* n &+ px
              case 1: (n &- 1 &- px) &* n &+ py
              case 2: (n &- 1 &- py) &* n &+ n &- 1 &- px
              default: px &* n &+ n &- 1 &- py
              }
            let (p, q) = (mine[y &* n &+ x], others[at])
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

  /// Takes the mean of every row and column within reach off: lines of writing and ruled tables lie alike on all pages of one layout, words
  /// do not.
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
