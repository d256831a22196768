import CKernels
package import WaymarkImage

/// Determines which of two similar pictures a frame shows, by the part in which they differ.
///
/// The part that both pictures have in common does not distinguish them. So the part of the frame that both would fill is cut into
/// squares, both pictures are drawn there, and only squares with different drawings are compared: each votes for the picture that
/// correlates better with the frame. Every square has its own gain and offset of the light. Squares are compared on the frame's
/// finest useful octave, where letters differ, and on the octave four times as coarse, where areas differ.
///
/// At the end of the file, `AnchorLibrary.lookalikes` compares the similar pictures of a library with each other, for the author of
/// the pictures.
///
/// All memory is allocated in `init`. Use it from one thread at a time.
package final class TwinComparison {
  /// A picture and its map into the frame.
  package typealias Claim = (template: AnchorTemplate, map: SurfaceMap)

  /// The picture that a frame shows, of two compared pictures.
  package enum TwinVerdict: Sendable { case first, second, undecided }

  /// The votes of the squares in which two pictures differ.
  package struct TwinEvidence: Sendable {
    /// The number of squares in which the pictures differ; `compared` is the number of squares with structure in either picture.
    package fileprivate(set) var squares = 0
    package fileprivate(set) var compared = 0
    /// The sum over these squares of the frame's correlation with the first picture minus its correlation with the second;
    /// `squared` is the sum of the squares of these differences.
    fileprivate var lead = 0.0
    fileprivate var squared = 0.0
    /// The top left corner of the smallest rectangle around the squares that differ, in pixels of the first picture; `high` is its
    /// bottom right corner.
    package fileprivate(set) var low = Point2(repeating: .infinity)
    package fileprivate(set) var high = Point2(repeating: -.infinity)

    /// The share of the structure that differs, 0…1.
    package var share: Double { compared == 0 ? 0 : Double(squares) / Double(compared) }

    /// The picture that the frame shows, if the lead is at least three standard deviations of the sum and 0.15 per square.
    ///
    /// Fewer than nine squares never reach three standard deviations. They suffice if their mean lead is so high that hardly one of
    /// them shows the second picture or an object that covers both.
    package var verdict: TwinVerdict {
      let (lead, count) = (abs(lead), Double(squares))
      let isProven = lead >= 3 * squared.squareRoot() && lead >= 0.15 * count || lead >= 0.65 * count
      guard squares >= 4, isProven else { return .undecided }
      return self.lead > 0 ? .first : .second
    }
  }

  private static let batch = 64
  /// The most squares on an octave.
  private static let places = 1024

  /// The lens of the frames. If set, maps exclude its distortion.
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

  /// Compares two pictures at one position in a frame.
  ///
  /// - Parameters:
  ///   - octave: The octave of the frame on which the references are hardly enlarged (`PatchAligner.octaves`).
  ///   - softness: The standard deviation of the defocus in pixels.
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

  /// Chooses squares on the part of the frame that both pictures would fill, and returns their number.
  private func choose(_ first: Claim, _ second: Claim, _ view: ImageView, _ scale: Double) -> Int {
    let (a, b) = (first.map.resized(by: scale), second.map.resized(by: scale))
    guard let back = a.inverse, let forth = b.inverse,
      let grid = VisibleGrid(first.template, a, in: view, squares: Self.places)
    else { return 0 }
    func isInside(_ p: Point2, _ template: AnchorTemplate) -> Bool {
      p.x > 0 && p.y > 0 && p.x < Double(template.width) && p.y < Double(template.height)
    }
    var n = 0
    // Centres have half-integer coordinates. Both drawings then cover the same pixels, however their maps are rounded.
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

  /// Adds the votes of `n` drawn squares from index `start` on.
  private func add(_ start: Int, _ n: Int, _ view: ImageView, _ evidence: inout TwinEvidence) {
    var (i, k) = (0, 0)
    for place in 0..<n {
      let a = i < one.count && one.index[i] == place ? i : nil
      let b = k < other.count && other.index[k] == place ? k : nil
      if a != nil { i += 1 }
      if b != nil { k += 1 }
      // A square that is flat in both pictures is not compared.
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

  /// The least contrast of a drawing with structure: a standard deviation of four gray levels.
  private static let structured: Float = 32
  /// The correlation from which two drawings count as equal.
  private static let same: Float = 0.5
  /// The correlation assumed for a flat drawing: half the correlation of a correct drawing with structure.
  private static let flat = 0.35
}

extension AnchorLibrary {
  /// The pairs of anchors that look alike, with their names.
  package var lookalikes: [Lookalikes] {
    var pairs: [Lookalikes] = []
    for twin in twins.joined() where twin.first < twin.second {
      guard let back = twin.map.inverse, let difference = difference(of: twin),
        let reverse = self.difference(of: AnchorTwin(first: twin.second, second: twin.first, map: back))
      else { continue }
      pairs.append(
        Lookalikes(
          first: references[twin.first].name, second: references[twin.second].name, difference: difference,
          reverse: reverse))
    }
    return pairs
  }

  private func difference(of twin: AnchorTwin) -> TwinDifference? {
    guard let one = references[twin.first].image, let other = references[twin.second].image,
      let back = twin.map.inverse
    else { return nil }
    let pyramid = GrayPyramid()
    one.withView { pyramid.update($0, levels: 7) }
    let evidence = TwinComparison().compare(
      (AnchorTemplate(one), .plane(.identity)), (AnchorTemplate(other), .plane(back)), in: pyramid, octave: 0)
    return TwinDifference(evidence, width: one.width, height: one.height)
  }
}

/// The names of two anchors that look alike, and the parts in which they differ.
package struct Lookalikes: Hashable, Sendable {
  package var first: String
  package var second: String
  /// The part in which they differ, in the first picture; `reverse` is this part in the second picture.
  package var difference: TwinDifference
  package var reverse: TwinDifference
}

/// The part in which two pictures that look alike differ.
package struct TwinDifference: Hashable, Sendable {
  /// The share of the structure that differs, 0…1.
  package var share: Double
  /// The smallest rectangle around this part, as shares of the picture's width and height: left, top, right, bottom.
  package var part: [Double]

  init(_ evidence: TwinComparison.TwinEvidence, width: Int, height: Int) {
    share = evidence.share
    let (w, h) = (Double(width), Double(height))
    part =
      evidence.squares == 0
      ? [] : [evidence.low.x / w, evidence.low.y / h, evidence.high.x / w, evidence.high.y / h]
  }

  package var text: String {
    func percent(_ x: Double) -> Int { Int((100 * x).rounded()) }
    guard part.count == 4 else { return "they do not differ" }
    return
      "they differ in \(percent(share)) % of their detail, from \(percent(part[0])) to \(percent(part[2])) % across "
      + "and from \(percent(part[1])) to \(percent(part[3])) % down"
  }
}
