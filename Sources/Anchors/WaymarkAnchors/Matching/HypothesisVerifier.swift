import WaymarkImage

/// Makes a claim of a hypothesis: brings more and more features into agreement with its map, then the intensities, and proves it against
/// the pictures that look alike.
///
/// All memory is taken once. To be used from one thread at a time.
final class HypothesisVerifier {
  private let library: AnchorLibrary
  private let lookup: FeatureLookup
  private let hypotheses: HypothesisSearch
  private let guided: GuidedMatcher
  private var coarse: HomographyEstimator
  private var fine: HomographyEstimator
  private let pairs: UnsafeMutableBufferPointer<PointPair>
  private let prover = PlaceProver()
  private let judge = ClaimJudge()
  private var templates: TemplateCache

  /// The lens of the pictures that are searched: maps are then those without its distortion.
  var lens: LensMap? {
    didSet { (prover.lens, judge.lens) = (lens, lens) }
  }
  /// The camera of the picture that is searched.
  var camera = CameraIntrinsics(assumedFor: 640, 480)
  /// The look at the picture that is being worked on.
  private(set) var sight: PlaceProver.Sight
  /// How many more of its hypotheses may search all features of their anchor.
  private var wideSearches = 0
  /// True if two anchors may be claimed at one place, and none has to be proven against the others.
  var allowsOverlaps = false
  /// True if round anchors are looked for as if they were flat.
  var takesAllFlat = false

  /// - Parameters:
  ///   - hypotheses: made of the matches of `lookup`.
  ///   - features: the most that a picture has.
  ///   - templates: how many anchors' alignment templates are kept.
  init(
    library: AnchorLibrary, _ lookup: FeatureLookup, _ hypotheses: HypothesisSearch, features: Int, templates: Int,
    sight: PlaceProver.Sight
  ) {
    self.library = library
    self.lookup = lookup
    self.hypotheses = hypotheses
    self.sight = sight
    self.templates = TemplateCache(capacity: min(templates, library.references.count), for: library)
    guided = GuidedMatcher(library: library, features: features)
    pairs = .allocate(capacity: lookup.limit)
    var options = HomographyEstimator.Options()
    options.sigma = 4
    options.minimumInliers = 6
    options.capacity = lookup.limit
    coarse = HomographyEstimator(options)
    options.sigma = 1.5
    fine = HomographyEstimator(options)
  }

  deinit { pairs.deallocate() }

  /// So many matches that agree fix a map well enough to go on from: four times what a map needs.
  private static let many = 16
  /// So much of an anchor's own size the frame shows at most of a small one: a third, across and down.
  private static let small: Float = 1 / 9.0
  /// The fewest features found at the place of a small anchor, and the fewest of them that agree at last. It has few, and at double size a
  /// proof that needs none.
  private static let fewestOfSmall = (found: 4, inliers: 7)
  /// The same of others.
  private static let fewest = (found: 6, inliers: 8)
  /// The fewest features that agree with a copy whose shape is known.
  private static let fewestOfCopy = 3
  /// The deviation of the shape that a match tells, and of the one that the plane of a copy tells.
  private static let looseness = (small: 0.15, copy: 0.04)

  /// Begins to work on the features of a picture.
  ///
  /// - Parameter wideSearches: how many hypotheses may search all features of their anchor.
  func begin(_ sight: PlaceProver.Sight, wideSearches: Int) { (self.sight, self.wideSearches) = (sight, wideSearches) }

  /// Takes the features of the picture; only where there is something to verify.
  func load(_ features: FeatureSet, width: Int, height: Int) { guided.load(features, width: width, height: height) }

  /// The data for aligning and tracking an anchor, made when it is first seen.
  func template(_ anchor: Int) -> AnchorTemplate { templates.template(for: anchor, in: library) }

