import CKernels
package import WaymarkImage

/// Measures how much of the visible part of an anchor contradicts its reference: where the anchor is covered, or the frame shows a
/// similar picture instead.
///
/// The visible part is cut into squares, and each square with structure is correlated with the frame. The squares that agree show
/// the correlation to expect of a correct square: their gain gives the light, their residual the noise and the blur. The agreement
/// of a square is its correlation divided by the expected correlation, or zero where the frame has structure and the reference has
/// none. Over- and underexposed squares are ignored.
///
/// An object on the picture, or a different picture, disagrees over an area. A correct picture that is worn or framed disagrees in
/// single squares and along its edge. So a square contradicts if it and its neighbours together agree too little, and squares at
/// the edge of the reference are left out.
///
/// The file also has the grid of squares over the visible part (`VisibleGrid`) and the test of a square for structure
/// (`SquareStructure`), which other comparisons use as well.
///
/// All memory is allocated in `init`. Use it from one thread at a time.
package final class ContradictionMeter {
  /// A square of the frame, compared with the reference.
  private struct Square {
    /// The position of the square in the grid.
    var column: Int32
    var row: Int32
    /// The contrasts of the reference (`drawn`) and of the frame (`seen`), and their correlation.
    var drawn: Float
    var seen: Float
    var likeness: Float
    /// The weight of the square, and its correlation as a share of the expected one; both 0…1.
    var weight: Float = 0
    var agreement: Float = 0
  }

  private static let batch = 64
  /// The most squares that are compared on a level.
  private static let places = 256
  /// The least number of squares with structure for a result, and the least sum of their weights.
  private static let fewest = 12
  private static let leastWeight: Float = 6
  /// The contrast from which a square has structure: a standard deviation of four gray levels. Below half of it, a square is flat.
  private static let structure: Float = 32
  /// The least correlation expected of a matching square. Squares with a lower expected correlation are ignored.
  private static let leastLikeness: Float = 0.5
  /// A square contradicts if the mean agreement of the square and its neighbours is lower; then the least number of squares in this
  /// mean.
  private static let leastAgreement: Float = 0.6
  private static let fewestNeighbours = 3

  /// The lens of the frames. If set, maps exclude its distortion.
  package var lens: LensMap? {
    get { set.lens }
    set { set.lens = newValue }
  }
  private let set = PatchSet(capacity: batch)
  private let centers = UnsafeMutablePointer<SIMD2<Float>>.allocate(capacity: places)
  private let cells = UnsafeMutablePointer<SIMD2<Int32>>.allocate(capacity: places)
  private let measured = UnsafeMutablePointer<Float>.allocate(capacity: 5)
  /// The compared squares, row by row.
  private let squares = UnsafeMutablePointer<Square>.allocate(capacity: places)
  private var count = 0
  private let sorted = UnsafeMutablePointer<Float>.allocate(capacity: places)

  package init() {}

  deinit {
    sorted.deallocate()
    centers.deallocate()
    cells.deallocate()
    measured.deallocate()
    squares.deallocate()
  }

  /// Returns the share of the visible structure that contradicts a reference, 0…1; 0 if too little is visible.
  ///
  /// - Parameters:
  ///   - octave: The octave of the frame on which the reference is hardly enlarged (`PatchAligner.octaves`).
  ///   - softness: The standard deviation of the defocus in pixels.
  package func share(
    _ template: AnchorTemplate, _ map: SurfaceMap, in pyramid: GrayPyramid, octave: Int, softness: Double = 0
  ) -> Double {
    // On the next coarser octave, noise and blur are halved; if it has too few squares, the finest octave has four times as many.
    for level in stride(from: 2 * octave + 2, through: 2 * octave, by: -2) where level < pyramid.count {
      let structured = measure(template, map, pyramid.level(level), pyramid.scale(level), softness)
      if structured >= 4 * Self.fewest || level == 2 * octave && structured >= Self.fewest { return judge() }
    }
    return 0
  }

  /// Compares the squares of a level, and returns the number of squares with structure.
  private func measure(
    _ template: AnchorTemplate, _ map: SurfaceMap, _ view: ImageView, _ scale: Double, _ softness: Double
  ) -> Int {
    count = 0
    let level = map.resized(by: scale)
    guard let back = level.inverse, let grid = VisibleGrid(template, level, in: view, squares: Self.places) else {
      return 0
    }
    /// Returns the reference point at a point of the level; `nil` outside the reference.
    func shown(_ place: Point2) -> Point2? {
      guard let p = back.apply(place), p.x > 0, p.y > 0, p.x < Double(template.width), p.y < Double(template.height)
      else { return nil }
      return p
    }
    // If the map is slightly off, or the picture is cut, a square at its edge shows the surroundings. So only squares
    // surrounded by the reference are used.
    func isSurrounded(_ place: Point2) -> Bool {
      shown(place + Point2(-8, -8)) != nil && shown(place + Point2(8, -8)) != nil
        && shown(place + Point2(-8, 8)) != nil && shown(place + Point2(8, 8)) != nil
    }
    var n = 0
    for (row, y) in stride(from: grid.top, through: grid.bottom, by: grid.step).enumerated() {
      for (column, x) in stride(from: grid.left, through: grid.right, by: grid.step).enumerated() where n < Self.places
      {
        guard let p = shown(Point2(x, y)), isSurrounded(Point2(x, y)) else { continue }
        centers[n] = SIMD2(Float(p.x), Float(p.y))
        cells[n] = SIMD2(Int32(column), Int32(row))
        n += 1
      }
    }
    var structured = 0
    for start in stride(from: 0, to: n, by: Self.batch) {
      let part = min(Self.batch, n - start)
      set.draw(
        template, map: map, scale: scale, width: view.width, height: view.height, limit: part, softness: softness,
        blur: nil, keepsPlain: true, at: UnsafeBufferPointer(start: centers + start, count: part))
      for i in 0..<set.count {
        let contrast = set.contrast[i]
        guard contrast >= Self.structure || contrast <= Self.structure / 2 else { continue }
        let (x, y) = (Int(set.left[i]), Int(set.top[i]))
        guard x + 9 <= view.width, y + 9 <= view.height else { continue }
        ck_patch_measure(view.base + y * view.stride + x, view.stride, 0, 0, set.pattern(i), measured)
        guard measured[0] > 12, measured[0] < 243 else { continue }
        let cell = cells[start + Int(set.index[i])]
        squares[count] = Square(
          column: cell.x, row: cell.y, drawn: contrast, seen: measured[1], likeness: measured[2])
        count += 1
        if contrast >= Self.structure { structured += 1 }
      }
    }
    return structured
  }

  private func judge() -> Double {
    let gain = median { $0.likeness * $0.seen / $0.drawn }
    let rest = median { $0.seen * $0.seen * (1 - $0.likeness * $0.likeness) }
    guard gain > 0 else { return 0 }
    // Squares without structure are used only if they contradict, because paper is white in every picture.
    let visible = max(gain * Self.structure, 2 * rest.squareRoot())
    var (structured, weights): (Float, Float) = (0, 0)
    for i in 0..<count {
      let square = squares[i]
      if square.drawn < Self.structure {
        squares[i].weight = square.seen > visible ? 1 : 0
      } else {
        let expected = gain * square.drawn
        let likeness = expected / (expected * expected + rest).squareRoot()
        squares[i].weight = likeness > Self.leastLikeness ? likeness * likeness : 0
        squares[i].agreement = min(max(square.likeness / likeness, 0), 1)
        structured += squares[i].weight
      }
      weights += squares[i].weight
    }
    guard structured >= Self.leastWeight else { return 0 }
    var (against, above): (Float, Int) = (0, 0)
    for i in 0..<count where squares[i].weight > 0 {
      while squares[above].row < squares[i].row - 1 { above += 1 }
      if contradicts(i, from: above) { against += squares[i].weight }
    }
    return Double(against / weights)
  }

  /// Returns whether a square and its neighbours agree too little. No square has a neighbour with an index below `first`.
  private func contradicts(_ i: Int, from first: Int) -> Bool {
    let (column, row) = (squares[i].column, squares[i].row)
    var (sum, weight, number): (Float, Float, Int) = (0, 0, 0)
    var k = first
    while k < count, squares[k].row <= row + 1 {
      if abs(squares[k].column - column) <= 1, squares[k].weight > 0 {
        sum += squares[k].weight * squares[k].agreement
        weight += squares[k].weight
        number += 1
      }
      k += 1
    }
    return number >= Self.fewestNeighbours && sum < Self.leastAgreement * weight
  }

  /// Returns the median of a value over the squares with structure that agree.
  private func median(_ value: (Square) -> Float) -> Float {
    var n = 0
    for i in 0..<count where squares[i].drawn >= Self.structure && squares[i].likeness > 0.5 {
      sorted[n] = value(squares[i])
      n += 1
    }
    guard n > 0 else { return 0 }
    sorted.select(n / 2, of: n)
    return sorted[n / 2]
  }
}

