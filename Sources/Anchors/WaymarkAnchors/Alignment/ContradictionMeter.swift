import CKernels
package import WaymarkImage

/// Measures how much of what a frame shows of a reference contradicts it: what is covered, or another picture that is
/// alike in the rest.
///
/// The part in sight is cut into squares, and each with structure is correlated with the frame. How well a right square of
/// its contrast correlates is learned from the squares that agree: their gain tells the light, what is left of them the noise and
/// the blur. The agreement of a square is its correlation as a share of that; it is zero where the frame has structure and the
/// reference none. Squares that the light has burnt out or swallowed say nothing.
///
/// What covers a picture, or makes it another one, fills an area, while a right picture that is worn, or hangs in a frame, disagrees in
/// single squares and along its edge. So a square contradicts where it and its neighbours together agree too little, and those at the
/// edge of the reference are left out.
///
/// All memory is taken once. To be used from one thread at a time.
package final class ContradictionMeter {
  /// A square of the frame and what the reference has there.
  private struct Square {
    /// Its place in the grid.
    var column: Int32
    var row: Int32
    /// The contrasts of the drawing and of the frame, and their correlation.
    var drawn: Float
    var seen: Float
    var likeness: Float
    /// How much it counts, and its correlation as a share of what a right square would have; both 0…1.
    var weight: Float = 0
    var agreement: Float = 0
  }

  private static let batch = 64
  /// The most squares.
  private static let places = 256
  /// The fewest squares with structure from which a share is told, and the least weight of all together.
  private static let fewest = 12
  private static let leastWeight: Float = 6
  /// The contrast from which on a square has structure, a deviation of four gray levels; half of it is none.
  private static let structure: Float = 32
  /// The least correlation that a right square must be expected to have; less tells nothing.
  private static let leastLikeness: Float = 0.5
  /// The mean agreement of a square with its neighbours below which it contradicts, and of how many squares it must be the mean.
  private static let leastAgreement: Float = 0.6
  private static let fewestNeighbours = 3

  /// The lens of the frames; homographies are then those without its distortion.
  package var lens: LensMap? {
    get { set.lens }
    set { set.lens = newValue }
  }
  private let set = PatchSet(capacity: batch)
  private let centers = UnsafeMutablePointer<SIMD2<Float>>.allocate(capacity: places)
  private let cells = UnsafeMutablePointer<SIMD2<Int32>>.allocate(capacity: places)
  private let measured = UnsafeMutablePointer<Float>.allocate(capacity: 5)
  /// The squares that were compared, row by row.
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

  /// The share of the structure in sight that contradicts a reference, 0…1; 0 where too little is in sight.
  ///
  /// - Parameters:
  ///   - octave: of the frame, on which the reference is hardly enlarged (`PatchAligner.octaves`).
  ///   - softness: the deviation in pixels by which the frame is out of focus.
  package func share(
    _ template: AnchorTemplate, _ map: SurfaceMap, in pyramid: GrayPyramid, octave: Int, softness: Double = 0
  ) -> Double {
    // An octave below noise and blur are halved; where that leaves too few squares, the finest has four times as many.
    for level in stride(from: 2 * octave + 2, through: 2 * octave, by: -2) where level < pyramid.count {
      let structured = measure(template, map, pyramid.level(level), pyramid.scale(level), softness)
      if structured >= 4 * Self.fewest || level == 2 * octave && structured >= Self.fewest { return judge() }
    }
    return 0
  }

  /// Compares the squares of a level, and returns how many of them have structure.
  private func measure(
    _ template: AnchorTemplate, _ map: SurfaceMap, _ view: ImageView, _ scale: Double, _ softness: Double
  ) -> Int {
    count = 0
    let level = map.resized(by: scale)
    guard let back = level.inverse, let grid = SightGrid(template, level, in: view, squares: Self.places) else {
      return 0
    }
    /// The point of the reference that a place of the level shows; nil beside the reference.
    func shown(_ place: Point2) -> Point2? {
      guard let p = back.apply(place), p.x > 0, p.y > 0, p.x < Double(template.width), p.y < Double(template.height)
      else { return nil }
      return p
    }
    // Where the map is a little off, or the picture is cut, a square at an edge shows what is beside it.
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
    // Of the squares without structure only those count that contradict: paper is white in every picture.
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

  /// Returns whether a square and its neighbours, of which the first is not before `first`, agree too little.
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

  /// The median of a number over the squares with structure that agree.
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
