package import WaymarkImage

/// Decides whether a claim could also be another picture that looks alike. The part in which they differ shows this for a picture
/// of the library; a visible part that contradicts the claim shows it for an unknown picture.
///
/// The file also has the proof that an anchor is where a map says (`PlaceProver`), and the anchors detected in a frame
/// so far (`FrameClaims`).
///
/// All memory is allocated in `init`. Use it from one thread at a time.
package final class ClaimJudge {
  /// The anchor that the frame shows, which is the claimed anchor or a similar one, and its map.
  package struct Judgement: Sendable {
    package var anchor: Int
    package var map: SurfaceMap
    /// The alignment of `anchor`; `nil` if it is the claimed anchor.
    package var alignment: AlignmentResult?
    /// The indices of the anchors that the frame could show instead.
    package var rivals: [Int] = []
    /// The share of the visible part that contradicts the anchor, 0…1.
    var contradiction = 0.0
    /// True if the frame does not prove that it shows this anchor rather than another picture.
    package var isAmbiguous: Bool { DetectedAnchor.isAmbiguous(rivals, contradiction) }
  }

  /// The lens of the frames. If set, maps exclude its distortion.
  package var lens: LensMap? {
    didSet { (comparison.lens, meter.lens, aligner.lens) = (lens, lens, lens) }
  }

  private let comparison = TwinComparison()
  private let meter = ContradictionMeter()
  private let aligner = PatchAligner()

  package init() {}

  /// Judges a claim.
  ///
  /// - Parameters:
  ///   - pyramid: The pyramid of the frame.
  ///   - twins: The similar anchors of each anchor of the library.
  ///   - softness: The standard deviation of the defocus in pixels.
  ///   - template: Returns the template of an anchor.
  package func judge(
    _ anchor: Int, _ map: SurfaceMap, in pyramid: GrayPyramid, twins: [[AnchorTwin]], softness: Double = 0,
    template: (Int) -> AnchorTemplate
  ) -> Judgement {
    var result = Judgement(anchor: anchor, map: map)
    if anchor < twins.count, map.cylinder == nil { settle(&result, pyramid, twins, softness, template) }
    let own = template(result.anchor)
    if let octave = aligner.octaves(own, result.map, pyramid)?.finest {
      result.contradiction = meter.share(own, result.map, in: pyramid, octave: octave, softness: softness)
    }
    return result
  }

  /// Determines which of the similar anchors the frame shows.
  private func settle(
    _ result: inout Judgement, _ pyramid: GrayPyramid, _ twins: [[AnchorTwin]], _ softness: Double,
    _ template: (Int) -> AnchorTemplate
  ) {
    var beaten: [Int] = []
    var rivals: [Int] = []
    var waiting = twins[result.anchor]
    while let twin = waiting.popLast() {
      guard twin.second != result.anchor, !beaten.contains(twin.second), !rivals.contains(twin.second),
        case .plane(let place) = result.map, let back = twin.map.inverse
      else { continue }
      let own = template(result.anchor)
      let other = template(twin.second)
      guard let octave = aligner.octaves(own, result.map, pyramid)?.finest else { continue }
      let start = SurfaceMap.plane((place * back).normalized)
      // The shared part determines where the twin would be.
      let alignment = aligner.align(other, from: start, in: pyramid, softness: softness)
      let map = alignment?.map ?? start
      switch comparison.compare((own, result.map), (other, map), in: pyramid, octave: octave, softness: softness)
        .verdict
      {
      case .first: beaten.append(twin.second)
      case .undecided: rivals.append(twin.second)
      case .second:
        // The twin fits better, but its position is not determined.
        guard let alignment, alignment.score >= 0.6, alignment.determines(other) else {
          rivals.append(twin.second)
          continue
        }
        beaten.append(result.anchor)
        result.anchor = twin.second
        (result.map, result.alignment) = (alignment.map, alignment)
        // The second anchor is now compared with the anchors that could not be distinguished from the first.
        waiting = twins[twin.second]
        rivals = []
      }
    }
    if rivals.count > 1 { rivals.sort() }
    result.rivals = rivals
  }
}

/// Aligns a map with the gray levels of a frame, and proves that reference and frame agree under it.
///
/// Use it from one thread at a time.
final class PlaceProver {
  /// The searched picture: its pyramid, and the pyramid at double size if that is searched.
  struct Sight {
    let plain: GrayPyramid
    let doubled: GrayPyramid?
    /// The width of the picture in pixels.
    let width: Int
  }

  /// The evidence that an anchor is at a position in the frame: its aligned map, its outline and its score.
  struct Proof {
    let map: SurfaceMap
    let outline: Quadrilateral
    let score: Double
    /// The pyramid with the higher alignment score: the plain or the doubled one.
    let pyramid: GrayPyramid
  }

