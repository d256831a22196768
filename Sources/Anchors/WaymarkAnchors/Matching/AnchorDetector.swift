public import WaymarkImage

/// Finds the anchors of a library in single frames.
///
/// The file also has the interface through which the engine uses a detector (`AnchorDetecting`), and the mask that
/// paints over known anchors (`ExclusionMask`).
///
/// A search of a frame, called a look, may be repeated in other ways. A detector reuses its buffers from frame to frame. Use it
/// from one thread at a time; several detectors may share one library.
public final class AnchorDetector {
  /// The library whose anchors the detector searches for.
  public let library: AnchorLibrary
  private let plain = FeatureExtractor()
  /// The extractor for the frame at double size. It has separate buffers, so that memory layouts do not change from look to look,
  /// and extracts only the two levels that the frame itself lacks.
  private let enlarging = FeatureExtractor(settings: .enlarging)
  private let lookup: FeatureLookup
  private let hypotheses: HypothesisSearch
  private let verifier: HypothesisVerifier
  private let copySearch: CopySearch
  private var claims: FrameClaims
  private var reducer = FrameReducer()
  private var mask = ExclusionMask()
  /// The frame as seen from other directions.
  private lazy var tilted = TiltedFrames()
  /// The lens of the frames. If set, the homographies of detected anchors exclude its distortion.
  package var lens: LensMap?
  /// The camera's intrinsics at the size of the frames; `nil`: estimated from an assumed field of view. Used only for
  /// round anchors.
  package var intrinsics: CameraIntrinsics?
  /// The largest number of copies of each anchor that are detected in one frame.
  public var copies = AnchorCopies() {
    didSet { claims.limits = CopyLimits(copies, library.references) }
  }
  /// True to compare printed pictures: round anchors are treated as flat, and overlapping detections are not compared
  /// with each other.
  var comparesPrints: Bool {
    get { verifier.comparesPrints }
    set { verifier.comparesPrints = newValue }
  }

  /// Creates a detector for the anchors of a library.
  public convenience init(library: AnchorLibrary) { self.init(library: library, templates: 4) }

  /// - Parameter templates: The number of anchors whose alignment templates are kept; each takes a third of a megabyte.
  package init(library: AnchorLibrary, templates: Int) {
    self.library = library
    let capacity = max(plain.features.capacity, enlarging.features.capacity)
    claims = FrameClaims(limits: CopyLimits(AnchorCopies(), library.references))
    lookup = FeatureLookup(library: library, features: capacity)
    hypotheses = HypothesisSearch(library: library, matches: lookup.limit)
    verifier = HypothesisVerifier(
      library: library, lookup, hypotheses, features: capacity, templates: templates,
      sight: PlaceProver.Sight(plain: plain.pyramid, doubled: nil, width: 0))
    copySearch = CopySearch(library: library, lookup, hypotheses, verifier)
  }

  /// The number of hypotheses per look that may search all features of their anchor. Such a search takes as long as a first guided
  /// matching.
  private var wideSearches: Int { lookup.isOfHundreds ? .max : 1 }
  /// The largest number of looks at a frame, including the first, if anchors may have several copies.
  private static let mostLooks = 4

  /// Returns the anchors in a frame, best score first, at most as many copies of each as `copies` allows.
  ///
  /// A frame full of copies has more corners than one look can process. So found copies are painted over and the rest is searched
  /// again, up to three times, as long as further copies are found. Each look uses the planes of the copies found before.
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

  /// Forgets the positions searched for copies in the last frame.
  func beginFrame() { copySearch.beginFrame() }

  /// Returns the anchors found in one look at a frame, except inside known outlines.
  ///
  /// - Parameters:
  ///   - known: The outlines, without the lens distortion, in which no features are used.
  ///   - others: The anchors detected in earlier looks at the same frame; further copies may be beside them.
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

  /// Returns the data for aligning and tracking an anchor, created on first use.
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

  /// The looks at a frame, tried in this order until something is found.
  private enum SearchStage { case first, thorough, doubled }

