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
  private var detections: [DetectedAnchor] = []
  private let aligner = PatchAligner()
  private let verifier = StructureVerifier()
  private let judge = ClaimJudge()
  /// The lens of the frames: the claims' homographies are then those without its distortion.
  package var lens: LensMap?
  /// The camera, for frames of the size that will come; `nil`: assumed. Only round anchors ask for it.
  package var intrinsics: CameraIntrinsics?
  /// The camera of the picture that is searched.
  private var camera = CameraIntrinsics(assumedFor: 640, 480)
  /// How many copies of each anchor are claimed in one frame.
  public var copies = AnchorCopies() {
    didSet { limits = CopyLimits(copies, library.references) }
  }
  private var limits: CopyLimits
  private var mask = ExclusionMask()
  /// True if round anchors are looked for as if they were flat.
  var takesAllFlat = false
  private var templates: TemplateCache

  /// A detector for the anchors of a library.
  public convenience init(library: AnchorLibrary) { self.init(library: library, templates: 4) }

  /// - Parameter templates: how many anchors' alignment templates are kept; each takes a third of a megabyte.
  package init(library: AnchorLibrary, templates: Int) {
    self.library = library
    limits = CopyLimits(AnchorCopies(), library.references)
    self.templates = TemplateCache(capacity: min(templates, library.references.count), for: library)
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
    detections.reserveCapacity(64)
  }

  deinit { pairs.deallocate() }

  /// How many hypotheses may fail in one look at a frame: each that comes as far as the alignment costs half a millisecond.
  private let attempts = 6
  /// The same where two matches are enough: most of these are chance and end at the first guided matching, which takes a fifth of that.
  private let weakAttempts = 24

  /// So many matches that agree fix a map well enough to go on from: four times what a map needs.
  private static let many = 16

  /// How many wrong hypotheses of further copies end the search for them in one look.
  private static let copyAttempts = 6
  /// How often a frame is looked at while further copies are found in it.
  private static let mostLooks = 4

  /// The anchors in a frame, the surest first, as many claims an anchor as `copies` allows.
  ///
  /// A frame full of copies has more corners than one look takes up. So what was found is painted over and the rest looked at again, until
  /// nothing more is found, three times at most.
  public func detect(_ frame: ImageView) -> [DetectedAnchor] {
    var found = detect(frame, except: [])
    guard !limits.isSingle else { return found }
    var (known, painted, last) = ([Quadrilateral](), [Quadrilateral](), found)
    var looks = 1
    while looks < Self.mostLooks, found.count < AnchorCopies.most, last.contains(where: { limits[$0.anchor] > 1 }) {
      for outline in last.compactMap(limits.outline) {
        known.append(outline)
        painted.append(lens?.bend(outline) ?? outline)
      }
      last = mask.paint(frame, painted) { detect($0, except: known) }
      for claim in last where found.count < AnchorCopies.most && limits.allow(claim, beside: found) {
        found.append(claim)
      }
      looks += 1
    }
    found.sort { ($1.score, $0.anchor) < ($0.score, $1.anchor) }
    return found
  }

  /// The anchors of one look at a frame, without what lies inside outlines that are already known (through a lens: their straight places).
  package func detect(_ frame: ImageView, except known: [Quadrilateral]) -> [DetectedAnchor] {
    detections.removeAll(keepingCapacity: true)
    guard frame.width >= 32, frame.height >= 32, !library.references.isEmpty else { return [] }
    let (picture, scale) = reducer.reduce(frame)
    aligner.lens = lens?.scaled(by: scale)
    camera = intrinsics ?? CameraIntrinsics(assumedFor: frame.width, frame.height)
    camera.focal *= scale
    camera.center = (camera.center + 0.5) * scale - 0.5
    verifier.lens = aligner.lens
    judge.lens = aligner.lens
    let outlines = known.map { $0.scaled(by: scale) }
    look(picture, doubled: false, except: outlines)
    if detections.isEmpty, lookup.isThoroughSearchUseful { search(plain, picture, .thorough) }
    if detections.isEmpty { look(picture, doubled: true, except: outlines) }
    detections.sort { ($1.score, $0.anchor) < ($0.score, $1.anchor) }
    if scale != 1 {
      for i in detections.indices { detections[i].map = detections[i].map.resized(by: 1 / scale) }
    }
    return detections
  }

  /// Returns the data for aligning and tracking an anchor, made when it is first seen.
  package func template(_ anchor: Int) -> AnchorTemplate { templates.template(for: anchor, in: library) }

  private func look(_ picture: ImageView, doubled: Bool, except known: [Quadrilateral]) {
    let extractor = doubled ? enlarging : plain
    extractor.extract(picture, doubled: doubled)
    let features = extractor.features
    if let lens = aligner.lens { features.move(lens.straighten) }
    if !known.isEmpty {
      features.removeAll { f in known.contains { $0.contains(Point2(Double(f.x), Double(f.y))) } }
    }
    search(extractor, picture, doubled ? .doubled : .first)
  }

  /// The looks at a frame, one after the other until something is found.
  private enum SearchStage { case first, thorough, doubled }

  /// Looks for anchors among the features that an extractor has found; `thorough` goes on where `first` has ended.
  private func search(_ extractor: FeatureExtractor, _ picture: ImageView, _ look: SearchStage) {
    let features = extractor.features
    let doubled = look == .doubled
    // In large libraries what follows the first look trusts fewer matches, so that fewer keys will do.
    let isWeak = look != .first && lookup.isThoroughSearchUseful
    switch look {
    case .thorough: lookup.run(features, .thorough, beyond: lookup.quickEffort.probes)
    case .first: lookup.run(features, lookup.quickEffort)
    case .doubled: lookup.run(features, lookup.enlargedEffort)
    }
    hypotheses.run(lookup.matches, count: lookup.count, features: features.features, minimum: isWeak ? 2 : 4)
    guard !hypotheses.hypotheses.isEmpty else { return }
    guided.load(features, width: picture.width, height: picture.height)
    // The best supported come first: where several in a row fail, the rest is chance. What succeeds costs nothing of that,
    // so that a frame full of anchors is read in one go.
    var failures = 0
    let attempts = isWeak ? weakAttempts : attempts
    for hypothesis in hypotheses.hypotheses where failures < attempts - (detections.isEmpty ? 0 : 1) {
      if let detection = verify(hypothesis, extractor, doubled: doubled, width: picture.width) {
        detections.append(detection)
      } else {
        failures += 1
      }
    }
    if !limits.isSingle { searchCopies(extractor, minimum: isWeak ? 2 : 4, doubled: doubled, width: picture.width) }
  }

  /// Looks for further copies of the anchors that were found, the best supported hypothesis of all of them first.
  ///
  /// Matches inside an accepted outline are its own; those of a hypothesis that failed are struck out, so that the next one is another.
  /// All copies share the wrong hypotheses that a look has time for.
  private func searchCopies(_ extractor: FeatureExtractor, minimum: Int, doubled: Bool, width: Int) {
    let features = extractor.features.features
    var waiting: [Hypothesis] = []
    func propose(_ anchor: Int) {
      waiting.removeAll { $0.anchor == anchor }
      let claims = detections.count(where: { $0.anchor == anchor })
      guard claims > 0, claims < limits[anchor],
        let next = hypotheses.next(of: anchor, lookup.matches, features: features, minimum: minimum)
      else { return }
      waiting.append(next)
    }
    func strike(_ claim: DetectedAnchor) {
      guard let outline = limits.outline(claim) else { return }
      for anchor in limits.several {
        hypotheses.strike(of: anchor, in: outline, lookup.matches, features: features)
      }
      // A hypothesis that waits may be of this very thing.
      for spent in waiting where outline.contains(Point2(Double(spent.origin.x), Double(spent.origin.y))) {
        propose(spent.anchor)
      }
    }
    for claim in detections { strike(claim) }
    for claim in detections { propose(claim.anchor) }
    var failures = 0
    while failures < Self.copyAttempts, detections.count < AnchorCopies.most,
      let best = waiting.max(by: { $0.support < $1.support })
    {
      let claim = verify(best, extractor, doubled: doubled, width: width)
      hypotheses.strike(supporting: best, lookup.matches, features: features)
      if let claim, limits.allow(claim, beside: detections) {
        detections.append(claim)
        strike(claim)
        // It may have gone to a picture that looks alike.
        propose(claim.anchor)
      } else {
        failures += 1
      }
      propose(best.anchor)
    }
  }

  private func verify(
    _ hypothesis: Hypothesis, _ extractor: FeatureExtractor, doubled: Bool, width: Int
  ) -> DetectedAnchor? {
    let features = extractor.features
    let reference = library.references[hypothesis.anchor]
    var n = 0
    hypotheses.supporters(of: hypothesis, lookup.matches, features: features.features) { r, f in
      pairs[n] = PointPair(
        reference: Point2(Double(r.x), Double(r.y)), frame: Point2(Double(f.x), Double(f.y)))
      n += 1
    }
    if let radius = reference.radius, let physical = reference.physicalWidth, !takesAllFlat {
      let shape = CylinderMap(
        pose: PlanePose(rotation: .identity, translation: Point3(0, 0, 1)), width: reference.width,
        height: reference.height, physicalWidth: physical, radius: radius, camera: camera)
      let supporters = UnsafeBufferPointer(rebasing: pairs[..<n])
      guard let (map, inliers) = guided.cylinder(shape, from: hypothesis, supporters, features) else { return nil }
      return align(hypothesis.anchor, .cylinder(map), inliers, extractor, doubled, width)
    }
    // Among thousands of anchors most features of this one were not among the nearest: with few that agree, all are looked for.
    if lookup.isThoroughSearchUseful, n < Self.many {
      guided.run(hypothesis.anchor, .plane(hypothesis.homography), around: hypothesis.origin, features)
      if guided.count >= 8, let fit = coarse.estimate(UnsafeBufferPointer(rebasing: guided.pairs[..<guided.count])),
        let detection = follow(fit.homography, hypothesis.anchor, extractor, doubled, width)
      {
        return detection
      }
    }
    var map = hypothesis.homography
    if n >= 8, let fit = coarse.estimate(UnsafeBufferPointer(rebasing: pairs[..<n])) { map = fit.homography }
    return follow(map, hypothesis.anchor, extractor, doubled, width)
  }

  /// Brings more and more of a flat anchor's features into agreement with a map, and then the intensities.
  private func follow(
    _ start: Homography, _ anchor: Int, _ extractor: FeatureExtractor, _ doubled: Bool, _ width: Int
  ) -> DetectedAnchor? {
    let features = extractor.features
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
    return align(anchor, .plane(map), inliers, extractor, doubled, width)
  }

  /// Moves the map until reference and frame agree on intensities, and asks how well they do.
  private func align(
    _ anchor: Int, _ map: SurfaceMap, _ inliers: Int, _ extractor: FeatureExtractor, _ doubled: Bool, _ width: Int
  ) -> DetectedAnchor? {
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
    // Wrong maps can be bent until a quarter of the patches agree; the more features agree besides, the less is asked.
    guard result.determines(template), result.score > Self.leastScore(inliers),
      result.share + 0.004 * Double(min(inliers, 50)) > 0.44
    else {
      return nil
    }
    let final = result.map
    let reference = library.references[anchor]
    guard let outline = final.outline(width: reference.width, height: reference.height) else { return nil }
    let octave = aligner.octaves(template, final, pyramid)?.finest ?? 0
    let deviations = verifier.deviations(template, final, in: pyramid, octave: octave)
    // Depths that differ strongly are seldom seen, and right anyway where the picture is beyond doubt. A cylinder's pose has
    // the depths that it must have.
    guard deviations >= StructureVerifier.needed,
      deviations >= StructureVerifier.ample || final.cylinder != nil
        || final.homography.hasCameraLikeDepth(of: reference, outline, width: width)
    else { return nil }
    let claim = DetectedAnchor(anchor: anchor, map: final, inliers: inliers, score: result.score)
    return allowsOverlaps ? claim : prove(claim, outline, pyramid)
  }

  /// Proves a claim against the pictures that look like it, and gives one place to one anchor.
  private func prove(_ claim: DetectedAnchor, _ outline: Quadrilateral, _ pyramid: GrayPyramid) -> DetectedAnchor? {
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
      guard detections.count(where: { $0.anchor == claim.anchor }) < limits[claim.anchor] else { return nil }
    }
    // Of two anchors that look alike, one place is given to the one that fits better.
    if let other = detections.indices.first(where: { covers(detections[$0], outline) }) {
      guard !claim.rivals.contains(detections[other].anchor), detections[other].score < claim.score else { return nil }
      detections.remove(at: other)
    }
    return claim
  }

  /// The correlation that is asked for beside so many agreeing features.
  ///
  /// Both testify: features that agree by chance become rarer with every one more, patches that agree by chance with every
  /// hundredth of correlation. In frames that show none of a library's anchors, wrong claims had eight to thirteen features and
  /// scores below 0.88; right ones with so few have more, and with 32 features the general bound is enough.
  static func leastScore(_ inliers: Int) -> Double { max(0.6, 0.9 - 0.0125 * Double(max(0, inliers - 8))) }

  /// Returns whether a claim and an outline stand for the same thing in the frame: each holds the other's centre.
  private func covers(_ detection: DetectedAnchor, _ outline: Quadrilateral) -> Bool {
    let reference = library.references[detection.anchor]
    guard let other = detection.map.outline(width: reference.width, height: reference.height) else { return false }
    return other.contains(outline.center) && outline.contains(other.center)
  }

  /// True if two anchors may be claimed at one place, and none has to be proven against the others.
  var allowsOverlaps = false
}