  /// The lens of the frames. If set, maps exclude its distortion.
  var lens: LensMap? {
    didSet { (aligner.lens, verifier.lens, search.lens) = (lens, lens, lens) }
  }
  private let aligner = PatchAligner()
  private let verifier = StructureVerifier()
  private let search = PatchSearch()

  /// Returns the proof that an anchor is at the position of a map; `nil` if it is not proven.
  ///
  /// A small anchor covers few squares of the frame, too few for a proof however well they agree. At double size it covers four
  /// times as many squares: each is half as large relative to the frame, and they do not overlap.
  ///
  /// - Parameters:
  ///   - inliers: The number of features that agree with the map.
  ///   - expected: The outline that the plane of another copy predicts; a result of another shape is rejected.
  func prove(
    _ template: AnchorTemplate, _ map: SurfaceMap, inliers: Int, in sight: Sight, expected: Quadrilateral? = nil
  ) -> Proof? {
    var best = aligner.align(template, from: map, in: sight.plain)
    var pyramid = sight.plain
    // A small anchor has few patches in the frame's own pixels and noisy ones at double size, so both are tried and the better
    // result is used.
    if let doubled = sight.doubled, let twice = aligner.align(template, from: map, in: doubled),
      twice.score > best?.score ?? 0
    {
      best = twice
      pyramid = doubled
    }
    guard let result = best else { return nil }
    // Wrong maps can be bent until a quarter of the patches agree, so the fewer features agree, the more patches must. A known
    // shape cannot be bent, and a small anchor has few features; for these the structure verification decides.
    let least = expected == nil && sight.doubled == nil ? Self.leastScore(inliers) : Self.leastScore
    guard result.determines(template), result.score > least, result.share + 0.004 * Double(min(inliers, 50)) > 0.44,
      let outline = result.map.outline(width: template.width, height: template.height),
      expected.map({ Self.isLike(outline, $0) }) ?? true
    else { return nil }
    let freedom = expected == nil ? StructureVerifier.fitted : StructureVerifier.fittedOnPlane
    func deviations(_ pyramid: GrayPyramid) -> Double {
      let octave = aligner.octaves(template, result.map, pyramid)?.finest ?? 0
      return verifier.deviations(template, result.map, in: pyramid, octave: octave, freedom: freedom)
    }
    var proven = deviations(pyramid)
    if let doubled = sight.doubled, proven < StructureVerifier.needed {
      proven = max(proven, deviations(pyramid === doubled ? sight.plain : doubled))
    }
    // Strong perspective is rare, so it is accepted only with ample evidence. A cylinder's pose always has valid depths.
    guard proven >= StructureVerifier.needed,
      proven >= StructureVerifier.ample || result.map.cylinder != nil
        || result.map.homography.hasCameraLikeDepth(
          of: template.outline, outline, width: sight.width)
    else { return nil }
    return Proof(map: result.map, outline: outline, score: result.score, pyramid: pyramid)
  }

  /// Returns the map near `map` under which the reference correlates best with the frame; `nil` if the correlation is
  /// too low or the outline overlaps one of `claims`.
  func look(
    for template: AnchorTemplate, around map: Homography, in sight: Sight, except claims: [Quadrilateral]
  ) -> SurfaceMap? {
    guard let octaves = aligner.octaves(template, .plane(map), sight.plain),
      let found = search.search(
        template, around: .plane(map), in: sight.plain, octave: octaves.coarsest, radius: PatchSearch.greatestRadius),
      found.correlation > Self.leastLikeness,
      let outline = found.map.outline(width: template.width, height: template.height),
      !claims.contains(where: { $0.overlaps(outline) })
    else { return nil }
    return found.map
  }

  /// The least correlation of a copy; copies in poor light reach twice as much.
  private static let leastLikeness = 0.35
  /// The least alignment score of a claim, however many features agree.
  private static let leastScore = 0.6

  /// Returns the least alignment score of a claim with a number of agreeing features.
  ///
  /// Features and score are both evidence: chance agreement becomes rarer with every further feature, and with every hundredth of
  /// the score, a mean correlation of patches. In frames without an anchor of the library, wrong claims had 8 to 13 features and
  /// scores below 0.88. Correct claims with so few features have higher scores, and from 32 features on the general least score is
  /// enough.
  static func leastScore(_ inliers: Int) -> Double { max(leastScore, 0.9 - 0.0125 * Double(max(0, inliers - 8))) }

  /// Returns whether an outline is a shifted copy of another outline; copies may be turned a little and differ slightly in size.
  private static func isLike(_ outline: Quadrilateral, _ expected: Quadrilateral) -> Bool {
    let moved = outline.mapped { $0 - outline.center + expected.center }
    return moved.largestCornerDistance(to: expected) < 0.12 * expected.signedArea.squareRoot() + 1
  }
}