  /// The claim of a hypothesis; `nil` where it is wrong, or its place is another claim's.
  func verify(_ hypothesis: Hypothesis, _ features: FeatureSet, _ claims: inout FrameClaims) -> DetectedAnchor? {
    if let predicted = hypothesis.predicted { return confirm(predicted, hypothesis.anchor, features, &claims) }
    let reference = library.references[hypothesis.anchor]
    var n = 0
    hypotheses.supporters(of: hypothesis, lookup.matches, features: features.features) { r, f in
      pairs[n] = PointPair(
        reference: Point2(Double(r.x), Double(r.y)), frame: Point2(Double(f.x), Double(f.y)))
      n += 1
    }
    let supporters = UnsafeBufferPointer(rebasing: pairs[..<n])
    if let radius = reference.radius, let physical = reference.physicalWidth, !takesAllFlat {
      let shape = CylinderMap(
        pose: PlanePose(rotation: .identity, translation: Point3(0, 0, 1)), width: reference.width,
        height: reference.height, physicalWidth: physical, radius: radius, camera: camera)
      guard let (map, inliers) = guided.cylinder(shape, from: hypothesis, supporters, features) else { return nil }
      return claim(hypothesis.anchor, .cylinder(map), inliers, &claims)
    }
    // Among thousands of anchors most features of this one were not among the nearest: with few that agree, all are looked for first.
    let isThin = n < Self.many
    if isThin, lookup.isOfHundreds, let claim = searchWidely(hypothesis, features, &claims) { return claim }
    var map = hypothesis.homography
    if n >= 8, let fit = coarse.estimate(supporters) {
      map = fit.homography
    } else if isSmall(map), let better = map.steadied(by: supporters, looseness: Self.looseness.small, sigma: 2) {
      map = better
    }
    if let claim = follow(map, hypothesis.anchor, features, &claims) { return claim }
    return isThin && !lookup.isOfHundreds ? searchWidely(hypothesis, features, &claims) : nil
  }

  /// The claim to which all features of an anchor lead that are found about the match of a hypothesis.
  private func searchWidely(
    _ hypothesis: Hypothesis, _ features: FeatureSet, _ claims: inout FrameClaims
  ) -> DetectedAnchor? {
    guard wideSearches > 0 else { return nil }
    wideSearches -= 1
    guided.run(hypothesis.anchor, .plane(hypothesis.homography), around: hypothesis.origin, features)
    guard guided.count >= 8, let fit = coarse.estimate(UnsafeBufferPointer(rebasing: guided.pairs[..<guided.count]))
    else { return nil }
    return follow(fit.homography, hypothesis.anchor, features, &claims)
  }

  /// Looks for a copy near to where a map puts it, by its intensities alone.
  ///
  /// - Parameter outlines: of all claims; a copy stands on none of them.
  /// - Returns: Whether there is something like it, and the claim if that is proved.
  func look(
    for anchor: Int, around place: Homography, except outlines: [Quadrilateral], _ claims: inout FrameClaims
  ) -> (isLike: Bool, claim: DetectedAnchor?) {
    guard let found = prover.look(for: template(anchor), around: place, in: sight, except: outlines) else {
      return (false, nil)
    }
    let reference = library.references[anchor]
    let expected = place.outline(width: Double(reference.width), height: Double(reference.height))
    return (true, claim(anchor, found, 0, expected: expected, &claims))
  }

  /// The claim of a copy that stands where the plane of another one puts it.
  private func confirm(
    _ predicted: Homography, _ anchor: Int, _ features: FeatureSet, _ claims: inout FrameClaims
  ) -> DetectedAnchor? {
    let reference = library.references[anchor]
    guard let expected = predicted.outline(width: Double(reference.width), height: Double(reference.height)) else {
      return nil
    }
    var map = predicted
    let radii: InlineArray<2, Double> = [min(24, max(6, 0.08 * expected.signedArea.squareRoot())), 4]
    for round in radii.indices {
      guided.run(anchor, .plane(map), radius: Float(radii[round]), features)
      let found = UnsafeBufferPointer(rebasing: guided.pairs[..<guided.count])
      guard let better = map.steadied(by: found, looseness: Self.looseness.copy, sigma: 2) else { return nil }
      map = better
    }
    let inliers = agreeing(with: map)
    return inliers >= Self.fewestOfCopy ? claim(anchor, .plane(map), inliers, expected: expected, &claims) : nil
  }

