import CKernels
package import WaymarkImage

/// Verifies that a map shows *this* picture, by evidence that a wrong map cannot produce.
///
/// A map has eight free numbers, and features and alignment have already chosen them so that much agrees: edges above all,
/// because any edge of the reference can be laid along any edge of the frame. What they did not choose is how the gray levels
/// change *along* the edges. So the visible part of the reference is cut into squares, evenly and not where the texture is
/// best, and in each the derivatives along its weaker direction are correlated: an edge that lies along an edge brings
/// nothing, however long it is, and a corner, a letter or a texture counts only where it is the same one. Squares with
/// structure in one direction only are not evidence and are left out.
///
/// How far such correlations go by chance is asked of the same frame: every square is also compared with the eight places some
/// eleven pixels beside its own, and each of the eight shifts of all squares together is a rival explanation. What counts is by
/// how much the claim beats the best of its rivals, in standard deviations of a sum of chance correlations (an a contrario test:
/// A. Desolneux, L. Moisan, J.-M. Morel, "From Gestalt Theory to Image Analysis", 2008). Patterns that come again, such as the
/// rungs of a fence, agree with a rival as well. And because the map was chosen to make squares agree, its eight free numbers
/// are paid for first: a square says two things (where it is, in two directions), so four squares that agree fully are taken
/// off the sum, and two where half of the numbers were known beforehand.
///
/// All memory is taken once. To be used from one thread at a time.
package final class StructureVerifier {
  /// How many deviations a claim must be away from chance.
  ///
  /// A frame has at most a handful of claims that come as far as this proof; six in each of thirty frames a second are
  /// 5.7·10⁹ in a year. A normal deviate is beyond 6.2 once in so many: one wrong claim in a year of wrong hypotheses in
  /// every frame.
  package static let needed = 6.2
  /// With twice as many, nothing else is asked any more.
  static let ample = 12.4

  /// How many a followed anchor must be away at least once in a tenth of a second, in which it is asked three times. Less than a
  /// claim, because its place was proven before and a hand, a smear or dim light may leave little of it: a normal deviate
  /// is beyond that once in a hundred times, and a place that has slid off shows none in the long run.
  package static let holding = 2.3

  private static let batch = 32
  /// The most squares that are compared.
  private static let places = 2048

  /// The lens of the frames; homographies are then those without its distortion.
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

  /// How far the agreement of reference and frame under a map is from chance, in standard deviations.
  ///
  /// - Parameters:
  ///   - octave: of the frame, on which the reference is hardly enlarged (`PatchAligner.octaves`).
  ///   - enough: from where on it need not be known more exactly.
  ///   - freedom: how many squares the numbers of the map that were fitted can make agree.
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
      // Half as much again, because looking often finds the extremes.
      if sum.deviations(overlap) >= 1.5 * enough { break }
    }
    return sum.deviations(overlap)
  }

  /// The counts of the patches compared so far.
  private struct Tally {
    let freedom: Double
    var n = 0.0
    var agreement = 0.0
    /// The sums of the eight shifts, and of how many squares.
    var rivals = SIMD8<Double>.zero
    var counts = SIMD8<Double>.zero
    var square = 0.0

    func deviations(_ overlap: Double) -> Double {
      guard n >= 1 else { return 0 }
      // Few squares tell little of the spread: the least that was seen is a fifth.
      let spread = max(0.2, (square / max(1, counts.sum())).squareRoot())
      // A shift that takes most squares out of the frame is not a rival.
      var best = max(0, rivals.sum() / max(1, counts.sum()))
      for k in 0..<8 where counts[k] >= 0.5 * n { best = max(best, rivals[k] / counts[k]) }
      return (agreement - freedom * overlap - best * n) / (n * overlap).squareRoot() / spread
    }
  }

  /// The squares that the eight free numbers of a map can make agree.
  package static let fitted = 4.0
  /// The same of a copy whose plane is known: its place is two numbers, and turn and size, which are nearly known, count as two more.
  static let fittedOnPlane = 2.0

  /// Spreads squares evenly over what the frame shows of the reference.
  ///
  /// - Returns: how many, and how many of them stand on one place; `nil` where nothing is in view.
  private func choose(_ template: AnchorTemplate, _ h: SurfaceMap, _ view: ImageView, _ scale: Double) -> (Int, Double)?
  {
    let map = h.resized(by: scale)
    guard let back = map.inverse, let box = map.box(width: template.width, height: template.height) else { return nil }
    let (w, t) = (Double(template.width), Double(template.height))
    let (left, right) = (max(5, box.low.x), min(Double(view.width) - 6, box.high.x))
    let (top, bottom) = (max(5, box.low.y), min(Double(view.height) - 6, box.high.y))
    guard left < right, top < bottom else { return nil }
    let area = (right - left) * (bottom - top)
    // Eight pixels apart they do not overlap; in small pictures they may, and four of them count as one.
    var step = max(8, (area / 2000).squareRoot())
    var overlap = 1.0
    if area < 64 * 160 { (step, overlap) = (4, 4) }
    var n = 0
    var y = top
    while y <= bottom {
      var x = left
      while x <= right, n < Self.places {
        if let p = back.apply(Point2(x, y)), p.x > 0, p.y > 0, p.x < w, p.y < t {
          found[n] = SIMD2(Float(p.x), Float(p.y))
          n += 1
        }
        x += step
      }
      y += step
    }
    guard n > 0 else { return nil }
    // Every part of the order is spread over all places: steps of the golden section.
    var stride = max(1, Int(0.618 * Double(n)))
    while stride < n, Self.divisor(stride, n) != 1 { stride += 1 }
    for i in 0..<n { ordered[i] = found[i * stride % n] }
    return (n, overlap)
  }

  private static func divisor(_ a: Int, _ b: Int) -> Int { b == 0 ? a : divisor(b, a % b) }

  /// Compares one square with its own place and with those beside it.
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

  /// How the derivatives along the weaker direction of a square correlate with the frame's, −1…1, and whether there is
  /// structure in that direction at all.
  private func correlation(_ i: Int, _ view: ImageView, _ x: Int, _ y: Int) -> (Double, Bool)? {
    var m = InlineArray<10, Float>(repeating: 0)
    var span = m.mutableSpan
    span.withUnsafeMutableBufferPointer {
      ck_patch_structure(set.drawing(i), view.base + y * view.stride + x, view.stride, $0.baseAddress)
    }
    let (xx, xy, yy) = (Double(m[0]), Double(m[1]), Double(m[2]))
    let (strong, weak) = SquareStructure.eigenvalues(xx, xy, yy)
    guard strong > 0 else { return nil }
    // The eigenvector of the smaller one.
    let angle = 0.5 * Double.arcTangent(y: 2 * xy, x: xx - yy) + .pi / 2
    let (c, s) = (Double.cosine(angle), Double.sine(angle))
    let product = c * c * Double(m[6]) + c * s * (Double(m[7]) + Double(m[8])) + s * s * Double(m[9])
    let frame = c * c * Double(m[3]) + 2 * c * s * Double(m[4]) + s * s * Double(m[5])
    let structured = SquareStructure.isStructured(strong, weak)
    // The frame's own noise, an eighth of a gray level a pixel, keeps flat places from agreeing by rounding.
    return (product / ((max(weak, 1e-9) * (max(frame, 0) + 0.125)).squareRoot()), structured)
  }
}
