import WaymarkImage

/// Verifies a hypothesis: fits its map to more and more features, aligns it with the gray levels of the picture, and
/// compares the detected anchor with the anchors that look like it.
///
/// `TemplateCache` below keeps the templates of recently seen anchors for the alignment.
///
/// All memory is allocated in `init`. Use it from one thread at a time.
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

  /// The lens of the searched pictures. If set, maps exclude its distortion.
  var lens: LensMap? {
    didSet { (prover.lens, judge.lens) = (lens, lens) }
  }
  /// The camera's intrinsics at the size of the searched picture; used only for round anchors.
  var camera = CameraIntrinsics(assumedFor: 640, 480)
  /// The picture that is being searched.
  private(set) var sight: PlaceProver.Sight
  /// The number of further hypotheses of this picture that may search all features of their anchor.
  private var wideSearches = 0
  /// True to compare printed pictures, see `AnchorDetector.comparesPrints`.
  var comparesPrints = false

  /// - Parameters:
  ///   - hypotheses: The search that makes hypotheses from the matches of `lookup`.
  ///   - features: The most features of a picture.
  ///   - templates: The number of anchors whose alignment templates are kept.
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
    coarse = HomographyEstimator(sigma: 4, minimumInliers: 6, capacity: lookup.limit)
    fine = HomographyEstimator(sigma: 1.5, minimumInliers: 6, capacity: lookup.limit)
  }

  deinit { pairs.deallocate() }

  /// The number of agreeing matches that determine a homography well enough: four times the four that define a homography.
  private static let many = 16
  /// The largest area of a small anchor in the frame, as a share of its reference's area: a third of the width and of the height.
  private static let small: Float = 1 / 9.0
  /// The least number of features found at the position of a small anchor, and of features that agree in the end. A small anchor has
  /// few features, and at double size it is proven without them.
  private static let fewestOfSmall = (found: 4, inliers: 7)
  /// The least number of features found, and of features that agree in the end, for all other anchors.
  private static let fewest = (found: 6, inliers: 8)
  /// The least number of agreeing features of a copy whose shape is known.
  private static let fewestOfCopy = 3
  /// The standard deviation, without unit, of the linear part of a map's correction: for a map implied by a match, and for a map
  /// implied by the plane of a copy (`Homography.steadied`).
  private static let looseness = (small: 0.15, copy: 0.04)

  /// Starts the work on a new picture.
  ///
  /// - Parameter wideSearches: The number of hypotheses of this picture that may search all features of their anchor.
  func begin(_ sight: PlaceProver.Sight, wideSearches: Int) { (self.sight, self.wideSearches) = (sight, wideSearches) }

  /// Loads the features of the picture; called only if there is a hypothesis to verify.
  func load(_ features: FeatureSet, width: Int, height: Int) { guided.load(features, width: width, height: height) }

  /// Returns the data for aligning and tracking an anchor, created on first use.
  func template(_ anchor: Int) -> AnchorTemplate { templates.template(for: anchor, in: library) }

  /// Verifies a hypothesis and returns the detected anchor; `nil` if the picture does not confirm it, or if another
  /// detected anchor already occupies its position.
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
    if let radius = reference.radius, let physical = reference.physicalWidth, !comparesPrints {
      let shape = CylinderMap(
        pose: PlanePose(rotation: .identity, translation: Point3(0, 0, 1)), width: reference.width,
        height: reference.height, physicalWidth: physical, radius: radius, camera: camera)
      guard let (map, inliers) = guided.cylinder(shape, from: hypothesis, supporters, features) else { return nil }
      return claim(hypothesis.anchor, .cylinder(map), inliers, &claims)
    }
    // In a large library the lookup misses most features of one anchor. If few agree, all features of the anchor are therefore
    // searched for first.
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

  /// Searches for all features of a hypothesis's anchor around its match, and returns the detected anchor; `nil` if
  /// they do not confirm it, or `wideSearches` is used up.
  private func searchWidely(
    _ hypothesis: Hypothesis, _ features: FeatureSet, _ claims: inout FrameClaims
  ) -> DetectedAnchor? {
    guard wideSearches > 0 else { return nil }
    wideSearches -= 1
    guided.run(hypothesis.anchor, .plane(hypothesis.homography), around: hypothesis.origin, features)
    guard guided.count >= 8, let fit = coarse.estimate(guided.found)
    else { return nil }
    return follow(fit.homography, hypothesis.anchor, features, &claims)
  }

  /// Searches for a copy near a predicted map, by its gray levels alone.
  ///
  /// - Parameter outlines: The outlines of all detected anchors, which the copy must not overlap.
  /// - Returns: True if the picture is similar there, and the detected copy; `nil` if it is not proven.
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

  /// Returns the copy detected at the position that the plane of another copy predicts; `nil` if the picture does not
  /// confirm it.
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
      guard let better = map.steadied(by: guided.found, looseness: Self.looseness.copy, sigma: 2) else { return nil }
      map = better
    }
    let inliers = agreeing(with: map)
    return inliers >= Self.fewestOfCopy ? claim(anchor, .plane(map), inliers, expected: expected, &claims) : nil
  }

  /// Returns whether a map shows an anchor so small that fewer features are required; this is the case only if the picture is
  /// searched at double size.
  private func isSmall(_ map: Homography) -> Bool {
    let area = (map.row0.x * map.row1.y - map.row0.y * map.row1.x) / (map.row2.z * map.row2.z)
    return sight.doubled != nil && Float(area) < Self.small
  }

  /// Returns the number of pairs of the last guided search that a map fits within 4.5 pixels.
  private func agreeing(with map: Homography) -> Int {
    guided.found.count { map.apply($0.reference).distance(to: $0.frame) < 4.5 }
  }

  /// Fits a flat anchor's map to more and more features and then to the gray levels, and returns the detected anchor;
  /// `nil` if too few features agree or it is not proven.
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
      let found = guided.found
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

  /// Returns the anchor detected under a map; `nil` if the prover does not prove it, or another detected anchor keeps
  /// its position.
  private func claim(
    _ anchor: Int, _ map: SurfaceMap, _ inliers: Int, expected: Quadrilateral? = nil, _ claims: inout FrameClaims
  ) -> DetectedAnchor? {
    guard
      let proof = prover.prove(template(anchor), map, inliers: inliers, in: sight, expected: expected)
    else { return nil }
    let claim = DetectedAnchor(anchor: anchor, map: proof.map, inliers: inliers, score: proof.score)
    return comparesPrints ? claim : prove(claim, proof.outline, proof.pyramid, &claims)
  }

  /// Compares a detected anchor with the anchors that look like it and returns the anchor that the picture shows; `nil` if all
  /// allowed copies of it are already claimed, or another detected anchor keeps its position.
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
      // Another hypothesis has already found all allowed copies of the anchor.
      guard !claims.isComplete(claim.anchor) else { return nil }
    }
    return claims.makeRoom(for: claim, outline) ? claim : nil
  }
}

