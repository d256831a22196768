import CKernels
package import WaymarkGeometry
package import WaymarkImage

/// Asks of a map whether *this* picture is there, by what a wrong map cannot bring about.
///
/// A map has eight free numbers, and features and alignment have already chosen them so that much agrees: edges above all,
/// because any edge of the reference can be laid along any edge of the frame. What they did not choose is how the gray levels
/// change *along* the edges. So the visible part of the reference is cut into squares, evenly and not where the texture is
/// best, and in each the derivatives along its weaker direction are correlated: an edge that lies along an edge brings
/// nothing, however long it is, and a corner, a letter or a texture counts only where it is the same one. Squares with
/// structure in one direction only are no evidence and are left out.
///
/// How far such correlations go by chance is asked of the same frame: every square is also compared with a place some eleven
/// pixels beside its own. The sum over the squares is told in standard deviations of that (an a contrario test: A. Desolneux,
/// L. Moisan, J.-M. Morel, "From Gestalt Theory to Image Analysis", 2008).
///
/// All memory is taken once. To be used from one thread at a time.
package final class StructureProof {
  /// How many deviations a claim must be away from chance.
  ///
  /// A normal deviate is beyond that once in 10¹⁵; but neighbouring squares are not independent, and patterns that come again,
  /// such as the rungs of a fence and the lines of a note pad, agree by more than chance. Wrong maps that pass all other gates
  /// mostly stay below 5, and the worst of half a thousand frames with a thousand anchors reached 7.9. Of 350 right ones, the least clear
  /// have 8.1, 9.8 and 10.2.
  package static let needed = 8.0
  /// With so many, nothing else is asked any more.
  package static let ample = 13.0

  /// How many a followed anchor must be away at least once in a tenth of a second. Less than a claim, because its place was
  /// proven before and a hand, a smear or dim light may leave little of it; a place that has slid off it shows none.
  package static let holding = 3.5

  private static let batch = 64
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
  package func deviations(
    _ template: AnchorTemplate, _ h: Homography, in pyramid: GrayPyramid, octave: Int, softness: Double = 0,
    blur: MotionBlur? = nil, enough: Double = ample
  ) -> Double {
    let view = pyramid.level(2 * octave)
    let scale = pyramid.scale(2 * octave)
    guard let (count, overlap) = choose(template, h, view, scale) else { return 0 }
    var sum = Tally()
    var start = 0
    while start < count {
      let n = min(Self.batch, count - start)
      set.draw(
        template, homography: h, scale: scale, width: view.width, height: view.height, limit: n, softness: softness,
        blur: blur, at: UnsafeBufferPointer(start: ordered + start, count: n))
      for i in 0..<set.count { compare(i, view, &sum) }
      start += n
      // Half as much again, because looking often finds the extremes.
      if sum.deviations(overlap) >= 1.5 * enough { break }
    }
    return sum.deviations(overlap)
  }

  /// What has been compared so far.
  private struct Tally {
    var n = 0.0
    var agreement = 0.0
    var others = 0.0
    var chance = 0.0
    var square = 0.0

    func deviations(_ overlap: Double) -> Double {
      guard n >= 1 else { return 0 }
      let mean = max(0, chance / max(1, others))
      // Few squares tell little of the spread: the least that was seen is a fifth.
      let spread = max(0.2, (square / max(1, others)).squareRoot())
      return (agreement / n - mean) * (n / overlap).squareRoot() / spread
    }
  }

  /// Spreads squares evenly over what the frame shows of the reference.
  ///
  /// - Returns: how many, and how many of them stand on one place; `nil` where nothing is in view.
  private func choose(_ template: AnchorTemplate, _ h: Homography, _ view: ImageView, _ scale: Double) -> (Int, Double)?
  {
    let map = Homography.resize(Point2(scale, scale)) * h
    guard let back = map.inverse else { return nil }
    let (w, t) = (Double(template.width), Double(template.height))
    let outline = map.apply(Quadrilateral(width: w, height: t))
    guard outline.isFinite else { return nil }
    let (a, b, c, d) = (outline.topLeft, outline.topRight, outline.bottomRight, outline.bottomLeft)
    let (left, right) = (max(5, min(a.x, b.x, c.x, d.x)), min(Double(view.width) - 6, max(a.x, b.x, c.x, d.x)))
    let (top, bottom) = (max(5, min(a.y, b.y, c.y, d.y)), min(Double(view.height) - 6, max(a.y, b.y, c.y, d.y)))
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
        let p = back.apply(Point2(x, y))
        if p.x > 0, p.y > 0, p.x < w, p.y < t {
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

  /// Compares one square with its own place and with another one.
  private func compare(_ i: Int, _ view: ImageView, _ tally: inout Tally) {
    let (x, y) = (Int(set.left[i]), Int(set.top[i]))
    guard x >= 2, y >= 2, x + 10 <= view.width, y + 10 <= view.height, let (own, weak) = correlation(i, view, x, y),
      weak
    else { return }
    tally.n += 1
    tally.agreement += own
    // One of eight directions after the other; where the frame ends, the opposite one.
    let k = Int(tally.n) & 7
    var d = (x: Self.beside[k].x, y: Self.beside[k].y)
    if x + d.x < 2 || x + d.x + 10 > view.width { d.x = -d.x }
    if y + d.y < 2 || y + d.y + 10 > view.height { d.y = -d.y }
    guard x + d.x >= 2, y + d.y >= 2, x + d.x + 10 <= view.width, y + d.y + 10 <= view.height,
      let (other, _) = correlation(i, view, x + d.x, y + d.y)
    else { return }
    tally.others += 1
    tally.chance += other
    tally.square += other * other
  }

  private static let beside: InlineArray<8, SIMD2<Int>> = [
    SIMD2(11, 0), SIMD2(-8, 8), SIMD2(0, 11), SIMD2(8, -8), SIMD2(-11, 0), SIMD2(8, 8), SIMD2(0, -11), SIMD2(-8, -8),
  ]

  /// Whether ten rows of ten gray levels have structure in two directions.
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

  /// Below a squared gradient of 0.75 gray levels a pixel it is noise, and below a twentieth of the other direction what
  /// sampling leaves of a slanted edge.
  private static func isStructured(_ strong: Double, _ weak: Double) -> Bool {
    weak > 0.75 && weak > 0.05 * strong
  }

  private static func eigenvalues(_ xx: Double, _ xy: Double, _ yy: Double) -> (Double, Double) {
    let half = 0.5 * (xx - yy)
    let root = (half * half + xy * xy).squareRoot()
    let mean = 0.5 * (xx + yy)
    return (mean + root, mean - root)
  }

  /// How the derivatives along the weaker direction of a square correlate with the frame's, −1…1, and whether there is
  /// structure in that direction at all.
  private func correlation(_ i: Int, _ view: ImageView, _ x: Int, _ y: Int) -> (Double, Bool)? {
    var m = InlineArray<10, Float>(repeating: 0)
    var span = m.mutableSpan
    span.withUnsafeMutableBufferPointer {
      ck_patch_structure(set.drawing(i), view.base + y * view.stride + x, view.stride, $0.baseAddress)
    }
    let (xx, xy, yy) = (Double(m[0]), Double(m[1]), Double(m[2]))
    let (strong, weak) = Self.eigenvalues(xx, xy, yy)
    guard strong > 0 else { return nil }
    // The eigenvector of the smaller one.
    let angle = 0.5 * Double.arcTangent(y: 2 * xy, x: xx - yy) + .pi / 2
    let (c, s) = (Double.cosine(angle), Double.sine(angle))
    let product = c * c * Double(m[6]) + c * s * (Double(m[7]) + Double(m[8])) + s * s * Double(m[9])
    let frame = c * c * Double(m[3]) + 2 * c * s * Double(m[4]) + s * s * Double(m[5])
    let structured = Self.isStructured(strong, weak)
    // The frame's own noise, an eighth of a gray level a pixel, keeps flat places from agreeing by rounding.
    return (product / ((max(weak, 1e-9) * (max(frame, 0) + 0.125)).squareRoot()), structured)
  }
}
