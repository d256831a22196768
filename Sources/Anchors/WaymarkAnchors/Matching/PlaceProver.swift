import WaymarkImage

/// Moves a map until reference and frame agree on intensities, and proves that they do.
///
/// To be used from one thread at a time.
final class PlaceProver {
  /// The picture that is searched: its pyramid, and that of its double size where it is looked at in that.
  struct Sight {
    let plain: GrayPyramid
    let doubled: GrayPyramid?
    /// Its width in pixels.
    let width: Int
  }

  /// A place that was proved.
  struct Proof {
    let map: SurfaceMap
    let outline: Quadrilateral
    let score: Double
    /// The pyramid on which it fits best.
    let pyramid: GrayPyramid
  }

  /// The lens of the frames: maps are then those without its distortion.
  var lens: LensMap? {
    didSet { (aligner.lens, verifier.lens, search.lens) = (lens, lens, lens) }
  }
  private let aligner = PatchAligner()
  private let verifier = StructureVerifier()
  private let search = PatchSearch()

  /// The proof that an anchor stands where a map puts it.
  ///
  /// A small anchor has few squares of the frame's own pixels, too few for a proof however well they agree. Twice as large it has four
  /// times as many: they are half as large in the frame, and none shows what another one does.
  ///
  /// - Parameters:
  ///   - inliers: how many features agree with the map.
  ///   - expected: where the plane of another copy puts this one; what is of another shape is not it.
  func prove(
    _ template: AnchorTemplate, _ map: SurfaceMap, inliers: Int, in sight: Sight, expected: Quadrilateral? = nil
  ) -> Proof? {
    var best = aligner.align(template, from: map, in: sight.plain)
    var pyramid = sight.plain
    // So small an anchor has few patches in the frame's own pixels and noisy ones in the doubled ones: the better counts.
    if let doubled = sight.doubled, let twice = aligner.align(template, from: map, in: doubled),
      twice.score > best?.score ?? 0
    {
      best = twice
      pyramid = doubled
    }
    guard let result = best else { return nil }
    // Wrong maps can be bent until a quarter of the patches agree; the more features agree besides, the less is asked. A known shape
    // cannot be bent, and what is small has few features: their proof decides.
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
    // Depths that differ strongly are seldom seen, and right anyway where the picture is beyond doubt. A cylinder's pose has
    // the depths that it must have.
    guard proven >= StructureVerifier.needed,
      proven >= StructureVerifier.ample || result.map.cylinder != nil
        || result.map.homography.hasCameraLikeDepth(
          of: Quadrilateral(width: Double(template.width), height: Double(template.height)), outline,
          width: sight.width)
    else { return nil }
    return Proof(map: result.map, outline: outline, score: result.score, pyramid: pyramid)
  }

  /// The place near to a map at which an anchor is most like the frame; `nil` where it is like nothing there, or on another claim.
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

  /// Below this correlation there is another thing, or none: a copy in poor light has twice as much.
  private static let leastLikeness = 0.35
  /// The general bound of a score.
  private static let leastScore = 0.6

  /// The correlation that is asked for beside so many agreeing features.
  ///
  /// Both testify: features that agree by chance become rarer with every one more, patches that agree by chance with every
  /// hundredth of correlation. In frames that show none of a library's anchors, wrong claims had eight to thirteen features and
  /// scores below 0.88; right ones with so few have more, and with 32 features the general bound is enough.
  static func leastScore(_ inliers: Int) -> Double { max(leastScore, 0.9 - 0.0125 * Double(max(0, inliers - 8))) }

  /// Returns whether an outline is that of another one, moved: things of one kind are turned a little and not quite alike in size.
  private static func isLike(_ outline: Quadrilateral, _ expected: Quadrilateral) -> Bool {
    let moved = outline.mapped { $0 - outline.center + expected.center }
    return moved.largestCornerDistance(to: expected) < 0.12 * expected.signedArea.squareRoot() + 1
  }
}
