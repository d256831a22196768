import WaymarkGeometry
public import WaymarkImage

/// Finds the anchors of a library in single frames.
///
/// A detector keeps its buffers from frame to frame and belongs to one thread at a time; several may share one library.
public final class AnchorDetector {
  /// The library whose anchors are looked for.
  public let library: AnchorLibrary
  private let extractor = FeatureExtractor()
  private let lookup: FeatureLookup
  private let search: HypothesisSearch
  private let guided: GuidedMatcher
  private var coarse: HomographyEstimator
  private var fine: HomographyEstimator
  private var reducer = FrameReducer()
  private let pairs: UnsafeMutableBufferPointer<PointPair>
  private var claims: [AnchorClaim] = []
  private let aligner = PatchAligner()
  private var templates = TemplateCache(capacity: 40)

  /// A detector for the anchors of a library.
  public init(library: AnchorLibrary) {
    self.library = library
    let capacity = extractor.features.capacity
    lookup = FeatureLookup(library: library, features: capacity)
    search = HypothesisSearch(library: library, matches: 3 * capacity)
    guided = GuidedMatcher(library: library, features: capacity)
    pairs = .allocate(capacity: 3 * capacity)
    var options = HomographyEstimator.Options()
    options.sigma = 4
    options.minimumInliers = 6
    coarse = HomographyEstimator(options)
    options.sigma = 1.5
    fine = HomographyEstimator(options)
  }

  deinit { pairs.deallocate() }

  /// The anchors in a frame, the surest first, one claim an anchor.
  public func detect(_ frame: ImageView) -> [AnchorClaim] {
    claims.removeAll(keepingCapacity: true)
    guard frame.width >= 24, frame.height >= 24, !library.references.isEmpty else { return [] }
    let (picture, scale) = reducer.reduce(frame)
    look(picture, doubled: false)
    if claims.isEmpty, picture.width <= 1000, picture.height <= 1000 { look(picture, doubled: true) }
    claims.sort { $0.score > $1.score }
    if scale != 1 {
      let enlarge = Homography.resize(Point2(1 / scale, 1 / scale))
      for i in claims.indices { claims[i].homography = (enlarge * claims[i].homography).normalized }
    }
    return claims
  }

  /// What alignment and tracking need of an anchor, made when it is first seen.
  package func template(_ anchor: Int) -> AnchorTemplate { templates.template(for: anchor, in: library) }

  private func look(_ picture: ImageView, doubled: Bool) {
    extractor.extract(picture, doubled: doubled)
    let features = extractor.features
    lookup.run(features)
    search.run(lookup.matches, count: lookup.count, features: features.features)
    guard !search.hypotheses.isEmpty else { return }
    guided.load(features, width: picture.width, height: picture.height)
    for hypothesis in search.hypotheses {
      if let claim = verify(hypothesis, doubled: doubled) { claims.append(claim) }
    }
  }

  private func verify(_ hypothesis: Hypothesis, doubled: Bool) -> AnchorClaim? {
    let features = extractor.features
    let reference = library.references[hypothesis.anchor]
    var n = 0
    search.supporters(of: hypothesis, lookup.matches, features: features.features) { r, f in
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
    for (round, radius) in [max(6, 0.06 * size), 5, 4].enumerated() {
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
    return align(hypothesis.anchor, map, inliers, doubled)
  }

  /// Moves the map until reference and frame agree on intensities, and asks how well they do.
  private func align(_ anchor: Int, _ map: Homography, _ inliers: Int, _ doubled: Bool) -> AnchorClaim? {
    let template = templates.template(for: anchor, in: library)
    let enlarge = Homography.resize(Point2(2, 2))
    let start = doubled ? enlarge * map : map
    guard let result = aligner.align(template, from: start, in: extractor.pyramid) else { return nil }
    onVerify?(result, inliers)
    guard result.score > 0.6, result.inliers >= 4 else { return nil }
    let final = doubled ? Homography.resize(Point2(0.5, 0.5)) * result.homography : result.homography
    return AnchorClaim(anchor: anchor, homography: final.normalized, inliers: inliers, score: result.score)
  }

  package var onVerify: ((PatchAligner.Result, Int) -> Void)?
}
