package import WaymarkGeometry
public import WaymarkImage

/// Finds the anchors of a library in single frames.
///
/// A detector keeps its buffers from frame to frame and belongs to one thread at a time; several may share one library.
public final class AnchorDetector {
  /// The library whose anchors are looked for.
  public let library: AnchorLibrary
  private let plain = FeatureExtractor()
  /// For the frame at twice its size: buffers of their own, so that none change their layout from look to look. Only the
  /// two levels count that the frame itself does not have.
  private let enlarging = FeatureExtractor(settings: .enlarging)
  private let lookup: FeatureLookup
  private let hypotheses: HypothesisSearch
  private let guided: GuidedMatcher
  private var coarse: HomographyEstimator
  private var fine: HomographyEstimator
  private var reducer = FrameReducer()
  private let pairs: UnsafeMutableBufferPointer<PointPair>
  private var claims: [AnchorClaim] = []
  private let aligner = PatchAligner()
  private let proof = StructureProof()
  /// The lens of the frames: the claims' homographies are then those without its distortion.
  package var lens: LensMap?
  private var templates: TemplateCache

  /// A detector for the anchors of a library.
  public convenience init(library: AnchorLibrary) { self.init(library: library, templates: 4) }

  /// - Parameter templates: how many anchors' alignment templates are kept; each takes a third of a megabyte.
  package init(library: AnchorLibrary, templates: Int) {
    self.library = library
    self.templates = TemplateCache(capacity: min(templates, library.references.count))
    let capacity = plain.features.capacity
    lookup = FeatureLookup(library: library, features: capacity)
    hypotheses = HypothesisSearch(library: library, matches: lookup.limit)
    guided = GuidedMatcher(library: library, features: capacity)
    pairs = .allocate(capacity: lookup.limit)
    var options = HomographyEstimator.Options()
    options.sigma = 4
    options.minimumInliers = 6
    options.capacity = lookup.limit
    coarse = HomographyEstimator(options)
    options.sigma = 1.5
    fine = HomographyEstimator(options)
    claims.reserveCapacity(64)
  }

  deinit { pairs.deallocate() }

  /// How many hypotheses may fail in one look at a frame: each that comes as far as the alignment costs half a millisecond.
  private let attempts = 6
  /// The same for a thorough look, which asks for less and so is wrong more often.
  private let thoroughAttempts = 12

  /// The anchors in a frame, the surest first, one claim an anchor.
  public func detect(_ frame: ImageView) -> [AnchorClaim] { detect(frame, except: []) }

  /// The same, without what lies inside outlines that are already known (through a lens: their straight places).
  package func detect(_ frame: ImageView, except known: [Quadrilateral]) -> [AnchorClaim] {
    claims.removeAll(keepingCapacity: true)
    guard frame.width >= 32, frame.height >= 32, !library.references.isEmpty else { return [] }
    let (picture, scale) = reducer.reduce(frame)
    aligner.lens = lens?.scaled(by: scale)
    proof.lens = aligner.lens
    let outlines = known.map { $0.scaled(by: scale) }
    look(picture, doubled: false, except: outlines)
    if claims.isEmpty, lookup.isWorthThoroughness { search(plain, picture, doubled: false, thorough: true) }
    if claims.isEmpty { look(picture, doubled: true, except: outlines) }
    claims.sort { ($1.score, $0.anchor) < ($0.score, $1.anchor) }
    if scale != 1 {
      let enlarge = Homography.resize(Point2(1 / scale, 1 / scale))
      for i in claims.indices { claims[i].homography = (enlarge * claims[i].homography).normalized }
    }
    return claims
  }

  /// What alignment and tracking need of an anchor, made when it is first seen.
  package func template(_ anchor: Int) -> AnchorTemplate { templates.template(for: anchor, in: library) }

  private func look(_ picture: ImageView, doubled: Bool, except known: [Quadrilateral]) {
    let extractor = doubled ? enlarging : plain
    extractor.extract(picture, doubled: doubled)
    let features = extractor.features
    if let lens = aligner.lens { features.move(lens.straighten) }
    if !known.isEmpty {
      features.removeAll { f in known.contains { $0.contains(Point2(Double(f.x), Double(f.y))) } }
    }
    search(extractor, picture, doubled: doubled, thorough: false)
  }

  /// Looks for anchors among the features that an extractor has found.
  private func search(_ extractor: FeatureExtractor, _ picture: ImageView, doubled: Bool, thorough: Bool) {
    let features = extractor.features
    lookup.run(features, thorough ? .thorough : .quick)
    hypotheses.run(
      lookup.matches, count: lookup.count, features: features.features, minimum: thorough ? 3 : 4)
    guard !hypotheses.hypotheses.isEmpty else { return }
    guided.load(features, width: picture.width, height: picture.height)
    // The best supported come first: where several in a row fail, the rest is chance. What succeeds costs nothing of that,
    // so that a frame full of anchors is read in one go.
    var failures = 0
    let attempts = thorough ? thoroughAttempts : attempts
    for hypothesis in hypotheses.hypotheses where failures < attempts - (claims.isEmpty ? 0 : 1) {
      if let claim = verify(hypothesis, extractor, doubled: doubled, width: picture.width) {
        claims.append(claim)
      } else {
        failures += 1
      }
    }
  }