  /// Returns the least number of matches of a hypothesis in a look, and the number of hypotheses that may fail.
  ///
  /// Each hypothesis that reaches the alignment takes half a millisecond. The later looks accept fewer matches. In a large library
  /// most of these hypotheses are chance and end at the first guided matching, after a fifth of this time. In a small library only
  /// the best supported hypothesis is tried. At double size three matches are required; two would miss copies on a full shelf.
  private func bounds(of look: SearchStage) -> (matches: Int, failures: Int) {
    switch (look, lookup.isOfHundreds) {
    case (.first, _): (4, 6)
    case (.thorough, false): (2, 1)
    case (.doubled, false): (3, 6)
    case (.thorough, true), (.doubled, true): (2, 24)
    }
  }

  /// Searches for anchors among the features of an extractor; `thorough` continues after `first`.
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
    guard !hypotheses.hypotheses.isEmpty || !claims.earlier.isEmpty else { return }
    verifier.load(features, width: picture.width, height: picture.height)
    // The best supported hypotheses come first: if several fail, the rest is chance. Successful hypotheses do not count, so that
    // one look finds all anchors of a full frame.
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

// MARK: - Other directions

extension AnchorDetector {
  /// Returns the anchors in a frame as `detect` does. If it finds no anchor, the frame is searched as seen from other directions, tilt
  /// by tilt, until an anchor is found.
  ///
  /// A frame without an anchor takes about thirty times as long as with `detect`.
  public func detectFromAllSides(_ frame: ImageView) -> [DetectedAnchor] {
    let found = detect(frame)
    guard found.isEmpty else { return found }
    tilted.load(frame, lens)
    var (seen, tilt) = ([DetectedAnchor](), 0.0)
    for view in TiltedFrames.views {
      if view.tilt != tilt, !seen.isEmpty { break }
      tilt = view.tilt
      seen += detections(from: view)
    }
    guard !seen.isEmpty else { return [] }
    let (pyramid, aligner) = (GrayPyramid(), PatchAligner())
    pyramid.update(frame, levels: 7)
    aligner.lens = lens
    var kept: [DetectedAnchor] = []
    for var detection in seen.sorted(by: { ($1.inliers, $0.anchor) < ($0.inliers, $1.anchor) })
    where claims.limits.allow(detection, beside: kept) {
      _ = detection.align(template(detection.anchor), in: pyramid, by: aligner)
      kept.append(detection)
    }
    return kept
  }

  /// Returns the anchors in a frame as seen from one direction of `TiltedFrames`; after the last direction comes the first again.
  package func detections(in frame: ImageView, from direction: Int) -> [DetectedAnchor] {
    tilted.load(frame, lens)
    return detections(from: TiltedFrames.views[direction % TiltedFrames.views.count])
  }

  /// Returns the anchors in the frame loaded into `tilted` as seen from a direction.
  private func detections(from view: ViewCatalog.View) -> [DetectedAnchor] {
    // The shown frame has no distortion, and the known intrinsics do not apply to it.
    let camera = (lens, intrinsics)
    (lens, intrinsics) = (nil, nil)
    defer { (lens, intrinsics) = camera }
    beginFrame()
    return tilted.detections(from: view) { detect($0, except: []) }
  }
}

// MARK: - Interface and mask

/// Finds anchors in a single frame; the engine's interface to the detector.
package protocol AnchorDetecting: AnyObject {
  /// Returns the anchors in a frame, best score first, at most as many copies of each as `copies` allows.
  ///
  /// - Parameters:
  ///   - known: The outlines of the followed anchors without the lens distortion, which are painted over in the frame.
  ///   - copies: The followed copies. Further copies are searched for on their planes and beside them.
  func detections(in frame: ImageView, known: [Quadrilateral], beside copies: [DetectedAnchor]) -> [DetectedAnchor]

  /// Returns the anchors in a frame as seen from a direction, see `TiltedFrames`; directions are counted round.
  func detections(in frame: ImageView, from direction: Int) -> [DetectedAnchor]

  /// Returns the reference of an anchor.
  func reference(_ anchor: Int) -> AnchorReference

  /// Returns the data for aligning and tracking an anchor.
  func template(_ anchor: Int) -> AnchorTemplate

  /// For each reference, the pairs of similar references that list it first; empty if none look alike.
  var twins: [[AnchorTwin]] { get }

  var referenceCount: Int { get }

  /// The largest number of copies of each anchor that are detected in one frame.
  var copies: AnchorCopies { get set }

  /// The lens of the frames. If set, detections and known outlines exclude its distortion.
  var lens: LensMap? { get set }

  /// The camera's intrinsics, used to find round anchors; `nil`: estimated from an assumed field of view.
  var intrinsics: CameraIntrinsics? { get set }
}

extension AnchorDetector: AnchorDetecting {
  package func detections(
    in frame: ImageView, known: [Quadrilateral], beside copies: [DetectedAnchor]
  ) -> [DetectedAnchor] {
    beginFrame()
    return detect(frame, except: known, beside: copies)
  }
  package func reference(_ anchor: Int) -> AnchorReference { library.references[anchor] }
  package var referenceCount: Int { library.references.count }
  package var twins: [[AnchorTwin]] { library.twins }
}

/// Paints over known anchors in a copy of a frame, so that a search of the whole frame uses its time and its features
/// for new anchors.
///
/// Each anchor is filled with one gray level, because the straight edges of the area are not corners. Memory is
/// allocated once per frame size.
struct ExclusionMask {
  private var buffer = PixelBuffer(capacity: 0)

