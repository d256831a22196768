import CKernels
package import WaymarkImage

/// Verifies that a map shows this very picture, by evidence that a wrong map cannot produce. `PlaceProof` below records
/// when a followed position was verified.
///
/// A map has eight parameters, and features and alignment have already chosen them so that much agrees, above all edges, because
/// any edge of the reference can be laid along any edge of the frame. How the gray levels change *along* the edges was not fitted
/// this way. So the visible part of the reference is cut into squares on an even grid, regardless of texture, and in each square
/// the derivatives along the weaker direction are correlated. An edge laid along an edge adds nothing, however long it is; a
/// corner, a letter or a texture adds only where the frame shows the same. Squares with structure in one direction only are left
/// out.
///
/// The same frame shows how high such correlations are by chance: every square is also compared at eight positions about
/// eleven pixels beside its own, and each of these eight shifts of all squares together is a rival explanation. The result is
/// the lead of the claim over its best rival, in standard deviations of a sum of chance correlations (an a contrario test: A.
/// Desolneux, L. Moisan, J.-M. Morel, "From Gestalt Theory to Image Analysis", 2008). A repeating pattern, such as the rungs
/// of a fence, agrees with a rival as well. Because the map was fitted to make squares agree, its eight parameters are
/// subtracted first: a square determines two numbers (its position), so four fully agreeing squares are subtracted from the
/// sum, and two where half of the parameters were known beforehand.
///
/// All memory is allocated in `init`. Use it from one thread at a time.
package final class StructureVerifier {
  /// The least distance of a claim from chance, in standard deviations.
  ///
  /// At most six claims per frame reach this check; at thirty frames per second that is 5.7·10⁹ in a year. A normal deviate
  /// exceeds 6.2 once in about as many: one wrong claim in a year in which every frame has wrong hypotheses.
  package static let needed = 6.2
  /// The distance from chance, in standard deviations, at which no further check is required.
  static let ample = 12.4

  /// The distance from chance, in standard deviations, that a followed anchor must reach at least once in a tenth of a
  /// second, in which it is checked three times. It is lower than for a claim, because the position was verified before and a
  /// hand, motion blur or dim light may hide most of the anchor. A normal deviate exceeds it once in a hundred times, so a
  /// position that has slid off is not confirmed in the long run.
  package static let holding = 2.3

  private static let batch = 32
  /// The most squares that are compared.
  private static let places = 2048

  /// The lens of the frames. If set, maps exclude its distortion.
  package var lens: LensMap? {
    get { set.lens }
    set { set.lens = newValue }
  }
  private let set = PatchSet(capacity: batch, keepsDrawn: true)
  private let found = UnsafeMutablePointer<SIMD2<Float>>.allocate(capacity: places)
  private let ordered = UnsafeMutablePointer<SIMD2<Float>>.allocate(capacity: places)

  package init() {}

  deinit {
    found.deallocate()
    ordered.deallocate()
  }

  /// Returns how far the agreement of reference and frame under a map is above chance, in standard deviations; 0 if the reference
  /// is out of view.
  ///
  /// - Parameters:
  ///   - octave: The octave of the frame on which the reference is hardly enlarged (`PatchAligner.octaves`).
  ///   - enough: The sufficient result. The comparison stops early once the result exceeds it by half.
  ///   - freedom: The number of squares that the fitted parameters of the map can make agree.
  ///   - softness: The standard deviation of the defocus in pixels.
  package func deviations(
    _ template: AnchorTemplate, _ h: SurfaceMap, in pyramid: GrayPyramid, octave: Int, softness: Double = 0,
    blur: MotionBlur? = nil, enough: Double = ample, freedom: Double = fitted
  ) -> Double {
    let view = pyramid.level(2 * octave)
    let scale = pyramid.scale(2 * octave)
    guard let (count, overlap) = choose(template, h, view, scale) else { return 0 }
    var sum = Tally(freedom: freedom)
    var start = 0
    while start < count {
      let n = min(Self.batch, count - start)
      set.draw(
        template, map: h, scale: scale, width: view.width, height: view.height, limit: n, softness: softness,
        blur: blur, at: UnsafeBufferPointer(start: ordered + start, count: n))
      for i in 0..<set.count { compare(i, view, &sum) }
      start += n
      // A margin of one half, because repeated tests find extreme values.
      if sum.deviations(overlap) >= 1.5 * enough { break }
    }
    return sum.deviations(overlap)
  }

  /// The sums over the `n` squares compared so far, and the comparison with chance.
  private struct Tally {
    let freedom: Double
    var n = 0.0
    var agreement = 0.0
    /// The sums of the correlations at the eight shifts; `counts` has the numbers of squares in these sums.
    var rivals = SIMD8<Double>.zero
    var counts = SIMD8<Double>.zero
    var square = 0.0

    func deviations(_ overlap: Double) -> Double {
      guard n >= 1 else { return 0 }
      // A standard deviation estimated from few squares is uncertain, so it is at least 0.2, the least measured value.
      let spread = max(0.2, (square / max(1, counts.sum())).squareRoot())
      // A shift that moves most squares out of the frame is not a rival.
      var best = max(0, rivals.sum() / max(1, counts.sum()))
      for k in 0..<8 where counts[k] >= 0.5 * n { best = max(best, rivals[k] / counts[k]) }
      return (agreement - freedom * overlap - best * n) / (n * overlap).squareRoot() / spread
    }
  }

  /// The number of squares that the eight parameters of a map can make agree, for `freedom`.
  package static let fitted = 4.0
  /// The value of `freedom` for a copy whose plane is known. Four parameters count: two of the position, and two of rotation and
  /// size, although these are nearly known. As for `fitted`, two parameters make one square agree.
  static let fittedOnPlane = 2.0

  /// Chooses squares on an even grid over the part of the reference that the frame shows.
  ///
  /// - Returns: The number of squares and how many of them overlap at one point; `nil` if nothing is in view.
  private func choose(_ template: AnchorTemplate, _ h: SurfaceMap, _ view: ImageView, _ scale: Double) -> (Int, Double)?
  {
    let map = h.resized(by: scale)
    guard let back = map.inverse, let grid = VisibleGrid(template, map, in: view, squares: 2000) else { return nil }
    let (w, t) = (Double(template.width), Double(template.height))
    let area = (grid.right - grid.left) * (grid.bottom - grid.top)
    // At a step of eight pixels squares do not overlap. In small pictures the step is four, so that four squares overlap.
    var step = max(8, (area / 2000).squareRoot())
    var overlap = 1.0
    if area < 64 * 160 { (step, overlap) = (4, 4) }
    var n = 0
    var y = grid.top
    while y <= grid.bottom {
      var x = grid.left
      while x <= grid.right, n < Self.places {
        if let p = back.apply(Point2(x, y)), p.x > 0, p.y > 0, p.x < w, p.y < t {
          found[n] = SIMD2(Float(p.x), Float(p.y))
          n += 1
        }
        x += step
      }
      y += step
    }
    guard n > 0 else { return nil }
    // Squares are ordered in golden-section steps, so that every prefix is spread over the whole picture.
    var stride = max(1, Int(0.618 * Double(n)))
    while stride < n, Self.divisor(stride, n) != 1 { stride += 1 }
    for i in 0..<n { ordered[i] = found[i * stride % n] }
    return (n, overlap)
  }

  private static func divisor(_ a: Int, _ b: Int) -> Int { b == 0 ? a : divisor(b, a % b) }

  /// Compares one square with the frame at its own position and at the eight positions beside it.
  private func compare(_ i: Int, _ view: ImageView, _ tally: inout Tally) {
    let (x, y) = (Int(set.left[i]), Int(set.top[i]))
    guard x >= 2, y >= 2, x + 10 <= view.width, y + 10 <= view.height, let (own, weak) = correlation(i, view, x, y),
      weak
    else { return }
    tally.n += 1
    tally.agreement += own
    for k in 0..<8 {
      let (u, v) = (x + Self.beside[k].x, y + Self.beside[k].y)
      guard u >= 2, v >= 2, u + 10 <= view.width, v + 10 <= view.height, let (other, _) = correlation(i, view, u, v)
      else { continue }
      tally.rivals[k] += other
      tally.counts[k] += 1
      tally.square += other * other
    }
  }

  private static let beside: InlineArray<8, SIMD2<Int>> = [
    SIMD2(11, 0), SIMD2(-8, 8), SIMD2(0, 11), SIMD2(8, -8), SIMD2(-11, 0), SIMD2(8, 8), SIMD2(0, -11), SIMD2(-8, -8),
  ]

  /// Returns the correlation of the derivatives along the weaker direction of a square with the frame's, −1…1, and whether
  /// the square has structure in that direction.
  private func correlation(_ i: Int, _ view: ImageView, _ x: Int, _ y: Int) -> (Double, Bool)? {
    var m = InlineArray<10, Float>(repeating: 0)
    var span = m.mutableSpan
    span.withUnsafeMutableBufferPointer {
      ck_patch_structure(set.drawing(i), view.base + y * view.stride + x, view.stride, $0.baseAddress)
    }
    let (xx, xy, yy) = (Double(m[0]), Double(m[1]), Double(m[2]))
    let (strong, weak) = SquareStructure.eigenvalues(xx, xy, yy)
    guard strong > 0 else { return nil }
    // The angle of the eigenvector of the smaller eigenvalue.
    let angle = 0.5 * Double.arcTangent(y: 2 * xy, x: xx - yy) + .pi / 2
    let (c, s) = (Double.cosine(angle), Double.sine(angle))
    let product = c * c * Double(m[6]) + c * s * (Double(m[7]) + Double(m[8])) + s * s * Double(m[9])
    let frame = c * c * Double(m[3]) + 2 * c * s * Double(m[4]) + s * s * Double(m[5])
    let structured = SquareStructure.isStructured(strong, weak)
    // The frame's noise, an eighth of a gray level per pixel, prevents flat areas from agreeing by rounding.
    return (product / ((max(weak, 1e-9) * (max(frame, 0) + 0.125)).squareRoot()), structured)
  }
}

/// The times, in seconds, at which a followed position was last compared with its reference and last confirmed.
struct PlaceProof {
  private(set) var lastChecked: Double
  private var lastVerified: Double

  init(at time: Double) { (lastChecked, lastVerified) = (time, time) }

  /// True if the last comparison confirmed the position.
  var isVerified: Bool { lastVerified == lastChecked }

  /// Records how far the agreement in the frame at `time` is above chance.
  ///
  /// - Returns: True if the position was confirmed within the last 90 ms.
  mutating func verify(_ deviations: Double, at time: Double) -> Bool {
    lastChecked = time
    if deviations >= StructureVerifier.holding { lastVerified = time }
    return time - lastVerified < 0.09
  }
}
