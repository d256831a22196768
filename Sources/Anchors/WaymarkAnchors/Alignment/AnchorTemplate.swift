import CKernels
import Synchronization
package import WaymarkImage

/// The data of a reference for alignment and tracking: the picture at decreasing sizes, the patch centres with most
/// texture on each (`TextureRanking`), and the periods of a repeating pattern (`RepeatedStructure`).
///
/// The centres of a size are computed on first use: a single frame needs three of nine sizes, and the largest take longest.
/// All memory is allocated in `init`. Use it from one thread at a time.
package final class AnchorTemplate {
  /// A level of the pyramid: the picture at one size, with its patch centres.
  package struct Level {
    /// The size relative to the reference.
    package let scale: Double
    /// The centres of the patches in reference pixels; every prefix of the list is spread over the picture.
    package let centers: UnsafeBufferPointer<SIMD2<Float>>
  }

  package private(set) var width = 0
  package private(set) var height = 0
  /// The outline of the reference in reference pixels.
  var outline: Quadrilateral { Quadrilateral(width: Double(width), height: Double(height)) }
  /// The size of the largest level relative to the reference: 1 or 2.
  package private(set) var detail = 1.0
  package let pyramid = GrayPyramid(compact: true)
  /// The patch centres of all levels, `TextureRanking.most` entries for each.
  private let places: UnsafeMutablePointer<SIMD2<Float>>
  /// The number of patch centres of each level; negative if not computed yet.
  private var counts: [Int]

  /// The periods of the reference's repeating pattern, in its pixels; empty if it has none. Computed on first use.
  package var repeats: [Point2] {
    if !isStepped { (steps, isStepped) = (RepeatedStructure.steps(of: pyramid, detail: detail), true) }
    return steps
  }
  private var steps: [Point2] = []
  private var isStepped = false
  /// A number for each loading of a reference, unique in the process, by which caches distinguish references.
  private(set) var serial = 0
  private static let serials = Atomic<Int>(0)

  /// The number of levels: two larger than the reference, and nine from the reference's size down.
  private static let levels = 11
  private static let minimumSide = 16

  /// Reserves memory for pictures of up to `side` × `side` pixels; the pages are resident once a picture is loaded.
  init(side: Int) {
    places = .allocate(capacity: TextureRanking.most * Self.levels)
    counts = Array(repeating: -1, count: Self.levels)
    pyramid.reserve(width: side, height: side, levels: Self.levels, minimumSide: Self.minimumSide)
  }

  /// - Parameter image: The reference; its long side is 480 pixels by convention, but any size works.
  package convenience init(_ image: GrayImage) {
    self.init(side: max(image.width, image.height))
    load(image, detail: 1)
  }

  /// Loads another reference into the memory of the previous one.
  ///
  /// - Parameter detail: The size of `image` relative to the reference.
  func load(_ image: GrayImage, detail: Int) {
    (width, height) = (image.width / detail, image.height / detail)
    self.detail = Double(detail)
    serial = Self.serials.add(1, ordering: .relaxed).newValue
    isStepped = false
    image.withView {
      pyramid.update($0, levels: detail == 1 ? Self.levels - 2 : Self.levels, minimumSide: Self.minimumSide)
    }
    for i in counts.indices { counts[i] = -1 }
  }

  deinit { places.deallocate() }

  /// Returns the level at an index of the pyramid, with its patch centres.
  package func level(_ index: Int, ranking: TextureRanking) -> Level {
    let scale = scale(index)
    let own = places + TextureRanking.most * index
    if counts[index] < 0 { counts[index] = ranking.rank(pyramid.level(index), scale: scale, into: own) }
    return Level(scale: scale, centers: UnsafeBufferPointer(start: own, count: counts[index]))
  }

  /// Returns the size of a level relative to the reference.
  package func scale(_ index: Int) -> Double { detail * pyramid.scale(index) }

  /// Returns the smallest level that is at least as large as the reference at `scale`, with a tolerance of 15 %: drawn at
  /// `scale`, it is reduced and hardly ever enlarged.
  package func level(for scale: Double) -> Int {
    (0..<pyramid.count).last { self.scale($0) >= scale * 0.85 } ?? 0
  }
}

