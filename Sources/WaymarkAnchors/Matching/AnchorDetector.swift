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
  let lookup: FeatureLookup
  let hypotheses: HypothesisSearch
  let guided: GuidedMatcher
  private var coarse: HomographyEstimator
  private var fine: HomographyEstimator
  private var reducer = FrameReducer()
  private let pairs: UnsafeMutableBufferPointer<PointPair>
  var detections: [DetectedAnchor] = []
  let prover = PlaceProver()
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
  var limits: CopyLimits
  private var mask = ExclusionMask()
  /// What earlier looks at a frame have told of anchors with copies, in pixels of the picture that is searched.
  var told: [DetectedAnchor] = []
  var neighbours = NeighbourPlaces()
  /// The look at the picture that is being worked on.
  var sight: PlaceProver.Sight
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
    sight = PlaceProver.Sight(plain: plain.pyramid, doubled: nil, width: 0)
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

  /// So much of an anchor's own size the frame shows at most of a small one: a third, across and down.
  private static let small: Float = 1 / 9.0
  /// The fewest matches that are a hypothesis of a small anchor, the fewest features found at its place, and the fewest of them that
  /// agree at last. It has few, and at double size a proof that needs none.
  private static let fewestOfSmall = (matches: 3, found: 4, inliers: 7)
  /// The same of others.
  private static let fewest = (matches: 4, found: 6, inliers: 8)
  /// How often a frame is looked at while further copies are found in it.
  private static let mostLooks = 4

  /// The anchors in a frame, the surest first, as many claims an anchor as `copies` allows.
  ///
  /// A frame full of copies has more corners than one look takes up. So what was found is painted over and the rest looked at again, until
  /// nothing more is found, three times at most; copies that one look has told are where the next one starts.
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
      last = mask.paint(frame, painted) { detect($0, except: known, beside: found) }
      for claim in last where found.count < AnchorCopies.most && limits.allow(claim, beside: found) {
        found.append(claim)
      }
      looks += 1
    }
    found.sort { ($1.score, $0.anchor) < ($0.score, $1.anchor) }
    return found
  }

  /// The anchors of one look at a frame, without what lies inside outlines that are already known (through a lens: their straight places).
  ///
  /// - Parameter others: claims of earlier looks at the same frame, beside which there may be further copies.
  package func detect(
    _ frame: ImageView, except known: [Quadrilateral], beside others: [DetectedAnchor] = []
  ) -> [DetectedAnchor] {
    detections.removeAll(keepingCapacity: true)
    guard frame.width >= 32, frame.height >= 32, !library.references.isEmpty else { return [] }
    let (picture, scale) = reducer.reduce(frame)
    prover.lens = lens?.scaled(by: scale)
    camera = intrinsics ?? CameraIntrinsics(assumedFor: frame.width, frame.height)
    camera.focal *= scale
    camera.center = (camera.center + 0.5) * scale - 0.5
    judge.lens = prover.lens
    told.removeAll(keepingCapacity: true)
    if others.isEmpty { neighbours.beginFrame() }
    for var claim in others where limits[claim.anchor] > 1 {
      claim.map = claim.map.resized(by: scale)
      told.append(claim)
    }
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
    if let lens = prover.lens { features.move(lens.straighten) }
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
    sight = PlaceProver.Sight(
      plain: plain.pyramid, doubled: doubled ? extractor.pyramid : nil, width: picture.width)
    switch look {
    case .thorough: lookup.run(features, .thorough, beyond: lookup.quickEffort.probes)
    case .first: lookup.run(features, lookup.quickEffort)
    case .doubled: lookup.run(features, lookup.enlargedEffort)
    }
    let minimum = isWeak ? 2 : doubled ? Self.fewestOfSmall.matches : Self.fewest.matches
    hypotheses.run(lookup.matches, count: lookup.count, features: features.features, minimum: minimum)
    guard !hypotheses.hypotheses.isEmpty || !told.isEmpty else { return }
    guided.load(features, width: picture.width, height: picture.height)
    // The best supported come first: where several in a row fail, the rest is chance. What succeeds costs nothing of that,
    // so that a frame full of anchors is read in one go.
    var failures = 0
    let attempts = isWeak ? weakAttempts : attempts
    for hypothesis in hypotheses.hypotheses where failures < attempts - (detections.isEmpty ? 0 : 1) {
      let isSmall = hypothesis.linear.determinant < Self.small
      guard isWeak || isSmall || hypothesis.count >= Self.fewest.matches else { continue }
      if let detection = verify(hypothesis, features) {
        detections.append(detection)
      } else {
        failures += 1
      }
    }
    guard !limits.isSingle else { return }
    searchCopies(features, minimum: isWeak ? 2 : Self.fewest.matches)
    searchNeighbours(in: Point2(Double(picture.width), Double(picture.height)))
  }

  func verify(_ hypothesis: Hypothesis, _ features: FeatureSet) -> DetectedAnchor? {
    if let predicted = hypothesis.predicted { return confirm(predicted, hypothesis.anchor, features) }
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
      return claim(hypothesis.anchor, .cylinder(map), inliers)
    }
    // Among thousands of anchors most features of this one were not among the nearest: with few that agree, all are looked for.
    if lookup.isThoroughSearchUseful, n < Self.many {
      guided.run(hypothesis.anchor, .plane(hypothesis.homography), around: hypothesis.origin, features)
      if guided.count >= 8, let fit = coarse.estimate(UnsafeBufferPointer(rebasing: guided.pairs[..<guided.count])),
        let detection = follow(fit.homography, hypothesis.anchor, features)
      {
        return detection
      }
    }
    var map = hypothesis.homography
    let supporters = UnsafeBufferPointer(rebasing: pairs[..<n])
    if n >= 8, let fit = coarse.estimate(supporters) {
      map = fit.homography
    } else if isSmall(map), let better = map.steadied(by: supporters, looseness: Self.ofSmall, sigma: 2) {
      map = better
    }
    return follow(map, hypothesis.anchor, features)
  }

  /// The deviation of the shape that a match tells.
  private static let ofSmall = 0.15

  /// Returns whether a map shows an anchor so small that fewer features are asked for; only at double size.
  private func isSmall(_ map: Homography) -> Bool {
    let area = (map.row0.x * map.row1.y - map.row0.y * map.row1.x) / (map.row2.z * map.row2.z)
    return sight.doubled != nil && Float(area) < Self.small
  }

  /// How many of the features found last agree with a map.
  func agreeing(with map: Homography) -> Int {
    guided.pairs[..<guided.count].count { map.apply($0.reference).distance(to: $0.frame) < 4.5 }
  }

  /// Brings more and more of a flat anchor's features into agreement with a map, and then the intensities.
  private func follow(_ start: Homography, _ anchor: Int, _ features: FeatureSet) -> DetectedAnchor? {
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
        guard let better = map.steadied(by: found, looseness: Self.ofSmall, sigma: 2) else { return nil }
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
    return inliers >= fewest.inliers ? claim(anchor, .plane(map), inliers) : nil
  }

  /// The claim of a place that the prover proves.
  func claim(
    _ anchor: Int, _ map: SurfaceMap, _ inliers: Int, expected: Quadrilateral? = nil
  ) -> DetectedAnchor? {
    guard
      let proof = prover.prove(template(anchor), map, inliers: inliers, in: sight, expected: expected)
    else { return nil }
    let claim = DetectedAnchor(anchor: anchor, map: proof.map, inliers: inliers, score: proof.score)
    return allowsOverlaps ? claim : prove(claim, proof.outline, proof.pyramid)
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

  /// Returns whether a claim and an outline stand for the same thing in the frame: each holds the other's centre.
  private func covers(_ detection: DetectedAnchor, _ outline: Quadrilateral) -> Bool {
    let reference = library.references[detection.anchor]
    guard let other = detection.map.outline(width: reference.width, height: reference.height) else { return false }
    return other.contains(outline.center) && outline.contains(other.center)
  }

  /// True if two anchors may be claimed at one place, and none has to be proven against the others.
  var allowsOverlaps = false
}