/// The claims of the current frame: the anchors detected in it so far, and the limits on their copies.
///
/// A frame is searched in several passes, called looks: as it is, at double size, and with the copies already found
/// painted over.
struct FrameClaims {
  /// The most copies of each anchor that may be claimed.
  var limits: CopyLimits
  /// Claims from earlier looks at the same frame, for anchors that may have several copies.
  private(set) var earlier: [DetectedAnchor] = []
  private(set) var found: [DetectedAnchor] = []

  init(limits: CopyLimits) {
    self.limits = limits
    found.reserveCapacity(2 * AnchorCopies.most)
  }

  /// All claims, first those of earlier looks.
  var all: [DetectedAnchor] { earlier + found }

  /// Starts a look.
  ///
  /// - Parameters:
  ///   - others: The claims from earlier looks at the same frame.
  ///   - scale: The size of the searched picture relative to the frame of `others`.
  mutating func begin(beside others: [DetectedAnchor], scale: Double) {
    found.removeAll(keepingCapacity: true)
    earlier.removeAll(keepingCapacity: true)
    for var claim in others where limits[claim.anchor] > 1 {
      claim.map = claim.map.resized(by: scale)
      earlier.append(claim)
    }
  }

  mutating func add(_ claim: DetectedAnchor) { found.append(claim) }

  /// Adds a further copy and returns true, unless all copies of its anchor are claimed or it overlaps another claim.
  mutating func addCopy(_ claim: DetectedAnchor) -> Bool {
    guard limits.allow(claim, beside: all) else { return false }
    found.append(claim)
    return true
  }

  /// Returns whether an anchor was found in the frame and another copy of it is allowed.
  func isFurther(_ anchor: Int) -> Bool {
    let count = earlier.count { $0.anchor == anchor } + found.count { $0.anchor == anchor }
    return count > 0 && count < limits[anchor]
  }

  /// Returns the planes on which copies of an anchor were found in this frame.
  func planes(of anchor: Int) -> CopyPlanes {
    var planes = CopyPlanes()
    for claim in all where claim.anchor == anchor {
      if case .plane(let map) = claim.map, let outline = limits.outline(claim) { planes.add(map, outline) }
    }
    return planes
  }

  /// Returns whether this look has claimed all allowed copies of an anchor.
  func isComplete(_ anchor: Int) -> Bool { found.count { $0.anchor == anchor } >= limits[anchor] }

  /// Assigns a position claimed by two similar anchors to the anchor that fits better.
  ///
  /// - Parameter outline: The outline of the new claim in the frame.
  /// - Returns: False if the earlier claim keeps the position; otherwise the earlier claim is removed.
  mutating func makeRoom(for claim: DetectedAnchor, _ outline: Quadrilateral) -> Bool {
    guard let other = found.indices.first(where: { covers(found[$0], outline) }) else { return true }
    guard !claim.rivals.contains(found[other].anchor), found[other].score < claim.score else { return false }
    found.remove(at: other)
    return true
  }

  /// Returns whether a claim and an outline show the same object: each contains the other's centre.
  private func covers(_ claim: DetectedAnchor, _ outline: Quadrilateral) -> Bool {
    guard let other = limits.outline(claim) else { return false }
    return other.contains(outline.center) && outline.contains(other.center)
  }

  /// Ends a look.
  ///
  /// - Parameter scale: The size of the frame relative to the searched picture.
  /// - Returns: The claims of the look, best score first.
  mutating func end(scale: Double) -> [DetectedAnchor] {
    found.sort { ($1.score, $0.anchor) < ($0.score, $1.anchor) }
    if scale != 1 {
      for i in found.indices { found[i].map = found[i].map.resized(by: scale) }
    }
    return found
  }
}

extension Homography {
  /// Returns whether the depths of the corners differ by no more than a camera allows: a picture that covers a small angle
  /// has nearly the same distance at both ends, however it is tilted. Distorted wrong maps fail this test.
  ///
  /// - Parameters:
  ///   - q: The corners of the reference.
  ///   - outline: The outline of the reference in the frame.
  ///   - width: The width of the frame in pixels.
  func hasCameraLikeDepth(of q: Quadrilateral, _ outline: Quadrilateral, width: Int) -> Bool {
    let depths = SIMD4(depth(q.topLeft), depth(q.topRight), depth(q.bottomRight), depth(q.bottomLeft))
    let (least, greatest) = (abs(depths.min()), abs(depths.max()))
    let ratio = max(least, greatest) / max(1e-9, min(least, greatest))
    // The focal length of a wide lens is 0.7 of the frame's width.
    return ratio < min(4, 1.1 + 1.8 * outline.longerDiagonal / (0.7 * Double(width)))
  }
}