/// Finds the squares of a picture with most texture, the best first and spread over the picture.
///
/// Memory is allocated once for pictures of up to 480 pixels a side, and again for a larger picture. Use it from one thread at a
/// time.
package final class TextureRanking {
  /// The picture is cut into at most 8×8 fields with at most six squares each.
  private static let fields = 64
  private static let perField = 6
  /// The largest number of patch centres of a picture at one size.
  package static let most = fields * perField

  /// A square of 8×8 pixels that may become a patch, in cells of 4×4.
  private struct Candidate {
    var x: Int32
    var y: Int32
    /// The smaller eigenvalue of the structure tensor plus a little of the larger (J. Shi, C. Tomasi, "Good features to
    /// track", CVPR 1994): corners first, edges where there is nothing else.
    var strength: Float
  }

  private let memory = ScratchMemory()
  private var cells = UnsafeMutableBufferPointer<Int32>.allocate(capacity: 3 * 120 * 120)
  private let candidates: UnsafeMutablePointer<Candidate>
  private let counts: UnsafeMutablePointer<Int>
  private let order: UnsafeMutablePointer<Int>

  package init() {
    candidates = memory.allocate(Self.most)
    counts = memory.allocate(Self.fields)
    order = memory.allocate(Self.fields)
  }

  deinit {
    cells.deallocate()
  }

  /// Writes the centres of the best squares in reference pixels and returns their number: first the best square of every
  /// field, by strength, then the second best of every field, and so on.
  ///
  /// - Parameter scale: The size of the picture relative to the reference.
  func rank(_ view: ImageView, scale: Double, into places: UnsafeMutablePointer<SIMD2<Float>>) -> Int {
    let columns = view.width / 4
    let rows = view.height / 4
    guard columns >= 4, rows >= 4 else { return 0 }
    if cells.count < columns * rows * 3 {
      cells.deallocate()
      cells = .allocate(capacity: columns * rows * 3)
    }
    guard let cells = cells.baseAddress else { return 0 }
    ck_texture_cells(view.base, view.stride, Int32(view.width), Int32(view.height), cells)
    // The side of a field in cells; a field is at least as large as a patch.
    let field = max(2, (max(columns, rows) + 7) / 8)
    let across = (columns + field - 1) / field
    let down = (rows + field - 1) / field
    counts.update(repeating: 0, count: across * down)
    // One cell of 4 pixels at the edge is left out, so that the margin of a drawn patch is inside the picture.
    for y in 1..<max(1, rows - 2) {
      for x in 1..<max(1, columns - 2) {
        var sum = SIMD4<Int32>.zero
        for i in 0..<4 {
          let c = 3 * (y * columns + x + (i & 1) + (i >> 1) * columns)
          sum &+= SIMD4(cells[c], cells[c + 1], cells[c + 2], 0)
        }
        let half = 0.5 * Float(sum.x - sum.z)
        let root = (half * half + Float(sum.y) * Float(sum.y)).squareRoot()
        let mean = 0.5 * (Float(sum.x) + Float(sum.z))
        let strength = (mean - root) + 0.1 * (mean + root)
        // A mean squared gradient of 4 over 64 pixels, for gradients that are doubled; weaker texture is noise.
        guard strength > 64 * 16 else { continue }
        insert(Candidate(x: Int32(x), y: Int32(y), strength: strength), into: y / field * across + x / field)
      }
    }
    var n = 0
    for rank in 0..<Self.perField {
      var round = 0
      for f in 0..<(across * down) where counts[f] > rank {
        // Insertion sort, which is stable.
        var i = round
        while i > 0, candidate(order[i - 1], rank).strength < candidate(f, rank).strength {
          order[i] = order[i - 1]
          i -= 1
        }
        order[i] = f
        round += 1
      }
      for i in 0..<round {
        let c = candidate(order[i], rank)
        let p = (Point2(Double(4 * c.x) + 3.5, Double(4 * c.y) + 3.5) + 0.5) / scale - 0.5
        places[n] = SIMD2(Float(p.x), Float(p.y))
        n += 1
      }
    }
    return n
  }

  private func candidate(_ field: Int, _ rank: Int) -> Candidate { candidates[field * Self.perField + rank] }

  /// Keeps the strongest squares of a field, strongest first, none overlapping a stronger one by more than half.
  private func insert(_ c: Candidate, into field: Int) {
    let list = candidates + field * Self.perField
    var n = counts[field]
    func near(_ a: Candidate) -> Bool { abs(a.x - c.x) + abs(a.y - c.y) < 2 }
    for i in 0..<n where near(list[i]) && list[i].strength >= c.strength { return }
    var kept = 0
    for i in 0..<n where !near(list[i]) {
      list[kept] = list[i]
      kept += 1
    }
    n = kept
    var place = n
    while place > 0, list[place - 1].strength < c.strength { place -= 1 }
    if place < Self.perField {
      n = min(n + 1, Self.perField)
      var i = n - 1
      while i > place {
        list[i] = list[i - 1]
        i -= 1
      }
      list[place] = c
    }
    counts[field] = n
  }
}