  /// Calls `body` with a copy of the frame in which each outline is filled with its mean gray level, or with the frame itself if
  /// there are no outlines.
  mutating func paint<R>(_ frame: ImageView, _ known: [Quadrilateral], _ body: (ImageView) -> R) -> R {
    guard !known.isEmpty, frame.width > 0, frame.height > 0 else { return body(frame) }
    if buffer.capacity < frame.width * frame.height { buffer = PixelBuffer(capacity: frame.width * frame.height) }
    let pixels = buffer.bytes
    for y in 0..<frame.height { (pixels + y * frame.width).update(from: frame.row(y), count: frame.width) }
    for outline in known { fill(outline, frame.width, frame.height) }
    return GrayImage(width: frame.width, height: frame.height, buffer: buffer).withView(body)
  }

  private func fill(_ q: Quadrilateral, _ width: Int, _ height: Int) {
    guard q.isFinite else { return }
    let corners = (q.topLeft, q.topRight, q.bottomRight, q.bottomLeft)
    let ys = (
      min(corners.0.y, corners.1.y, corners.2.y, corners.3.y), max(corners.0.y, corners.1.y, corners.2.y, corners.3.y)
    )
    let first = Int(max(0, ys.0.rounded(.down)))
    let last = Int(min(Double(height - 1), ys.1.rounded(.up)))
    guard first <= last else { return }
    let gray = mean(q, width, height)
    for y in first...last {
      // The range in which the row is inside the convex outline.
      var span = (Double.infinity, -Double.infinity)
      func cross(_ a: Point2, _ b: Point2) {
        let at = min(max(Double(y), min(a.y, b.y)), max(a.y, b.y))
        guard abs(at - Double(y)) <= 1 else { return }
        let share = a.y == b.y ? 0 : (at - a.y) / (b.y - a.y)
        let x = a.x + (b.x - a.x) * share
        span = (min(span.0, x), max(span.1, x))
        if a.y == b.y { span = (min(span.0, b.x), max(span.1, b.x)) }
      }
      cross(corners.0, corners.1)
      cross(corners.1, corners.2)
      cross(corners.2, corners.3)
      cross(corners.3, corners.0)
      let from = max(0, span.0.rounded(.down) - 1)
      let to = min(Double(width - 1), span.1.rounded(.up) + 1)
      guard from <= to else { continue }
      (buffer.bytes + y * width + Int(from)).update(repeating: gray, count: Int(to) - Int(from) + 1)
    }
  }

  /// Returns the mean gray level of 25 points inside an outline; 128 if all of them are outside of the frame.
  private func mean(_ q: Quadrilateral, _ width: Int, _ height: Int) -> UInt8 {
    var sum = 0
    var n = 0
    for i in 0..<25 {
      let (u, v) = (0.1 + 0.2 * Double(i % 5), 0.1 + 0.2 * Double(i / 5))
      let p = (q.topLeft * (1 - u) + q.topRight * u) * (1 - v) + (q.bottomLeft * (1 - u) + q.bottomRight * u) * v
      guard p.x >= 0, p.y >= 0, p.x < Double(width), p.y < Double(height) else { continue }
      sum += Int(buffer.bytes[Int(p.y) * width + Int(p.x)])
      n += 1
    }
    return UInt8(n == 0 ? 128 : sum / n)
  }
}