  private func verify(
    _ hypothesis: Hypothesis, _ extractor: FeatureExtractor, doubled: Bool, width: Int
  ) -> AnchorClaim? {
    let features = extractor.features
    let reference = library.references[hypothesis.anchor]
    var n = 0
    hypotheses.supporters(of: hypothesis, lookup.matches, features: features.features) { r, f in
      pairs[n] = PointPair(
        reference: Point2(Double(r.x), Double(r.y)), frame: Point2(Double(f.x), Double(f.y)))
      n += 1
    }
    var map = hypothesis.homography
    if n >= 8, let fit = coarse.estimate(UnsafeBufferPointer(rebasing: pairs[..<n])) { map = fit.homography }
    let size =
      (abs(map.apply(Quadrilateral(width: Double(reference.width), height: Double(reference.height))).signedArea))
      .squareRoot()
    guard size.isFinite else { return nil }
    var inliers = 0
    let radii: InlineArray<3, Double> = [max(6, 0.06 * size), 5, 4]
    for round in 0..<3 {
      let radius = radii[round]
      guided.run(hypothesis.anchor, map, radius: Float(min(24, radius)), features)
      guard guided.count >= 6 else { return nil }
      let found = UnsafeBufferPointer(rebasing: guided.pairs[..<guided.count])
      if round == 0 {
        guard let fit = coarse.estimate(found) else { return nil }
        map = fit.homography
      } else {
        guard let better = fine.refine(map, found) else { return nil }
        map = better
      }
      guard round > 0 else { continue }
      inliers = 0
      for i in 0..<guided.count where fine.weight(i) > 0 { inliers += 1 }
    }
    guard inliers >= 8 else { return nil }
    return align(hypothesis.anchor, map, inliers, extractor, doubled, width)
  }

  /// Moves the map until reference and frame agree on intensities, and asks how well they do.
  private func align(
    _ anchor: Int, _ map: Homography, _ inliers: Int, _ extractor: FeatureExtractor, _ doubled: Bool, _ width: Int
  ) -> AnchorClaim? {
    let template = templates.template(for: anchor, in: library)
    var best = aligner.align(template, from: map, in: plain.pyramid)
    var pyramid = plain.pyramid
    if doubled {
      // So small an anchor has few patches in the frame's own pixels and noisy ones in the doubled ones: the better counts.
      if let twice = aligner.align(template, from: map, in: extractor.pyramid), twice.score > best?.score ?? 0 {
        best = twice
        pyramid = extractor.pyramid
      }
    }
    guard let result = best else { return nil }
    onVerify?(anchor, result, inliers)
    // Wrong maps can be bent until a quarter of the patches agree; the more features agree besides, the less is asked.
    guard result.score > Self.leastScore(inliers), result.share + 0.004 * Double(min(inliers, 50)) > 0.44 else {
      return nil
    }
    let final = result.homography
    let reference = library.references[anchor]
    guard let outline = final.outline(width: Double(reference.width), height: Double(reference.height)) else {
      return nil
    }
    let octave = aligner.octaves(template, final, pyramid)?.finest ?? 0
    let deviations = proof.deviations(template, final, in: pyramid, octave: octave)
    onProof?(anchor, result, inliers, deviations)
    // Depths that differ strongly are seldom seen, and right all the same where the picture is beyond doubt.
    guard deviations >= StructureProof.needed,
      deviations >= StructureProof.ample || hasCameraLikeDepth(final, reference, outline, width: width)
    else { return nil }
    // Of two anchors that look alike, one place is given to the one that fits better.
    if !allowsOverlaps, let rival = claims.indices.first(where: { covers(claims[$0], outline) }) {
      guard claims[rival].score < result.score else { return nil }
      claims.remove(at: rival)
    }
    return AnchorClaim(anchor: anchor, homography: final.normalized, inliers: inliers, score: result.score)
  }

  /// The correlation that is asked for beside so many agreeing features.
  ///
  /// Both testify: features that agree by chance become rarer with every one more, patches that agree by chance with every
  /// hundredth of correlation. In frames that show none of a library's anchors, wrong claims had eight to thirteen features and
  /// scores below 0.88; right ones with so few have more, and with 32 features the general bound is enough.
  static func leastScore(_ inliers: Int) -> Double { max(0.6, 0.9 - 0.0125 * Double(max(0, inliers - 8))) }

  /// Whether the corners' depths differ no more than they can: a picture that fills a small angle is about as far away at
  /// one end as at the other, however it is tilted. Bent wrong maps fail here.
  private func hasCameraLikeDepth(
    _ map: Homography, _ reference: AnchorReference, _ outline: Quadrilateral, width: Int
  ) -> Bool {
    let q = Quadrilateral(width: Double(reference.width), height: Double(reference.height))
    let depths = SIMD4(map.depth(q.topLeft), map.depth(q.topRight), map.depth(q.bottomRight), map.depth(q.bottomLeft))
    let (least, greatest) = (abs(depths.min()), abs(depths.max()))
    let ratio = max(least, greatest) / max(1e-9, min(least, greatest))
    let diagonal = max(
      outline.topLeft.distance(to: outline.bottomRight), outline.topRight.distance(to: outline.bottomLeft))
    // The focal length of a wide lens is 0.7 of the frame's width.
    return ratio < min(4, 1.1 + 1.8 * diagonal / (0.7 * Double(width)))
  }

  /// Whether a claim and an outline stand for the same thing in the frame: each holds the other's centre.
  private func covers(_ claim: AnchorClaim, _ outline: Quadrilateral) -> Bool {
    let reference = library.references[claim.anchor]
    let other = claim.homography.apply(Quadrilateral(width: Double(reference.width), height: Double(reference.height)))
    return other.contains(outline.center) && outline.contains(other.center)
  }

  /// Whether two anchors may be claimed at one place.
  package var allowsOverlaps = false

  /// Told of every alignment: the anchor, what the aligner said, and how many features agreed. For measuring.
  package var onVerify: ((Int, PatchAligner.Result, Int) -> Void)?

  /// Told of every proof that was asked for: as above, and how far the claim is from chance. For measuring.
  package var onProof: ((Int, PatchAligner.Result, Int, Double) -> Void)?
}
