import CKernels
package import WaymarkImage

/// Tells two pictures that look alike apart in a frame that shows one of them, by the part in which they differ.
///
/// The part that they share speaks for both and says nothing. So the part of the frame that both would fill is cut into squares, both
/// pictures are drawn there, and only squares count in which the two drawings differ; in these it counts to which of them the
/// frame correlates better. Gain and offset of the light are free in every square. Squares are compared on the frame's finest
/// useful octave, where letters differ, and two octaves below, where areas do.
///
/// All memory is taken once. To be used from one thread at a time.
package final class TwinComparison {
  /// A picture and its place in the frame.
  package typealias Claim = (template: AnchorTemplate, map: SurfaceMap)

  /// The result of a comparison.
  package enum TwinVerdict: Sendable { case first, second, undecided }

  /// How the squares vote in which two pictures differ.
  package struct TwinEvidence: Sendable {
    /// How many squares differ, and how many have structure in either picture.
    package fileprivate(set) var squares = 0
    package fileprivate(set) var compared = 0
    /// By how much the frame is more like the first picture than like the second, and the squares of that, summed.
    fileprivate var lead = 0.0
    fileprivate var squared = 0.0
    /// The least rectangle around the squares that differ, in pixels of the first picture.
    package fileprivate(set) var low = Point2(repeating: .infinity)
    package fileprivate(set) var high = Point2(repeating: -.infinity)

    /// The share of the structure that differs.
    package var share: Double { compared == 0 ? 0 : Double(squares) / Double(compared) }

    /// The picture that the frame shows, where the lead is three deviations of its own sum and not a small one.
    package var verdict: TwinVerdict {
      guard squares >= 4, abs(lead) >= 3 * squared.squareRoot(), abs(lead) >= 0.15 * Double(squares) else {
        return .undecided
      }
      return lead > 0 ? .first : .second
    }
  }

  private static let batch = 64
  /// The most squares of an octave.
  private static let places = 1024

  /// The lens of the frames; homographies are then those without its distortion.
  package var lens: LensMap? {
    get { one.lens }
    set { (one.lens, other.lens) = (newValue, newValue) }
  }
  private let one = PatchSet(capacity: batch)
  private let other = PatchSet(capacity: batch)
  private let firsts = UnsafeMutablePointer<SIMD2<Float>>.allocate(capacity: places)
  private let seconds = UnsafeMutablePointer<SIMD2<Float>>.allocate(capacity: places)
  private let measured = UnsafeMutablePointer<Float>.allocate(capacity: 5)

  package init() {}

  deinit {
    firsts.deallocate()
    seconds.deallocate()
    measured.deallocate()
  }

  /// Compares two pictures at one place of a frame.
  ///
  /// - Parameters:
  ///   - octave: of the frame, on which the references are hardly enlarged (`PatchAligner.octaves`).
  ///   - softness: the deviation in pixels by which the frame is out of focus.
  package func compare(
    _ first: Claim, _ second: Claim, in pyramid: GrayPyramid, octave: Int, softness: Double = 0
  ) -> TwinEvidence {
    var evidence = TwinEvidence()
    for level in stride(from: 2 * octave, through: 2 * octave + 4, by: 4) where level < pyramid.count {
      let view = pyramid.level(level)
      let scale = pyramid.scale(level)
      let count = choose(first, second, view, scale)
      for start in stride(from: 0, to: count, by: Self.batch) {
        let n = min(Self.batch, count - start)
        func draw(_ set: PatchSet, _ claim: Claim, _ places: UnsafeMutablePointer<SIMD2<Float>>) {
          set.draw(
            claim.template, map: claim.map, scale: scale, width: view.width, height: view.height, limit: n,
            softness: softness, blur: nil, at: UnsafeBufferPointer(start: places + start, count: n))
        }
        draw(one, first, firsts)
        draw(other, second, seconds)
        add(start, n, view, &evidence)
      }
    }
    return evidence
  }

  /// Spreads squares over what the frame shows of both.
  private func choose(_ first: Claim, _ second: Claim, _ view: ImageView, _ scale: Double) -> Int {
    let (a, b) = (first.map.resized(by: scale), second.map.resized(by: scale))
    guard let back = a.inverse, let forth = b.inverse,
      let grid = SightGrid(first.template, a, in: view, squares: Self.places)
    else { return 0 }
    func isInside(_ p: Point2, _ template: AnchorTemplate) -> Bool {
      p.x > 0 && p.y > 0 && p.x < Double(template.width) && p.y < Double(template.height)
    }
    var n = 0
    // Centres half a pixel from whole ones: both drawings then stand on the same pixels, however their maps are rounded.
    var y = grid.top.rounded(.up) + 0.5
    while y <= grid.bottom {
      var x = grid.left.rounded(.up) + 0.5
      while x <= grid.right, n < Self.places {
        if let p = back.apply(Point2(x, y)), let q = forth.apply(Point2(x, y)), isInside(p, first.template),
          isInside(q, second.template)
        {
          firsts[n] = SIMD2(Float(p.x), Float(p.y))
          seconds[n] = SIMD2(Float(q.x), Float(q.y))
          n += 1
        }
        x += grid.step
      }
      y += grid.step
    }
    return n
  }

  /// Adds the votes of the squares that are drawn.
  private func add(_ start: Int, _ n: Int, _ view: ImageView, _ evidence: inout TwinEvidence) {
    var (i, k) = (0, 0)
    for place in 0..<n {
      let a = i < one.count && one.index[i] == place ? i : nil
      let b = k < other.count && other.index[k] == place ? k : nil
      if a != nil { i += 1 }
      if b != nil { k += 1 }
      // Where both are flat there is nothing to compare.
      guard let corner = a.map({ (one.left[$0], one.top[$0]) }) ?? b.map({ (other.left[$0], other.top[$0]) }) else {
        continue
      }
      let (x, y) = (Int(corner.0), Int(corner.1))
      let contrasts = (a.map { one.contrast[$0] } ?? 0, b.map { other.contrast[$0] } ?? 0)
      guard x + 9 <= view.width, y + 9 <= view.height, max(contrasts.0, contrasts.1) >= Self.structured else {
        continue
      }
      evidence.compared += 1
      var likeness: Float = 0
      if let a, let b {
        let (p, q) = (one.pattern(a), other.pattern(b))
        for j in 0..<PatchSet.side * PatchSet.side { likeness += p[j] * q[j] }
      }
      guard likeness < Self.same else { continue }
      let pixels = view.base + y * view.stride + x
      func agreement(_ set: PatchSet, _ patch: Int?, _ contrast: Float, beside rival: Float) -> Double {
        guard let patch, contrast >= 0.25 * rival else { return Self.flat }
        ck_patch_measure(pixels, view.stride, 0, 0, set.pattern(patch), measured)
        return Double(measured[2])
      }
      let lead =
        agreement(one, a, contrasts.0, beside: contrasts.1) - agreement(other, b, contrasts.1, beside: contrasts.0)
      evidence.squares += 1
      evidence.lead += lead
      evidence.squared += lead * lead
      let at = Point2(Double(firsts[start + place].x), Double(firsts[start + place].y))
      evidence.low = pointwiseMin(evidence.low, at)
      evidence.high = pointwiseMax(evidence.high, at)
    }
  }

  /// The contrast of a drawing that counts as structure: a deviation of four gray levels.
  private static let structured: Float = 32
  /// Drawings that correlate so much are taken for the same.
  private static let same: Float = 0.5
  /// The correlation that stands for a flat drawing: half of what a right drawing with structure has.
  private static let flat = 0.35
}
