import CKernels
package import WaymarkGeometry
package import WaymarkImage

/// Measures how much of what a frame shows of a reference contradicts it: what is covered, or another picture that is
/// alike in the rest.
///
/// The part in sight is cut into squares, and each with structure is correlated with the frame. How well a right square of
/// its contrast correlates is learned from the squares that agree: their gain tells the light, what is left of them the noise and
/// the blur. A square that should agree clearly and does not contradicts, and so does one in which the frame has structure and the
/// reference none. Squares that the light has burnt out or swallowed say nothing.
///
/// All memory is taken once. To be used from one thread at a time.
package final class ContradictionMeter {
  private static let batch = 64
  /// The most squares.
  private static let places = 256
  /// The fewest squares with structure from which a share is told.
  private static let fewest = 12
  /// The contrast from which on a square has structure, a deviation of four gray levels; half of it is none.
  private static let structure: Float = 32

  /// The lens of the frames; homographies are then those without its distortion.
  package var lens: LensMap? {
    get { set.lens }
    set { set.lens = newValue }
  }
  private let set = PatchSet(capacity: batch)
  private let centers = UnsafeMutablePointer<SIMD2<Float>>.allocate(capacity: places)
  private let measured = UnsafeMutablePointer<Float>.allocate(capacity: 5)
  /// Of each square with structure: the contrasts of the drawing and of the frame, and their correlation.
  private let squares = UnsafeMutablePointer<SIMD3<Float>>.allocate(capacity: places)
  private let sorted = UnsafeMutablePointer<Float>.allocate(capacity: places)
  /// The contrasts of the frame in the squares without structure, and how many there are.
  private let plain = UnsafeMutablePointer<Float>.allocate(capacity: places)
  private var plainCount = 0

  package init() {}

  deinit {
    plain.deallocate()
    sorted.deallocate()
    centers.deallocate()
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
      let count = measure(template, map, pyramid.level(level), pyramid.scale(level), softness)
      if count >= 4 * Self.fewest || level == 2 * octave && count >= Self.fewest { return judge(count) }
    }
    return 0
  }

  /// Compares the squares of a level, and returns how many have structure; the frame's contrasts in those without are in `plain`.
  private func measure(
    _ template: AnchorTemplate, _ map: SurfaceMap, _ view: ImageView, _ scale: Double, _ softness: Double
  ) -> Int {
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
    var n = 0
    for y in stride(from: grid.top, through: grid.bottom, by: grid.step) {
      for x in stride(from: grid.left, through: grid.right, by: grid.step) where n < Self.places {
        guard let p = shown(Point2(x, y)) else { continue }
        centers[n] = SIMD2(Float(p.x), Float(p.y))
        n += 1
      }
    }
    // Where the map is a little off, a square at an edge shows what is beside it.
    func isSurrounded(_ place: Point2) -> Bool {
      shown(place + Point2(-8, -8)) != nil && shown(place + Point2(8, -8)) != nil
        && shown(place + Point2(-8, 8)) != nil && shown(place + Point2(8, 8)) != nil
    }
    var count = 0
    plainCount = 0
    for start in stride(from: 0, to: n, by: Self.batch) {
      let part = min(Self.batch, n - start)
      set.draw(
        template, map: map, scale: scale, width: view.width, height: view.height, limit: part, softness: softness,
        blur: nil, keepsPlain: true, at: UnsafeBufferPointer(start: centers + start, count: part))
      for i in 0..<set.count {
        let contrast = set.contrast[i]
        guard contrast >= Self.structure || contrast <= Self.structure / 2 && isSurrounded(set.place[i]) else {
          continue
        }
        let (x, y) = (Int(set.left[i]), Int(set.top[i]))
        guard x + 9 <= view.width, y + 9 <= view.height else { continue }
        ck_patch_measure(view.base + y * view.stride + x, view.stride, 0, 0, set.pattern(i), measured)
        guard measured[0] > 12, measured[0] < 243 else { continue }
        if contrast >= Self.structure {
          squares[count] = SIMD3(contrast, measured[1], measured[2])
          count += 1
        } else {
          plain[plainCount] = measured[1]
          plainCount += 1
        }
      }
    }
    return count
  }

  private func judge(_ count: Int) -> Double {
    let gain = median(count) { $0.z * $0.y / $0.x }
    let rest = median(count) { $0.y * $0.y * (1 - $0.z * $0.z) }
    guard gain > 0 else { return 0 }
    var (told, against) = (0, 0)
    for i in 0..<count {
      let expected = gain * squares[i].x
      let likeness = expected / (expected * expected + rest).squareRoot()
      guard likeness > 0.7 else { continue }
      told += 1
      if squares[i].z < 0.35 * likeness { against += 1 }
    }
    guard told >= Self.fewest else { return 0 }
    // Of the squares without structure only those count that contradict: paper is white in every picture.
    let visible = max(gain * Self.structure, 2 * rest.squareRoot())
    var added = 0
    for i in 0..<plainCount where plain[i] > visible { added += 1 }
    return Double(against + added) / Double(told + added)
  }

  /// The median of a number over the squares that agree.
  private func median(_ count: Int, _ value: (SIMD3<Float>) -> Float) -> Float {
    var n = 0
    for i in 0..<count where squares[i].z > 0.5 {
      sorted[n] = value(squares[i])
      n += 1
    }
    guard n > 0 else { return 0 }
    sorted.select(n / 2, of: n)
    return sorted[n / 2]
  }
}
