import CKernels
package import WaymarkGeometry
package import WaymarkImage

/// What alignment and tracking need of a reference: the picture at falling sizes, and on each of them the places of most
/// texture.
///
/// The places of a size are looked for when they are first asked for: a single frame needs three sizes of nine, and the
/// largest take longest. To be used from one thread at a time.
package final class AnchorTemplate {
  /// One size of the picture.
  package struct Level {
    /// Relative to the reference.
    package let scale: Double
    /// Centres of patches in reference pixels; however many are taken from the front, they are spread over the picture.
    package let centers: [Point2]
  }

  package let width: Int
  package let height: Int
  package let pyramid = GrayPyramid(compact: true)
  private var known: [Level?]
  private var cells: [Int32] = []

  /// - Parameter image: the reference, long side 480 by convention; any size works.
  package init(_ image: GrayImage) {
    width = image.width
    height = image.height
    let pyramid = self.pyramid
    image.withView { pyramid.update($0, levels: 9, minimumSide: 16) }
    known = Array(repeating: nil, count: pyramid.count)
  }

  /// One size of the picture and the places on it.
  package func level(_ index: Int) -> Level {
    if let level = known[index] { return level }
    let scale = pyramid.scale(index)
    let level = Level(scale: scale, centers: Self.centers(on: pyramid.level(index), scale: scale, cells: &cells))
    known[index] = level
    return level
  }

  /// All sizes of the picture.
  package var levels: [Level] { (0..<pyramid.count).map { level($0) } }

  /// The level whose pixels are the largest that are still no larger than `1 / scale` reference pixels (with a tolerance
  /// of a sixth): what is drawn at `scale` from it is reduced, hardly ever enlarged.
  package func level(for scale: Double) -> Int {
    (0..<pyramid.count).last { pyramid.scale($0) >= scale * 0.85 } ?? 0
  }

  /// A square of 8×8 pixels that may become a patch.
  private struct Candidate {
    var x: Int
    var y: Int
    /// The smaller eigenvalue of the structure tensor plus a little of the larger (J. Shi, C. Tomasi, "Good features to
    /// track", CVPR 1994): corners first, edges where there is nothing else.
    var strength: Float
  }

  /// The best squares of a picture: it is cut into about 8×8 fields; first comes the best square of every field, by
  /// strength, then the second best ones, and so on.
  private static func centers(on view: ImageView, scale: Double, cells: inout [Int32]) -> [Point2] {
    let columns = view.width / 4
    let rows = view.height / 4
    guard columns >= 4, rows >= 4 else { return [] }
    if cells.count < columns * rows * 3 { cells = Array(repeating: 0, count: columns * rows * 3) }
    cells.withUnsafeMutableBufferPointer {
      ck_texture_cells(view.base, view.stride, Int32(view.width), Int32(view.height), $0.baseAddress!)
    }
    // The side of a field in cells: at least a patch.
    let field = max(2, (max(columns, rows) + 7) / 8)
    let across = (columns + field - 1) / field
    let down = (rows + field - 1) / field
    let perField = 6
    var fields = Array(repeating: [Candidate](), count: across * down)
    // One cell of 4 pixels stays free at the edge, so that a drawn patch finds its neighbours inside the picture.
    for y in 1..<max(1, rows - 2) {
      for x in 1..<max(1, columns - 2) {
        var (a, b, c): (Int32, Int32, Int32) = (0, 0, 0)
        for i in [y * columns + x, y * columns + x + 1, (y + 1) * columns + x, (y + 1) * columns + x + 1] {
          a += cells[3 * i]
          b += cells[3 * i + 1]
          c += cells[3 * i + 2]
        }
        let half = 0.5 * Float(a - c)
        let root = (half * half + Float(b) * Float(b)).squareRoot()
        let mean = 0.5 * (Float(a) + Float(c))
        let strength = (mean - root) + 0.1 * (mean + root)
        // 64 pixels with a mean squared gradient of four, both doubled: noise.
        guard strength > 64 * 16 else { continue }
        insert(
          Candidate(x: x, y: y, strength: strength), into: &fields[y / field * across + x / field], limit: perField)
      }
    }
    var result: [Point2] = []
    for rank in 0..<perField {
      let round = fields.compactMap { $0.count > rank ? $0[rank] : nil }.sorted { $0.strength > $1.strength }
      for c in round {
        result.append((Point2(Double(4 * c.x) + 3.5, Double(4 * c.y) + 3.5) + 0.5) / scale - 0.5)
      }
    }
    return result
  }

  /// Keeps the strongest squares of a field, strongest first, none overlapping a stronger one by more than half.
  private static func insert(_ c: Candidate, into list: inout [Candidate], limit: Int) {
    func near(_ a: Candidate) -> Bool { abs(a.x - c.x) + abs(a.y - c.y) < 2 }
    if list.contains(where: { near($0) && $0.strength >= c.strength }) { return }
    list.removeAll { near($0) }
    let place = list.firstIndex { $0.strength < c.strength } ?? list.count
    guard place < limit else { return }
    list.insert(c, at: place)
    if list.count > limit { list.removeLast() }
  }
}