/// The rectangle of a level of the frame in which a reference is visible, and the step between squares in pixels: about the
/// requested number of squares cover it, at least eight pixels apart.
struct VisibleGrid {
  let left: Double
  let right: Double
  let top: Double
  let bottom: Double
  let step: Double

  /// - Parameters:
  ///   - map: Reference pixels → pixels of the level.
  ///   - wanted: The requested number of squares.
  init?(_ template: AnchorTemplate, _ map: SurfaceMap, in view: ImageView, squares wanted: Int) {
    guard let box = map.box(width: template.width, height: template.height) else { return nil }
    // A patch extends four pixels from its centre.
    (left, right) = (max(5, box.low.x), min(Double(view.width) - 6, box.high.x))
    (top, bottom) = (max(5, box.low.y), min(Double(view.height) - 6, box.high.y))
    guard left < right, top < bottom else { return nil }
    step = max(8, ((right - left) * (bottom - top) / Double(wanted)).squareRoot().rounded(.up))
  }
}

/// Tests whether a square of gray levels has structure in two directions: a corner, not an edge.
enum SquareStructure {
  /// Returns whether a square, given as ten rows of ten gray levels, has structure in two directions.
  static func isStructured(_ gray: InlineArray<100, Float>) -> Bool {
    let none = [UInt8](repeating: 0, count: 144)
    var m = InlineArray<10, Float>(repeating: 0)
    var out = m.mutableSpan
    gray.span.withUnsafeBufferPointer { pattern in
      out.withUnsafeMutableBufferPointer { out in
        none.withUnsafeBufferPointer { none in
          guard let first = none.baseAddress else { return }
          ck_patch_structure(pattern.baseAddress, first + 26, 12, out.baseAddress)
        }
      }
    }
    let (strong, weak) = eigenvalues(Double(m[0]), Double(m[1]), Double(m[2]))
    return isStructured(strong, weak)
  }

  /// Returns whether the weaker direction has structure, given the eigenvalues of the structure tensor. A smaller eigenvalue of at
  /// most 0.75 is noise; a smaller eigenvalue of at most a twentieth of the larger is a sampling artefact of a slanted edge.
  static func isStructured(_ strong: Double, _ weak: Double) -> Bool { weak > 0.75 && weak > 0.05 * strong }

  /// Returns the larger and the smaller eigenvalue of a structure tensor.
  static func eigenvalues(_ xx: Double, _ xy: Double, _ yy: Double) -> (Double, Double) {
    let half = 0.5 * (xx - yy)
    let root = (half * half + xy * xy).squareRoot()
    let mean = 0.5 * (xx + yy)
    return (mean + root, mean - root)
  }
}