/// The alignment templates of the most recently seen anchors. A template takes a third of a megabyte, and a millisecond to create;
/// four times as much if the library has the picture at double size.
///
/// The memory is reserved in `init` and filled on use. The least recently used template is replaced, unless it is still referenced.
struct TemplateCache {
  private struct Entry {
    /// The index of the anchor whose template is loaded; negative if none is.
    var anchor: Int
    var used: UInt64
    var template: AnchorTemplate
  }
  private var entries: [Entry]
  private var clock: UInt64 = 0
  /// The buffer into which the pixels of a reference are read; the template copies them.
  private let pixels: PixelBuffer
  /// The largest side of the library's pictures in pixels.
  private let side: Int
  /// A blank picture, used instead of a damaged one: nothing agrees with it.
  private let blank = GrayImage(width: 16, height: 16, value: 0)

  init(capacity: Int, for library: AnchorLibrary) {
    let side = AnchorCompiler.side * (library.references.map(\.detail).max() ?? 1)
    self.side = side
    pixels = PixelBuffer(capacity: side * side)
    entries = (0..<max(1, capacity)).map { _ in Entry(anchor: -1, used: 0, template: AnchorTemplate(side: side)) }
  }

  mutating func template(for anchor: Int, in library: AnchorLibrary) -> AnchorTemplate {
    clock += 1
    if let i = entries.firstIndex(where: { $0.anchor == anchor }) {
      entries[i].used = clock
      return entries[i].template
    }
    let image = library.image(of: anchor, in: pixels)
    let detail = image == nil ? 1 : library.references[anchor].detail
    let oldest = entries.indices.min { entries[$0].used < entries[$1].used } ?? 0
    if !isKnownUniquelyReferenced(&entries[oldest].template) { entries[oldest].template = AnchorTemplate(side: side) }
    entries[oldest].template.load(image ?? blank, detail: detail)
    (entries[oldest].anchor, entries[oldest].used) = (anchor, clock)
    return entries[oldest].template
  }
}