  /// Returns whether a map shows an anchor so small that fewer features are asked for; only at double size.
  private func isSmall(_ map: Homography) -> Bool {
    let area = (map.row0.x * map.row1.y - map.row0.y * map.row1.x) / (map.row2.z * map.row2.z)
    return sight.doubled != nil && Float(area) < Self.small
  }

  /// How many of the features found last agree with a map.
  private func agreeing(with map: Homography) -> Int {
    guided.pairs[..<guided.count].count { map.apply($0.reference).distance(to: $0.frame) < 4.5 }
  }

  /// Brings more and more of a flat anchor's features into agreement with a map, and then the intensities.
  private func follow(
    _ start: Homography, _ anchor: Int, _ features: FeatureSet, _ claims: inout FrameClaims
  ) -> DetectedAnchor? {
    let isSmall = isSmall(start)
    let fewest = isSmall ? Self.fewestOfSmall : Self.fewest
    let reference = library.references[anchor]
    var map = start
    let size =
      (abs(map.apply(Quadrilateral(width: Double(reference.width), height: Double(reference.height))).signedArea))
      .squareRoot()
    guard size.isFinite else { return nil }
    var inliers = 0
    let radii: InlineArray<3, Double> = [max(6, 0.06 * size), 5, 4]
    for round in 0..<3 {
      let radius = radii[round]
      guided.run(anchor, .plane(map), radius: Float(min(24, radius)), features)
      guard guided.count >= fewest.found else { return nil }
      let found = UnsafeBufferPointer(rebasing: guided.pairs[..<guided.count])
      if isSmall, guided.count < Self.many {
        guard let better = map.steadied(by: found, looseness: Self.looseness.small, sigma: 2) else { return nil }
        map = better
        inliers = agreeing(with: map)
        continue
      }
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
    return inliers >= fewest.inliers ? claim(anchor, .plane(map), inliers, &claims) : nil
  }

  /// The claim of a place that the prover proves.
  private func claim(
    _ anchor: Int, _ map: SurfaceMap, _ inliers: Int, expected: Quadrilateral? = nil, _ claims: inout FrameClaims
  ) -> DetectedAnchor? {
    guard
      let proof = prover.prove(template(anchor), map, inliers: inliers, in: sight, expected: expected)
    else { return nil }
    let claim = DetectedAnchor(anchor: anchor, map: proof.map, inliers: inliers, score: proof.score)
    return allowsOverlaps ? claim : prove(claim, proof.outline, proof.pyramid, &claims)
  }

  /// Proves a claim against the pictures that look like it, and gives one place to one anchor.
  private func prove(
    _ claim: DetectedAnchor, _ outline: Quadrilateral, _ pyramid: GrayPyramid, _ claims: inout FrameClaims
  ) -> DetectedAnchor? {
    let judgement = judge.judge(claim.anchor, claim.map, in: pyramid, twins: library.twins) {
      templates.template(for: $0, in: library)
    }
    var claim = claim
    claim.rivals = judgement.rivals
    claim.contradiction = judgement.contradiction
    if let alignment = judgement.alignment {
      (claim.anchor, claim.map, claim.score) = (judgement.anchor, judgement.map, alignment.score)
      claim.inliers = max(alignment.inliers, 8)
      // Another hypothesis has found it already.
      guard !claims.isComplete(claim.anchor) else { return nil }
    }
    return claims.makeRoom(for: claim, outline) ? claim : nil
  }
}
