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
  private let verifier: HypothesisVerifier
  private let copySearch: CopySearch
  private var claims: FrameClaims
  private var reducer = FrameReducer()
  private var mask = ExclusionMask()
  /// The lens of the frames: the claims' homographies are then those without its distortion.
  package var lens: LensMap?
  /// The camera, for frames of the size that will come; `nil`: assumed. Only round anchors ask for it.
  package var intrinsics: CameraIntrinsics?
  /// How many copies of each anchor are claimed in one frame.
  public var copies = AnchorCopies() {
    didSet { claims.limits = CopyLimits(copies, library.references) }
  }
  /// True if two anchors may be claimed at one place, and none has to be proven against the others.
  var allowsOverlaps: Bool {
    get { verifier.allowsOverlaps }
    set { verifier.allowsOverlaps = newValue }
  }
  /// True if round anchors are looked for as if they were flat.
  var takesAllFlat: Bool {
    get { verifier.takesAllFlat }
    set { verifier.takesAllFlat = newValue }
  }

  /// A detector for the anchors of a library.
  public convenience init(library: AnchorLibrary) { self.init(library: library, templates: 4) }

  /// - Parameter templates: how many anchors' alignment templates are kept; each takes a third of a megabyte.
  package init(library: AnchorLibrary, templates: Int) {
    self.library = library
    let capacity = plain.features.capacity
    claims = FrameClaims(limits: CopyLimits(AnchorCopies(), library.references))
    lookup = FeatureLookup(library: library, features: capacity)
    hypotheses = HypothesisSearch(library: library, matches: lookup.limit)
    verifier = HypothesisVerifier(
      library: library, lookup, hypotheses, features: capacity, templates: templates,
      sight: PlaceProver.Sight(plain: plain.pyramid, doubled: nil, width: 0))
    copySearch = CopySearch(library: library, lookup, hypotheses, verifier)
  }

  /// How many hypotheses of a look may search all features of their anchor, which takes as long as a first guided matching.
  private var wideSearches: Int { lookup.isOfHundreds ? .max : 1 }
  /// How often a frame is looked at while further copies are found in it.
  private static let mostLooks = 4

  /// The anchors in a frame, the surest first, as many claims an anchor as `copies` allows.
  ///
  /// A frame full of copies has more corners than one look takes up. So what was found is painted over and the rest looked at again, until
  /// nothing more is found, three times at most; copies that one look has told are where the next one starts.
  public func detect(_ frame: ImageView) -> [DetectedAnchor] {
    beginFrame()
    var found = detect(frame, except: [])
    guard !claims.limits.isSingle else { return found }
    var (known, painted, last) = ([Quadrilateral](), [Quadrilateral](), found)
    var looks = 1
    while looks < Self.mostLooks, found.count < AnchorCopies.most,
      last.contains(where: { claims.limits[$0.anchor] > 1 })
    {
      for outline in last.compactMap(claims.limits.outline) {
        known.append(outline)
        painted.append(lens?.bend(outline) ?? outline)
      }
      last = mask.paint(frame, painted) { detect($0, except: known, beside: found) }
      for claim in last where found.count < AnchorCopies.most && claims.limits.allow(claim, beside: found) {
        found.append(claim)
      }
      looks += 1
    }
    found.sort { ($1.score, $0.anchor) < ($0.score, $1.anchor) }
    return found
  }

  /// Begins the first look at a frame.
  func beginFrame() { copySearch.beginFrame() }

  /// The anchors of one look at a frame, without what lies inside outlines that are already known (through a lens: their straight places).
  ///
  /// - Parameter others: claims of earlier looks at the same frame, beside which there may be further copies.
  package func detect(
    _ frame: ImageView, except known: [Quadrilateral], beside others: [DetectedAnchor] = []
  ) -> [DetectedAnchor] {
    guard frame.width >= 32, frame.height >= 32, !library.references.isEmpty else { return [] }
    let (picture, scale) = reducer.reduce(frame)
    verifier.lens = lens?.scaled(by: scale)
    var camera = intrinsics ?? CameraIntrinsics(assumedFor: frame.width, frame.height)
    camera.focal *= scale
    camera.center = (camera.center + 0.5) * scale - 0.5
    verifier.camera = camera
    claims.begin(beside: others, scale: scale)
    let outlines = known.map { $0.scaled(by: scale) }
    look(picture, doubled: false, except: outlines)
    if claims.found.isEmpty { search(plain, picture, .thorough) }
    if claims.found.isEmpty { look(picture, doubled: true, except: outlines) }
    return claims.end(scale: 1 / scale)
  }

  /// Returns the data for aligning and tracking an anchor, made when it is first seen.
  package func template(_ anchor: Int) -> AnchorTemplate { verifier.template(anchor) }

  private func look(_ picture: ImageView, doubled: Bool, except known: [Quadrilateral]) {
    let extractor = doubled ? enlarging : plain
    extractor.extract(picture, doubled: doubled)
    let features = extractor.features
    if let lens = verifier.lens { features.move(lens.straighten) }
    if !known.isEmpty {
      features.removeAll { f in known.contains { $0.contains(Point2(Double(f.x), Double(f.y))) } }
    }
    search(extractor, picture, doubled ? .doubled : .first)
  }

  /// The looks at a frame, one after the other until something is found.
  private enum SearchStage { case first, thorough, doubled }

  /// The fewest matches that are a hypothesis in a look, and how many hypotheses may fail: each that comes as far as the alignment costs half a
  /// millisecond. What follows the first look trusts fewer matches; most of these hypotheses are chance in a large library and end at the first
  /// guided matching, which takes a fifth of that. In a small one the best supported is tried, and at double size three matches are asked
  /// for: with two a full shelf of copies is lost.
  private func bounds(of look: SearchStage) -> (matches: Int, failures: Int) {
    switch (look, lookup.isOfHundreds) {
    case (.first, _): (4, 6)
    case (.thorough, false): (2, 1)
    case (.doubled, false): (3, 6)
    case (.thorough, true), (.doubled, true): (2, 24)
    }
  }

  /// Looks for anchors among the features that an extractor has found; `thorough` goes on where `first` has ended.
  private func search(_ extractor: FeatureExtractor, _ picture: ImageView, _ look: SearchStage) {
    let features = extractor.features
    let doubled = look == .doubled
    verifier.begin(
      PlaceProver.Sight(plain: plain.pyramid, doubled: doubled ? extractor.pyramid : nil, width: picture.width),
      wideSearches: wideSearches)
    switch look {
    case .thorough where lookup.isOfHundreds:
      lookup.run(features, lookup.thoroughEffort, beyond: lookup.quickEffort.probes)
    case .thorough: break
    case .first: lookup.run(features, lookup.quickEffort)
    case .doubled: lookup.run(features, lookup.enlargedEffort)
    }
    let bounds = bounds(of: look)
    hypotheses.run(lookup.matches, count: lookup.count, features: features.features, minimum: bounds.matches)
    guard !hypotheses.hypotheses.isEmpty || !claims.told.isEmpty else { return }
    verifier.load(features, width: picture.width, height: picture.height)
    // The best supported come first: where several in a row fail, the rest is chance. What succeeds costs nothing of that,
    // so that a frame full of anchors is read in one go.
    var failures = 0
    for hypothesis in hypotheses.hypotheses where failures < bounds.failures - (claims.found.isEmpty ? 0 : 1) {
      if let claim = verifier.verify(hypothesis, features, &claims) {
        claims.add(claim)
      } else {
        failures += 1
      }
    }
    guard !claims.limits.isSingle else { return }
    copySearch.run(features, minimum: bounds.matches, &claims)
    copySearch.runBeside(in: Point2(Double(picture.width), Double(picture.height)), &claims)
  }
}