/// Finds the periods of a repeating picture: rows of icons, bricks, lines of a form.
///
/// The periods are the peaks of the autocorrelation of the reduced picture, whose local means are subtracted first. Without
/// repetition, the only peak is at zero.
enum RepeatedStructure {
  /// Returns the periods in reference pixels, each with its opposite; empty for most pictures.
  ///
  /// - Parameter detail: The size of the largest level of the pyramid relative to the reference.
  static func steps(of pyramid: GrayPyramid, detail: Double) -> [Point2] {
    let levels = 0..<pyramid.count
    guard let index = levels.first(where: { max(pyramid.level($0).width, pyramid.level($0).height) <= side }) else {
      return []
    }
    let view = pyramid.level(index)
    let scale = detail * pyramid.scale(index)
    let (w, h) = (view.width, view.height)
    guard min(w, h) >= 16 else { return [] }
    let pixels = flattened(view)
    // The autocorrelation is symmetric, so half of the plane suffices.
    let (reachX, reachY) = (w * 5 / 8, h * 5 / 8)
    let columns = 2 * reachX + 1
    var map = [Float](repeating: -1, count: columns * (reachY + 1))
    pixels.withUnsafeBufferPointer { p in
      for dy in 0...reachY {
        for dx in -reachX...reachX where dy > 0 || dx > 0 {
          map[dy * columns + dx + reachX] = correlation(p, w, h, dx, dy)
        }
      }
    }
    func value(_ dx: Int, _ dy: Int) -> Float {
      let (x, y) = dy < 0 || dy == 0 && dx < 0 ? (-dx, -dy) : (dx, dy)
      return abs(x) <= reachX && y <= reachY ? map[y * columns + x + reachX] : -1
    }
    var peaks: [(step: Point2, height: Float)] = []
    for dy in 0...reachY {
      for dx in -reachX...reachX where dy > 0 || dx > 0 {
        let v = value(dx, dy)
        // At the edge of the searched area a peak is not certain, because the value may still rise outside.
        guard v > least, abs(dx) + dy >= 4, abs(dx) < reachX, dy < reachY else { continue }
        let isPeak = (-1...1).allSatisfy { j in
          (-1...1).allSatisfy { i in (i, j) == (0, 0) || (dx + i, dy + j) == (0, 0) || value(dx + i, dy + j) <= v }
        }
        if isPeak { peaks.append((Point2(Double(dx), Double(dy)) / scale, v)) }
      }
    }
    // Short periods come first, because tracking slips by one period rather than by two.
    peaks.sort { $0.step.length < $1.step.length }
    return peaks.prefix(most).flatMap { [$0.step, Point2.zero - $0.step] }
  }

  /// The largest side of the reduced picture in pixels.
  private static let side = 128
  /// The least correlation of a picture with itself shifted by one period.
  private static let least: Float = 0.5
  /// The most periods, not counting their opposites.
  private static let most = 6

  /// Returns the picture minus its local means over 13 × 13 pixels.
  private static func flattened(_ view: ImageView) -> [Float] {
    let (w, h) = (view.width, view.height)
    let r = 6
    let sums = IntegralImage<Int32>(width: w, height: h) { Int32(view.row($1)[$0]) }
    var out = [Float](repeating: 0, count: w * h)
    for y in 0..<h {
      for x in 0..<w {
        let (sum, count) = sums.window(x, y, reach: r)
        out[y * w + x] = Float(view.row(y)[x]) - Float(sum) / Float(count)
      }
    }
    return out
  }

  /// Returns the normalised correlation of a picture with itself shifted by (`dx`, `dy`), `dy` ≥ 0, over the overlap.
  private static func correlation(_ p: UnsafeBufferPointer<Float>, _ w: Int, _ h: Int, _ dx: Int, _ dy: Int) -> Float {
    var (both, one, other) = (SIMD8<Float>.zero, SIMD8<Float>.zero, SIMD8<Float>.zero)
    var rest = SIMD3<Float>.zero
    let (low, high) = (max(0, -dx), min(w, w - dx))
    for y in 0..<(h - dy) {
      let (a, b) = (y * w, (y + dy) * w + dx)
      var x = low
      while x + 8 <= high {
        let u = UnsafeRawPointer(p.baseAddress! + a + x).loadUnaligned(as: SIMD8<Float>.self)
        let v = UnsafeRawPointer(p.baseAddress! + b + x).loadUnaligned(as: SIMD8<Float>.self)
        both += u * v
        one += u * u
        other += v * v
        x += 8
      }
      while x < high {
        let (u, v) = (p[a + x], p[b + x])
        rest += SIMD3(u * v, u * u, v * v)
        x += 1
      }
    }
    let product = (one.sum() + rest.y) * (other.sum() + rest.z)
    return product > 0 ? (both.sum() + rest.x) / product.squareRoot() : 0
  }
}

extension UnsafeMutablePointer<Float> {
  /// Partially sorts the first `n` numbers: moves the k-th smallest to index `k`, with no greater number before it and no smaller
  /// number after it (C. Hoare, "Find", CACM 4 (1961)). Unlike a full sort, this allocates no memory.
  func select(_ k: Int, of n: Int) {
    var (low, high) = (0, n - 1)
    while low < high {
      let pivot = self[(low + high) / 2]
      var (i, j) = (low, high)
      while i <= j {
        while self[i] < pivot { i += 1 }
        while self[j] > pivot { j -= 1 }
        guard i <= j else { break }
        (self[i], self[j]) = (self[j], self[i])
        i += 1
        j -= 1
      }
      if k <= j { high = j } else if k >= i { low = i } else { return }
    }
  }
}
