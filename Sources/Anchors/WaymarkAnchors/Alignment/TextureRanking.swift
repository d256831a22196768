import CKernels
import WaymarkImage

/// Finds the squares of a picture that are worth a patch, the best first and spread over the picture.
///
/// Memory is taken once for pictures of up to 480 pixels a side, and again for larger ones. To be used from one thread at a
/// time.
package final class TextureRanking {
  /// The picture is cut into at most 8×8 fields, each of which gives at most six squares.
  private static let fields = 64
  private static let perField = 6
  /// The most places of a picture.
  package static let most = fields * perField

  /// A square of 8×8 pixels that may become a patch, in cells of 4×4.
  private struct Candidate {
    var x: Int32
    var y: Int32
    /// The smaller eigenvalue of the structure tensor plus a little of the larger (J. Shi, C. Tomasi, "Good features to
    /// track", CVPR 1994): corners first, edges where there is nothing else.
    var strength: Float
  }

  private var cells = UnsafeMutableBufferPointer<Int32>.allocate(capacity: 3 * 120 * 120)
  private let candidates: UnsafeMutablePointer<Candidate>
  private let counts: UnsafeMutablePointer<Int>
  private let order: UnsafeMutablePointer<Int>

  package init() {
    candidates = .allocate(capacity: Self.most)
    counts = .allocate(capacity: Self.fields)
    order = .allocate(capacity: Self.fields)
  }

  deinit {
    cells.deallocate()
    candidates.deallocate()
    counts.deallocate()
    order.deallocate()
  }

  /// Writes the centres of the best squares, in pixels of the reference, and returns how many there are: first comes the
  /// best square of every field, by strength, then the second best ones, and so on.
  ///
  /// - Parameter scale: of the picture, relative to the reference.
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
    // The side of a field in cells: at least a patch.
    let field = max(2, (max(columns, rows) + 7) / 8)
    let across = (columns + field - 1) / field
    let down = (rows + field - 1) / field
    counts.update(repeating: 0, count: across * down)
    // One cell of 4 pixels stays free at the edge, so that a drawn patch finds its neighbours inside the picture.
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
        // 64 pixels with a mean squared gradient of four, both doubled: noise.
        guard strength > 64 * 16 else { continue }
        insert(Candidate(x: Int32(x), y: Int32(y), strength: strength), into: y / field * across + x / field)
      }
    }
    var n = 0
    for rank in 0..<Self.perField {
      var round = 0
      for f in 0..<(across * down) where counts[f] > rank {
        // By insertion; what came first stays first among equals.
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
